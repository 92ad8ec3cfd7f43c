/**
 * The learned week of each edge node's site: one row per node. It shows when people are at home, so it is encrypted like other data.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE learned_weeks (
    node_id text PRIMARY KEY REFERENCES routers (router_id) ON DELETE CASCADE,
    saved_at timestamptz NOT NULL DEFAULT now(),
    key_id smallint,
    body bytea NOT NULL
  )`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
