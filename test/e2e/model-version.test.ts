/**
 * The pose network by name, over REST, at a service as its user runs it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { liftedWeights } from "../harness/lifted-weights.ts"
import { ownVersion } from "../harness/own-weights.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

/** Of the weights in the repository. */
const ownVersions = [ownVersion("wavepose"), ownVersion("wavepose-no-geometry")]

let folder: string
let service: TestService

const start = () =>
  startService({
    args: ["--scenario", "small-room"],
    env: { WAVEPOSE_MODEL: join(folder, "mine.safetensors"), WAVEPOSE_KERNELS: "typed-arrays" },
    dataDirectory: join(folder, "data"),
  })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wavepose-models-"))
  writeFileSync(join(folder, "mine.safetensors"), liftedWeights("mine", 0))
  writeFileSync(join(folder, "cut.safetensors"), liftedWeights("cut", 0).subarray(0, 100_000))
  service = await start()
}, 60_000)
afterAll(async () => {
  await service?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** Waits for a frame that this model made. */
const framesOf = (api: Awaited<ReturnType<typeof signIn>>, version: string) =>
  eventually(
    async () => (await api.get("/pose/latest")).body.metadata?.provenance.model_version as unknown,
    (made) => made === version,
  )

it(
  "uses the model that a start names, refuses one that it does not have, and keeps it when its process ends",
  async () => {
    const api = await signIn(service)
    await framesOf(api, "mine")
    // Copied while the service runs.
    writeFileSync(join(folder, "another.safetensors"), liftedWeights("lifted", 10))
    const startWith = (model_version: string) =>
      api.post("/system/start?form=envelope", {
        configuration: { environment_id: "small-room", neural_network: { model_version } },
      })
    await api.post("/system/stop")
    await eventually(async () => (await api.get("/system/status")).body.status, (status) => status === "stopped")
    for (
      const [version, status, code, message] of [
        [
          "nothing",
          422,
          "VALIDATION_ERROR",
          `There are: ${["cut", "lifted", "mine", ...ownVersions].sort().join(", ")}.`,
        ],
        ["../mine", 422, "VALIDATION_ERROR", "neural_network.model_version"],
        // The model exists, so naming it is valid.
        ["cut", 500, "MODEL_ERROR", "cut.safetensors cannot be used"],
      ] as const
    ) {
      const refused = await startWith(version)
      expect([refused.status, refused.body.error.code]).toEqual([status, code])
      expect(JSON.stringify(refused.body.error)).toContain(message)
    }
    expect((await api.get("/system/status")).body.status).toBe("stopped")
    const started = await startWith("lifted")
    expect(started).toMatchObject({
      status: 202,
      body: { data: { configuration_applied: { neural_network: { model_version: "lifted" } } } },
    })
    await framesOf(api, "lifted")
    await service.kill()
    service = await start()
    const again = await signIn(service)
    await framesOf(again, "lifted")

    // The configured weights are missing: that is not a fault of the client that starts the system.
    rmSync(join(folder, "another.safetensors"))
    await again.post("/system/stop")
    await eventually(async () => (await again.get("/system/status")).body.status, (status) => status === "stopped")
    const gone = await again.post("/system/start?form=envelope", {})
    expect([gone.status, gone.body.error]).toMatchObject([500, {
      code: "MODEL_ERROR",
      message: expect.stringContaining("neural_network.model_version"),
      details: { model_version: "lifted" },
    }])
    expect((await again.put("/config?form=envelope", { neural_network: { model_version: null } })).status).toBe(200)
    expect((await again.post("/system/start?form=envelope", {})).status).toBe(202)
    await framesOf(again, "mine")
  },
  90_000,
)
