/**
 * Sign-ins of users: each is a family of refresh tokens, of which the newest alone is good. The store answers this port.
 *
 * Invariant: a refresh token that was used and is shown again ends its sign-in, for one of the two who have it stole it.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { NotAuthenticated, Principal } from "../domain/identity.ts"

/** A sign-in as its user holds it. The refresh token is answered once and kept as a hash. */
export interface UserSession {
  readonly sessionId: string
  readonly userId: string
  readonly refreshToken: string
}

export class UserSessions extends Context.Service<UserSessions, {
  /** Begins a sign-in; the oldest of a user with too many ends. */
  readonly open: (principal: Principal) => Effect.Effect<UserSession, NotAuthenticated | StoreUnavailable>
  /** A new refresh token for a good one, which dies. */
  readonly refresh: (refreshToken: string) => Effect.Effect<UserSession, NotAuthenticated | StoreUnavailable>
  /** The sign-in of a good refresh token, which stays good: for a browser's cookie, which several tabs use at once. */
  readonly resume: (refreshToken: string) => Effect.Effect<UserSession, NotAuthenticated | StoreUnavailable>
  /** Ends the sign-in of a refresh token, used or not; its id, or null when there is none. */
  readonly close: (refreshToken: string) => Effect.Effect<string | null, StoreUnavailable>
}>()("wavepose/protocols/UserSessions") {}
