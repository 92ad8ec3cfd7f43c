/**
 * Calls from an entity to a bus on the same node that bypass the cluster: a message to an actor costs more than the rest of a write.
 *
 * Invariants: the door leads to the running incarnation of the bus, or is closed. Every caller is answered, also when the bus ends.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Offered } from "./sequenced-states.ts"

/** Stores and publishes an entry; see the message `Publish`. */
export type Publish = (offered: Offered) => Effect.Effect<{ readonly sequence: number | null }, StoreUnavailable>

export class HomeBusDoor extends Context.Service<HomeBusDoor, {
  /** How to publish on this node; null: the bus runs on another one. */
  readonly publish: () => Publish | null
  /** Opens the door for the scope in context. */
  readonly open: (publish: Publish) => Effect.Effect<void, never, Scope.Scope>
}>()("wavepose/actors/HomeBusDoor") {
  static readonly layer: Layer.Layer<HomeBusDoor> = Layer.sync(HomeBusDoor, () => {
    let current: Publish | null = null
    return {
      publish: () => current,
      open: (publish) =>
        Effect.acquireRelease(
          Effect.sync(() => current = publish),
          // A newer incarnation may have opened it.
          () => Effect.sync(() => void (current = current === publish ? null : current)),
        ),
    }
  })
}
