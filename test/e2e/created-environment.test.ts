/**
 * An environment that is created over REST in a service that waits for routers: presence from its packets, over the ingest stream and over the stream of CSI in and
 * poses out, a change while it runs, and the commands `site add` and `site show`.
 */
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { until } from "../gateways/cluster.ts"
import { metadata, openProcess, processMessage, withClient } from "../gateways/grpc/clients.ts"
import { runCommand } from "../harness/command.ts"
import { during, scene, walker } from "../harness/scene.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"

const startUs = Date.UTC(2026, 0, 5) * 1000
const folder = mkdtempSync(join(tmpdir(), "wavepose-created-"))
let service: TestService

/** A walk in a room with one link: packets of so many seconds. */
const walk = (fromS: number, toS: number): ReadonlyArray<CsiBatch> =>
  scene({
    seed: 3,
    seconds: toS,
    rateHz: 50,
    movers: (room, random) => [during(2, 60, walker(room, random("who")))],
  }).map((batch) => ({ ...batch, timestampsUs: batch.timestampsUs.map((us) => us + startUs) }))
    .filter(({ timestampsUs }) => timestampsUs[0]! >= startUs + fromS * 1e6)

const send = (apiKey: string, batches: ReadonlyArray<CsiBatch>) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const ingest = yield* connectIngest({ address: service.grpc, apiKey: Redacted.make(apiKey), rootCertPem: null })
    for (const batch of batches) yield* ingest(encodeCsiBatch(batch))
  })))

/** The frames that a stream of CSI in and poses out answers these batches with. */
const processed = (apiKey: string, batches: ReadonlyArray<CsiBatch>) =>
  Effect.runPromise(
    withClient(Number(service.grpc.split(":")[1]), (client) =>
      Effect.gen(function* () {
        const { acks, call, frames, result } = openProcess(client, metadata({ "x-api-key": apiKey }))
        for (const [i, batch] of batches.entries()) {
          call.write(processMessage(encodeCsiBatch(batch)))
          yield* until(() => acks().length > i)
        }
        call.end()
        yield* until(() => result.status !== null)
        expect(result.status!.details).toBe("OK")
        return frames()
      })),
  )

/** The packets of batches as the JSON of `/pose/process`. */
const packetsOf = (batches: ReadonlyArray<CsiBatch>) =>
  batches.flatMap(({ csi, frameCount, layout, routerId, timestampsUs }) => {
    const tones = layout.subcarrierIndices.length
    const number = (at: number) => ({ real: csi[2 * at]!, imag: csi[2 * at + 1]! })
    return Array.from({ length: frameCount }, (_, frame) => ({
      timestamp: new Date(timestampsUs[frame]! / 1000).toISOString(),
      antenna_data: Array.from(
        { length: layout.receiveAntennas },
        (_, row) =>
          Array.from({ length: tones }, (_, tone) => number((frame * layout.receiveAntennas + row) * tones + tone)),
      ),
      metadata: { router_id: routerId, subcarrier_indices: Array.from(layout.subcarrierIndices) },
    }))
  })

const wavepose = (...args: ReadonlyArray<string>) =>
  runCommand([...args, "--url", service.pose], {
    env: { WAVEPOSE_API_KEY: "", WAVEPOSE_ADMIN_PASSWORD: adminPassword },
  })

beforeAll(async () => {
  service = await startService({ args: ["--source", "none"] })
}, 60_000)
afterAll(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

it("makes frames of the routers that a request enrols, and goes on when the environment is changed", async () => {
  const api = await signIn(service)
  await eventually(async () => (await api.get("/system/status")).body.status, (status) => status === "running")
  const created = await api.post("/environments", { environment_id: "flat", name: "Flat", routers: ["r"] })
  expect(created).toMatchObject({ status: 201, body: { active: true, origin: { source: "live", name: null } } })
  const { body: key } = await api.post("/auth/api-keys", { name: "router", role: "operator" })

  await send(key.key, walk(0, 15))
  const latest = () => api.get("/pose/latest?environment_id=flat")
  const before = await eventually(
    latest,
    ({ body, status }) => status === 200 && body.metadata.presence.present === true,
  )
  expect(before.body.metadata.environment_id).toBe("flat")

  const zones = [{ zone_id: "bed", name: "Bed", polygon: [{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 2, y: 1 }] }]
  expect(await api.put("/environments/flat", { name: "My flat", zones })).toMatchObject({
    status: 200,
    body: { name: "My flat", zones, routers: ["r"] },
  })
  const frames = await processed(key.key, walk(15, 20))
  const ids = frames.map(({ frame_id }) => frame_id)
  expect(ids.length).toBeGreaterThan(20)
  expect(ids).toEqual(ids.map((_, i) => ids[0] + i))
  expect(ids[0]).toBeGreaterThan(before.body.frame_id)
  expect(frames.at(-1).metadata).toMatchObject({ environment_id: "flat", presence: { present: true } })

  // The same in a request; one link gives no persons, and the frames say so.
  const csi_data = packetsOf(walk(20, 22))
  const batch = await api.post("/pose/process", { csi_data })
  expect(batch.status).toBe(200)
  expect(batch.body.records).toHaveLength(csi_data.length)
  expect(batch.body.records[0]).toMatchObject({ status: "completed", environment_id: "flat" })
  const framesOfBatch: ReadonlyArray<Record<string, unknown>> = batch.body.frames
  expect(framesOfBatch.length).toBeGreaterThan(10)
  for (const frame of framesOfBatch) expect(frame).toMatchObject({ poses: [], reason: expect.any(String) })
}, 120_000)

it("is shown by a command, which adds the environments of a site file too", async () => {
  const shown = await wavepose("site", "show", "flat", "--json")
  expect(JSON.parse(shown.stdout)).toMatchObject({ environment_id: "flat", name: "My flat", geometry: null })
  const site = join(folder, "hall.json")
  const nodes = [{ nodeId: "hall-1", position: [0, 1, 1], arrayAxis: [0, 1, 0] }]
  const hall = { environmentId: "hall", name: "Hall", geometry: { size: [4, 3, 2.5], nodes }, routers: ["hall-1"] }
  writeFileSync(site, JSON.stringify(hall))
  const added = await wavepose("site", "add", site)
  expect([added.code, added.stderr]).toEqual([0, expect.stringContaining("Environment hall is created.")])
  const again = await wavepose("site", "add", site)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("exists already")])
  const text = await wavepose("site", "show", "hall")
  expect(text.stdout).toMatch(/routers +hall-1/)
  expect(text.stdout).toMatch(/hall-1 +0 1 1/)
  const unknown = await wavepose("site", "show", "attic")
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("Known environments: flat, hall")])
}, 60_000)
