/**
 * The home-automation runtime as a node sees it: a replica of all states that follows the bus, and the ways to change what is.
 *
 * Boundary: gateways and plugins use this port and never speak to entities or the bus themselves.
 *
 * Invariants:
 * 1. What a caller has changed, and was told so, is in this node's replica, and its listeners have heard of it, before the answer.
 * 2. Listeners hear every entry once, in the order of the bus; what is read from the replica while a listener runs is as of the last entry it is given.
 */
import { Context, type Effect } from "effect"
import type { ActorUnavailable, StoreUnavailable } from "../domain/failure.ts"
import type { InvalidEntityId, InvalidEntityState } from "../domain/home-failure.ts"
import type { BusEntry, EntityState, HomeContext, HomeEvent, JsonObject } from "../domain/home.ts"
import type { WriteOrder, Written } from "../messages/home-entity.ts"

/** The bus or an entity could not be reached, or could not keep something. Try again. */
export type HomeUnavailable = ActorUnavailable | StoreUnavailable

/** All states, at hand. Everything is synchronous, so that to read and to listen in one go leaves no gap and no double. */
export interface Replica {
  readonly one: (entityId: string) => EntityState | null
  /** In the order in which the entities came to be. */
  readonly all: () => ReadonlyArray<EntityState>
  /** Entries from the next one on, as they come together, until the answer is called. The listener must not throw, and not wait. */
  readonly listen: (listener: (entries: ReadonlyArray<BusEntry>) => void) => () => void
}

export class HomeRuntime extends Context.Service<HomeRuntime, {
  /** The replica, once it knows all states; it fails when the bus cannot be reached within a few seconds. */
  readonly replica: Effect.Effect<Replica, HomeUnavailable>
  /** Sets an entity's state; the id in any case of letters. */
  readonly write: (
    entityId: string,
    order: WriteOrder,
  ) => Effect.Effect<Written, InvalidEntityId | InvalidEntityState | HomeUnavailable>
  /** Removes an entity; false: there was none. */
  readonly remove: (entityId: string, context: HomeContext) => Effect.Effect<boolean, HomeUnavailable>
  /** Tells an event to everybody. */
  readonly fire: (event: {
    readonly eventType: string
    readonly data: JsonObject
    readonly origin: HomeEvent["origin"]
    readonly context: HomeContext
  }) => Effect.Effect<void, HomeUnavailable>
  /** Waits until this node has heard of everything that has happened until now, wherever it happened. */
  readonly settled: Effect.Effect<void, HomeUnavailable>
  /** A new context: its own reason, on behalf of a user or of nobody. */
  readonly context: (userId: string | null, parentId?: string | null) => Effect.Effect<HomeContext>
}>()("wavepose/protocols/HomeRuntime") {}
