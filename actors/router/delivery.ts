/**
 * Delivery of a router's observations to its environment, which may be moving to another node.
 *
 * Invariants: observations arrive in order; what could not be delivered waits for the next batch, at most `heldMax` hops
 * of it, the oldest given up first; an environment that does not answer is asked again after `retryMs`, not by every batch.
 */
import { Clock, Effect } from "effect"
import type { Observation } from "../../core/signal/observation.ts"
import { encodeObservation } from "../../protocols/grpc/observation.ts"
import { Environment } from "../../protocols/messages/environment.ts"

/** Observations that wait: 10 s of hops, the time in which an environment resumes on another node. */
const heldMax = 100
const answerTimeout = "2 seconds"
const retryMs = 500

/** What became of a delivery. */
export type Delivered =
  | { readonly outcome: "taken" }
  /** Nobody runs the system: the observations are of no use. */
  | { readonly outcome: "inactive" }
  /** They wait; `givenUp` older ones had to go. */
  | { readonly outcome: "held"; readonly givenUp: number }

export const makeDelivery = Effect.gen(function* () {
  const environmentClient = yield* Environment.client
  let held: ReadonlyArray<Uint8Array> = []
  let askAgainMs = -Infinity

  return Effect.fnUntraced(function* (
    environmentId: string,
    observations: ReadonlyArray<Observation>,
  ): Effect.fn.Return<Delivered> {
    const waiting = [...held, ...observations.map(encodeObservation)]
    if (waiting.length === 0) return { outcome: "taken" }
    const nowMs = yield* Clock.currentTimeMillis
    const answer = nowMs < askAgainMs
      ? null
      : yield* environmentClient(environmentId).Observe({ observations: waiting }).pipe(
        Effect.timeout(answerTimeout),
        Effect.catchCause((cause) =>
          Effect.logDebug(`environment ${environmentId} did not take observations; they wait`, cause).pipe(
            Effect.as(null),
          )
        ),
      )
    if (answer !== null) {
      held = []
      return { outcome: answer.active ? "taken" : "inactive" }
    }
    if (nowMs >= askAgainMs) askAgainMs = (yield* Clock.currentTimeMillis) + retryMs
    held = waiting.slice(-heldMax)
    return { outcome: "held", givenUp: waiting.length - held.length }
  })
})
