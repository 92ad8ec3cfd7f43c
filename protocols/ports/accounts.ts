/**
 * Accounts: the port through which every edge authenticates. The store implements it; edges never see a hash.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { ApiKey, NotAuthenticated, Principal } from "../domain/identity.ts"

export class Accounts extends Context.Service<Accounts, {
  /** Checks a user's password. A wrong user and a wrong password give the same error in about the same time. */
  readonly signIn: (
    username: string,
    password: string,
  ) => Effect.Effect<Principal, NotAuthenticated | StoreUnavailable>
  /** The principal of this API key. */
  readonly byApiKey: (key: string) => Effect.Effect<Principal, NotAuthenticated | StoreUnavailable>
  /** A new API key. The key is returned only here. `expiresAtMs` null: it does not expire. */
  readonly createApiKey: (
    given: Pick<ApiKey, "name" | "role" | "scopes" | "expiresAtMs">,
  ) => Effect.Effect<{ readonly key: string; readonly apiKey: ApiKey }, StoreUnavailable>
  readonly apiKeys: Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
  /** False if the id is unknown. */
  readonly revokeApiKey: (keyId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Accounts") {}
