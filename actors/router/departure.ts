/**
 * The departure of a router that moves to another node with its environment.
 *
 * Its last hop has no later packet that ends it, so the next activation would know nothing of it. The router gives it to the environment, which
 * moves too and waits until the router has left the registry of the node (`environment/last-hops.ts`).
 *
 * Invariant: a batch that is taken during a move is with the environment; others are not taken, and their senders send them again.
 */
import { Effect } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { LocalRouters } from "../../protocols/messages/router.ts"
import { lastHopMax, makeIsMoving } from "../runtime/moving.ts"
import type { BatchReduction } from "./batch-reduction.ts"
import type { Delivery } from "./delivery.ts"
import type { makeEnrolment } from "./enrolment.ts"

/** The answer to batches that are not taken. */
export const moves = Effect.fail(new StoreUnavailable({ message: "The router moves to another node. Send it again." }))

interface Leaving {
  readonly routerId: string
  readonly enrolment: Effect.Success<ReturnType<typeof makeEnrolment>>
  readonly delivery: Delivery
  readonly reduction: BatchReduction
}

export const makeDeparture = Effect.fnUntraced(
  function* ({ delivery, enrolment, reduction, routerId }: Leaving) {
    const local = yield* LocalRouters
    const isMoving = yield* makeIsMoving
    let hasLeft = false
    const giveLastHop = Effect.suspend(() => {
      hasLeft = true
      delivery.add(reduction.endLastHop())
      return Effect.flatMap(enrolment.environmentId, (environmentId) => delivery.handOver(environmentId))
    }).pipe(
      Effect.timeout(lastHopMax),
      Effect.ignore,
      Effect.ensuring(Effect.sync(() => {
        const call = local.to(routerId)
        if (call !== null) local.remove(routerId, call)
      })),
    )
    return {
      /** Whether the node gives the shard of the router away. */
      isMoving,
      hasLeft: () => hasLeft,
      /** Gives the last hop to the environment, and leaves the registry, if the router moves. */
      leave: Effect.suspend(() => isMoving() ? giveLastHop : Effect.void),
    }
  },
)
