/**
 * Long-lived tokens of the home-automation runtime: the port by which edges check and manage them, and the port to their store. A token
 * itself is shown once and never kept.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { HomeToken, HomeUser, TooManyHomeTokens } from "../domain/home-token.ts"

/** A token as it is kept: by its SHA-256, because it is of 256 random bits. */
export interface StoredHomeToken extends HomeToken {
  readonly hash: Uint8Array
}

export class HomeTokenStore extends Context.Service<HomeTokenStore, {
  readonly all: Effect.Effect<ReadonlyArray<StoredHomeToken>, StoreUnavailable>
  readonly add: (token: StoredHomeToken) => Effect.Effect<void, TooManyHomeTokens | StoreUnavailable>
  /** False when there is none of this id. */
  readonly remove: (tokenId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/HomeTokenStore") {}

export class HomeTokens extends Context.Service<HomeTokens, {
  /** Whose a token is; null for one that is not known. */
  readonly check: (token: string) => Effect.Effect<HomeUser | null, StoreUnavailable>
  /** Completes when a user's token was revoked, which is known a second later at most. */
  readonly ended: (user: HomeUser) => Effect.Effect<void>
  /** Those that were registered at run time. */
  readonly all: Effect.Effect<ReadonlyArray<HomeToken>, StoreUnavailable>
  /** A new token; its text is answered here and never again. */
  readonly register: (
    name: string,
    by: string,
  ) => Effect.Effect<{ readonly text: string; readonly token: HomeToken }, TooManyHomeTokens | StoreUnavailable>
  /** Ends a token that was registered at run time, and its connections; false when there is none of this id. */
  readonly revoke: (tokenId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/HomeTokens") {}
