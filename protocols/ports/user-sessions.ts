/**
 * Sign-ins of users: each is a family of refresh tokens, of which only the newest is valid. The store implements this port.
 *
 * Invariant: reuse of a refresh token ends its sign-in, because one of its two users must have stolen it.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { NotAuthenticated, Principal } from "../domain/identity.ts"

/** A sign-in from the view of its user. The refresh token is returned once and stored as a hash. */
export interface UserSession {
  readonly sessionId: string
  readonly userId: string
  readonly refreshToken: string
}

export class UserSessions extends Context.Service<UserSessions, {
  /** Begins a sign-in. If the user has too many, the oldest one ends. */
  readonly open: (principal: Principal) => Effect.Effect<UserSession, NotAuthenticated | StoreUnavailable>
  /** Exchanges a valid refresh token for a new one. */
  readonly refresh: (refreshToken: string) => Effect.Effect<UserSession, NotAuthenticated | StoreUnavailable>
  /** The sign-in of a valid refresh token, which stays valid: for a browser's cookie, which several tabs use at once. */
  readonly resume: (refreshToken: string) => Effect.Effect<UserSession, NotAuthenticated | StoreUnavailable>
  /** Ends the sign-in of a refresh token, used or not. Returns its id; null if there is none. */
  readonly close: (refreshToken: string) => Effect.Effect<string | null, StoreUnavailable>
}>()("wavepose/protocols/UserSessions") {}
