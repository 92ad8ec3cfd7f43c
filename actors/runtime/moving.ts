/** The move of a site's actors to another node: what its environment and its routers agree on. */
import { Effect } from "effect"
import { Entity, Sharding } from "effect/cluster"

/** The time that a router has to give its last hop to its environment, which waits for that. */
export const lastHopMax = "500 millis"

/** Makes the question whether the actor in context moves: its node gives its shard away. */
export const makeIsMoving = Effect.gen(function* () {
  const { shardId } = yield* Entity.CurrentAddress
  const sharding = yield* Sharding.Sharding
  return () => !sharding.hasShardId(shardId)
})
