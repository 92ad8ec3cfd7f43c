/**
 * Summaries of frames in the database: implements the port `FrameSummaries`.
 *
 * Without a filter, an interval is the sum of its minute sums, and frames are read only at the ends of the range. With one, only the
 * frames of minutes whose sums allow a match are read: at most `framesMax`. Bodies are never read.
 */
import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { minuteMs } from "../../../core/analytics/calendar.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { activities } from "../../../protocols/domain/frame-summary.ts"
import { type FramePosition, TooManyFrames } from "../../../protocols/ports/frame-history.ts"
import {
  type FrameFilter,
  FrameSummaries,
  type Stretch,
  type SummaryAnswer,
  type SummaryRequest,
} from "../../../protocols/ports/frame-summaries.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { type ActiveReader, makeActiveReader } from "../sensing/active-environments.ts"
import { frameOrder, momentOf, nextFrames, positionColumns, positionOf, within } from "../frames/frame-rows.ts"
import { minuteSlicesOf } from "./minute-slices.ts"
import { frameSums, minuteSums, rowOf, type SumRow } from "./summary-rows.ts"
import { type ClosedRange, makeSummaryCache } from "./summary-cache.ts"

/** The most frames that a request with a filter reads: 14 hours of one environment. */
const framesMax = 500_000
/** The most frames that a page of single frames examines. */
const lookedAtMax = 50_000
/** The limit if all environments are asked: each reads so many rows before the first rows of all are known. */
const lookedAtMaxOfAll = 10_000

type Summed = Exclude<Stretch, "frame">

const stretchMs: Record<Summed, number> = {
  minute: minuteMs,
  hour: 60 * minuteMs,
  day: 1440 * minuteMs,
  week: 10_080 * minuteMs,
}

/** A Monday. Intervals of every length are counted from here, which is faster than calendar functions. */
const origin = "timestamptz '2001-01-01 00:00:00+00'"

/** The start of the interval of a time, of the column `at`. */
const beginOf = (stretch: Summed, at: "minute" | "ts"): string =>
  `date_bin(interval '${stretchMs[stretch] / 1000} seconds', ${at}, ${origin})`

const isOpen = ({ activities, confidenceMin, personsMax, personsMin }: FrameFilter): boolean =>
  activities.length === 0 && confidenceMin === null && personsMax === null && (personsMin ?? 0) === 0

/** The condition that a frame matches. */
const passing = (sql: SqlClient.SqlClient, filter: FrameFilter): Statement.Fragment =>
  sql.and([
    ...((filter.personsMin ?? 0) === 0 ? [] : [sql`person_count >= ${filter.personsMin}::int4`]),
    ...(filter.personsMax === null ? [] : [sql`person_count <= ${filter.personsMax}::int4`]),
    ...(filter.confidenceMin === null ? [] : [sql`confidence >= ${filter.confidenceMin}::float4`]),
    ...(filter.activities.length === 0 ? [] : [sql.literal(`(${filter.activities.join(" + ")}) > 0`)]),
  ])

/** The condition that a minute may contain matching frames. */
const promising = (sql: SqlClient.SqlClient, filter: FrameFilter): Statement.Fragment =>
  sql.and([
    ...(filter.personsMin === null ? [] : [sql`person_max >= ${filter.personsMin}::int4`]),
    ...(filter.personsMax === 0 ? ["frames_0 > 0"] : []),
    ...(filter.confidenceMin === null ? [] : ["person_frames > 0"]),
    ...(filter.activities.length === 0 ? [] : [sql.literal(`(${filter.activities.join(" + ")}) > 0`)]),
  ])

type Part = (range: ClosedRange) => Statement.Fragment

/** The rows to sum: minutes if they suffice, else frames. */
const sourcesOf = (reader: ActiveReader, range: ClosedRange, filter: FrameFilter, rowsMax: number) => {
  const { sql } = reader
  const { environmentId } = range
  const { after, before, minutes } = minuteSlicesOf(range)
  const environments = environmentId === null ? "(SELECT greatest(count(*), 1) FROM frame_heads)" : "1"
  const minutesMax = sql`${rowsMax}::int8 * ${sql.literal(environments)}`
  const frames: Part = (part) =>
    sql`(SELECT ${sql.literal(frameSums)} FROM pose_frames WHERE ${within(reader, "ts", part)} AND ${
      passing(sql, filter)
    })`
  const whole = minutes === null ? null : { environmentId, ...minutes }
  const sums = whole === null ? [] : isOpen(filter)
    ? [
      sql`(SELECT ${sql.literal(minuteSums)} FROM pose_minutes WHERE ${
        within(reader, "minute", whole)
      } ORDER BY minute LIMIT ${minutesMax})`,
    ]
    : [sql`(SELECT near.* FROM
        (SELECT environment_id, minute AS begin FROM pose_minutes WHERE ${within(reader, "minute", whole)} AND ${
      promising(sql, filter)
    })
          AS promising
        CROSS JOIN LATERAL (
          SELECT ${sql.literal(frameSums)} FROM pose_frames
          WHERE environment_id = promising.environment_id AND ts >= begin AND ts < begin + interval '1 minute' AND ${
      passing(sql, filter)
    }
        ) AS near)`]
  const edges = [before, after].filter((part) => part !== null).map((part) => frames({ environmentId, ...part }))
  return sql.join(" UNION ALL ", false)([...sums, ...edges])
}

/** The number of frames that a filter would have to read. */
const framesToRead = (reader: ActiveReader, range: ClosedRange, filter: FrameFilter) => {
  const { sql } = reader
  const { minutes } = minuteSlicesOf(range)
  if (minutes === null) return Effect.succeed(0)
  return Effect.map(
    orStoreUnavailable(sql<{ frames: number }>`
      SELECT coalesce(sum(frames), 0)::float8 AS frames FROM pose_minutes
      WHERE ${within(reader, "minute", { environmentId: range.environmentId, ...minutes })} AND ${
      promising(sql, filter)
    }`),
    ([row]) => row?.frames ?? 0,
  )
}

const sumsOf = activities.map((activity) => `sum(${activity}) AS ${activity}`).join(", ")

/** Alerted falls by their environment and the interval of their start. */
const fallsOf = (reader: ActiveReader, range: ClosedRange, stretch: Summed) =>
  orStoreUnavailable(reader.sql<{ environmentId: string; us: number; falls: number }>`
    SELECT environment_id AS "environmentId",
      (extract(epoch FROM ${
    reader.sql.literal(beginOf(stretch, "ts"))
  }) * 1000000)::float8 AS us, count(*)::float8 AS falls
    FROM events WHERE ${within(reader, "ts", range)} AND type = 'fall_detection' AND alerted GROUP BY 1, 2`)

/** A key for the interval of one environment. */
const stretchKey = ({ environmentId }: { readonly environmentId: string }, us: number): string =>
  `${us} ${environmentId}`

/** Sums by intervals. */
const stretches = Effect.fnUntraced(function* (
  reader: ActiveReader,
  request: SummaryRequest,
  stretch: Summed,
): Effect.fn.Return<SummaryAnswer, StoreUnavailable | TooManyFrames> {
  const { sql } = reader
  const { after, environmentId, falls, filter, limit, toMs } = request
  const lengthMs = stretchMs[stretch]
  // With several environments, the previous page may have ended within an interval.
  const endedMs = after === null ? null : after.timestampUs / 1000 + (after.environmentId === null ? lengthMs : 0)
  const fromMs = endedMs === null ? request.fromMs : Math.max(request.fromMs, endedMs)
  const range: ClosedRange = { environmentId, fromMs, toMs }
  if (fromMs >= toMs) return { rows: [], next: null, recordsScanned: 0, cacheHit: false }
  if (!isOpen(filter) && (yield* framesToRead(reader, range, filter)) > framesMax) {
    return yield* new TooManyFrames({ framesMax })
  }
  // This many minutes of each environment contain the wanted intervals, the one where the previous page ended, and the start of one more,
  // however many of them have no frames.
  const rowsMax = Math.min((limit + 2) * lengthMs / minuteMs, 2 ** 31 - 1)
  const rest = after === null || after.environmentId === null
    ? sql`TRUE`
    : sql`(begin, environment_id) > (${momentOf(sql, after.timestampUs / 1000)}, ${after.environmentId}::text)`
  const found = yield* orStoreUnavailable(sql<SumRow>`
    SELECT (extract(epoch FROM begin) * 1000000)::float8 AS "timestampUs", environment_id AS "environmentId",
      NULL AS "frameId", sum(frames)::float8 AS frames, sum(live)::float8 AS live, sum(replay)::float8 AS replay,
      sum(simulated)::float8 AS simulated, sum(counted)::float8 AS counted, sum(persons) AS persons, max(most)::float8 AS most,
      sum(confidence_sum) AS "confidenceSum", coalesce(sum(present), 0)::float8 AS present, coalesce(sum(absent), 0)::float8 AS absent,
      sum(motions)::float8 AS motions, coalesce(sum(motion), 0)::float8 AS motion, ${
    sql.literal(sumsOf)
  }, count(*)::float8 AS records
    FROM (
      SELECT ${sql.literal(beginOf(stretch, "minute"))} AS begin, parts.*
      FROM (${sourcesOf(reader, range, filter, rowsMax)}) AS parts
    ) AS placed WHERE ${rest}
    GROUP BY begin, environment_id ORDER BY begin, environment_id`)
  const page = found.slice(0, limit)
  const fallen = falls && page.length > 0 ? yield* fallsOf(reader, range, stretch) : []
  const byStretch = new Map(fallen.map((row) => [stretchKey(row, row.us), row.falls]))
  const last = page.at(-1)
  return {
    rows: page.map((row) => rowOf(row, falls ? byStretch.get(stretchKey(row, row.timestampUs)) ?? 0 : null)),
    next: found.length > limit && last !== undefined
      ? { timestampUs: last.timestampUs, environmentId: environmentId === null ? last.environmentId : null, frameId: 0 }
      : null,
    recordsScanned: found.reduce((sum, { records }) => sum + records, 0) +
      fallen.reduce((sum, { falls }) => sum + falls, 0),
    cacheHit: false,
  }
})

/** Single frames. */
const singles = Effect.fnUntraced(function* (
  reader: ActiveReader,
  { after, environmentId, filter, fromMs, limit, toMs }: SummaryRequest,
): Effect.fn.Return<SummaryAnswer, StoreUnavailable> {
  const { sql } = reader
  const range = { environmentId, fromMs, toMs }
  const mostLookedAt = isOpen(filter) ? limit + 1 : environmentId === null ? lookedAtMaxOfAll : lookedAtMax
  const columns = `ts, environment_id, frame_id, confidence, source, person_count, present, motion, ${
    activities.join(", ")
  }`
  const looked = sql`
    SELECT next.*, row_number() OVER (ORDER BY ${sql.literal(frameOrder)}) AS looked
    FROM (${
    nextFrames(reader, { range, after, newestFirst: false, limit: mostLookedAt, peopled: false }, columns)
  }) AS next`
  const found = yield* orStoreUnavailable(sql<SumRow>`
    SELECT ${sql.literal(positionColumns)},
      1::float8 AS frames, (source = 'live')::int::float8 AS live, (source = 'replay')::int::float8 AS replay,
      (source = 'simulated')::int::float8 AS simulated, (person_count IS NOT NULL)::int::float8 AS counted,
      coalesce(person_count, 0)::float8 AS persons, person_count::float8 AS most,
      (coalesce(confidence, 0) * coalesce(person_count, 0))::float8 AS "confidenceSum",
      coalesce(present, FALSE)::int::float8 AS present, coalesce(NOT present, FALSE)::int::float8 AS absent,
      (motion IS NOT NULL)::int::float8 AS motions, coalesce(motion, 0)::float8 AS motion,
      ${sql.literal(activities.map((activity) => `${activity}::float8`).join(", "))}, looked::float8 AS records
    FROM (${looked}) AS looked_at WHERE ${passing(sql, filter)} ORDER BY ${sql.literal(frameOrder)} LIMIT ${
    limit + 1
  }::int4`)
  const page = found.slice(0, limit)
  const rows = page.map((row) => rowOf(row, null))
  if (found.length > limit) {
    const { environmentId, frameId, timestampUs } = page.at(-1)!
    const next: FramePosition = { timestampUs, environmentId, frameId: frameId! }
    return { rows, next, recordsScanned: found.at(-1)!.records, cacheHit: false }
  }
  if (isOpen(filter)) return { rows, next: null, recordsScanned: found.length, cacheHit: false }
  // The examined part has no more matches. Is it the whole range?
  const [last] = yield* orStoreUnavailable(sql<FramePosition & { looked: number }>`
    SELECT ${sql.literal(positionColumns)}, looked::float8 AS looked
    FROM (${looked}) AS looked_at ORDER BY looked DESC LIMIT 1`)
  const scanned = last?.looked ?? 0
  const next = scanned === mostLookedAt ? positionOf(last!) : null
  return { rows, next, recordsScanned: scanned, cacheHit: false }
})

/** The key of a request. */
const keyOf = (request: SummaryRequest): string =>
  JSON.stringify({ ...request, filter: { ...request.filter, activities: request.filter.activities.toSorted() } })

/** The summaries of frames in this database. */
export const layerFrameSummaries: Layer.Layer<FrameSummaries, never, SqlClient.SqlClient> = Layer.effect(
  FrameSummaries,
  Effect.gen(function* () {
    const reader = yield* makeActiveReader
    const cache = makeSummaryCache(reader)
    const answer = (request: SummaryRequest) =>
      request.stretch === "frame" ? singles(reader, request) : stretches(reader, request, request.stretch)
    return {
      ask: Effect.fnUntraced(function* (request) {
        // Events are revised long after they began, so counts of falls are not cached.
        if (request.falls) return yield* answer(request)
        const key = keyOf(request)
        const { environmentId, fromMs, toMs } = request
        const range: ClosedRange = { environmentId, fromMs, toMs }
        const known = yield* cache.find(key, range)
        if (known !== null) return { ...known, recordsScanned: 0, cacheHit: true }
        const fence = yield* cache.fence(range)
        const computed = yield* answer(request)
        cache.remember(key, range, fence, computed)
        return computed
      }),
    }
  }),
)
