/**
 * What the Router actor of one router answers. Address: the router id.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { InvalidBatch, StoreUnavailable, UnknownRouter } from "../domain/failure.ts"
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

/** What operators see of a router. Null where the device has not said. */
export const RouterStatus = Schema.Struct({
  routerId: Schema.String,
  environmentId: Schema.String,
  state: RouterState,
  packetRateHz: Schema.NullOr(Schema.Number),
  packetLoss: Schema.NullOr(Schema.Number),
  lastPacketMs: Schema.NullOr(Schema.Number),
  acceptedFrames: Schema.Int,
  droppedFrames: Schema.Int,
  /** Hops of observations that the environment did not take in time, or broke on. */
  givenUpHops: Schema.Int,
})
export type RouterStatus = typeof RouterStatus.Type

/** Takes one encoded CSI batch (`protocols/grpc/csi-batch.ts`); answers when its observations have reached the environment or wait for it. */
export const Ingest = Rpc.make("Ingest", {
  payload: { batch: Schema.Uint8Array },
  success: IngestResult,
  error: Schema.Union([UnknownRouter, InvalidBatch, StoreUnavailable]),
})

/** Takes a new reference of the empty room for so many seconds of packets. */
export const Calibrate = Rpc.make("Calibrate", {
  payload: { seconds: Schema.Number },
  error: Schema.Union([UnknownRouter, StoreUnavailable]),
})

/** Writes the static response to the store, so that the next start need not learn it again. */
export const Save = Rpc.make("Save", { error: Schema.Union([UnknownRouter, StoreUnavailable]) })

export const Describe = Rpc.make("Describe", {
  success: RouterStatus,
  error: Schema.Union([UnknownRouter, StoreUnavailable]),
})

export const Router = Entity.make("Router", [Ingest, Calibrate, Save, Describe])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
