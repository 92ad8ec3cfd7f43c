/**
 * Placement by load: what each node reports, and the groups of rooms that were moved to a node.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE cluster_loads (
    address text PRIMARY KEY,
    reported_at timestamptz NOT NULL DEFAULT now(),
    cores double precision NOT NULL,
    groups jsonb NOT NULL
  )`,
  `CREATE TABLE cluster_pins (
    shard_group text PRIMARY KEY,
    address text NOT NULL,
    pinned_at timestamptz NOT NULL DEFAULT now()
  )`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
