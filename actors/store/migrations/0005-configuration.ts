/**
 * The configuration and the record of its changes; webhooks and their queue of deliveries.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE configuration (
    entity_id text PRIMARY KEY,
    revision integer NOT NULL,
    value jsonb NOT NULL
  )`,
  // Append only. `before` and `after` hold only the changed settings.
  `CREATE TABLE configuration_changes (
    revision integer PRIMARY KEY,
    changed_at timestamptz NOT NULL,
    by_kind text NOT NULL CHECK (by_kind IN ('user', 'apiKey', 'node')),
    by_id text NOT NULL,
    by_name text NOT NULL,
    fields text[] NOT NULL,
    before jsonb NOT NULL,
    after jsonb NOT NULL,
    taken_back text
  )`,
  `CREATE TABLE webhooks (
    webhook_id uuid PRIMARY KEY,
    url text NOT NULL,
    description text NOT NULL,
    event_types text[] NOT NULL,
    -- Sealed: a signature needs the secret itself.
    secret_key_id smallint NOT NULL,
    secret bytea NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    disabled_at timestamptz,
    disabled_reason text,
    failing_since timestamptz,
    failures integer NOT NULL DEFAULT 0,
    retry_at timestamptz,
    last_error text,
    last_attempt_at timestamptz,
    last_success_at timestamptz,
    delivered bigint NOT NULL DEFAULT 0,
    given_up bigint NOT NULL DEFAULT 0,
    hour_began_at timestamptz NOT NULL,
    hour_count integer NOT NULL DEFAULT 0
  )`,
  // Pending deliveries: inserted with the event, deleted after delivery. Only the newest revision of an event is queued.
  `CREATE TABLE webhook_deliveries (
    webhook_id uuid NOT NULL REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
    event_id uuid NOT NULL,
    revision integer NOT NULL,
    queued_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (webhook_id, event_id)
  )`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at)`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
