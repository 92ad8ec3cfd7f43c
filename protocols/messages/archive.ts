/**
 * What the Archive actor of one environment answers. Address: the environment id, so that it lives beside its environment.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ActivityEvent } from "../domain/event.ts"
import { StoreUnavailable } from "../domain/failure.ts"
import { FrameSummary } from "../domain/frame-summary.ts"
import { TrackStatus } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { sensingGroup } from "./shard-groups.ts"

/** One frame for the store: what is asked for without reading it, and the encoded frame whole. */
export const ArchivedFrame = Schema.Struct({
  frameId: Schema.Int,
  timestampMs: Schema.Number,
  summary: FrameSummary,
  body: Schema.Uint8Array,
})
export type ArchivedFrame = typeof ArchivedFrame.Type

/** The newest frame of an environment. `body` is null when it was deleted since, or cannot be read: ids go on after it all the same. */
export const NewestFrame = Schema.Struct({
  frameId: Schema.Int,
  timestampMs: Schema.Number,
  body: Schema.NullOr(Schema.Uint8Array),
})
export type NewestFrame = typeof NewestFrame.Type

/** What is kept of a track; places are in the frames. Times are event time. */
export const ArchivedTrack = Schema.Struct({
  trackId: Schema.Int,
  status: TrackStatus,
  firstSeenMs: Schema.Number,
  lastSeenMs: Schema.Number,
  /** Frames in which it was seen or held; the confidence is the mean over these. */
  frames: Schema.Int,
  confidence: Schema.Number,
  distanceM: Schema.Number,
  movingS: Schema.Number,
  stationaryS: Schema.Number,
  source: Source,
})
export type ArchivedTrack = typeof ArchivedTrack.Type

/**
 * Stores a frame; answers when it is on disk. Concurrent calls share one write.
 * `stored` is false when another activation of the environment has already stored this frame id: the caller is superseded.
 */
const Append = Rpc.make("Append", {
  payload: ArchivedFrame,
  success: Schema.Struct({ stored: Schema.Boolean }),
  error: StoreUnavailable,
})

/** The newest frame that was ever stored, or null when none was. */
const Newest = Rpc.make("Newest", { success: Schema.NullOr(NewestFrame), error: StoreUnavailable })

/** Stores events, of each the newest revision; answers when they are on disk. Told again, they change nothing. */
const AppendEvents = Rpc.make("AppendEvents", {
  payload: { events: Schema.Array(ActivityEvent) },
  error: StoreUnavailable,
})

/** Stores tracks as they are now; answers when they are on disk. Told again, or late, they change nothing. */
const AppendTracks = Rpc.make("AppendTracks", {
  payload: { tracks: Schema.Array(ArchivedTrack) },
  error: StoreUnavailable,
})

/** The incidents that are not over, and the newest of those that were alerted and are. */
const Incidents = Rpc.make("Incidents", { success: Schema.Array(ActivityEvent), error: StoreUnavailable })

export const Archive = Entity.make("Archive", [Append, Newest, AppendEvents, AppendTracks, Incidents])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
