/** Late frames are reported wherever health is shown, with who is behind: over REST, the WebSocket and Prometheus. */
import { Effect, Schema } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { forms } from "../../../protocols/pose-api/forms.ts"
import { systemSilentText } from "../../../protocols/pose-api/health.ts"
import { ServerMessage } from "../../../protocols/pose-api/socket-messages.ts"
import { call, type Contract, readContract } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"
import { connectSocket } from "./socket-client.ts"
import { makeRouterStatus, makeStatus } from "./world.ts"

let gateway: Gateway
let contract: Contract
let loopLagMs: number

beforeEach(async () => {
  loopLagMs = 20
  gateway = await startGateway({ loopLagMs: Effect.sync(() => loopLagMs) })
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

/** The simulator of the living room falls behind: its CSI still comes, with old times. */
const fallBehind = (ageMs: number) => {
  const { world } = gateway
  world.describe = (id) => ({ ...makeStatus(id), frameAgeMs: ageMs, observationAgeMs: ageMs - 50 })
  for (const id of world.routers.keys()) {
    const lastPacketMs = Date.now()
    world.routers.set(id, makeRouterStatus(id, { lastPacketMs, lastEventMs: lastPacketMs - ageMs }))
  }
}

const cause =
  /The newest frame of environment living-room is 95\.0 s old \(stale\)\. The source is behind: the simulator does not keep its pace, its CSI arrives 9\d\.\d s late\./

describe.each(forms)("late frames in the %s form", (form) => {
  const ask = async (path: string, role: "viewer" | "operator" = "viewer") => {
    const request = { method: "GET", path, form, token: await gateway.token(role) }
    const answer = await call(gateway.url, request)
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
    expect(contract.disagreements(request, path, answer)).toEqual([])
    return form === "bare" ? answer.json : answer.json.data
  }
  const csiOf = (body: { components: Record<string, unknown> }) =>
    body.components[form === "bare" ? "csi_receiver" : "csi_processor"]

  it("do not change health while they are on time", async () => {
    fallBehind(1_900)
    expect(await ask("/health")).toMatchObject({ status: "healthy", reasons: [] })
    expect(await ask("/health/detailed")).toMatchObject({ overall_status: "healthy" })
    expect(csiOf(await ask("/system/status"))).toMatchObject({ status: "active", reason: null })
  })

  it("degrade health, with the cause", async () => {
    fallBehind(95_000)
    expect(await ask("/health")).toMatchObject({ status: "degraded", reasons: [expect.stringMatching(cause)] })
    expect(await ask("/health/detailed")).toMatchObject({
      overall_status: "degraded",
      components: { csi_processor: { status: "degraded" } },
      reasons: { overall_status: expect.stringMatching(cause) },
    })
    expect(csiOf(await ask("/system/status"))).toMatchObject({
      status: "degraded",
      reason: expect.stringMatching(cause),
    })
  })

  it("are not denied while an environment does not answer", async () => {
    gateway.world.describe = (id) => id === "living-room" ? "broken" : makeStatus(id)
    expect(await ask("/health")).toMatchObject({
      status: "degraded",
      reasons: ["Environment living-room did not answer."],
    })
  })

  it("are not denied while the session does not answer", async () => {
    gateway.world.sessionSilent = true
    expect(await ask("/health")).toMatchObject({ status: "degraded", reasons: [systemSilentText] })
  })

  it("are in the diagnostics with the stage that is behind and what to do", async () => {
    fallBehind(3_000)
    const [late] = (await ask("/system/diagnostics", "operator")).environments
    expect(late).toMatchObject({
      frame_age_ms: 3_000,
      lateness: "late",
      behind: { stage: "source", finding: expect.stringContaining("simulator"), advice: expect.any(String) },
    })
    gateway.world.describe = (id) => ({ ...makeStatus(id), frameAgeMs: 30_000, framesWaiting: 280 })
    for (const id of gateway.world.routers.keys()) {
      gateway.world.routers.set(id, makeRouterStatus(id, { lastPacketMs: Date.now(), lastEventMs: Date.now() }))
    }
    const [stored] = (await ask("/system/diagnostics", "operator")).environments
    expect(stored).toMatchObject({ lateness: "stale", behind: { stage: "store" } })
    gateway.world.describe = makeStatus
    const [onTime] = (await ask("/system/diagnostics", "operator")).environments
    expect(onTime).toMatchObject({ frame_age_ms: 120, lateness: "on_time", behind: null })
  })

  it("are attributed to the processor when the event loop is delayed", async () => {
    fallBehind(3_000)
    loopLagMs = 2_700
    const [environment] = (await ask("/system/diagnostics", "operator")).environments
    expect(environment.behind).toMatchObject({ stage: "cpu", finding: expect.stringContaining("delayed by 2.7 s") })
  })

  it("are not reported for a stopped session, nor without frames", async () => {
    gateway.world.describe = (id) => ({ ...makeStatus(id), active: false, frameAgeMs: null })
    gateway.world.session = { ...gateway.world.session, status: "stopped" }
    expect(await ask("/health")).toMatchObject({ status: "healthy", reasons: [] })
    const [environment] = (await ask("/system/diagnostics", "operator")).environments
    expect(environment).toMatchObject({ frame_age_ms: null, lateness: null, behind: null })
  })

  it("are not caused by a router with a wrong clock", async () => {
    const { world } = gateway
    world.describe = (id) => ({ ...makeStatus(id), source: "live", frameAgeMs: 5_000, observationAgeMs: 100 })
    const lastPacketMs = Date.now()
    for (const id of world.routers.keys()) {
      world.routers.set(
        id,
        makeRouterStatus(id, { lastPacketMs, lastEventMs: lastPacketMs - 95_000, clockOffsetMs: 95_000 }),
      )
    }
    const [environment] = (await ask("/system/diagnostics", "operator")).environments
    expect(environment.behind).toMatchObject({ stage: "environment" })
  })
})

it("late frames degrade the socket's system status, with the cause", async () => {
  fallBehind(95_000)
  const client = await connectSocket(gateway.url, { query: `?token=${await gateway.token("viewer")}` })
  await client.next("connection_established")
  client.send({ type: "subscribe", channel: "system_status" })
  const message = await client.next("system_status")
  Schema.decodeUnknownSync(ServerMessage.system_status)(message)
  expect(message.status).toMatchObject({ system_health: "degraded", health_reason: expect.stringMatching(cause) })
  client.socket.close()
})

it("Prometheus has the age and lateness of the newest frame by environment", async () => {
  const figures = async (ageMs: number | null) => {
    gateway.world.describe = (id) => ({ ...makeStatus(id), frameAgeMs: ageMs })
    const token = await gateway.token("viewer")
    const text = await (await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
    return ["newest_frame_age_seconds", "frames_late", "frames_stale"].map((name) =>
      new RegExp(`^wavepose_${name}\\{environment_id="living-room"\\} (\\S+)$`, "m").exec(text)?.[1] ?? null
    )
  }
  expect(await figures(140)).toEqual(["0.14", "0", "0"])
  expect(await figures(2_500)).toEqual(["2.5", "1", "0"])
  expect(await figures(10_500)).toEqual(["10.5", "1", "1"])
  expect(await figures(null)).toEqual([null, null, null])
})
