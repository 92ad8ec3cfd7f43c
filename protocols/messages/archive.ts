/**
 * What the Archive actor of one environment answers. Address: the environment id, so that it lives beside its environment.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ActivityEvent } from "../domain/event.ts"
import { StoreUnavailable } from "../domain/failure.ts"
import { sensingGroup } from "./shard-groups.ts"

/** One frame for the store: what is asked for by index, and the encoded frame whole. */
export const ArchivedFrame = Schema.Struct({
  frameId: Schema.Int,
  timestampMs: Schema.Number,
  personCount: Schema.Int,
  body: Schema.Uint8Array,
})
export type ArchivedFrame = typeof ArchivedFrame.Type

/**
 * Stores a frame; answers when it is on disk. Concurrent calls share one write.
 * `stored` is false when another activation of the environment has already stored this frame id: the caller is superseded.
 */
export const Append = Rpc.make("Append", {
  payload: ArchivedFrame,
  success: Schema.Struct({ stored: Schema.Boolean }),
  error: StoreUnavailable,
})

/** The newest stored frame, or null when there is none. */
export const Newest = Rpc.make("Newest", { success: Schema.NullOr(ArchivedFrame), error: StoreUnavailable })

/** Stores events, of each the newest revision; answers when they are on disk. Told again, they change nothing. */
export const AppendEvents = Rpc.make("AppendEvents", {
  payload: { events: Schema.Array(ActivityEvent) },
  error: StoreUnavailable,
})

/** The incidents that are not over, and the newest of those that were alerted and are. */
export const Incidents = Rpc.make("Incidents", { success: Schema.Array(ActivityEvent), error: StoreUnavailable })

export const Archive = Entity.make("Archive", [Append, Newest, AppendEvents, Incidents])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
