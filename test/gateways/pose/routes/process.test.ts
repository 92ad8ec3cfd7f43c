import { Layer, Result } from "effect"
import * as fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { NoFrames } from "../../../../protocols/domain/failure.ts"
import { decodeCsiBatch } from "../../../../protocols/grpc/csi-batch.ts"
import { type Form, forms } from "../../../../protocols/pose-api/forms.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { makeFrame, makeStanding, share } from "../frames.ts"
import { type Gateway, startGateway } from "../harness.ts"
import { nothingStored } from "../ports.ts"
import { StoredFramesDouble } from "../../stored-frames.ts"

let gateway: Gateway
let contract: Contract
let reset: () => void

beforeAll(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
  const { ingest, latest } = gateway.world
  reset = () => {
    gateway.world.batches.length = 0
    Object.assign(gateway.world, { ingest, latest })
  }
})
afterEach(() => reset())
afterAll(() => gateway.stop())

const path = "/pose/process"
/** Within the second before the frame that `makeFrame` makes. */
const timestamp = "2026-01-05T09:30:00.012345Z"

const row = (subcarriers: number) => Array.from({ length: subcarriers }, (_, i) => ({ real: i + 0.5, imag: -i }))

const packet = (csi: Record<string, unknown> = {}, options: Record<string, unknown> = {}) => ({
  csi_data: {
    timestamp,
    antenna_data: [row(56), row(56)],
    metadata: { router_id: "node-1", sampling_rate: 100, signal_strength: -44.6 },
    ...csi,
  },
  processing_options: {
    confidence_threshold: 0,
    max_persons: 5,
    enable_tracking: true,
    return_dense_pose: false,
    ...options,
  },
})

const send = async (body: unknown, form: Form = "bare", role: "operator" | "viewer" = "operator") => {
  const request = { method: "POST", path, form, token: await gateway.token(role), body }
  const answer = await call(gateway.url, request)
  expect(contract.disagreements(request, path, answer)).toEqual([])
  return { ...answer, data: form === "bare" || answer.json === null ? answer.json : answer.json.data }
}

const fieldsOf = ({ json }: { json: { error: { details: { field_errors: Array<{ field: string }> } } } }) =>
  json.error.details.field_errors.map(({ field }) => field)

describe.each(forms)("a packet in the %s form", (form) => {
  it("reaches its router as a batch, with its time in microseconds", async () => {
    const { data, status } = await send(packet(), form)
    expect(status).toBe(200)
    expect(data.processing_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
    const batch = Result.getOrThrow(decodeCsiBatch(gateway.world.batches[0]!))
    expect(batch).toMatchObject({
      routerId: "node-1",
      source: "live",
      frameCount: 1,
      layout: { receiveAntennas: 2, transmitAntennas: 1 },
      transmitterIds: ["ap"],
    })
    expect(batch.timestampsUs[0]).toBe(Date.UTC(2026, 0, 5, 9, 30) * 1000 + 12_345)
    expect(batch.rssiDbm[0]).toBe(-45)
    expect(Array.from(batch.csi.subarray(0, 4))).toEqual([0.5, 0, 1.5, -1])
  })

  it("is answered with the filtered persons of the frame of its time", async () => {
    const { data } = await send(packet(), form)
    expect(data).toMatchObject({
      status: "completed",
      reason: null,
      frame: { frame_id: 7, environment_id: "living-room" },
    })
    const id = form === "bare" ? "id" : "person_id"
    expect(data.poses.map((pose: Record<string, unknown>) => pose[id])).toEqual([41, 42])
    const one = await send(packet({}, { max_persons: 1 }), form)
    expect(one.data.poses.map((pose: Record<string, unknown>) => pose[id])).toEqual([41])
    const { confidence_threshold: _, ...rest } = packet().processing_options
    const sure = await send({ ...packet(), processing_options: { ...rest, min_confidence: 0.6 } }, form)
    expect(sure.data.poses).toHaveLength(1)
    const none = await send(packet({}, { confidence_threshold: 1 }), form)
    expect(none.data).toMatchObject({
      status: "completed",
      poses: [],
      reason: expect.stringContaining("no person with this confidence"),
    })
  })

  it("is answered with tracks and dense poses on request", async () => {
    gateway.world.latest = () => share(makeFrame({ persons: [makeStanding(41, 0.9)] }))
    const track = form === "bare" ? "tracking_info" : "track_id"
    const whole = (await send(packet({}, { return_dense_pose: true }), form)).data.poses[0]
    expect(whole).toHaveProperty(track)
    expect(whole.dense_pose).toMatchObject({ derived: true })
    const bare = (await send(packet({}, { enable_tracking: false }), form)).data.poses[0]
    expect(bare).not.toHaveProperty(track)
    expect(bare).not.toHaveProperty("dense_pose")
  })
})

describe("a packet without a frame of its time", () => {
  it("waits briefly for the frame while the environment produces frames", async () => {
    const later = send(packet({ timestamp: "2026-01-05T09:30:00.200Z" }))
    while ((gateway.world.watched.get("living-room")?.size ?? 0) === 0) await new Promise((done) => setImmediate(done))
    gateway.world.publish(share(makeFrame({ frameId: 8, timestampMs: Date.UTC(2026, 0, 5, 9, 30, 0, 200) })))
    gateway.world.publish(share(makeFrame({ frameId: 9, timestampMs: Date.UTC(2026, 0, 5, 9, 30, 0, 300) })))
    expect((await later).data).toMatchObject({ status: "completed", frame: { frame_id: 9 } })
  })

  it("is accepted, with the reason for no poses", async () => {
    const accepted = { status: "accepted", poses: [], frame: null }
    const early = await send(packet({ timestamp: "2026-01-05T09:29:00Z" }))
    expect(early.data).toMatchObject({ ...accepted, reason: expect.stringContaining("later than this packet") })
    const far = await send(packet({ timestamp: "2026-01-05T09:31:00+00:00" }))
    expect(far.data).toMatchObject({ ...accepted, reason: expect.stringContaining("too few") })
    const alone = await send(packet({ timestamp: "2026-01-05T09:30:00.200Z" }))
    expect(alone.data).toMatchObject({ ...accepted, reason: expect.stringContaining("no frame for this time yet") })
    gateway.world.latest = (environmentId) => new NoFrames({ environmentId, message: "No frame has been made yet." })
    expect((await send(packet())).data).toMatchObject({ ...accepted, reason: "No frame has been made yet." })
  })

  it("is reported as dropped, with the router's reason", async () => {
    gateway.world.ingest = { acceptedFrames: 0, droppedFrames: 1, dropReason: "The system is not running." }
    expect((await send(packet())).data).toMatchObject({
      status: "dropped",
      poses: [],
      frame: null,
      reason: "The system is not running.",
    })
  })
})

describe.each(forms)("a batch in the %s form", (form) => {
  const packetAt = (timestamp: string, over: Record<string, unknown> = {}) => packet({ timestamp, ...over }).csi_data
  const frames = [100, 200, 300].map((ms, i) =>
    makeFrame({ frameId: i + 1, timestampMs: Date.UTC(2026, 0, 5, 9, 30, 0, ms), ...(i === 2 ? { persons: [] } : {}) })
  )
  const history = new StoredFramesDouble()
  let stored: Gateway
  beforeAll(async () => {
    history.store(...frames)
    stored = await startGateway({}, { history: Layer.merge(nothingStored, history.layer) })
    stored.world.latest = () => share(frames[2]!)
  })
  afterAll(() => stored.stop())

  const answerOf = async (body: unknown) => {
    const request = { method: "POST", path, form, token: await stored.token("operator"), body }
    const answer = await call(stored.url, request)
    expect(contract.disagreements(request, path, answer)).toEqual([])
    return { ...answer, data: form === "bare" ? answer.json : answer.json.data }
  }

  it("is answered in order: an invalid packet and an unknown router are named, and the others have their frames", async () => {
    stored.world.batches.length = 0
    const csi_data = [
      packetAt("2026-01-05T09:30:00.150Z"),
      packetAt("2026-01-05T09:30:00.010Z"),
      packetAt("2026-01-05T09:30:00.020Z", { antenna_data: [row(56), row(55)] }),
      packetAt("2026-01-05T09:30:00.030Z", { metadata: { router_id: "stranger" } }),
      packetAt("2026-01-05T09:30:00.020Z"),
      7,
      packetAt("2026-01-05T09:30:00.250Z"),
    ]
    const { data } = await answerOf({ csi_data })
    const completed = (frame_id: number) => ({
      status: "completed",
      reason: null,
      error_code: null,
      field: null,
      environment_id: "living-room",
      frame_id,
    })
    const rejected = { status: "rejected", environment_id: null, frame_id: null }
    expect(data.records).toEqual([
      completed(2),
      completed(1),
      {
        ...rejected,
        reason: expect.stringContaining("as many subcarriers"),
        error_code: "VALIDATION_ERROR",
        field: "csi_data.2.antenna_data.1",
      },
      { ...rejected, reason: expect.stringContaining("stranger"), error_code: "RESOURCE_NOT_FOUND", field: null },
      completed(1),
      { ...rejected, reason: expect.any(String), error_code: "VALIDATION_ERROR", field: "csi_data.5" },
      completed(3),
    ])
    expect(data.frames.map((frame: Record<string, unknown>) => frame["frame_id"])).toEqual([1, 2, 3])
    expect(data.frames[0]).toMatchObject({ reason: null, poses: [expect.anything(), expect.anything()] })
    expect(data.frames[2]).toMatchObject({ reason: expect.any(String), poses: [] })
    expect(data).toMatchObject({
      status: "completed",
      frame: { frame_id: 3 },
      poses: [],
      reason: data.frames[2].reason,
    })
    // Routers receive packets by time.
    const times = stored.world.batches.map((bytes) => Result.getOrThrow(decodeCsiBatch(bytes)).timestampsUs[0]! % 1e6)
    expect(times).toEqual([10_000, 20_000, 150_000, 250_000])
  })

  it("of a minute has the frame of each packet, and a reason where there is none, and reads no frames between its packets", async () => {
    const beginMs = Date.UTC(2026, 0, 5, 9, 31)
    const at = (ms: number) => packetAt(new Date(beginMs + ms).toISOString(), { antenna_data: [row(4)] })
    const { latest } = stored.world
    const spread = Array.from({ length: 510 }, (_, i) => i * 100)
    const later = spread.map((ms, i) => makeFrame({ frameId: 100 + i, timestampMs: beginMs + ms + 50, persons: [] }))
    const far = makeFrame({ frameId: 1000, timestampMs: beginMs + 3_600_050 })
    history.store(...later, far)
    history.pages = 0
    stored.world.latest = () => share(far)
    const batch = [at(3_600_000), ...spread.map(at), at(120_000)]
    const { data } = await answerOf({ csi_data: batch })
    const ids = [1000, ...later.map(({ frameId }) => frameId)]
    const completed = { status: "completed", reason: null }
    expect(data.records).toEqual([
      ...ids.map((frame_id) => expect.objectContaining({ ...completed, frame_id })),
      expect.objectContaining({
        status: "accepted",
        reason: "The environment's newest frame is later than this packet. See GET /pose/history.",
      }),
    ])
    expect(data.frames).toHaveLength(511)
    expect(data.frame.frame_id).toBe(1000)
    expect(data.poses).toHaveLength(2)
    // 510 frames by pages of 100, the time without frames, and the last frame.
    expect(history.pages).toBe(8)
    stored.world.latest = latest
  })

  it("is bounded, and rejected as a whole only for its size", async () => {
    const many = (count: number) => send({ csi_data: Array.from({ length: count }, () => 7) }, form)
    expect((await many(0)).status).toBe(422)
    expect((await many(513)).status).toBe(422)
    const { data, status } = await many(512)
    expect([status, data.status, data.poses, data.frame, data.records.length]).toEqual([200, "rejected", [], null, 512])
    expect(data.reason).toEqual(expect.any(String))
  })
})

describe("a packet is rejected", { timeout: 30_000 }, () => {
  it("for an unknown router", async () => {
    const answer = await send(packet({ metadata: { router_id: "stranger" } }))
    expect([answer.status, answer.json.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"])
    expect(answer.json.error.details).toEqual({ resource: "router", router_id: "stranger" })
  })

  it("from a viewer", async () => {
    expect((await send(packet(), "bare", "viewer")).status).toBe(403)
  })

  it.each<[string, Record<string, unknown>, ReadonlyArray<string>]>([
    ["ragged antennas", { antenna_data: [row(56), row(55)] }, ["csi_data.antenna_data.1"]],
    ["no antenna", { antenna_data: [] }, ["csi_data.antenna_data"]],
    ["too many antennas", { antenna_data: Array.from({ length: 9 }, () => row(2)) }, ["csi_data.antenna_data"]],
    ["too many subcarriers", { antenna_data: [row(4097)] }, ["csi_data.antenna_data.0"]],
    ["too many numbers", { antenna_data: Array.from({ length: 8 }, () => row(4096)).concat([row(4096)]) }, [
      "csi_data.antenna_data",
    ]],
    ["one subcarrier", { antenna_data: [row(1)] }, ["csi_data.antenna_data.0"]],
    ["no number", { antenna_data: [[{ real: 1, imag: "NaN" }, { real: null, imag: 1 }]] }, [
      "csi_data.antenna_data.0.0.imag",
      "csi_data.antenna_data.0.1.real",
    ]],
    ["a number that is too large", { antenna_data: [[{ real: 1e39, imag: 0 }, { real: 1, imag: 1 }]] }, [
      "csi_data.antenna_data.0.0.real",
    ]],
    ["a further field", { antenna_data: [[{ real: 1, imag: 0, phase: 1 }, { real: 1, imag: 1 }]] }, [
      "csi_data.antenna_data.0.0.phase",
    ]],
    ["no arrays", { antenna_data: { 0: [] } }, ["csi_data.antenna_data"]],
    ["no time", { timestamp: "now" }, ["csi_data.timestamp"]],
    ["a time before 1970", { timestamp: "1969-12-31T23:59:59Z" }, ["csi_data.timestamp"]],
    ["no router", { metadata: { router_id: "../etc" } }, ["csi_data.metadata.router_id"]],
    ["tones that are too few", { metadata: { router_id: "node-1", subcarrier_indices: [1, 2] } }, [
      "csi_data.metadata.subcarrier_indices",
    ]],
  ])("with %s", async (_, csi, fields) => {
    const answer = await send(packet(csi))
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields])
    expect(gateway.world.batches).toEqual([])
  })

  it("with two contradicting options", async () => {
    const answer = await send(packet({}, { tracking_enabled: false }))
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ["processing_options.tracking_enabled"]])
  })

  it("above 16 MiB and not below", async () => {
    const large = JSON.stringify(packet()) + " ".repeat(2 * 1024 * 1024)
    expect((await send(large)).status).toBe(200)
    const answer = await send(JSON.stringify(packet()) + " ".repeat(16 * 1024 * 1024))
    expect([answer.status, answer.json.error.details]).toEqual([413, { limit_bytes: 16 * 1024 * 1024 }])
  })

  it("never with 500, whatever is sent", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          csi_data: fc.oneof(
            fc.jsonValue(),
            fc.record({
              timestamp: fc.oneof(
                fc.constant(timestamp),
                fc.string(),
                fc.date({ noInvalidDate: true }).map((d) => d.toJSON()),
              ),
              antenna_data: fc.oneof(
                fc.constant([row(4)]),
                fc.jsonValue(),
                fc.array(fc.array(fc.oneof(fc.record({ real: fc.double(), imag: fc.double() }), fc.jsonValue()))),
              ),
              metadata: fc.oneof(
                fc.jsonValue(),
                fc.record({
                  router_id: fc.constantFrom("node-1", "stranger", "'; --", ""),
                  sampling_rate: fc.double(),
                  subcarrier_indices: fc.array(fc.integer({ min: -40_000, max: 40_000 })),
                  bandwidth_hz: fc.oneof(fc.constant(20e6), fc.double()),
                }, { requiredKeys: ["router_id"] }),
              ),
            }),
          ),
          processing_options: fc.jsonValue(),
        }, { requiredKeys: ["csi_data"] }),
        async (body) => {
          const answer = await call(gateway.url, { method: "POST", path, token: await gateway.token("operator"), body })
          expect([200, 404, 422]).toContain(answer.status)
        },
      ),
      { seed: 20260105, numRuns: 120 },
    ))
})
