/**
 * Sums of frames in the database: by environment, by five minutes and by buckets.
 *
 * A range is read in the widest spans that fit: hours, five minutes, and single minutes at its edges.
 */
import { Effect } from "effect"
import type { EnvironmentSums } from "../../../core/analytics/figures.ts"
import { hourMs, minuteMs, type TimeRange } from "../../../core/analytics/calendar.ts"
import { type OccupancyBucket, type SpanColumns, spanMs } from "../../../core/analytics/occupancy.ts"
import type { AnalyticsScope, RateBucket } from "../../../protocols/ports/analytics.ts"
import { bucketOf, msOf, splitAt, within } from "./analytics-scope.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { type ActiveReader, makeActiveReader } from "../sensing/active-environments.ts"

/** Columns that are counts, by their names in `FrameSums`. */
const counts = {
  frames: "frames",
  framesLive: "frames_live",
  framesReplay: "frames_replay",
  framesSimulated: "frames_simulated",
  personFrames: "person_frames",
  walking: "walking",
  standing: "standing",
  sitting: "sitting",
  lying: "lying",
  falling: "falling",
  unknown: "unknown",
  frames0: "frames_0",
  frames1: "frames_1",
  frames2: "frames_2",
  frames3: "frames_3",
  frames4Plus: "frames_4_plus",
} as const

const countColumns = Object.values(counts).map((name) => `${name}::int4`).join(", ")
/** Frames whose persons are counted. */
const counted = "(frames_0 + frames_1 + frames_2 + frames_3 + frames_4_plus)"
const plainColumns = "confidence_sum, processing_ms_sum, person_max, person_max_at"

const sumColumns = [
  ...Object.entries(counts).map(([name, column]) => `sum(${column})::float8 AS "${name}"`),
  `sum(minutes)::float8 AS minutes`,
  `sum(confidence_sum) AS "confidenceSum"`,
  `sum(processing_ms_sum) AS "processingMsSum"`,
  `max(person_max)::int4 AS "personMax"`,
].join(", ")

/** Widths of the stored spans, widest first. */
const hourly = [hourMs, spanMs]
const bySpan = [spanMs]

/** Splits a range into the widest spans that fit, and the remaining minutes. */
const partsOf = (range: TimeRange, widthsMs: ReadonlyArray<number>): ReadonlyArray<TimeRange & { widthMs: number }> => {
  const [widthMs, ...narrower] = widthsMs
  if (widthMs === undefined) return [{ ...range, widthMs: minuteMs }]
  const { edges, whole } = splitAt(range, widthMs)
  const wide = whole.fromMs < whole.toMs ? [{ ...whole, widthMs }] : []
  return [...wide, ...edges.flatMap((edge) => partsOf(edge, narrower))]
}

/** Rows of a range: `at`, `minutes` and the columns of the sums. */
const rowsOf = (reader: ActiveReader, scope: AnalyticsScope, widthsMs: ReadonlyArray<number>) => {
  const { sql } = reader
  const read = sql.literal(`${countColumns}, ${plainColumns}`)
  const parts = partsOf(scope, widthsMs).map(({ fromMs, toMs, widthMs }) => {
    const part = { ...scope, fromMs, toMs }
    return widthMs === minuteMs
      ? sql`SELECT environment_id, minute AS at, 1 AS minutes, ${read}
          FROM pose_minutes WHERE ${within(reader, part, "minute")}`
      : sql`SELECT environment_id, span AS at, minutes::int4 AS minutes, ${read}
          FROM pose_spans WHERE width_s = ${widthMs / 1000} AND ${within(reader, part, "span")}`
  })
  return parts.reduce((all, part) => sql`${all} UNION ALL ${part}`)
}

/** The maximum of persons of each environment in each span of five minutes. */
const spanPeaks = (reader: ActiveReader, scope: AnalyticsScope) => {
  const { sql } = reader
  const { edges, whole } = splitAt(scope, spanMs)
  const minutes = edges.map((edge) =>
    sql`SELECT ${bucketOf(sql, spanMs, "minute")}, max(person_max)
      FROM pose_minutes WHERE ${within(reader, { ...scope, ...edge }, "minute")} AND ${sql.literal(counted)} > 0
      GROUP BY environment_id, 1`
  )
  const spans = sql`SELECT span, person_max FROM pose_spans
    WHERE width_s = ${spanMs / 1000} AND ${within(reader, { ...scope, ...whole }, "span")} AND ${
    sql.literal(counted)
  } > 0`
  return minutes.reduce((all, part) => sql`${all} UNION ALL ${part}`, spans)
}

const sums = (reader: ActiveReader, scope: AnalyticsScope) => {
  const { sql } = reader
  return orStoreUnavailable(sql<EnvironmentSums>`
    SELECT environment_id AS "environmentId", ${sql.literal(sumColumns)}
    FROM (${rowsOf(reader, scope, hourly)}) AS read GROUP BY environment_id ORDER BY environment_id`)
}

/** The single minutes of a span count with their maximum, not their sum. */
const peak = (reader: ActiveReader, scope: AnalyticsScope) => {
  const { sql } = reader
  return Effect.map(
    orStoreUnavailable(
      scope.environmentId === null
        ? sql<{ persons: number; atMs: number }>`
          SELECT sum(person_max)::float8 AS persons, ${msOf(sql, "span")} AS "atMs"
          FROM (${spanPeaks(reader, scope)}) AS peaks GROUP BY span ORDER BY 1 DESC, 2 LIMIT 1`
        : sql<{ persons: number; atMs: number }>`
          SELECT person_max::float8 AS persons, ${msOf(sql, "person_max_at")} AS "atMs"
          FROM (${rowsOf(reader, scope, hourly)}) AS read WHERE ${
          sql.literal(counted)
        } > 0 ORDER BY person_max DESC, person_max_at LIMIT 1`,
    ),
    ([row]) => row ?? null,
  )
}

/** As arrays: one row per span would cost ten times as much to transfer. */
const spans = (reader: ActiveReader, scope: AnalyticsScope) => {
  const { sql } = reader
  return orStoreUnavailable(sql<SpanColumns>`
    SELECT environment_id AS "environmentId", array_agg(at_ms) AS "startMs", array_agg(person_frames) AS "personFrames",
      array_agg(lying) AS lying, array_agg(person_max) AS "personMax"
    FROM (SELECT environment_id, ${msOf(sql, "at")} AS at_ms, person_frames, lying, person_max::int4
      FROM (${rowsOf(reader, scope, bySpan)}) AS read WHERE person_frames > 0 ORDER BY environment_id, at) AS ordered
    GROUP BY environment_id ORDER BY environment_id`)
}

/** Buckets that equal stored spans, of a range without edges: only environments are summed. */
const spanBuckets = (reader: ActiveReader, scope: AnalyticsScope) => {
  const { sql } = reader
  return orStoreUnavailable(sql<OccupancyBucket>`
    SELECT ${
    msOf(sql, "span")
  } AS "startMs", sum(frames)::float8 AS frames, sum(person_frames)::float8 AS "personFrames",
      sum(confidence_sum) AS "confidenceSum", sum(person_frames::float8 / nullif(${
    sql.literal(counted)
  }, 0)) AS occupancy,
      sum(person_max)::float8 AS "personMax"
    FROM pose_spans WHERE width_s = ${spanMs / 1000} AND frames > 0 AND ${within(reader, scope, "span")}
    GROUP BY span ORDER BY span`)
}

const buckets = (reader: ActiveReader, scope: AnalyticsScope, widthMs: number) => {
  const { sql } = reader
  if (widthMs === spanMs && splitAt(scope, spanMs).edges.length === 0) return spanBuckets(reader, scope)
  const rows = rowsOf(reader, scope, widthMs % hourMs === 0 ? hourly : bySpan)
  return orStoreUnavailable(sql<OccupancyBucket>`
    SELECT ${
    msOf(sql, "bucket")
  } AS "startMs", sum(frames)::float8 AS frames, sum(person_frames)::float8 AS "personFrames",
      sum(confidence_sum) AS "confidenceSum", sum(person_frames::float8 / nullif(counted, 0)) AS occupancy,
      sum(person_max)::float8 AS "personMax"
    FROM (SELECT ${bucketOf(sql, widthMs, "at")} AS bucket, sum(frames) AS frames,
        sum(${
    sql.literal(counted)
  }) AS counted, sum(person_frames) AS person_frames, sum(confidence_sum) AS confidence_sum, max(person_max) AS person_max
      FROM (${rows}) AS read GROUP BY environment_id, 1) AS of_environment
    WHERE frames > 0
    GROUP BY bucket ORDER BY bucket`)
}

const rates = (reader: ActiveReader, scope: AnalyticsScope, widthMs: number) => {
  const { sql } = reader
  return orStoreUnavailable(sql<RateBucket>`
    SELECT ${msOf(sql, "bucket")} AS "startMs", frames, "countedFrames", "personFrames", "processingMsSum"
    FROM (SELECT ${bucketOf(sql, widthMs, "minute")} AS bucket, sum(frames)::float8 AS frames,
        sum(${
    sql.literal(counted)
  })::float8 AS "countedFrames", sum(person_frames)::float8 AS "personFrames", sum(processing_ms_sum) AS "processingMsSum"
      FROM pose_minutes WHERE ${within(reader, scope, "minute")} GROUP BY 1) AS of_bucket
    ORDER BY bucket`)
}

export const makeFrameReports = Effect.map(makeActiveReader, (reader) => ({
  sums: (scope: AnalyticsScope) => sums(reader, scope),
  peak: (scope: AnalyticsScope) => peak(reader, scope),
  spans: (scope: AnalyticsScope) => spans(reader, scope),
  buckets: (scope: AnalyticsScope, widthMs: number) => buckets(reader, scope, widthMs),
  rates: (scope: AnalyticsScope, widthMs: number) => rates(reader, scope, widthMs),
}))
