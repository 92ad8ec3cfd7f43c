/**
 * Long-lived tokens of the home-automation runtime: the port by which edges check and manage them, and the port to their store. The token
 * itself is returned once and never stored.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type {
  CreatedHomeToken,
  HomeToken,
  HomeTokenIsGiven,
  HomeUser,
  TooManyHomeTokens,
} from "../domain/home-token.ts"

/** A stored token: its SHA-256 is sufficient, because it has 256 random bits. */
export interface StoredHomeToken extends CreatedHomeToken {
  readonly hash: Uint8Array
}

export class HomeTokenStore extends Context.Service<HomeTokenStore, {
  readonly all: Effect.Effect<ReadonlyArray<StoredHomeToken>, StoreUnavailable>
  readonly add: (token: StoredHomeToken) => Effect.Effect<void, TooManyHomeTokens | StoreUnavailable>
  /** False if there is no token of this id. */
  readonly remove: (tokenId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/HomeTokenStore") {}

export class HomeTokens extends Context.Service<HomeTokens, {
  /** The user of a token; null: the token is unknown. */
  readonly check: (token: string) => Effect.Effect<HomeUser | null, StoreUnavailable>
  /** Completes when a user's token was revoked, within a second. */
  readonly ended: (user: HomeUser) => Effect.Effect<void>
  /** The tokens of the settings of this node, and those that were registered at run time. */
  readonly all: Effect.Effect<ReadonlyArray<HomeToken>, StoreUnavailable>
  /** Registers a token. Its text is returned here only. */
  readonly register: (
    name: string,
    by: string,
  ) => Effect.Effect<{ readonly text: string; readonly token: CreatedHomeToken }, TooManyHomeTokens | StoreUnavailable>
  /** Revokes a token that was registered at run time, and ends its connections. False if there is no token of this id. */
  readonly revoke: (tokenId: string) => Effect.Effect<boolean, HomeTokenIsGiven | StoreUnavailable>
}>()("wavepose/protocols/HomeTokens") {}
