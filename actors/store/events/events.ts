/**
 * Events in the database.
 *
 * Invariants: a row holds the newest revision that was appended, in whatever order revisions arrive. The statement that stores an event
 * also queues it for webhooks (`webhook-queue.ts`).
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ActivityEvent } from "../../../protocols/domain/event.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { isReported } from "../../../protocols/domain/webhook.ts"
import { booleans, integers, numbers, texts, uuids } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { openEvents, sealEvent } from "./event-encryption.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"

/** The number of incidents that an environment loads when it starts: open ones first, then the newest. */
const incidentsMax = 128

export class EventStore extends Context.Service<EventStore, {
  /** Writes events of one or several environments in one statement. */
  readonly append: (events: ReadonlyArray<ActivityEvent>) => Effect.Effect<void, StoreUnavailable>
  /** The open incidents of an environment and the newest that were alerted, oldest first. */
  readonly incidents: (environmentId: string) => Effect.Effect<ReadonlyArray<ActivityEvent>, StoreUnavailable>
}>()("wavepose/actors/EventStore") {
  static readonly layer: Layer.Layer<EventStore, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
    EventStore,
    Effect.suspend(() => make),
  )
}

/** One row per event: its newest revision. */
const newestOf = (events: ReadonlyArray<ActivityEvent>): ReadonlyArray<ActivityEvent> => {
  const newest = new Map<string, ActivityEvent>()
  for (const event of events) {
    if (event.revision > (newest.get(event.eventId)?.revision ?? -1)) newest.set(event.eventId, event)
  }
  return [...newest.values()]
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = yield* FrameBodies
  return EventStore.of({
    append: Effect.fnUntraced(function* (events) {
      const rows = newestOf(events)
      if (rows.length === 0) return
      const nowS = (yield* Clock.currentTimeMillis) / 1000
      const sealed = yield* Effect.forEach(rows, (event) => sealEvent(bodies, event))
      yield* orStoreUnavailable(sql`
        WITH event AS (
          SELECT * FROM unnest(
            ${uuids(rows.map(({ eventId }) => eventId))}::uuid[],
            ${texts(rows.map(({ environmentId }) => environmentId))}::text[],
            ${numbers(rows.map(({ timestampMs }) => timestampMs))}::float8[],
            ${texts(rows.map(({ detail }) => detail.type))}::text[],
            ${texts(rows.map(({ severity }) => severity))}::text[],
            ${integers(rows.map(({ revision }) => revision))}::int4[],
            ${booleans(rows.map(({ incident }) => incident !== null && incident.endedMs === null))}::bool[],
            ${booleans(rows.map(({ incident }) => incident !== null && incident.raisedMs !== null))}::bool[],
            ${texts(sealed)}::text[],
            ${booleans(rows.map(isReported))}::bool[]
          ) AS event (event_id, environment_id, ts_ms, type, severity, revision, open, alerted, body, reported)
        ), written AS (
          INSERT INTO events (event_id, environment_id, ts, type, severity, revision, open, alerted, body)
          SELECT event_id, environment_id, to_timestamp(ts_ms / 1000), type, severity, revision, open, alerted, body::jsonb
          FROM event
          ON CONFLICT (event_id) DO UPDATE SET
            severity = excluded.severity, revision = excluded.revision, open = excluded.open,
            alerted = excluded.alerted, body = excluded.body
          WHERE events.revision < excluded.revision
          RETURNING event_id
        )
        INSERT INTO webhook_deliveries (webhook_id, event_id, revision, queued_at, due_at)
        SELECT webhook_id, event_id, event.revision, to_timestamp(${nowS}::float8), to_timestamp(${nowS}::float8)
        FROM written JOIN event USING (event_id) JOIN webhooks ON disabled_at IS NULL AND event.type = ANY (event_types)
        WHERE reported
        ON CONFLICT (webhook_id, event_id) DO UPDATE SET revision = excluded.revision, attempts = 0,
          queued_at = excluded.queued_at, due_at = least(webhook_deliveries.due_at, excluded.due_at)`)
    }),
    incidents: Effect.fnUntraced(function* (environmentId) {
      const rows = yield* orStoreUnavailable(sql<{ body: unknown }>`
        SELECT body FROM events WHERE environment_id = ${environmentId} AND (open OR alerted)
        ORDER BY open DESC, ts DESC LIMIT ${incidentsMax}`)
      return (yield* openEvents(bodies, rows)).reverse()
    }),
  })
})
