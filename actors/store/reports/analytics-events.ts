/**
 * Lists and counts events in the database for reports.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type ZoneRole, zoneRoles } from "../../../core/activity/zones.ts"
import { hourMs } from "../../../core/analytics/calendar.ts"
import type { IncidentList } from "../../../core/analytics/incidents.ts"
import type { ZoneVisits } from "../../../core/analytics/retail.ts"
import type { ActivityEvent, EventDetail } from "../../../protocols/domain/event.ts"
import type { AnalyticsScope, EventFilter, ZoneKey } from "../../../protocols/ports/analytics.ts"
import { at, splitAt, within } from "./analytics-scope.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { type ActiveReader, makeActiveReader } from "../sensing/active-environments.ts"
import { openEvents } from "../events/event-encryption.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"

const movements: ReadonlySet<string> = new Set(["activity_change", "zone_entered", "zone_left"])

/** A zone that is a stage of a purchase. */
type StagedZone = ZoneKey & { readonly role: ZoneRole }

/** The database, and the keys of the events' bodies. */
interface Needs {
  readonly reader: ActiveReader
  readonly bodies: FrameBodies["Service"]
}

const zoneTable = (sql: SqlClient.SqlClient, zones: ReadonlyArray<ZoneKey>) =>
  sql`unnest(${zones.map(({ environmentId }) => environmentId)}::text[], ${zones.map(({ zoneId }) => zoneId)}::text[])`

/** Buyers are read from the events again: a common table expression that is used twice would be materialised, which costs more. */
const zoneVisits = (reader: ActiveReader, scope: AnalyticsScope, purchases: ReadonlyArray<ZoneKey>) => {
  const { sql } = reader
  return orStoreUnavailable(sql<ZoneVisits>`
    WITH visits AS (
      SELECT environment_id, zone_id, person_id, max(zone_name COLLATE "C") AS name, count(*) AS entries, min(ts) AS first_at
      FROM events WHERE type = 'zone_entered' AND ${within(reader, scope, "ts")} GROUP BY 1, 2, 3
    ), buyers AS (
      SELECT environment_id, person_id, max(ts) AS bought_at
      FROM events JOIN ${
    zoneTable(sql, purchases)
  } AS purchase (environment_id, zone_id) USING (environment_id, zone_id)
      WHERE type = 'zone_entered' AND ${within(reader, scope, "ts")} GROUP BY 1, 2
    ), entered AS (
      SELECT environment_id, zone_id, max(name) AS name, sum(entries)::float8 AS entries,
        bool_and(person_id IS NOT NULL) AS named, count(*)::float8 AS visitors,
        count(*) FILTER (WHERE bought_at >= first_at)::float8 AS buyers
      FROM visits LEFT JOIN buyers USING (environment_id, person_id) GROUP BY 1, 2
    ), stays AS (
      SELECT environment_id, zone_id, max(zone_name COLLATE "C") AS name, count(*)::float8 AS left_again, sum(dwell_s) AS dwell_s
      FROM events WHERE type = 'zone_left' AND ${within(reader, scope, "ts")} GROUP BY 1, 2
    )
    SELECT environment_id AS "environmentId", zone_id AS "zoneId", coalesce(entered.name, stays.name) AS name,
      CASE WHEN coalesce(named, true) THEN coalesce(visitors, 0) END AS visitors, coalesce(entries, 0) AS entries,
      CASE WHEN coalesce(named, true) THEN coalesce(buyers, 0) END AS buyers,
      coalesce(left_again, 0) AS left, coalesce(dwell_s, 0) AS "dwellS"
    FROM entered FULL JOIN stays USING (environment_id, zone_id) ORDER BY 1, 2`)
}

const stages = (reader: ActiveReader, scope: AnalyticsScope, zones: ReadonlyArray<StagedZone>) => {
  const { sql } = reader
  return Effect.map(
    orStoreUnavailable(sql<{ role: ZoneRole; visitors: number | null }>`
      SELECT role, CASE WHEN bool_and(person_id IS NOT NULL) THEN count(*)::float8 END AS visitors FROM (
        SELECT DISTINCT role, environment_id, person_id
        FROM events JOIN unnest(${zones.map(({ environmentId }) => environmentId)}::text[],
          ${zones.map(({ zoneId }) => zoneId)}::text[], ${zones.map(({ role }) => role)}::text[])
          AS staged (environment_id, zone_id, role) USING (environment_id, zone_id)
        WHERE type = 'zone_entered' AND ${within(reader, scope, "ts")}) AS visitors GROUP BY role`),
    (rows) => {
      const byRole = new Map(rows.map(({ role, visitors }) => [role, visitors]))
      return Object.fromEntries(zoneRoles.map((role) => [role, byRole.has(role) ? byRole.get(role)! : 0])) as Record<
        ZoneRole,
        number | null
      >
    },
  )
}

/** The intrusions of an environment form one multirange, in which an entry is looked up. */
const entries = (reader: ActiveReader, scope: AnalyticsScope, zones: ReadonlyArray<ZoneKey>) => {
  const { sql } = reader
  return Effect.map(
    orStoreUnavailable(sql<{ all: number; intruding: number }>`
      WITH intrusions AS (
        SELECT environment_id, range_agg(tstzrange(ts, CASE WHEN ended IS NOT NULL THEN greatest(ts, ended) END, '[]'))
          AS during
        FROM (SELECT environment_id, ts, to_timestamp((body->'incident'->>'endedMs')::float8 / 1000) AS ended
          FROM events WHERE type = 'intrusion_detection' AND ts < ${at(sql, scope.toMs)}) AS known GROUP BY 1
      )
      SELECT count(*)::float8 AS all, count(*) FILTER (WHERE ts <@ during)::float8 AS intruding
      FROM events JOIN ${zoneTable(sql, zones)} AS asked (environment_id, zone_id) USING (environment_id, zone_id)
        LEFT JOIN intrusions USING (environment_id)
      WHERE type = 'zone_entered' AND ${within(reader, scope, "ts")}`),
    ([row]) => row!,
  )
}

/** Whole hours have counts. Only the events at the edges are counted one by one. */
const eventCounts = (reader: ActiveReader, scope: AnalyticsScope) => {
  const { sql } = reader
  const { edges, whole } = splitAt(scope, hourMs)
  const parts = edges.map((edge) =>
    sql`SELECT type, 1 AS events, alerted::int AS alerted FROM events WHERE ${
      within(reader, { ...scope, ...edge }, "ts")
    }`
  )
  const hours = sql`SELECT type, events, alerted FROM event_hours WHERE ${
    within(reader, { ...scope, ...whole }, "hour")
  }`
  const rows = parts.reduce((all, part) => sql`${all} UNION ALL ${part}`, hours)
  return Effect.map(
    orStoreUnavailable(sql<{ type: EventDetail["type"]; events: number; alerted: number }>`
      SELECT type, sum(events)::float8 AS events, sum(alerted)::float8 AS alerted
      FROM (${rows}) AS counted GROUP BY type`),
    (counted) => ({
      movements: counted.filter(({ type }) => movements.has(type)).reduce((sum, { events }) => sum + events, 0),
      falls: counted.find(({ type }) => type === "fall_detection")?.events ?? 0,
      alerts: counted.reduce((sum, { alerted }) => sum + alerted, 0),
    }),
  )
}

const incidents = Effect.fnUntraced(function* (
  { bodies, reader }: Needs,
  scope: AnalyticsScope,
  type: EventDetail["type"],
  limit: number,
) {
  const { sql } = reader
  const of = sql`type = ${type} AND ${within(reader, scope, "ts")}`
  const [row] = yield* orStoreUnavailable(
    sql<{ count: number }>`SELECT count(*)::float8 AS count FROM events WHERE ${of}`,
  )
  const rows = yield* orStoreUnavailable(
    sql<{ body: unknown }>`SELECT body FROM events WHERE ${of} ORDER BY ts DESC, event_id DESC LIMIT ${limit}`,
  )
  return { count: row!.count, newest: yield* openEvents(bodies, rows) } satisfies IncidentList<ActivityEvent>
})

const events = Effect.fnUntraced(function* ({ bodies, reader }: Needs, scope: AnalyticsScope, filter: EventFilter) {
  const { sql } = reader
  const { alerted, before, limit, severity, types } = filter
  if (before !== null) {
    const found = yield* orStoreUnavailable(sql`SELECT 1 FROM events WHERE event_id::text = ${before}`)
    if (found.length === 0) return null
  }
  const conditions = [
    within(reader, scope, "ts"),
    ...(types === null ? [] : [sql`type = ANY(${[...types]}::text[])`]),
    ...(alerted ? [sql`alerted`] : []),
    ...(severity === null ? [] : [sql`severity = ${severity}`]),
    ...(before === null
      ? []
      : [sql`(ts, event_id) < (SELECT ts, event_id FROM events WHERE event_id = ${before}::uuid)`]),
  ]
  const rows = yield* orStoreUnavailable(sql<{ body: unknown }>`
    SELECT body FROM events WHERE ${sql.and(conditions)} ORDER BY ts DESC, event_id DESC LIMIT ${limit}`)
  return yield* openEvents(bodies, rows)
})

export const makeEventReports = Effect.gen(function* () {
  const reader = yield* makeActiveReader
  const needs: Needs = { reader, bodies: yield* FrameBodies }
  return {
    zoneVisits: (scope: AnalyticsScope, purchases: ReadonlyArray<ZoneKey>) => zoneVisits(reader, scope, purchases),
    stages: (scope: AnalyticsScope, zones: ReadonlyArray<StagedZone>) => stages(reader, scope, zones),
    entries: (scope: AnalyticsScope, zones: ReadonlyArray<ZoneKey>) => entries(reader, scope, zones),
    eventCounts: (scope: AnalyticsScope) => eventCounts(reader, scope),
    incidents: (scope: AnalyticsScope, type: EventDetail["type"], limit: number) =>
      incidents(needs, scope, type, limit),
    events: (scope: AnalyticsScope, filter: EventFilter) => events(needs, scope, filter),
  }
})
