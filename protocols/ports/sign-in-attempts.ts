/**
 * Attempts to sign in, counted for all nodes by the rules of `protocols/domain/sign-in-throttle.ts`. The store answers this
 * port.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { RateLimited } from "../domain/rate-limit.ts"

export class SignInAttempts extends Context.Service<SignInAttempts, {
  /**
   * Counts an attempt before its password is looked at, so that many at once are not all the first; fails when it has to
   * wait. The same whether there is such a user or not.
   */
  readonly begin: (username: string, address: string) => Effect.Effect<void, RateLimited | StoreUnavailable>
  /** The attempt was right: takes it back, and knows the address of this user from now on. */
  readonly succeeded: (
    user: { readonly userId: string; readonly username: string },
    address: string,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/SignInAttempts") {}
