/**
 * Doors: ways from a node's edges to actors of the same node, without the cluster between.
 *
 * Boundary: a contract; what opens and shuts doors is `actors/runtime/local-calls.ts`. Who finds none goes by message.
 */
import type { Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

/** Does what a message does. Refused with `StoreUnavailable` where too many wait at the door, or the actor has left. */
export type Door<Given, A, E> = (given: Given) => Effect.Effect<A, E | StoreUnavailable>

/** The doors of one kind of actor, by the actors' ids. */
export interface Doors<D extends Door<never, unknown, unknown>> {
  /** How to reach an actor; null: by message. */
  readonly to: (actorId: string) => D | null
  /** Opens an actor's door until it is shut, in place of the one that it had. */
  readonly open: (actorId: string, door: D) => void
  /** Shuts a door; one that was opened in its place stays open. */
  readonly shut: (actorId: string, door: D) => void
}
