/**
 * The validity of credentials: the port through which every edge polls those in use.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Principal } from "../domain/identity.ts"

/** A credential by its id: a user's sign-in, or an API key. */
export interface CredentialRef {
  readonly kind: "session" | "apiKey"
  readonly id: string
}

/** A valid credential and its principal. */
export interface StandingCredential extends CredentialRef {
  readonly principal: Principal
}

export class Credentials extends Context.Service<Credentials, {
  /** The valid credentials among `refs`, in any order. API keys are marked as used. */
  readonly standing: (
    refs: ReadonlyArray<CredentialRef>,
  ) => Effect.Effect<ReadonlyArray<StandingCredential>, StoreUnavailable>
}>()("wavepose/protocols/Credentials") {}
