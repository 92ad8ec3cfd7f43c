/**
 * Data for reports, maintained by triggers: sums of frames by five minutes and by hour, counts of events by hour, and the event
 * columns of reports.
 *
 * Invariants, in every transaction: a row of `pose_spans` is the sum of the rows of `pose_minutes` in its span, and a row of `event_hours`
 * counts the rows of `events` of its hour and type. Writes add their difference, so that a write costs the same whatever the number of rows.
 * A deletion from minutes recomputes its spans, because a maximum cannot be reduced by a difference.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Columns that are sums over frames. */
const sums = [
  "frames",
  "frames_live",
  "frames_replay",
  "frames_simulated",
  "person_frames",
  "confidence_sum",
  "walking",
  "standing",
  "sitting",
  "lying",
  "falling",
  "unknown",
  "frames_0",
  "frames_1",
  "frames_2",
  "frames_3",
  "frames_4_plus",
  "processing_ms_sum",
] as const

const fractional: ReadonlySet<string> = new Set(["confidence_sum", "processing_ms_sum"])

const columns = ["environment_id", "width_s", "span", "minutes", ...sums, "person_max", "person_max_at"].join(", ")

/** The span of a minute. Spans are counted from a Monday, as in `core/analytics/calendar.ts`. */
const spanOf = (minute: string): string =>
  `date_bin(make_interval(secs => width_s), ${minute}, timestamptz '2001-01-01Z')`
const widths = `(VALUES (300), (3600)) AS w (width_s)`
const hourOf = (time: string): string => `date_bin('1 hour', ${time}, timestamptz '2001-01-01Z')`

/** Adds to the spans of these rows: `minutes` and `sum` say what a row adds. */
const addMinutes = (from: string, minutes: string, sum: (column: string) => string): string => `
  INSERT INTO pose_spans AS kept (${columns})
  SELECT n.environment_id, width_s, ${spanOf("n.minute")}, ${minutes},
    ${sums.map((column) => `sum(${sum(column)})`).join(", ")},
    max(n.person_max), (array_agg(n.person_max_at ORDER BY n.person_max DESC, n.person_max_at))[1]
  FROM ${from} GROUP BY 1, 2, 3
  ON CONFLICT (environment_id, width_s, span) DO UPDATE SET
    minutes = kept.minutes + excluded.minutes,
    ${sums.map((column) => `${column} = kept.${column} + excluded.${column}`).join(", ")},
    person_max = greatest(kept.person_max, excluded.person_max),
    person_max_at = CASE WHEN excluded.person_max > kept.person_max
      THEN excluded.person_max_at ELSE kept.person_max_at END`

const addEvents = (from: string): string => `
  INSERT INTO event_hours AS kept (environment_id, hour, type, events, alerted)
  ${from} GROUP BY 1, 2, 3
  ON CONFLICT (environment_id, hour, type) DO UPDATE SET
    events = kept.events + excluded.events, alerted = kept.alerted + excluded.alerted`

const countNew = (table: string): string =>
  addEvents(`SELECT environment_id, ${hourOf("ts")}, type, count(*), count(*) FILTER (WHERE alerted) FROM ${table}`)

const trigger = (table: string, event: string, tables: string, body: string): ReadonlyArray<string> => {
  const name = `${table}_after_${event}`
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING ${tables}
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  ]
}

const frameStatements = [
  `CREATE TABLE pose_spans (
    environment_id text NOT NULL,
    width_s integer NOT NULL,
    span timestamptz NOT NULL,
    minutes smallint NOT NULL,
    ${sums.map((name) => `${name} ${fractional.has(name) ? "double precision" : "integer"} NOT NULL`).join(", ")},
    person_max smallint NOT NULL,
    person_max_at timestamptz NOT NULL,
    PRIMARY KEY (environment_id, width_s, span)
  )`,
  addMinutes(`pose_minutes n, ${widths}`, "count(*)", (column) => `n.${column}`),
  ...trigger(
    "pose_minutes",
    "insert",
    "NEW TABLE AS added",
    addMinutes(`added n, ${widths}`, "count(*)", (column) => `n.${column}`),
  ),
  ...trigger(
    "pose_minutes",
    "update",
    "OLD TABLE AS before NEW TABLE AS changed",
    addMinutes(
      `changed n JOIN before o USING (environment_id, minute), ${widths}`,
      "0",
      (column) => `n.${column} - o.${column}`,
    ),
  ),
  ...trigger(
    "pose_minutes",
    "delete",
    "OLD TABLE AS removed",
    `DELETE FROM pose_spans s USING (SELECT DISTINCT environment_id, width_s, ${spanOf("minute")} AS span
        FROM removed, ${widths}) r
      WHERE s.environment_id = r.environment_id AND s.width_s = r.width_s AND s.span = r.span;
    ${
      addMinutes(
        `pose_minutes n, ${widths} WHERE (n.environment_id, width_s, ${spanOf("n.minute")}) IN (
          SELECT environment_id, width_s, ${spanOf("minute")} FROM removed, ${widths})
          AND n.minute >= (SELECT min(minute) - interval '1 hour' FROM removed)
          AND n.minute <= (SELECT max(minute) + interval '1 hour' FROM removed)`,
        "count(*)",
        (column) => `n.${column}`,
      )
    }`,
  ),
  `CREATE INDEX pose_spans_by_time ON pose_spans (width_s, span)`,
  `CREATE INDEX pose_minutes_by_time ON pose_minutes (minute)`,
]

const eventStatements = [
  `ALTER TABLE events
    ADD COLUMN person_id bigint GENERATED ALWAYS AS ((body->>'personId')::bigint) STORED,
    ADD COLUMN zone_id text GENERATED ALWAYS AS (body->'zone'->>'zoneId') STORED,
    ADD COLUMN zone_name text GENERATED ALWAYS AS (body->'zone'->>'name') STORED,
    ADD COLUMN dwell_s double precision GENERATED ALWAYS AS ((body->'detail'->>'dwellS')::double precision) STORED`,
  `CREATE INDEX events_by_type ON events (type, ts)`,
  `CREATE TABLE event_hours (
    environment_id text NOT NULL,
    hour timestamptz NOT NULL,
    type text NOT NULL,
    events integer NOT NULL,
    alerted integer NOT NULL,
    PRIMARY KEY (environment_id, hour, type)
  )`,
  countNew("events"),
  ...trigger("events", "insert", "NEW TABLE AS added", countNew("added")),
  ...trigger(
    "events",
    "update",
    "OLD TABLE AS before NEW TABLE AS changed",
    addEvents(`SELECT n.environment_id, ${hourOf("n.ts")}, n.type, 0, sum(n.alerted::int - o.alerted::int)
      FROM changed n JOIN before o USING (event_id)`),
  ),
  ...trigger(
    "events",
    "delete",
    "OLD TABLE AS removed",
    `UPDATE event_hours h SET events = h.events - r.events, alerted = h.alerted - r.alerted
      FROM (SELECT environment_id, ${hourOf("ts")} AS hour, type, count(*) AS events,
          count(*) FILTER (WHERE alerted) AS alerted FROM removed GROUP BY 1, 2, 3) r
      WHERE h.environment_id = r.environment_id AND h.hour = r.hour AND h.type = r.type`,
  ),
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...frameStatements, ...eventStatements]) yield* sql.unsafe(statement)
})
