/**
 * Accounts: the port through which every edge authenticates. The store answers it; edges never see a hash.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { ApiKey, NotAuthenticated, Principal, Role } from "../domain/identity.ts"

export class Accounts extends Context.Service<Accounts, {
  /** Checks a user's password. The same error and about the same time whether the user or the password is wrong. */
  readonly signIn: (
    username: string,
    password: string,
  ) => Effect.Effect<Principal, NotAuthenticated | StoreUnavailable>
  /** Who holds this API key. */
  readonly byApiKey: (key: string) => Effect.Effect<Principal, NotAuthenticated | StoreUnavailable>
  /** A new API key; the key itself is answered here and never again. `expiresAtMs` null: it does not expire. */
  readonly createApiKey: (
    name: string,
    role: Role,
    expiresAtMs: number | null,
  ) => Effect.Effect<{ readonly key: string; readonly apiKey: ApiKey }, StoreUnavailable>
  readonly apiKeys: Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
  /** False when there is no such key. */
  readonly revokeApiKey: (keyId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Accounts") {}
