/**
 * What environments that moved hand over to their next activation: rows of a few seconds. They hold places of persons, so they are encrypted
 * like frames.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE environment_memories (
    environment_id text PRIMARY KEY,
    left_at timestamptz NOT NULL DEFAULT now(),
    key_id smallint,
    body bytea NOT NULL
  )`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
