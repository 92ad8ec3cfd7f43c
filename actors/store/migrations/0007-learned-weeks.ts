/**
 * What edge nodes learned of their site's week: one row a node. It tells when somebody is at home, so it is sealed where data are.
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
