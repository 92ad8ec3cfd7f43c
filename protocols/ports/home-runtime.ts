/**
 * The port of the home-automation runtime on a node: a replica of all states that follows the bus, and the operations that change it.
 *
 * Boundary: gateways and plugins use this port and never call entities or the bus directly.
 *
 * Invariants:
 * 1. Before a change is answered it is in this node's replica, and the replica's listeners have received it.
 * 2. Listeners receive every entry once, in the order of the bus. While a listener runs, the replica has all entries that it was given.
 */
import { Context, type Effect } from "effect"
import type { ActorUnavailable, StoreUnavailable } from "../domain/failure.ts"
import type { InvalidEntityId, InvalidEntityState } from "../domain/home-failure.ts"
import type { BusEntry, EntityState, HomeContext, HomeEvent, JsonObject } from "../domain/home.ts"
import type { WriteOrder, Written } from "../messages/home-entity.ts"

/** The bus or an entity could not be reached, or could not store a change. Try again. */
export type HomeUnavailable = ActorUnavailable | StoreUnavailable

/** All states. It is synchronous: a read followed by a subscription in the same tick neither misses nor repeats a change. */
export interface Replica {
  readonly one: (entityId: string) => EntityState | null
  /** In the order in which the entities were created. */
  readonly all: () => ReadonlyArray<EntityState>
  /**
   * Subscribes to the entries from the next one on, in batches. The listener must not wait; a batch for which it throws is not given to it
   * again. Returns a function that unsubscribes.
   */
  readonly listen: (listener: (entries: ReadonlyArray<BusEntry>) => void) => () => void
}

export class HomeRuntime extends Context.Service<HomeRuntime, {
  /** The replica, once it has all states. Fails if the bus cannot be reached within a few seconds. */
  readonly replica: Effect.Effect<Replica, HomeUnavailable>
  /** Sets an entity's state; the id is case-insensitive. */
  readonly write: (
    entityId: string,
    order: WriteOrder,
  ) => Effect.Effect<Written, InvalidEntityId | InvalidEntityState | HomeUnavailable>
  /** Removes an entity. False: it did not exist. */
  readonly remove: (entityId: string, context: HomeContext) => Effect.Effect<boolean, HomeUnavailable>
  /** Publishes an event. */
  readonly fire: (event: {
    readonly eventType: string
    readonly data: JsonObject
    readonly origin: HomeEvent["origin"]
    readonly context: HomeContext
  }) => Effect.Effect<void, HomeUnavailable>
  /** Waits until this node's replica has everything that the bus has published so far. */
  readonly settled: Effect.Effect<void, HomeUnavailable>
  /** A new context, on behalf of a user; null: of the system. */
  readonly context: (userId: string | null, parentId?: string | null) => Effect.Effect<HomeContext>
}>()("wavepose/protocols/HomeRuntime") {}
