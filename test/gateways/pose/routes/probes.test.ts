/** The probes of a node: their paths, and a data disk without space. The other reasons are cases of the REST contract. */
import { afterEach, expect, it } from "vitest"
import { type Gateway, startGateway } from "../harness.ts"

let gateway: Gateway
afterEach(() => gateway.stop())

const probe = async (path: string) => {
  const answer = await fetch(gateway.url + path)
  // deno-lint-ignore no-explicit-any
  return { status: answer.status, body: await answer.json() as any }
}

it.each(["", "/api/v1"])("answers probes below %s/health without credentials", async (prefix) => {
  gateway = await startGateway()
  expect(await probe(`${prefix}/health/live`)).toEqual({ status: 200, body: { status: "live", reasons: [] } })
  expect(await probe(`${prefix}/health/ready`)).toEqual({ status: 200, body: { status: "ready", reasons: [] } })
})

it("is live and not ready while the data disk is full", async () => {
  gateway = await startGateway({ dataDisk: { path: ".", freeBytesMin: Number.MAX_SAFE_INTEGER } })
  expect(await probe("/health/live")).toMatchObject({ status: 200 })
  expect(await probe("/health/ready")).toMatchObject({
    status: 503,
    body: {
      error: {
        code: "SERVICE_UNAVAILABLE",
        details: {
          status: "not_ready",
          reasons: [expect.stringMatching(/^The data disk is full: \d+ MiB are free\./)],
        },
      },
    },
  })
})

it("health is degraded while the data disk is full", async () => {
  gateway = await startGateway({ dataDisk: { path: ".", freeBytesMin: Number.MAX_SAFE_INTEGER } })
  expect(await probe("/api/v1/health")).toMatchObject({
    status: 200,
    body: { status: "degraded", reasons: [expect.stringMatching(/^The data disk is full: \d+ MiB are free\./)] },
  })
})

it("health is degraded while only the typed arrays are left, unless they were chosen", async () => {
  gateway = await startGateway()
  const kernels = { backend: "typed-arrays", device: "float64", reason: "wasm was lost", lost: 1 } as const
  gateway.world.kernels = { ...kernels, skipped: [{ backend: "wasm", reason: "a kernel worker exited with code 1" }] }
  expect(await probe("/api/v1/health")).toMatchObject({
    body: { status: "degraded", reasons: [expect.stringMatching(/^This node computes with typed arrays, .* slower/)] },
  })
  gateway.world.kernels = { ...kernels, skipped: [] }
  expect(await probe("/api/v1/health")).toMatchObject({ body: { status: "healthy" } })
})

it("is ready without a data disk of its own", async () => {
  gateway = await startGateway({ dataDisk: null })
  expect(await probe("/health/ready")).toMatchObject({ status: 200 })
})

it("gives every reason", async () => {
  gateway = await startGateway({ dataDisk: { path: ".", freeBytesMin: Number.MAX_SAFE_INTEGER } })
  gateway.world.storeFails = true
  const { body } = await probe("/health/ready")
  expect(body.error.details.reasons).toHaveLength(2)
})

it("is live and not ready from the moment at which the node is asked to stop", async () => {
  gateway = await startGateway()
  expect(await probe("/health/ready")).toMatchObject({ status: 200 })
  gateway.world.stopping.current = true
  expect(await probe("/health/ready")).toMatchObject({
    status: 503,
    body: { error: { details: { status: "not_ready", reasons: ["The node is stopping."] } } },
  })
  expect(await probe("/health/live")).toMatchObject({ status: 200 })
})
