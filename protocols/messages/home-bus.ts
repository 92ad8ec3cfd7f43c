/**
 * Messages of the HomeBus actor, which stores every state and publishes every change and event, in one order for the cluster. Entity id:
 * always `homeBusId`.
 *
 * Boundary: the entity decides whether a write is a change (`home-entity.ts`); the bus stores and publishes what it receives.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { BusEntry, EntityState } from "../domain/home.ts"
import { StoreUnavailable } from "../domain/failure.ts"
import { homeGroup } from "./shard-groups.ts"

/** There is one bus in a cluster. */
export const homeBusId = "bus"

/**
 * Publishes an entry; a change is stored first. `sequence` null: the change does not follow the entity's last one, because another
 * activation of the entity has written; read `Last` and decide again.
 */
const Publish = Rpc.make("Publish", {
  payload: {
    entry: BusEntry,
    /** The sequence of the entity's last change, from `Last` or the last answer; 0 for an event. */
    after: Schema.Int,
  },
  success: Schema.Struct({ sequence: Schema.NullOr(Schema.Int) }),
  error: StoreUnavailable,
})

/** An entity's state, and the sequence of its last change; 0 if it does not exist. */
const Last = Rpc.make("Last", {
  payload: { entityId: Schema.String },
  success: Schema.Struct({ state: Schema.NullOr(EntityState), sequence: Schema.Int }),
  error: StoreUnavailable,
})

/** The sequence of the newest entry. */
const Position = Rpc.make("Position", { success: Schema.Int, error: StoreUnavailable })

/** A part of the bus's stream. */
export const BusNews = Schema.Union([
  /** All states as of `sequence`, in the order of their creation; in parts, of which the last is marked. */
  Schema.Struct({
    kind: Schema.Literal("states"),
    sequence: Schema.Int,
    states: Schema.Array(EntityState),
    last: Schema.Boolean,
  }),
  /** Entries that follow the published ones without a gap. `sequence` is that of the last one. */
  Schema.Struct({ kind: Schema.Literal("entries"), sequence: Schema.Int, entries: Schema.Array(BusEntry) }),
])
export type BusNews = typeof BusNews.Type

/**
 * Subscribes to all entries. `after` is the last sequence that the watcher has: it first receives what it missed, or all states if the bus no
 * longer holds that, or if `after` is null. Empty entries are heartbeats. A watcher that is too slow is disconnected, and subscribes again.
 */
const WatchBus = Rpc.make("WatchBus", {
  payload: { after: Schema.NullOr(Schema.Int) },
  success: BusNews,
  error: StoreUnavailable,
  stream: true,
}).annotate(ClusterSchema.InterruptOnTermination, true)

export const HomeBus = Entity.make("HomeBus", [Publish, Last, Position, WatchBus])
  .annotate(ClusterSchema.ShardGroup, homeGroup)
  .annotate(ClusterSchema.ClientTracingEnabled, false)
