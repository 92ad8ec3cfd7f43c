/**
 * Events in the database.
 *
 * Invariant: a row holds the newest revision that was appended, whatever the order in which revisions come.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ActivityEvent } from "../../protocols/domain/event.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { orStoreUnavailable } from "./database.ts"

/** Incidents that an environment is told when it opens: those that are not over first, then the newest. */
const incidentsMax = 128

export class EventStore extends Context.Service<EventStore, {
  /** Writes events of one or several environments in one statement. */
  readonly append: (events: ReadonlyArray<ActivityEvent>) => Effect.Effect<void, StoreUnavailable>
  /** The incidents of an environment that are not over, and the newest that were alerted, oldest first. */
  readonly incidents: (environmentId: string) => Effect.Effect<ReadonlyArray<ActivityEvent>, StoreUnavailable>
}>()("wavepose/actors/EventStore") {
  static readonly layer: Layer.Layer<EventStore, never, SqlClient.SqlClient> = Layer.effect(
    EventStore,
    Effect.suspend(() => make),
  )
}

const decode = Schema.decodeUnknownEffect(ActivityEvent)

/** One row an event: of several revisions the newest. */
const newestOf = (events: ReadonlyArray<ActivityEvent>): ReadonlyArray<ActivityEvent> => {
  const newest = new Map<string, ActivityEvent>()
  for (const event of events) {
    if (event.revision > (newest.get(event.eventId)?.revision ?? -1)) newest.set(event.eventId, event)
  }
  return [...newest.values()]
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return EventStore.of({
    append: Effect.fnUntraced(function* (events) {
      const rows = newestOf(events)
      if (rows.length === 0) return
      yield* orStoreUnavailable(sql`
        INSERT INTO events (event_id, environment_id, ts, type, severity, revision, open, alerted, body)
        SELECT event_id, environment_id, to_timestamp(ts_ms / 1000), type, severity, revision, open, alerted, body::jsonb
        FROM unnest(
          ${rows.map(({ eventId }) => eventId)}::uuid[],
          ${rows.map(({ environmentId }) => environmentId)}::text[],
          ${rows.map(({ timestampMs }) => timestampMs)}::float8[],
          ${rows.map(({ detail }) => detail.type)}::text[],
          ${rows.map(({ severity }) => severity)}::text[],
          ${rows.map(({ revision }) => revision)}::int4[],
          ${rows.map(({ incident }) => incident !== null && incident.endedMs === null)}::bool[],
          ${rows.map(({ incident }) => incident !== null && incident.raisedMs !== null)}::bool[],
          ${rows.map((event) => JSON.stringify(event))}::text[]
        ) AS event (event_id, environment_id, ts_ms, type, severity, revision, open, alerted, body)
        ON CONFLICT (event_id) DO UPDATE SET
          severity = excluded.severity, revision = excluded.revision, open = excluded.open,
          alerted = excluded.alerted, body = excluded.body
        WHERE events.revision < excluded.revision`)
    }),
    incidents: Effect.fnUntraced(function* (environmentId) {
      const rows = yield* orStoreUnavailable(sql<{ body: unknown }>`
        SELECT body FROM events WHERE environment_id = ${environmentId} AND (open OR alerted)
        ORDER BY open DESC, ts DESC LIMIT ${incidentsMax}`)
      const events: Array<ActivityEvent> = []
      for (const { body } of rows) {
        yield* Effect.matchEffect(decode(body), {
          onSuccess: (event) => Effect.sync(() => void events.push(event)),
          onFailure: (error) => Effect.logWarning("an event of the store is left out", error.message),
        })
      }
      return events.reverse()
    }),
  })
})
