/**
 * An intruder in a guarded flat, from packets to the alert over the WebSocket: a real service, and a scripted visit to a room with one
 * link. Packets are sent as fast as they are accepted; all times are event time.
 */
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { connectSocket } from "../gateways/pose/socket-client.ts"
import { during, scene, walker } from "../harness/scene.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const startUs = Date.UTC(2026, 0, 5) * 1000
const [inS, outS, endS] = [12, 24, 190]

/** A person enters at 12 s and leaves at 24 s. */
const visit = (): ReadonlyArray<CsiBatch> =>
  scene({
    seed: 3,
    seconds: endS,
    rateHz: 50,
    movers: (room, random) => [during(inS, outS, walker(room, random("who")))],
  }).map((batch) => ({ ...batch, timestampsUs: batch.timestampsUs.map((us) => us + startUs) }))

const send = (service: TestService, apiKey: string, batches: ReadonlyArray<CsiBatch>) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const ingest = yield* connectIngest({ address: service.grpc, apiKey: Redacted.make(apiKey), rootCertPem: null })
    for (const batch of batches) yield* ingest(encodeCsiBatch(batch))
  })))

const homeToken = "a-long-lived-token"
const folder = mkdtempSync(join(tmpdir(), "wavepose-alerts-"))
let service: TestService

beforeAll(async () => {
  const site = join(folder, "site.json")
  writeFileSync(site, JSON.stringify({ environmentId: "flat", name: "Flat", geometry: null, routers: ["r"] }))
  service = await startService({
    args: ["--source", "none", "--site", site],
    env: { WAVEPOSE_HOME_TOKENS: homeToken },
  })
}, 60_000)
afterAll(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

it("raises one alert for one visit to a guarded flat, and clears it when the visitor has left", async () => {
  const api = await signIn(service)
  const status = (wanted: string) =>
    eventually(async () => (await api.get("/system/status")).body.status, (value) => value === wanted)
  await status("running")
  await api.post("/system/stop")
  await status("stopped")
  await api.post("/system/start", { configuration: { domain: "security", environment_id: "flat" } })
  await status("running")
  const { body: key } = await api.post("/auth/api-keys", { name: "router", role: "operator" })

  const client = await connectSocket(service.pose, { query: `?token=${api.token}` })
  client.send({ type: "subscribe", channel: "alerts" })
  await client.next("subscription_confirmed")
  await send(service, key.key, visit())

  const cleared = await client.next("alert_update", ({ status }) => status === "cleared")
  const reported = client.received.filter(({ type }) => type.startsWith("alert"))
  // For two minutes after the motion the visitor may keep still, and an intrusion of two minutes is critical.
  expect(reported.map(({ severity, status, type }) => `${type} ${status} ${severity}`))
    .toEqual(["alert open high", "alert_update open critical", "alert_update cleared critical"])
  const [alert] = reported
  expect(alert).toMatchObject({
    alert_type: "intrusion",
    severity: "high",
    data: { person_id: null, location: null, video_clip_url: null },
    actions_required: ["notification"],
    metadata: { environment_id: "flat", ended_at: null, provenance: { source: "simulated" } },
  })
  expect(alert.data.confidence).toBeGreaterThan(0.5)
  expect(cleared.alert_id).toBe(alert.alert_id)
  expect(cleared).toMatchObject({ metadata: { resolution: "left" }, actions_required: [] })
  const secondsIn = (time: string) => (Date.parse(time) - startUs / 1000) / 1000
  expect(secondsIn(alert.timestamp)).toBeGreaterThan(inS)
  expect(secondsIn(alert.timestamp)).toBeLessThan(inS + 6)
  expect(secondsIn(cleared.metadata.ended_at)).toBeGreaterThan(outS)

  // A cleared alert is not sent to later subscribers; one that ended with the session would be.
  const late = await connectSocket(service.pose, { query: `?token=${api.token}` })
  late.send({ type: "subscribe", channel: "alerts" })
  await late.next("subscription_confirmed")
  late.send({ type: "ping" })
  await late.next("pong")
  expect(late.received.filter(({ type }) => type.startsWith("alert"))).toEqual([])
  client.socket.close()
  late.socket.close()
}, 180_000)

it("is an entity of the home, and can be acknowledged by a service", async () => {
  const api = await signIn(service)
  const { body: key } = await api.post("/auth/api-keys", { name: "router again", role: "operator" })
  const client = await connectSocket(service.pose, { query: `?token=${api.token}` })
  client.send({ type: "subscribe", channel: "alerts" })
  await client.next("subscription_confirmed")
  // Ten minutes later; the person stays.
  const laterUs = 600_000_000
  const stay = visit().filter(({ timestampsUs }) => timestampsUs.at(-1)! < startUs + outS * 1e6)
    .map((batch) => ({ ...batch, timestampsUs: batch.timestampsUs.map((us) => us + laterUs) }))
  await send(service, key.key, stay)
  const { alert_id } = await client.next("alert", ({ status }) => status === "open")

  const home = async (path: string, body?: unknown) => {
    const response = await fetch(`${service.home}/api${path}`, {
      headers: { authorization: `Bearer ${homeToken}` },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    })
    return await response.json() as {
      readonly state?: string
      readonly attributes?: Readonly<Record<string, unknown>>
      readonly service_response?: unknown
    }
  }
  const entity = "/states/binary_sensor.flat_unexpected_occupancy"
  const shown = await eventually(() => home(entity), ({ state }) => state === "on")
  expect(shown.attributes).toMatchObject({
    alert_id,
    status: "open",
    severity: "high",
    privacy_class: "anonymous",
    provenance: { source: "simulated" },
  })
  const answer = await home("/services/wavepose/acknowledge_alert?return_response", { alert_id })
  expect(answer.service_response).toEqual({ alert_id, environment_id: "flat" })
  await client.next("alert_update", ({ status }) => status === "acknowledged")
  const acknowledged = ({ attributes }: Awaited<ReturnType<typeof home>>) => attributes?.["status"] === "acknowledged"
  expect((await eventually(() => home(entity), acknowledged)).state).toBe("on")
  client.socket.close()
}, 180_000)
