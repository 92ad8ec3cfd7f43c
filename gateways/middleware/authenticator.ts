/**
 * The port through which every edge finds out who calls. How tokens are signed and keys are kept is behind it.
 */
import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { NotAuthenticated, Principal } from "../../protocols/domain/identity.ts"
import { Accounts } from "../../protocols/messages/accounts.ts"
import { Tokens } from "./tokens.ts"

export class Authenticator extends Context.Service<Authenticator, {
  /** Who holds this access token. */
  readonly bearer: (token: string) => Effect.Effect<Principal, NotAuthenticated | StoreUnavailable>
  /** Who holds this API key. */
  readonly apiKey: (key: string) => Effect.Effect<Principal, NotAuthenticated | StoreUnavailable>
}>()("wavepose/gateways/Authenticator") {
  /** Tokens are checked by their signature, API keys by the store. */
  static readonly layer: Layer.Layer<Authenticator, never, Accounts | Tokens> = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const { verify } = yield* Tokens
      const { byApiKey } = yield* Accounts
      return { bearer: verify, apiKey: byApiKey }
    }),
  )
}
