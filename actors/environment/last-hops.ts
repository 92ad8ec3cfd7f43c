/**
 * The last hops of an environment that moves. Each of its routers has a hop that no packet has ended, and moves with it: it gives that hop to the
 * environment before it leaves the registry of the node. Then the environment ends the hops that wait for other routers.
 *
 * Boundary: the environment waits here while it is still open; the router's part is `router/departure.ts`. Invariant: a move is delayed by
 * `lastHopMax` and `endMax` at most. After them, a hop may be stored that the memory does not contain, so the next activation begins anew.
 */
import { Effect } from "effect"
import { LocalRouters } from "../../protocols/messages/router.ts"
import { lastHopMax, makeIsMoving } from "../runtime/moving.ts"
import type { Site } from "./site.ts"

const endMax = "500 millis"

/** Makes the wait for the last hops of the environment in context; `endHops` makes the frames of those that wait. */
export const makeLastHops = Effect.gen(function* () {
  const isMoving = yield* makeIsMoving
  const routers = yield* LocalRouters
  return ({ routers: routerIds }: Pick<Site, "routers">, endHops: Effect.Effect<void>) => {
    const gone = Effect.forEach(routerIds, (routerId) => routers.gone(routerId), {
      concurrency: "unbounded",
      discard: true,
    })
    return Effect.suspend(() =>
      isMoving()
        ? Effect.andThen(
          Effect.ignore(Effect.timeout(gone, lastHopMax)),
          Effect.ignore(Effect.timeout(endHops, endMax)),
        )
        : Effect.void
    )
  }
})
