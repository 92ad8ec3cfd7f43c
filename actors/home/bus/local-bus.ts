/**
 * The way from an entity to a bus of the same node, without the cluster between: a message to an actor costs more than all that a write does
 * beside it.
 *
 * Invariants: the door leads to the living incarnation of the bus, or nowhere; whoever has gone through it is answered, also when the bus ends.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Offered } from "./sequenced-states.ts"

/** Keeps and tells an entry as the message `Publish` does. */
export type Publish = (offered: Offered) => Effect.Effect<{ readonly sequence: number | null }, StoreUnavailable>

export class HomeBusDoor extends Context.Service<HomeBusDoor, {
  /** How to publish here; null: the bus is elsewhere. */
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
          // A newer incarnation may have opened it meanwhile.
          () => Effect.sync(() => void (current = current === publish ? null : current)),
        ),
    }
  })
}
