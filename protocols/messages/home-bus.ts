/**
 * What the HomeBus actor answers: it keeps every state and tells every change and event, in one order for the whole cluster. Address:
 * always `homeBusId`.
 *
 * Boundary: whether a write is a change is the entity's own matter (`home-entity.ts`); the bus keeps and tells what it is given.
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
 * Tells an entry; a change of a state is on disk first. `sequence` null: the change does not follow the entity's last one, because another
 * activation of the entity has written meanwhile; ask `Last` and decide anew.
 */
const Publish = Rpc.make("Publish", {
  payload: {
    entry: BusEntry,
    /** Sequence of the entity's last change, as `Last` or the last answer gave it; 0 for what is no change. */
    after: Schema.Int,
  },
  success: Schema.Struct({ sequence: Schema.NullOr(Schema.Int) }),
  error: StoreUnavailable,
})

/** An entity as the bus has it, and the sequence of its last change; 0 for one that never was. */
const Last = Rpc.make("Last", {
  payload: { entityId: Schema.String },
  success: Schema.Struct({ state: Schema.NullOr(EntityState), sequence: Schema.Int }),
  error: StoreUnavailable,
})

/** The sequence of the newest entry. */
const Position = Rpc.make("Position", { success: Schema.Int, error: StoreUnavailable })

/** A part of the bus's stream. */
export const BusNews = Schema.Union([
  /** All states as of `sequence`, in the order in which they came to be; in parts, of which the last is marked. */
  Schema.Struct({
    kind: Schema.Literal("states"),
    sequence: Schema.Int,
    states: Schema.Array(EntityState),
    last: Schema.Boolean,
  }),
  /** Entries that follow what was told before, without a gap. `sequence` is that of the last one. */
  Schema.Struct({ kind: Schema.Literal("entries"), sequence: Schema.Int, entries: Schema.Array(BusEntry) }),
])
export type BusNews = typeof BusNews.Type

/**
 * Everything that is told from now on. `after` is the sequence up to which the watcher knows everything: what it has missed comes first,
 * or all states when that is not at hand any more, or `after` is null. Empty entries, every few seconds: the bus lives. A watcher that
 * falls too far behind is let go, and comes back.
 */
const WatchBus = Rpc.make("WatchBus", {
  payload: { after: Schema.NullOr(Schema.Int) },
  success: BusNews,
  error: StoreUnavailable,
  stream: true,
})

export const HomeBus = Entity.make("HomeBus", [Publish, Last, Position, WatchBus])
  .annotate(ClusterSchema.ShardGroup, homeGroup)
  .annotate(ClusterSchema.ClientTracingEnabled, false)
