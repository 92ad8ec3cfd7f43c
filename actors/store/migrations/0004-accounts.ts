/**
 * Sign-ins with their refresh tokens, signing keys, sign-in attempts, and request counts.
 *
 * Access tokens of older versions have no sign-in and are rejected from here on, so their signing key is deleted.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE user_sessions (
    session_id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX user_sessions_by_user ON user_sessions (user_id, created_at)`,
  // The token is 256 random bits, so a plain SHA-256 of it cannot be reversed.
  `CREATE TABLE refresh_tokens (
    token_hash bytea PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES user_sessions (session_id) ON DELETE CASCADE,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
  )`,
  `CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id, issued_at)`,
  `CREATE TABLE signing_keys (
    key_id text PRIMARY KEY,
    secret bytea NOT NULL,
    created_at timestamptz NOT NULL,
    retired_at timestamptz
  )`,
  `DELETE FROM secrets WHERE name = 'jwt-signing-key'`,
  // Keys are hashed into a fixed number of slots, so the number of names or addresses does not add rows.
  `CREATE TABLE sign_in_failures (
    slot integer PRIMARY KEY,
    failures double precision NOT NULL,
    at timestamptz NOT NULL
  )`,
  `CREATE TABLE sign_in_addresses (
    user_id uuid NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    address text NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, address)
  )`,
  // Unlogged: a crash of the database loses the counts, and the next window starts from zero.
  `CREATE UNLOGGED TABLE rate_counts (
    subject text NOT NULL,
    ends_at timestamptz NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (subject, ends_at)
  )`,
  `CREATE INDEX rate_counts_by_end ON rate_counts (ends_at)`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
