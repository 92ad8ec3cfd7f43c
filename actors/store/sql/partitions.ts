/**
 * The partitions of `pose_frames`: one per UTC day within the window of expected days, and a default one for all other days.
 *
 * Boundary: `frames.ts` and `retention.ts` decide when; this file creates and drops partitions.
 *
 * Invariants:
 * 1. Every frame has a partition: a day without one of its own uses `pose_frames_default`.
 * 2. A lock is awaited for at most `lockTimeout`, because writers queue behind it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dayMs } from "../../../core/analytics/calendar.ts"

/** A UTC day, counted from the Unix epoch. */
export type Day = number

export const dayOf = (timeMs: number): Day => Math.floor(timeMs / dayMs)

/** The days with partitions of their own: the kept ones and the next one. */
export const windowOf = (nowMs: number, retentionDays: number): { readonly first: Day; readonly last: Day } => ({
  first: dayOf(nowMs) - retentionDays,
  last: dayOf(nowMs) + 1,
})

const isoDate = (day: Day): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** E.g. `pose_frames_20260105`. */
export const partitionName = (day: Day): string => `pose_frames_${isoDate(day).replaceAll("-", "")}`

const namePattern = /^pose_frames_(\d{4})(\d{2})(\d{2})$/

const dayOfName = (name: string): Day | null => {
  const [, year, month, date] = namePattern.exec(name) ?? []
  return year === undefined ? null : dayOf(Date.UTC(Number(year), Number(month) - 1, Number(date)))
}

/** The longest wait for a lock, in PostgreSQL's notation. */
const lockTimeout = "1s"

/** The most frames that are moved when a partition is created late. A day with more stays in the default partition. */
const broughtOverMax = 100_000

/**
 * Frames are written in rows of up to a page and never changed. A body of up to three persons is stored in its row, a larger one in the TOAST
 * table. PostgreSQL's compression gains nothing on measured coordinates and costs more than the writing (measured).
 */
const storage = "WITH (toast_tuple_target = 8160)"

/** The days that have a partition. */
export const partitionedDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`
    SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'pose_frames'::regclass`
  return rows.flatMap(({ name }) => dayOfName(name) ?? []).sort((a, b) => a - b)
})

/**
 * Creates the partition of a day and moves its frames from the default one. Returns whether the day has a partition now.
 * Concurrent nodes wait for each other.
 */
export const makePartition = Effect.fnUntraced(function* (day: Day) {
  const sql = yield* SqlClient.SqlClient
  const name = partitionName(day)
  const from = `${isoDate(day)} 00:00:00+00`
  const to = `${isoDate(day + 1)} 00:00:00+00`
  return yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql.unsafe(`SET LOCAL lock_timeout = '${lockTimeout}'`)
    yield* sql`LOCK TABLE pose_frames IN SHARE UPDATE EXCLUSIVE MODE`
    const [there] = yield* sql<{ there: boolean }>`SELECT to_regclass(${name}::text) IS NOT NULL AS there`
    if (there!.there) return true
    yield* sql`LOCK TABLE pose_frames_default IN ACCESS EXCLUSIVE MODE`
    const elsewhere = yield* sql`
      SELECT 1 FROM pose_frames_default WHERE ts >= ${from}::timestamptz AND ts < ${to}::timestamptz
      LIMIT ${broughtOverMax + 1}`
    if (elsewhere.length > broughtOverMax) return false
    yield* sql.unsafe(`CREATE TABLE ${name} (LIKE pose_frames INCLUDING DEFAULTS INCLUDING STORAGE) ${storage}`)
    if (elsewhere.length > 0) {
      yield* sql`
        WITH moved AS (
          DELETE FROM pose_frames_default WHERE ts >= ${from}::timestamptz AND ts < ${to}::timestamptz RETURNING *
        ) INSERT INTO ${sql(name)} SELECT * FROM moved`
    }
    yield* sql.unsafe(`ALTER TABLE pose_frames ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`)
    return true
  }))
})

/** Drops the partition of a day with all its frames. */
export const dropPartition = Effect.fnUntraced(function* (day: Day) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql.unsafe(`SET LOCAL lock_timeout = '${lockTimeout}'`)
    yield* sql.unsafe(`DROP TABLE IF EXISTS ${partitionName(day)}`)
  }))
})
