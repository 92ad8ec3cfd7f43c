/**
 * Calls from an entity to a bus on the same node that bypass the cluster: a message to an actor costs more than the rest of a write.
 *
 * Invariants: `publish` belongs to the running incarnation of the bus, or is null. Every caller is answered, also when the bus ends.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Offered } from "./sequenced-states.ts"

/** Stores and publishes an entry; see the message `Publish`. */
export type Publish = (offered: Offered) => Effect.Effect<{ readonly sequence: number | null }, StoreUnavailable>

export class LocalHomeBus extends Context.Service<LocalHomeBus, {
  /** Publishes to the bus on this node; null if the bus runs on another node. */
  readonly publish: () => Publish | null
  /** Registers the bus of this node for the scope in context. */
  readonly register: (publish: Publish) => Effect.Effect<void, never, Scope.Scope>
}>()("wavepose/actors/LocalHomeBus") {
  static readonly layer: Layer.Layer<LocalHomeBus> = Layer.sync(LocalHomeBus, () => {
    let current: Publish | null = null
    return {
      publish: () => current,
      register: (publish) =>
        Effect.acquireRelease(
          Effect.sync(() => current = publish),
          // A newer incarnation may have replaced it.
          () => Effect.sync(() => void (current = current === publish ? null : current)),
        ),
    }
  })
}
