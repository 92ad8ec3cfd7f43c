/**
 * Handler of CSI packets from clients: sends them to their routers as batches of one, and waits for the frames of their times.
 */
import { Clock, Effect, Result } from "effect"
import { UnknownRouter } from "../../../protocols/domain/failure.ts"
import { passes, type PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import {
  type CsiRecord,
  poseProcess,
  type ProcessAnswer,
  type ProcessBody,
  type ProcessedFrame,
  type ProcessedRecord,
  type ProcessOptions,
} from "../../../protocols/pose-api/process.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import type { SharedFrame } from "../../frames/shared-frame.ts"
import { makeIngestMany } from "../../ingest/ingest.ts"
import { makeUuids } from "../../http/uuid.ts"
import { oneOf } from "./aliased-parameter.ts"
import { type Packet, packetOf, readPacket, type Rejection, sendPackets, type Sent } from "./csi-record.ts"
import { frameAt, framesAt } from "./described-frames.ts"
import { route } from "../server/route.ts"

/** The options for the persons in the answer. */
const personOptionsOf = Effect.fnUntraced(function* (options: ProcessOptions) {
  const at = (name: string) => `processing_options.${name}`
  const minConfidence = yield* oneOf([at("confidence_threshold"), at("min_confidence")], [
    options.confidence_threshold,
    options.min_confidence,
  ])
  const withTracks = yield* oneOf([at("enable_tracking"), at("tracking_enabled")], [
    options.enable_tracking,
    options.tracking_enabled,
  ])
  const filter: PoseFilter = {
    minConfidence: minConfidence ?? 0,
    personIds: null,
    includeKeypoints: true,
    include3d: false,
    includeDensePose: options.return_dense_pose ?? false,
  }
  return { filter, withTracks: withTracks ?? true, personsMax: options.max_persons ?? Infinity }
})

type PersonOptions = Effect.Success<ReturnType<typeof personOptionsOf>>

/** Shows each frame once, with the persons that the options select. */
const makeShow = ({ filter, personsMax }: PersonOptions) => {
  const shown = new Map<SharedFrame, ProcessedFrame>()
  const show = (shared: SharedFrame): ProcessedFrame => {
    const known = shown.get(shared)
    if (known !== undefined) return known
    const { persons: all, personsReason } = shared.frame
    const persons = all.filter(passes(filter)).toSorted((a, b) => b.confidence - a.confidence).slice(0, personsMax)
    const reason = persons.length > 0
      ? null
      : personsReason ?? "The frame of this time has no person with this confidence."
    const made = { shared, persons, reason }
    shown.set(shared, made)
    return made
  }
  return { show, frames: () => [...shown.values()].sort((a, b) => timeOf(a) - timeOf(b)) }
}

const timeOf = ({ shared }: ProcessedFrame): number => shared.frame.timestampMs

const rejected = (failure: Rejection): ProcessedRecord => ({
  status: "rejected",
  found: null,
  reason: failure.message,
  failure: failure._tag,
  field: failure._tag === "InvalidRequest" ? failure.errors[0]!.field : null,
})

const unfinished = (status: "accepted" | "dropped", reason: string): ProcessedRecord => ({
  status,
  found: null,
  reason,
  failure: null,
  field: null,
})

/** What became of the packets that their routers answered, in order, and of one packet or several. */
const sendAll = Effect.fnUntraced(function* (
  sent: ReadonlyArray<Sent>,
  show: (shared: SharedFrame) => ProcessedFrame,
  isBatch: boolean,
) {
  const directory = yield* Directory
  const taken = yield* sendPackets(yield* makeIngestMany, sent)
  const environments = new Map<string, string | null>()
  const accepted = new Map<string, Array<number>>()
  const results: Array<Result.Result<ProcessedRecord, Rejection>> = []
  for (const [i, { packet }] of sent.entries()) {
    const { batch: { routerId } } = packet
    const ack = taken[i]!
    if (Result.isFailure(ack)) {
      results[i] = Result.fail(ack.failure)
    } else if (ack.success.acceptedFrames === 0) {
      results[i] = Result.succeed(unfinished("dropped", ack.success.reason ?? "The router dropped the packet."))
    } else {
      if (!environments.has(routerId)) environments.set(routerId, yield* directory.environmentOf(routerId))
      const environmentId = environments.get(routerId)!
      if (environmentId === null) results[i] = Result.fail(UnknownRouter.of(routerId))
      else accepted.set(environmentId, [...accepted.get(environmentId) ?? [], i])
    }
  }
  yield* Effect.forEach(accepted, ([environmentId, places]) =>
    Effect.gen(function* () {
      const times = places.map((i) => sent[i]!.packet.timestampMs)
      const found = isBatch ? yield* framesAt(environmentId, times) : [yield* frameAt(environmentId, times[0]!)]
      for (const [at, frame] of found.entries()) {
        results[places[at]!] = Result.succeed(
          typeof frame === "string"
            ? unfinished("accepted", frame)
            : { status: "completed", found: show(frame), reason: null, failure: null, field: null },
        )
      }
    }), { concurrency: "unbounded", discard: true })
  return results
})

const processRecord = Effect.fnUntraced(function* (
  record: CsiRecord,
  sequence: number,
  show: (shared: SharedFrame) => ProcessedFrame,
) {
  const packet = yield* Effect.fromResult(packetOf(record, "csi_data", sequence))
  const [result] = yield* sendAll([{ packet, at: "csi_data" }], show, false)
  return [yield* Effect.fromResult(result!)]
})

/** An invalid packet is a result like others. */
const processBatch = Effect.fnUntraced(function* (
  raws: ReadonlyArray<unknown>,
  sequence: number,
  show: (shared: SharedFrame) => ProcessedFrame,
) {
  const records: Array<ProcessedRecord> = []
  const places: Array<number> = []
  const sent: Array<Sent> = []
  for (const [i, raw] of raws.entries()) {
    const at = `csi_data.${i}`
    const packet: Result.Result<Packet, Rejection> = readPacket(raw, at, sequence + i)
    if (Result.isFailure(packet)) records[i] = rejected(packet.failure)
    else places[sent.push({ packet: packet.success, at }) - 1] = i
    // Other requests go on meanwhile: a batch takes up to 100 ms to read.
    yield* Effect.yieldNow
  }
  for (const [at, result] of (yield* sendAll(sent, show, true)).entries()) {
    records[places[at]!] = Result.getOrElse(result, rejected)
  }
  return records
})

const process = Effect.fnUntraced(function* ({ csi_data, processing_options = {} }: ProcessBody) {
  const beganNs = yield* Clock.currentTimeNanos
  const processingId = (yield* makeUuids)()
  const options = yield* personOptionsOf(processing_options)
  const { frames, show } = makeShow(options)
  // From the clock: greater than those of earlier requests, whichever node received them.
  const sequence = Number(beganNs / 1000n)
  const isBatch = Array.isArray(csi_data)
  const records = isBatch
    ? yield* processBatch(csi_data, sequence, show)
    : yield* processRecord(csi_data as CsiRecord, sequence, show)
  return {
    processingId,
    processingMs: Number((yield* Clock.currentTimeNanos) - beganNs) / 1e6,
    records,
    frames: frames(),
    isBatch,
    filter: options.filter,
    withTracks: options.withTracks,
  } satisfies ProcessAnswer
})

export const processRoutes = [route(poseProcess, ({ body }) => process(body))]
