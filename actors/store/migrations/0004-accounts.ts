/**
 * Sign-ins with their refresh tokens, signing keys, attempts to sign in, and counts of requests.
 *
 * Access tokens of older versions name no sign-in and are refused from here on, so the key that signed them goes.
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
  // The token is 256 random bits, so a plain SHA-256 of it cannot be guessed back.
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
  // What is counted is hashed into a fixed number of slots: no number of names or addresses makes more rows.
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
  // Lost when the database crashes, and worth no log: the next window begins anew anyway.
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
