/**
 * Local calls: calls of an actor that runs on the caller's node. They carry objects, past the messages of the cluster.
 *
 * Boundary: the contract alone; `actors/runtime/local-calls.ts` adds and removes actors. A caller that finds no entry encodes its objects
 * and sends a message.
 */
import type { Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

/**
 * Does what a message does. Fails with `StoreUnavailable` when too many calls wait, or when the actor has left the node. The payload
 * belongs to the actor from then on: the caller does not change it, and does not reuse its memory.
 */
export type LocalCall<Payload, A, E> = (payload: Payload) => Effect.Effect<A, E | StoreUnavailable>

/** The actors of one kind that this node can call, by actor id. */
export interface LocalCalls<Call extends LocalCall<never, unknown, unknown>> {
  /** The call to an actor of this node; null: send a message. */
  readonly to: (actorId: string) => Call | null
  /** Adds an actor, in place of an earlier one with this id. */
  readonly add: (actorId: string, call: Call) => void
  /** Removes an actor; an entry that has replaced this one stays. */
  readonly remove: (actorId: string, call: Call) => void
  /** Waits until there is no entry of this actor. */
  readonly gone: (actorId: string) => Effect.Effect<void>
}
