/**
 * The first schema. Migrations only go forward; a released one is never edited.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE environments (
    environment_id text PRIMARY KEY,
    name text NOT NULL,
    geometry jsonb,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE routers (
    router_id text PRIMARY KEY,
    environment_id text NOT NULL REFERENCES environments (environment_id) ON DELETE CASCADE
  )`,
  `CREATE INDEX routers_by_environment ON routers (environment_id)`,
  `CREATE TABLE users (
    user_id uuid PRIMARY KEY,
    username text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  // The key is 256 random bits, so a plain SHA-256 of it cannot be reversed.
  `CREATE TABLE api_keys (
    key_id uuid PRIMARY KEY,
    key_hash bytea NOT NULL UNIQUE,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz
  )`,
  `CREATE TABLE system_sessions (
    entity_id text PRIMARY KEY,
    session jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  // One row per router: the static response of its links, as `core/signal/reference.ts` serialises it.
  `CREATE TABLE router_references (
    router_id text PRIMARY KEY REFERENCES routers (router_id) ON DELETE CASCADE,
    taken_at timestamptz NOT NULL,
    body bytea NOT NULL
  )`,
  // The whole frame as `protocols/grpc/pose-frame.ts` encodes it, beside the columns that have an index.
  `CREATE TABLE pose_frames (
    environment_id text NOT NULL,
    frame_id bigint NOT NULL,
    ts timestamptz NOT NULL,
    person_count smallint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (environment_id, frame_id)
  )`,
  `CREATE INDEX pose_frames_by_time ON pose_frames USING brin (ts)`,
  `CREATE TABLE secrets (
    name text PRIMARY KEY,
    value text NOT NULL
  )`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
