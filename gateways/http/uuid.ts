/**
 * UUIDs of version 7 for code that is not an effect: names of requests, connections and tokens. They are not secrets.
 */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

/** A function that returns a new UUID, by the clock in context. */
export const makeUuids: Effect.Effect<() => string, never, SecureRandom.SecureRandom> = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  return () => run(random.uuidV7())
})
