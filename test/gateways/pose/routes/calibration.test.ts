import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"
import { makeRouterStatus } from "../world.ts"

let gateway: Gateway
let contract: Contract

beforeEach(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

const path = "/system/calibration"

describe.each(forms)("calibration in the %s form", (form) => {
  const send = async (method: string, role: "viewer" | "operator", body?: unknown) => {
    const request = { method, path, form, token: await gateway.token(role), body }
    const answer = await call(gateway.url, request)
    expect(contract.disagreements(request, path, answer)).toEqual([])
    return { ...answer, data: form === "bare" ? answer.json : answer.json.data }
  }

  it("is reported for every router, with its time and validity", async () => {
    const stale = "the static response has differed by -6 dB"
    const { calibration } = makeRouterStatus("node-2")
    gateway.world.routers.set("node-2", makeRouterStatus("node-2", { calibration: { ...calibration, stale } }))
    const { data, status } = await send("GET", "viewer")
    expect(status).toBe(200)
    expect(data.routers).toMatchObject([
      {
        router_id: "node-1",
        version: 1,
        calibration_timestamp: "2026-01-04T00:00:00.000Z",
        calibrated_links: 2,
        two_sided_links: 0,
        stale_reason: null,
        running: null,
      },
      { router_id: "node-2", stale_reason: stale },
    ])
  })

  it("is of the empty room unless the occupied one is requested", async () => {
    const first = await send("POST", "operator")
    expect(first.status).toBe(202)
    expect(first.data.routers.map((router: { running: unknown }) => router.running)).toEqual([
      { room: "empty", progress: 0, moving_share: null },
      { room: "empty", progress: 0, moving_share: null },
    ])
    const second = await send("POST", "operator", { room: "occupied", environment_id: "living-room" })
    expect(second.data.routers[0]).toMatchObject({ state: "calibrating", running: { room: "occupied" } })
  })

  it("leaves out a router that was removed in the meantime", async () => {
    gateway.world.routers.delete("node-1")
    const { data } = await send("POST", "operator")
    expect(data.routers).toMatchObject([{ router_id: "node-2" }])
  })

  it("is rejected while all routers are silent, and started for the others", async () => {
    gateway.world.routers.set("node-1", makeRouterStatus("node-1", { state: "lost" }))
    gateway.world.routers.set("node-2", makeRouterStatus("node-2", { state: "lost" }))
    const refused = await send("POST", "operator")
    expect(refused.status).toBe(502)
    expect(refused.json.error).toMatchObject({
      code: "HARDWARE_ERROR",
      details: { router_ids: ["node-1", "node-2"] },
      message: expect.stringContaining("doctor"),
    })
    gateway.world.routers.set("node-2", makeRouterStatus("node-2", { state: "idle" }))
    const { data, status } = await send("POST", "operator")
    expect(status).toBe(202)
    expect(data.routers).toMatchObject([
      { router_id: "node-1", state: "lost", running: null },
      { router_id: "node-2", running: { room: "empty" } },
    ])
  })

  it("is rejected without a router to calibrate", async () => {
    gateway.world.environments.push({ environmentId: "attic", name: "Attic", geometry: null })
    const empty = await send("POST", "operator", { environment_id: "attic" })
    expect([empty.status, empty.json.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"])
    expect(empty.json.error.message).toContain('no router is enrolled in environment "attic"')
    gateway.world.routers.clear()
    const nothing = await send("POST", "operator")
    expect([nothing.status, nothing.json.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"])
    expect((await send("GET", "viewer")).status).toBe(200)
  })

  it.each(
    [
      ["a viewer may not", "viewer", {}, 403],
      ["too short", "operator", { duration_seconds: 9 }, 422],
      ["too long", "operator", { duration_seconds: 601 }, 422],
      ["no such side", "operator", { room: "full" }, 422],
      ["no such environment", "operator", { environment_id: "attic" }, 404],
    ] as const,
  )("is rejected: %s", async (_, role, body, status) => {
    expect((await send("POST", role, body)).status).toBe(status)
    expect([...gateway.world.routers.values()].every(({ calibration }) => calibration.running === null)).toBe(true)
  })
})
