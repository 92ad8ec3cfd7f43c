import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"
import { makeRouterStatus, makeStatus } from "../world.ts"

let gateway: Gateway
let contract: Contract

beforeEach(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

const path = "/system/diagnostics"
const atMs = Date.UTC(2026, 0, 5, 9, 30)

describe.each(forms)("diagnostics in the %s form", (form) => {
  const ask = async () => {
    const request = { method: "GET", path, form, token: await gateway.token("operator") }
    const answer = await call(gateway.url, request)
    expect(answer.status).toBe(200)
    expect(contract.disagreements(request, path, answer)).toEqual([])
    return form === "bare" ? answer.json : answer.json.data
  }

  it("contain the session, the environments, the routers and the datagram listeners", async () => {
    gateway.world.environments[0] = {
      environmentId: "living-room",
      name: "Living room",
      geometry: { size: [5, 4, 2.5], nodes: [{ nodeId: "node-1", position: [0, 0, 1], arrayAxis: [1, 0, 0] }] },
    }
    gateway.world.routers.set(
      "node-2",
      makeRouterStatus("node-2", { lastEventMs: atMs - 9000, clockLagMs: 2500, transmitterIds: ["a", "b"] }),
    )
    gateway.world.datagrams.ruview = {
      received: 12,
      accepted: 7,
      dropped: { "not-a-record": 2, unknown_router: 3 },
      routers: [{
        routerId: "node-9",
        lastDatagramMs: atMs,
        frames: 3,
        droppedFrames: 0,
        lastDrop: { reason: "unknown_router", atMs },
        lastReport: null,
        signed: false,
        binOrder: "unknown",
      }],
      foreignSenders: [{ address: "10.0.0.7", datagrams: 2, lastDatagramMs: atMs }],
      limitedSenders: [],
    }
    expect(await ask()).toMatchObject({
      system: { status: "running", failure: null, environment_id: null },
      store_answers: true,
      given_up_actors: [],
      environments: [{
        environment_id: "living-room",
        active: true,
        geometry_nodes: ["node-1"],
        frames_processed: 120,
      }],
      routers: [
        { router_id: "node-1", state: "streaming", clock_offset_ms: 0, transmitters: ["ap"] },
        { router_id: "node-2", reason: null, clock_offset_ms: -2500, transmitters: ["a", "b"] },
      ],
      datagrams: [
        {
          kind: "ruview",
          port: 5005,
          received: 12,
          dropped: { "not-a-record": 2, unknown_router: 3 },
          routers: [{
            router_id: "node-9",
            last_drop: { reason: "unknown_router" },
            reports: false,
            bin_order: "unknown",
          }],
          foreign_senders: [{ address: "10.0.0.7", datagrams: 2 }],
        },
        { kind: "nexmon", port: 5500, received: 0 },
      ],
    })
  })

  it("contain the backend that runs the kernels, and why", async () => {
    expect((await ask()).kernels).toBeNull()
    const said = {
      backend: "webgpu",
      device: "NVIDIA H100",
      reason: "wasm was lost",
      skipped: [{ backend: "wasm", reason: "its worker ended" }],
    } as const
    gateway.world.kernels = { ...said, lost: 1 }
    expect((await ask()).kernels).toEqual(said)
  })

  it("have what was enrolled before, and its time, while the database does not answer", async () => {
    const before = await ask()
    expect(Object.hasOwn(before, "listed_time")).toBe(false)
    gateway.world.storeFails = true
    gateway.world.environments = []
    const { environments, listed_time, node_identity, routers, store_answers } = await ask()
    expect(store_answers).toBe(false)
    expect(Date.parse(listed_time)).toBeLessThanOrEqual(Date.parse(before.timestamp) + 1_000)
    expect([environments, routers, node_identity].map((list) => JSON.stringify(list).length)).toEqual(
      [before.environments, before.routers, before.node_identity].map((list) => JSON.stringify(list).length),
    )
    expect(environments[0]).toMatchObject({ environment_id: "living-room", active: true, frames_processed: 120 })
  })

  it("have the other parts while the session does not answer", async () => {
    gateway.world.sessionSilent = true
    const { environments, routers, system, system_reason } = await ask()
    expect([system, system_reason]).toEqual([null, expect.stringContaining("The system session did not answer")])
    expect([environments[0].frames_processed, routers[0].state]).toEqual([120, "streaming"])
  })

  it("report parts that do not answer", async () => {
    gateway.world.routers.delete("node-1")
    gateway.world.describe = (id) => id === "living-room" ? "broken" : makeStatus(id)
    const { environments, routers } = await ask()
    expect(routers[0]).toMatchObject({ router_id: "node-1", state: null, reason: "Router node-1 did not answer." })
    expect(routers[1]).toMatchObject({ state: "streaming", reason: null })
    expect(environments[0]).toMatchObject({
      active: false,
      no_frames_reason: expect.stringContaining("did not answer"),
    })
  })
})
