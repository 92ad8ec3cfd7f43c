/**
 * Sums of tracks in the database, for reports.
 */
import { Effect } from "effect"
import type { Movement } from "../../../core/analytics/movement.ts"
import type { TrackBucket } from "../../../core/analytics/persons.ts"
import { hourMs } from "../../../core/analytics/calendar.ts"
import type { AnalyticsScope } from "../../../protocols/ports/analytics.ts"
import { at, bucketOf, msOf } from "./analytics-scope.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { type ActiveReader, makeActiveReader } from "../sensing/active-environments.ts"

/** Tracks that lived in a range. */
const living = ({ covers, sql }: ActiveReader, { environmentId, fromMs, toMs }: AnalyticsScope) =>
  sql`last_seen >= ${at(sql, fromMs)} AND first_seen < ${at(sql, toMs)} AND ${covers(environmentId)}`

export const makeTrackReports = Effect.gen(function* () {
  const reader = yield* makeActiveReader
  const { sql } = reader

  const movement = (scope: AnalyticsScope) => {
    const begun = sql`(WHERE first_seen >= ${at(sql, scope.fromMs)})`
    return Effect.map(
      orStoreUnavailable(sql<Movement>`
        SELECT count(*)::float8 AS tracks, count(*) FILTER ${begun}::float8 AS begun,
          coalesce(sum(date_part('epoch', last_seen) - date_part('epoch', first_seen)) FILTER ${begun}, 0) AS "dwellS",
          coalesce(sum(distance_m::float8) FILTER ${begun}, 0) AS "distanceM",
          coalesce(sum(moving_s::float8) FILTER ${begun}, 0) AS "movingS"
        FROM tracks WHERE ${living(reader, scope)}`),
      ([row]) => row!,
    )
  }

  const arrivals = (scope: AnalyticsScope) =>
    Effect.map(
      orStoreUnavailable(sql<{ startMs: number; count: number }>`
        SELECT ${msOf(sql, "bucket")} AS "startMs", count
        FROM (SELECT ${bucketOf(sql, hourMs, "first_seen")} AS bucket, count(*)::float8 AS count
          FROM tracks WHERE ${living(reader, scope)} AND first_seen >= ${at(sql, scope.fromMs)} GROUP BY 1) AS hours`),
      (rows) => new Map(rows.map(({ count, startMs }) => [startMs, count])),
    )

  const trackBuckets = (scope: AnalyticsScope, widthMs: number) =>
    orStoreUnavailable(sql<TrackBucket>`
      SELECT ${msOf(sql, "bucket")} AS "startMs", sum(begun)::float8 AS begun, sum(ended)::float8 AS ended
      FROM (
        SELECT ${bucketOf(sql, widthMs, "began")} AS bucket, count(*) AS begun, 0 AS ended
        FROM (SELECT greatest(first_seen, ${at(sql, scope.fromMs)}) AS began FROM tracks
          WHERE ${living(reader, scope)}) AS alive GROUP BY 1
        UNION ALL
        SELECT ${bucketOf(sql, widthMs, "last_seen")}, 0, count(*)
        FROM tracks WHERE ${living(reader, scope)} AND last_seen < ${at(sql, scope.toMs)} GROUP BY 1
      ) AS changes GROUP BY bucket ORDER BY bucket`)

  return { movement, arrivals, trackBuckets }
})
