/**
 * The messages of the Router actor of one router. Entity id: the router id; it is placed with its site.
 */
import { Context, Effect, Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { InvalidBatch, RoutersSilent, StoreUnavailable, UnknownRouter } from "../domain/failure.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { LocalCall, LocalCalls } from "./local-calls.ts"
import { PlacedWithSite } from "./placement.ts"
import { sensingGroup } from "./shard-groups.ts"

export const IngestResult = Schema.Struct({
  acceptedFrames: Schema.Int,
  droppedFrames: Schema.Int,
  /** Why frames were dropped; null when none were. */
  dropReason: Schema.NullOr(Schema.String),
})
export type IngestResult = typeof IngestResult.Type

export const RouterState = Schema.Literals(["idle", "calibrating", "streaming", "stale", "lost"])
export type RouterState = typeof RouterState.Type

/** Maximum number of routers that a failure names. */
const namedMax = 8

/**
 * The routers that a calibration asks. One that has never sent may just be switched on; those that are lost do not come back by waiting, so it fails if all
 * are.
 */
export const routersToCalibrate = (
  routers: ReadonlyArray<{ readonly routerId: string; readonly state: RouterState }>,
): Effect.Effect<ReadonlyArray<string>, RoutersSilent> => {
  const able = routers.filter(({ state }) => state !== "lost")
  return routers.length > 0 && able.length === 0
    ? Effect.fail(RoutersSilent.of(routers.slice(0, namedMax).map(({ routerId }) => routerId)))
    : Effect.succeed(able.map(({ routerId }) => routerId))
}

/** The two sides of a calibration: an empty room, or a room with a person who sits, stands and walks in it. */
export const CalibratedRoom = Schema.Literals(["empty", "occupied"])

/** The status of a router's calibration; see core/signal/calibration-status.ts. */
const CalibrationStatus = Schema.Struct({
  version: Schema.Int,
  takenAtMs: Schema.NullOr(Schema.Number),
  links: Schema.Int,
  calibratedLinks: Schema.Int,
  twoSidedLinks: Schema.Int,
  stale: Schema.NullOr(Schema.String),
  /** The calibration that runs. */
  running: Schema.NullOr(Schema.Struct({
    room: CalibratedRoom,
    /** 0..1 of its time. */
    progress: Schema.Number,
    /** Share of its hops so far with motion; null before the first. */
    movingShare: Schema.NullOr(Schema.Number),
  })),
})

/** The channel that a router measures at present. */
const ChannelStatus = Schema.Struct({
  format: Schema.String,
  centerFrequencyHz: Schema.Number,
  bandwidthHz: Schema.Number,
  receiveAntennas: Schema.Int,
  /** Subcarriers that are used, of one antenna. */
  subcarriers: Schema.Int,
})

/** Frames that were dropped since the actor was built, by reason; and changes of the received signal. */
const RouterCounters = Schema.Struct({
  late: Schema.Int,
  invalid: Schema.Int,
  overflow: Schema.Int,
  otherLayout: Schema.Int,
  linksFull: Schema.Int,
  clockRestarts: Schema.Int,
  gainSteps: Schema.Int,
  channelChanges: Schema.Int,
})

/** The status of a router for operators. Null where the device does not report it. */
export const RouterStatus = Schema.Struct({
  routerId: Schema.String,
  environmentId: Schema.String,
  state: RouterState,
  packetRateHz: Schema.NullOr(Schema.Number),
  packetLoss: Schema.NullOr(Schema.Number),
  /** When the last packet arrived, by the service's clock; and when the router received it, by its own. */
  lastPacketMs: Schema.NullOr(Schema.Number),
  lastEventMs: Schema.NullOr(Schema.Number),
  /** The offset of its clock behind the service's, if it is wrong; else 0. See `core/signal/source-clock.ts`. */
  clockOffsetMs: Schema.Number,
  /** The least arrival by the service's clock minus event time by its own, which is the offset also of a clock that counts as right. */
  clockLagMs: Schema.NullOr(Schema.Number),
  /** The transmitters that it receives at present: the other ends of its links. */
  transmitterIds: Schema.Array(Schema.String),
  acceptedFrames: Schema.Int,
  droppedFrames: Schema.Int,
  /** Dropped frames that were left out to stay in real time; `droppedFrames` includes them. */
  shedFrames: Schema.Int,
  /** Hops of observations that were dropped, because the environment did not take them in time or broke on them. */
  givenUpHops: Schema.Int,
  /** Null before the first packet. */
  channel: Schema.NullOr(ChannelStatus),
  counters: RouterCounters,
  calibration: CalibrationStatus,
})
export type RouterStatus = typeof RouterStatus.Type

/** The outcome of a batch: a batch that cannot be decoded does not affect the others. */
export const IngestOutcome = Schema.Union([IngestResult, InvalidBatch])
export type IngestOutcome = typeof IngestOutcome.Type

/**
 * Takes encoded CSI batches (`protocols/grpc/csi-batch.ts`) in their order. Returns the outcome of each when their observations have
 * reached the environment or wait for it.
 */
export const Ingest = Rpc.make("Ingest", {
  payload: { batches: Schema.Array(Schema.Uint8Array) },
  success: Schema.Array(IngestOutcome),
  error: Schema.Union([UnknownRouter, StoreUnavailable]),
})

/** Starts one side of a calibration, for so many seconds of packets; that of the empty room becomes the new reference. */
const Calibrate = Rpc.make("Calibrate", {
  payload: { room: CalibratedRoom, seconds: Schema.Number },
  error: Schema.Union([UnknownRouter, StoreUnavailable]),
})

/** Writes the static response to the store, so that the next start does not learn it again. */
const Save = Rpc.make("Save", { error: Schema.Union([UnknownRouter, StoreUnavailable]) })

/** The enrolment has changed: it is looked up again with the next batch. */
const ForgetEnrolment = Rpc.make("ForgetEnrolment")

const Describe = Rpc.make("Describe", {
  success: RouterStatus,
  error: Schema.Union([UnknownRouter, StoreUnavailable]),
})

/** What a tap passes on; `batch` null: it repeats itself, so silence means failure. */
const Tapped = Schema.Struct({
  /** An encoded CSI batch. */
  batch: Schema.NullOr(Schema.Uint8Array),
  /** Batches that this tap has lost so far, because its reader was slow. */
  lost: Schema.Int,
})

/** Copies of the batches that the router takes from now on. A slow reader loses the newest first. */
const Tap = Rpc.make("Tap", { success: Tapped, error: Schema.Union([UnknownRouter, StoreUnavailable]), stream: true })
  .annotate(ClusterSchema.InterruptOnTermination, true)

export const Router = Entity.make("Router", [Ingest, Calibrate, Save, ForgetEnrolment, Describe, Tap])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
  .annotate(PlacedWithSite, true)

/** Takes batches as the message `Ingest` does: objects, or bytes from a caller that has not decoded them. */
export type IngestCall = LocalCall<
  ReadonlyArray<CsiBatch | Uint8Array>,
  ReadonlyArray<IngestOutcome>,
  typeof Ingest.errorSchema.Type
>

/** The Router actors of this node. */
export class LocalRouters
  extends Context.Service<LocalRouters, LocalCalls<IngestCall>>()("wavepose/protocols/LocalRouters") {}
