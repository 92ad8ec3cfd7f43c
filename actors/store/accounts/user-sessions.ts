/**
 * Sign-ins and their refresh tokens in the database: implements the port `UserSessions`.
 *
 * Invariants: a refresh token is 256 random bits, stored as its SHA-256. Only the newest token of a sign-in is unused. A user has at most
 * `sessionsMax` sign-ins. Those with the latest use are kept. A sign-in keeps at most `usedTokensMax` used tokens: an older one is
 * rejected without ending the sign-in. A sign-in expires `sessionDays` after it began, or after `idleDays` without use of a token.
 */
import { Clock, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { NotAuthenticated } from "../../../protocols/domain/identity.ts"
import { UserSessions } from "../../../protocols/ports/user-sessions.ts"
import { orStoreUnavailable } from "../database/database.ts"

const sessionDays = 90
const idleDays = 30
const sessionsMax = 100
const usedTokensMax = 64

const dayS = 86_400

/** Refresh tokens start with this prefix, so that secret scanners find a published token. */
const tokenPrefix = "wpr_"
const tokenPattern = /^wpr_[A-Za-z0-9_-]{43}$/

const digest = (token: string) => new Uint8Array(createHash("sha256").update(token).digest())

const refused = () => new NotAuthenticated({ message: "The refresh token is not valid any more. Sign in again." })

interface Needs {
  readonly sql: SqlClient.SqlClient
  readonly random: SecureRandom.SecureRandom["Service"]
}

const newToken = ({ random }: Needs) =>
  Effect.map(random.randomBytes(32), (bytes) => tokenPrefix + Buffer.from(bytes).toString("base64url"))

const keepToken = ({ sql }: Needs, sessionId: string, token: string, nowS: number) =>
  sql`INSERT INTO refresh_tokens (token_hash, session_id, issued_at, expires_at)
    VALUES (${digest(token)}, ${sessionId}, to_timestamp(${nowS}::float8), to_timestamp(${
    nowS + idleDays * dayS
  }::float8))`

/** Deletes the sign-ins of a user that have expired or exceed `sessionsMax`. Each use of a token renews when it expires. */
const prune = ({ sql }: Needs, userId: string, nowS: number) =>
  sql`DELETE FROM user_sessions WHERE user_id = ${userId} AND (
    expires_at <= to_timestamp(${nowS}::float8)
    OR NOT EXISTS (
      SELECT 1 FROM refresh_tokens AS token WHERE token.session_id = user_sessions.session_id
        AND used_at IS NULL AND token.expires_at > to_timestamp(${nowS}::float8)
    )
    OR session_id IN (
      SELECT session_id FROM user_sessions JOIN refresh_tokens USING (session_id)
      WHERE user_id = ${userId} AND used_at IS NULL
      ORDER BY refresh_tokens.expires_at DESC, session_id DESC OFFSET ${sessionsMax}
    ))`

const pruneTokens = ({ sql }: Needs, sessionId: string) =>
  sql`DELETE FROM refresh_tokens WHERE token_hash IN (
    SELECT token_hash FROM refresh_tokens WHERE session_id = ${sessionId} AND used_at IS NOT NULL
    ORDER BY used_at DESC, token_hash OFFSET ${usedTokensMax})`

/** The outcome of a refresh: the next token, a revoked family, or an unknown token. */
const exchange = Effect.fnUntraced(function* (needs: Needs, token: string, nowS: number) {
  const { sql } = needs
  const hash = digest(token)
  // The row of the sign-in is locked first. Its lock alone orders two uses of its tokens.
  const [session] = yield* sql<{ session_id: string; user_id: string; live: boolean }>`
    SELECT session_id, user_id, expires_at > to_timestamp(${nowS}::float8) AS live FROM user_sessions
    WHERE session_id = (SELECT session_id FROM refresh_tokens WHERE token_hash = ${hash}) FOR UPDATE`
  if (session === undefined) return "unknown" as const
  const { session_id: sessionId, user_id: userId } = session
  const [shown] = yield* sql<{ used: boolean; live: boolean }>`
    SELECT used_at IS NOT NULL AS used, expires_at > to_timestamp(${nowS}::float8) AS live
    FROM refresh_tokens WHERE token_hash = ${hash}`
  if (shown === undefined) return "unknown" as const
  if (shown.used || !shown.live || !session.live) {
    yield* sql`DELETE FROM user_sessions WHERE session_id = ${sessionId}`
    return shown.used ? { reused: sessionId } : "unknown" as const
  }
  yield* sql`UPDATE refresh_tokens SET used_at = to_timestamp(${nowS}::float8) WHERE token_hash = ${hash}`
  const refreshToken = yield* newToken(needs)
  yield* keepToken(needs, sessionId, refreshToken, nowS)
  yield* pruneTokens(needs, sessionId)
  return { sessionId, userId, refreshToken }
})

const open = Effect.fnUntraced(function* (needs: Needs, userId: string) {
  const { random, sql } = needs
  const nowS = (yield* Clock.currentTimeMillis) / 1000
  const sessionId = yield* random.uuidV7()
  const refreshToken = yield* newToken(needs)
  const opened = yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
    // Removal of a user takes the same lock, so no sign-in begins for a removed user.
    const rows = yield* sql`SELECT 1 FROM users WHERE user_id = ${userId} FOR UPDATE`
    if (rows.length === 0) return false
    yield* sql`
      INSERT INTO user_sessions (session_id, user_id, created_at, expires_at)
      VALUES (${sessionId}, ${userId}, to_timestamp(${nowS}::float8), to_timestamp(${
      nowS + sessionDays * dayS
    }::float8))`
    yield* keepToken(needs, sessionId, refreshToken, nowS)
    yield* prune(needs, userId, nowS)
    return true
  })))
  return opened ? { sessionId, userId, refreshToken } : yield* refused()
})

const refresh = Effect.fnUntraced(function* (needs: Needs, token: string) {
  if (!tokenPattern.test(token)) return yield* refused()
  const nowS = (yield* Clock.currentTimeMillis) / 1000
  const outcome = yield* orStoreUnavailable(needs.sql.withTransaction(exchange(needs, token, nowS)))
  if (outcome === "unknown") return yield* refused()
  if ("reused" in outcome) {
    yield* Effect.logWarning("a refresh token was shown a second time; its sign-in is ended", {
      session_id: outcome.reused,
    })
    return yield* refused()
  }
  return outcome
})

/** The sign-in of a valid token, which stays valid. The use renews the idle time of the sign-in. */
const resume = Effect.fnUntraced(function* ({ sql }: Needs, token: string) {
  if (!tokenPattern.test(token)) return yield* refused()
  const nowS = (yield* Clock.currentTimeMillis) / 1000
  const [session] = yield* orStoreUnavailable(sql<{ session_id: string; user_id: string }>`
    UPDATE refresh_tokens SET expires_at = to_timestamp(${nowS + idleDays * dayS}::float8)
    FROM user_sessions AS session
    WHERE token_hash = ${digest(token)} AND used_at IS NULL
      AND refresh_tokens.expires_at > to_timestamp(${nowS}::float8)
      AND session.session_id = refresh_tokens.session_id AND session.expires_at > to_timestamp(${nowS}::float8)
    RETURNING session.session_id, session.user_id`)
  if (session === undefined) return yield* refused()
  return { sessionId: session.session_id, userId: session.user_id, refreshToken: token }
})

const close = Effect.fnUntraced(function* ({ sql }: Needs, token: string) {
  if (!tokenPattern.test(token)) return null
  const [closed] = yield* orStoreUnavailable(sql<{ session_id: string }>`
    DELETE FROM user_sessions
    WHERE session_id = (SELECT session_id FROM refresh_tokens WHERE token_hash = ${digest(token)})
    RETURNING session_id`)
  return closed?.session_id ?? null
})

const make = Effect.gen(function* () {
  const needs: Needs = { sql: yield* SqlClient.SqlClient, random: yield* SecureRandom.SecureRandom }
  return UserSessions.of({
    open: ({ id }) => open(needs, id),
    refresh: (token) => refresh(needs, token),
    resume: (token) => resume(needs, token),
    close: (token) => close(needs, token),
  })
})

export const layerUserSessions: Layer.Layer<UserSessions, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(UserSessions, make)
