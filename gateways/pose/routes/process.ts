/**
 * Handler of CSI packets from clients: sends the packet to its router as a batch of one, and waits for the frame of the packet's time.
 *
 * Boundary: `core/formats/json-csi.ts` defines the numbers; `gateways/ingest/ingest.ts` delivers the packet like any other.
 */
import { Clock, Effect, Option, Result, Stream } from "effect"
import { BatchBuilder, unknownTransmitterId } from "../../../core/formats/batch-builder.ts"
import type { CsiBatch, Source } from "../../../core/formats/csi-batch.ts"
import { jsonCsiFrame } from "../../../core/formats/json-csi.ts"
import { ActorUnavailable, UnknownRouter } from "../../../protocols/domain/failure.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import type { AntennaData } from "../../../protocols/pose-api/antenna-data.ts"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { epochUsOf } from "../../../protocols/pose-api/fields.ts"
import { passes, type PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import {
  poseProcess,
  type ProcessAnswer,
  type ProcessBody,
  type ProcessOptions,
} from "../../../protocols/pose-api/process.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { FrameHub } from "../../frames/frame-hub.ts"
import type { SharedFrame } from "../../frames/shared-frame.ts"
import { makeIngest } from "../../ingest/ingest.ts"
import { makeUuids } from "../../http/uuid.ts"
import { oneOf } from "./aliased-parameter.ts"
import { route } from "../server/route.ts"

/** A frame describes the packets of this duration before its own time: the window in which imaging detects persons. */
const windowMs = 1_000
/** How long to wait for the frame of a packet while its environment produces frames of about that time. */
const waitMsMax = 500

/** The batch of a packet, or `InvalidRequest`. `sequence` distinguishes it from other batches of the router. */
const batchOf = ({ antenna_data, metadata, timestamp }: ProcessBody["csi_data"], sequence: number) => {
  const timestampUs = epochUsOf(timestamp)
  if (!(timestampUs >= 0 && timestampUs < Number.MAX_SAFE_INTEGER)) {
    return InvalidRequest.of("csi_data.timestamp", "is before 1970 or after 2255", timestamp)
  }
  const frame = jsonCsiFrame({
    timestampUs,
    // The schema has checked it.
    antennas: antenna_data as AntennaData,
    subcarrierIndices: metadata.subcarrier_indices ?? null,
    bandwidthHz: metadata.bandwidth_hz ?? null,
    centerFrequencyHz: metadata.center_frequency_hz ?? 0,
    transmitterId: metadata.transmitter_id ?? unknownTransmitterId,
    sequence: metadata.sequence ?? 0,
    rssiDbm: Math.round(metadata.signal_strength ?? 0),
  })
  if ("reason" in frame) {
    const field = metadata.subcarrier_indices === undefined ? "antenna_data" : "metadata.subcarrier_indices"
    return InvalidRequest.of(`csi_data.${field}`, frame.message)
  }
  const source: Source = metadata.source ?? "live"
  const builder = new BatchBuilder({ routerId: metadata.router_id, source })
  builder.add(frame)
  const batch: CsiBatch = { ...builder.take()[0]!, batchSequence: sequence }
  return { batch, timestampMs: timestampUs / 1000 }
}

/** Fails if the router did not receive the batch. */
const delivered = (routerId: string, { errorCode, reason }: IngestAck) => {
  const message = reason ?? "The batch was rejected."
  if (errorCode === "unknown_router") return Effect.fail(UnknownRouter.of(routerId))
  if (errorCode === "invalid_batch") return Effect.fail(InvalidRequest.of("csi_data", message))
  return errorCode === null ? Effect.void : Effect.fail(new ActorUnavailable({ actor: `Router ${routerId}`, message }))
}

const describes = (timestampMs: number) => ({ frame }: SharedFrame): boolean =>
  timestampMs < frame.timestampMs && timestampMs >= frame.timestampMs - windowMs

/** The frame that describes a packet's time, waiting briefly if it is due; else the reason why there is none. */
const frameOf = Effect.fnUntraced(function* (environmentId: string, timestampMs: number) {
  const hub = yield* FrameHub
  const newest = yield* Effect.result(hub.latest(environmentId))
  if (Result.isFailure(newest)) return newest.failure.message
  if (describes(timestampMs)(newest.success)) return newest.success
  const aheadMs = timestampMs - newest.success.frame.timestampMs
  if (aheadMs < 0) return "The environment's newest frame is later than this packet. See GET /pose/history."
  if (aheadMs > windowMs) {
    return "The environment's newest frame is earlier than this packet: its router has sent too few packets for a pose."
  }
  const next = yield* hub.watch(environmentId).pipe(
    Stream.filter(describes(timestampMs)),
    Stream.runHead,
    Effect.timeoutOption(waitMsMax),
    Effect.map(Option.flatten),
    Effect.catch(() => Effect.succeed(Option.none<SharedFrame>())),
  )
  return Option.getOrElse(
    next,
    () => "There is no frame for this time yet: one packet is not enough for a pose, and no later packet has arrived.",
  )
})

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

const process = Effect.fnUntraced(function* ({ csi_data, processing_options = {} }: ProcessBody) {
  const beganNs = yield* Clock.currentTimeNanos
  const processingId = (yield* makeUuids)()
  const { filter, personsMax, withTracks } = yield* personOptionsOf(processing_options)
  // From the clock: greater than those of earlier requests, whichever node received them.
  const packet = batchOf(csi_data, Number(beganNs / 1000n))
  if (packet instanceof InvalidRequest) return yield* packet
  const { batch: { routerId }, timestampMs } = packet
  const ingest = yield* makeIngest
  const ack = yield* ingest(packet.batch)
  yield* delivered(routerId, ack)
  const taken = ack.acceptedFrames > 0
  const environmentId = taken ? yield* (yield* Directory).environmentOf(routerId) : null
  if (taken && environmentId === null) return yield* UnknownRouter.of(routerId)
  const found = environmentId === null
    ? ack.reason ?? "The router dropped the packet."
    : yield* frameOf(environmentId, timestampMs)
  const shared = typeof found === "string" ? null : found
  const persons = shared === null ? [] : shared.frame.persons.filter(passes(filter))
    .toSorted((a, b) => b.confidence - a.confidence).slice(0, personsMax)
  const noPersonReason = typeof found === "string"
    ? found
    : found.frame.personsReason ?? "The frame of this time has no person with this confidence."
  return {
    processingId,
    status: shared !== null ? "completed" : taken ? "accepted" : "dropped",
    processingMs: Number((yield* Clock.currentTimeNanos) - beganNs) / 1e6,
    shared,
    persons,
    filter,
    withTracks,
    reason: persons.length > 0 ? null : noPersonReason,
  } satisfies ProcessAnswer
})

export const processRoutes = [route(poseProcess, ({ body }) => process(body))]
