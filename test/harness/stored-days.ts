/**
 * Days of a service's life, written into its database by SQL alone: frames by the minute, tracks and events as the actors would have
 * stored them. The same days every time.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface StoredDays {
  /** A midnight, UTC. */
  readonly fromMs: number
  readonly days: number
  readonly environmentIds: ReadonlyArray<string>
  /** Of each environment and day. */
  readonly tracks: number
  readonly falls: number
  readonly intrusions: number
}

const zones = ["entrance", "shelf", "till", "exit"]

/** A number in 0..1 derived from a row's number. */
const chance = (row: string, salt: number): string =>
  `(abs(hashint8((${row})::bigint * 7919 + ${salt})) % 10000 / 10000.0)`

/**
 * 600 frames a minute. By day persons come and go, up to five at a time; at night one lies for most of it.
 */
const minutes = ({ days, environmentIds, fromMs }: StoredDays) => `
  INSERT INTO pose_minutes (environment_id, minute, frames, frames_live, frames_replay, frames_simulated, person_frames, person_max,
    person_max_at, confidence_sum, walking, standing, sitting, lying, falling, unknown, frames_0, frames_1, frames_2, frames_3,
    frames_4_plus, processing_ms_sum)
  SELECT environment_id, minute, 600, 600, 0, 0, 600 * persons, persons, minute + interval '7 seconds', 480.0 * persons,
    CASE WHEN night THEN 0 ELSE 150 * persons END, CASE WHEN night THEN 0 ELSE 200 * persons END,
    CASE WHEN night THEN 0 ELSE 200 * persons END, CASE WHEN night THEN 590 * persons ELSE 0 END, 0,
    CASE WHEN night THEN 10 * persons ELSE 50 * persons END,
    600 * (persons = 0)::int, 600 * (persons = 1)::int, 600 * (persons = 2)::int, 600 * (persons = 3)::int,
    600 * (persons >= 4)::int, 600 * 21.5
  FROM (
    SELECT environment_id, minute, night,
      CASE WHEN night THEN 1 ELSE floor(${chance("n / 10 + room * 100003", 1)} * 6)::int END AS persons
    FROM (
      SELECT environment_id, room, n, to_timestamp(${fromMs / 1000}) + n * interval '1 minute' AS minute,
        (n % 1440) < 360 OR (n % 1440) >= 1380 AS night
      FROM unnest(ARRAY[${
  environmentIds.map((id) => `'${id}'`).join(", ")
}]) WITH ORDINALITY AS room (environment_id, room),
        generate_series(0, ${days * 1440 - 1}) AS n
    ) AS timed
  ) AS peopled`

const rowsOf = ({ environmentIds }: StoredDays, count: number) => `
  FROM unnest(ARRAY[${
  environmentIds.map((id) => `'${id}'`).join(", ")
}]) WITH ORDINALITY AS room (environment_id, room),
    generate_series(0, ${count - 1}) AS n`

const begin = ({ days, fromMs }: StoredDays, salt: number) =>
  `to_timestamp(${fromMs / 1000}) + ${chance("n + room * 1000003", salt)} * interval '${days} days'`

const tracks = (stored: StoredDays) => `
  INSERT INTO tracks (environment_id, track_id, first_seen, last_seen, status, frames, confidence, distance_m, moving_s, stationary_s,
    source)
  SELECT environment_id, room * 1000000 + n, began, began + lived * interval '1 second', 'ended', (lived * 10)::int, 0.8, lived * 0.3,
    lived * 0.3, lived * 0.7, 'live'
  FROM (SELECT environment_id, room, n, ${begin(stored, 2)} AS began, 30 + ${chance("n + room", 3)} * 1200 AS lived
    ${rowsOf(stored, stored.tracks * stored.days)}) AS lives`

/** Events of one kind: `body` is SQL with its own fields, added to the common fields. */
const events = (stored: StoredDays, type: string, salt: number, count: number, detail: string, extra: string) => `
  INSERT INTO events (event_id, environment_id, ts, type, severity, revision, open, alerted, body)
  SELECT md5(environment_id || '${type}' || n)::uuid, environment_id, began, '${type}', 'low', 1, false, ${
  extra.includes("raisedMs")
},
    jsonb_build_object('eventId', md5(environment_id || '${type}' || n)::uuid::text, 'revision', 1,
      'environmentId', environment_id, 'severity', 'low', 'timestampMs', ms, 'revisedMs', ms,
      'personId', room * 1000000 + n / 2, 'confidence', 0.9, 'location', jsonb_build_object('x', 1, 'y', 2), 'zone', null,
      'detail', jsonb_build_object('type', '${type}') || ${detail}, 'incident', null,
      'provenance', jsonb_build_object('source', 'live', 'calibrated', true, 'modelVersion', 'bench', 'linksUsed', 6)) || ${extra}
  FROM (SELECT environment_id, room, n, began, floor(extract(epoch FROM began) * 1000) AS ms
    FROM (SELECT environment_id, room, n, ${begin(stored, salt)} AS began ${rowsOf(stored, count)}) AS drawn) AS timed`

const zone = `jsonb_build_object('zone', jsonb_build_object(
  'zoneId', (ARRAY[${zones.map((id) => `'${id}'`).join(", ")}])[1 + n % ${zones.length}], 'name', 'A zone'))`

const incident =
  `jsonb_build_object('incident', jsonb_build_object('key', 'k' || n, 'status', 'cleared', 'raisedMs', ms + 10000,
  'acknowledgedBy', 'otto', 'acknowledgedMs', ms + 25000, 'endedMs', ms + 60000, 'resolution', 'recovered'))`

const none = `'{}'::jsonb`

/** Writes the days; every environment has the zones entrance, shelf, till and exit, of the four roles. */
export const storeDays = Effect.fnUntraced(function* (stored: StoredDays) {
  const sql = yield* SqlClient.SqlClient
  const corner = [[0, 0], [1, 0], [1, 1], [0, 1]]
  const drawn = zones.map((zoneId, i) => ({
    zoneId,
    name: "A zone",
    kind: "general",
    role: ["entrance", "product", "checkout", "purchase"][i],
    polygon: corner,
  }))
  for (const id of stored.environmentIds) {
    yield* sql`INSERT INTO environments (environment_id, name, zones)
      VALUES (${id}, ${id}, ${JSON.stringify(drawn)}::text::jsonb)`
  }
  const perDay = stored.tracks * stored.days
  const statements = [
    minutes(stored),
    tracks(stored),
    events(stored, "zone_entered", 4, 2 * perDay, none, zone),
    events(stored, "zone_left", 5, 2 * perDay, `jsonb_build_object('dwellS', n % 300)`, zone),
    events(stored, "activity_change", 6, 2 * perDay, `'{"from": "standing", "to": "walking"}'`, none),
    events(
      stored,
      "fall_detection",
      7,
      stored.falls * stored.days,
      `'{"fallDurationS": 60, "impactSeverity": "medium", "impactMps": 2.1, "recoveryDetected": true}'`,
      incident,
    ),
    events(
      stored,
      "intrusion_detection",
      8,
      stored.intrusions * stored.days,
      `'{"personCount": 1, "durationS": 60}'`,
      incident,
    ),
    "ANALYZE",
  ]
  for (const statement of statements) yield* sql.unsafe(statement)
})
