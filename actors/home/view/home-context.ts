/**
 * New contexts of the home: each has a ULID, which names it and is not a secret.
 */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HomeContext } from "../../../protocols/domain/home.ts"

/** A function that returns a new context, by the clock in context. */
export const makeNewContext = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  return (userId: string | null, parentId: string | null): HomeContext => ({ id: run(random.ulid), parentId, userId })
})
