/**
 * Sign-in attempts of all nodes, counted by the rules of `protocols/domain/sign-in-throttle.ts`. The store implements this
 * port.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { RateLimited } from "../domain/rate-limit.ts"

export class SignInAttempts extends Context.Service<SignInAttempts, {
  /**
   * Counts an attempt before its password is checked, so that parallel attempts are counted too. Fails if the attempt must
   * wait. Existing and unknown users behave the same.
   */
  readonly begin: (username: string, address: string) => Effect.Effect<void, RateLimited | StoreUnavailable>
  /** The attempt was successful: reverts its count, and remembers the address for this user. */
  readonly succeeded: (
    user: { readonly userId: string; readonly username: string },
    address: string,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/SignInAttempts") {}
