/**
 * The messages of the Archive actor. Entity id: the environment id, so that it is on the same node as its environment.
 */
import { Context, Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ActivityEvent } from "../domain/event.ts"
import { StoreUnavailable } from "../domain/failure.ts"
import { FrameSummary } from "../domain/frame-summary.ts"
import { TrackStatus } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import type { LocalCall, LocalCalls } from "./local-calls.ts"
import { sensingGroup } from "./shard-groups.ts"

/** One frame for the store: the columns that queries need, and the encoded frame. */
export const ArchivedFrame = Schema.Struct({
  frameId: Schema.Int,
  /** Generation of the activation that made the frame; see `Claim`. */
  generation: Schema.Int,
  timestampMs: Schema.Number,
  summary: FrameSummary,
  body: Schema.Uint8Array,
})
export type ArchivedFrame = typeof ArchivedFrame.Type

/** The newest frame of an environment. `body` is null when it was deleted or cannot be decrypted; later ids still follow it. */
export const NewestFrame = Schema.Struct({
  frameId: Schema.Int,
  timestampMs: Schema.Number,
  body: Schema.NullOr(Schema.Uint8Array),
})
export type NewestFrame = typeof NewestFrame.Type

/** The stored summary of a track; its positions are in the frames. Times are event time. */
export const ArchivedTrack = Schema.Struct({
  trackId: Schema.Int,
  status: TrackStatus,
  firstSeenMs: Schema.Number,
  lastSeenMs: Schema.Number,
  /** Frames in which it was detected or held; the confidence is the mean over these. */
  frames: Schema.Int,
  confidence: Schema.Number,
  distanceM: Schema.Number,
  movingS: Schema.Number,
  stationaryS: Schema.Number,
  source: Source,
})
export type ArchivedTrack = typeof ArchivedTrack.Type

/**
 * Stores frames with successive ids, one at least; answers when they are on disk. Concurrent calls share one write.
 * `stored` is false when the environment has these ids already, or a later activation has claimed it: the caller is superseded.
 */
const Append = Rpc.make("Append", {
  payload: { frames: Schema.Array(ArchivedFrame) },
  success: Schema.Struct({ stored: Schema.Boolean }),
  error: StoreUnavailable,
})

/**
 * Claims an environment for an activation: from now on, frames of earlier generations are not stored. Returns the newest frame ever stored,
 * after which the activation continues, or null.
 */
const Claim = Rpc.make("Claim", {
  success: Schema.Struct({ generation: Schema.Int, newest: Schema.NullOr(NewestFrame) }),
  error: StoreUnavailable,
})

/** The newest frame ever stored, or null. */
const Newest = Rpc.make("Newest", { success: Schema.NullOr(NewestFrame), error: StoreUnavailable })

/** Stores the newest revision of each event; answers when they are on disk. Idempotent. */
const AppendEvents = Rpc.make("AppendEvents", {
  payload: { events: Schema.Array(ActivityEvent) },
  error: StoreUnavailable,
})

/** Stores the current state of tracks; answers when they are on disk. Idempotent; older states are ignored. */
const AppendTracks = Rpc.make("AppendTracks", {
  payload: { tracks: Schema.Array(ArchivedTrack) },
  error: StoreUnavailable,
})

/** The open incidents, and the newest of the alerted incidents that have ended. */
const Incidents = Rpc.make("Incidents", { success: Schema.Array(ActivityEvent), error: StoreUnavailable })

export const Archive = Entity.make("Archive", [Append, Claim, Newest, AppendEvents, AppendTracks, Incidents])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)

/** Stores frames as the message `Append` does. */
export type AppendCall = LocalCall<
  { readonly frames: ReadonlyArray<ArchivedFrame> },
  typeof Append.successSchema.Type,
  StoreUnavailable
>

/** The Archive actors of this node. */
export class LocalArchives
  extends Context.Service<LocalArchives, LocalCalls<AppendCall>>()("wavepose/protocols/LocalArchives") {}
