/**
 * The nodes that send datagrams: the operator's decision about each, their keys, and the position of each key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE sensing_nodes (
    node_id text PRIMARY KEY,
    standing text NOT NULL CHECK (standing IN ('seen', 'released', 'enrolled', 'quarantined', 'revoked')),
    reason text,
    first_seen_at timestamptz,
    last_seen_at timestamptz,
    last_signed boolean,
    decided_at timestamptz,
    decided_by text
  )`,
  `CREATE TABLE node_keys (
    key_number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id text NOT NULL REFERENCES sensing_nodes (node_id) ON DELETE CASCADE,
    -- Sealed: a signature is checked with the key itself.
    sealing_key_id smallint NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    -- The greatest stamp that was taken, so that nothing is taken again after a restart; null before the first one.
    epoch bigint,
    sequence bigint
  )`,
  `CREATE INDEX node_keys_by_node ON node_keys (node_id)`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
