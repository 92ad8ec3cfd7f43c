/**
 * The part of a table that a report covers, as SQL.
 */
import type { SqlClient } from "effect/sql"
import { bucketOriginMs, floorTo, type TimeRange } from "../../../core/analytics/calendar.ts"
import type { AnalyticsScope } from "../../../protocols/ports/analytics.ts"
import type { ActiveReader } from "../sensing/active-environments.ts"

/** A time in SQL. */
export const at = (sql: SqlClient.SqlClient, timeMs: number) => sql`to_timestamp(${timeMs / 1000}::float8)`

/** The condition of a report's rows: the time in this column is in the range, and the environment is covered. */
export const within = (
  { covers, sql }: ActiveReader,
  { environmentId, fromMs, toMs }: AnalyticsScope,
  column: string,
) => {
  const time = sql.literal(column)
  return sql`${time} >= ${at(sql, fromMs)} AND ${time} < ${at(sql, toMs)} AND ${covers(environmentId)}`
}

/** The start of a time's bucket. */
export const bucketOf = (sql: SqlClient.SqlClient, widthMs: number, column: string) =>
  sql`date_bin(make_interval(secs => ${widthMs / 1000}::float8), ${sql.literal(column)}, ${at(sql, bucketOriginMs)})`

/** Milliseconds of a time since the epoch. `date_part` is binary, `extract` decimal and ten times slower. */
export const msOf = (sql: SqlClient.SqlClient, column: string) => sql.literal(`(date_part('epoch', ${column}) * 1000)`)

/** The whole spans of a range, and the parts before and after them. */
export const splitAt = ({ fromMs, toMs }: TimeRange, widthMs: number) => {
  const firstMs = Math.min(toMs, floorTo(fromMs + widthMs - 1, widthMs))
  const lastMs = Math.max(firstMs, floorTo(toMs, widthMs))
  const edges = [{ fromMs, toMs: firstMs }, { fromMs: lastMs, toMs }].filter((edge) => edge.fromMs < edge.toMs)
  return { whole: { fromMs: firstMs, toMs: lastMs }, edges }
}
