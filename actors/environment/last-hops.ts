/**
 * The last hops of an environment that moves. Each of its routers has a hop that no packet has ended, and moves with it: it gives that hop to the
 * environment before it leaves the registry of the node.
 *
 * Boundary: the environment waits here while it is still open; the router's part is `router/router-work.ts`. Invariant: a move is delayed by
 * `waitMax` at most.
 */
import { Effect } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { LocalRouters } from "../../protocols/messages/router.ts"
import type { Site } from "./site.ts"

const waitMax = "100 millis"

/** Makes the wait for the routers of the environment in context. */
export const makeLastHops = Effect.gen(function* () {
  const { shardId } = yield* Entity.CurrentAddress
  const sharding = yield* Sharding.Sharding
  const routers = yield* LocalRouters
  return ({ routers: routerIds }: Pick<Site, "routers">) =>
    Effect.suspend(() =>
      sharding.hasShardId(shardId) ? Effect.void : Effect.ignore(
        Effect.timeout(
          Effect.forEach(routerIds, (routerId) => routers.gone(routerId), { concurrency: "unbounded", discard: true }),
          waitMax,
        ),
      )
    )
})
