/**
 * Events and incidents, and the zones of environments.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE environments ADD COLUMN zones jsonb`,
  // The whole event as `protocols/domain/event.ts` defines it, beside the columns that have an index.
  `CREATE TABLE events (
    event_id uuid PRIMARY KEY,
    environment_id text NOT NULL,
    ts timestamptz NOT NULL,
    type text NOT NULL,
    severity text NOT NULL,
    revision integer NOT NULL,
    open boolean NOT NULL,
    alerted boolean NOT NULL,
    body jsonb NOT NULL
  )`,
  `CREATE INDEX events_by_time ON events (environment_id, ts)`,
  `CREATE INDEX incidents_by_time ON events (environment_id, open, ts) WHERE open OR alerted`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
