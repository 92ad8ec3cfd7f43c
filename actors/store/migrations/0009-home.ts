/**
 * The home-automation runtime: the states of entities and their history, the registries, and the tokens of clients.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE home_bus (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation integer NOT NULL
  )`,
  `INSERT INTO home_bus (generation) VALUES (0)`,
  `CREATE TABLE home_states (
    entity_id text PRIMARY KEY,
    sequence bigint NOT NULL,
    created_sequence bigint NOT NULL,
    body text NOT NULL
  )`,
  `CREATE TABLE home_history (
    entity_id text NOT NULL,
    sequence bigint NOT NULL,
    at timestamptz NOT NULL,
    body text,
    PRIMARY KEY (entity_id, at, sequence)
  )`,
  `CREATE INDEX home_history_by_time ON home_history USING brin (at)`,
  `CREATE TABLE home_registry (
    registry text NOT NULL,
    entry_id text NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL,
    modified_at timestamptz NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (registry, entry_id)
  )`,
  `CREATE TABLE home_tokens (
    token_id text PRIMARY KEY,
    name text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL
  )`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
