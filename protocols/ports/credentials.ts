/**
 * Whether credentials still stand: the port that every edge asks, again and again, about those in use.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Principal } from "../domain/identity.ts"

/** A credential by its id: a user's sign-in, or an API key. */
export interface CredentialRef {
  readonly kind: "session" | "apiKey"
  readonly id: string
}

/** A credential that stands, and whose it is now. */
export interface StandingCredential extends CredentialRef {
  readonly principal: Principal
}

export class Credentials extends Context.Service<Credentials, {
  /** Those of `refs` that stand, in any order. API keys are marked as used. */
  readonly standing: (
    refs: ReadonlyArray<CredentialRef>,
  ) => Effect.Effect<ReadonlyArray<StandingCredential>, StoreUnavailable>
}>()("wavepose/protocols/Credentials") {}
