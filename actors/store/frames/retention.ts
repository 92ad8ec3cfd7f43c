/**
 * Retention: deletes personal data older than `dataRetentionDays`, and creates the partitions of coming days.
 *
 * Deleted are frames, tracks, events, and the state history of home entities. Kept are the open events of active environments, which
 * end, and the minute sums: counts of persons and activities without an id, a location or a body, so that reports reach further back than
 * personal data.
 *
 * Age is the time in the store. A day of live frames is as old as its date. Replayed frames are as old as their storage:
 * a day in the default partition counts from when it was first found there, a track from when it was written, an event from
 * the time in its id (a UUID of version 7). `age-clock.ts` decides what time it is. What is found is recorded
 * by the wall clock, so a clock that is ahead keeps such a day longer.
 *
 * Invariants: a sweep deletes in statements of at most `rowsMax` rows, at most `statementsMax` of each kind. The next sweep deletes the
 * rest. Concurrent sweeps of several nodes are safe. A failed sweep is repeated at its next time.
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { dayMs } from "../../../core/analytics/calendar.ts"
import { recentlyActive } from "../sensing/active-environments.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import { monotonicMs } from "../../runtime/monotonic.ts"
import { AgeClock } from "./age-clock.ts"
import { dayOf, dropPartition, makePartition, partitionedDays, windowOf } from "../sql/partitions.ts"

const sweepInterval = "10 minutes"
const rowsMax = 5_000
const statementsMax = 200

/** The smallest UUID of version 7 of a time. */
export const uuidFrom = (timeMs: number): string => {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

const timeOfUuid = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16)

/** Repeats a deletion of at most `rowsMax` rows. Returns whether everything was deleted. */
const untilNone = Effect.fnUntraced(function* (statement: Statement.Statement<object>) {
  for (let i = 0; i < statementsMax; i++) {
    if ((yield* statement).length < rowsMax) return true
  }
  return false
})

/** A step of a sweep. Its failure does not prevent the next step. */
const orLater = <R>(what: string, step: Effect.Effect<unknown, SqlError.SqlError, R>) =>
  Effect.catchTag(step, "SqlError", (error) => Effect.logWarning(`${what} is left for the next sweep`, error.message))

const deleteDays = Effect.fnUntraced(function* (nowMs: number, retentionDays: number) {
  const { first } = windowOf(nowMs, retentionDays)
  for (const day of yield* partitionedDays) {
    // The last day is dropped when it has ended, so the oldest frame is at most a day older than configured.
    if (day < first) yield* orLater("a day of frames", dropPartition(day))
  }
})

/** Days of the default partition, found by index: one lookup per environment and day. */
const noteStrayDays = Effect.fnUntraced(function* (nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH RECURSIVE found AS (
      SELECT environment_id, (
        SELECT min(ts) FROM pose_frames_default AS frame WHERE frame.environment_id = head.environment_id
      ) AS ts FROM frame_heads AS head
      UNION ALL
      SELECT environment_id, (
        SELECT min(ts) FROM pose_frames_default AS frame WHERE frame.environment_id = found.environment_id
          AND frame.ts >= date_bin('24 hours', found.ts, '2000-01-01 00:00:00+00') + interval '24 hours'
      ) FROM found WHERE ts IS NOT NULL
    )
    INSERT INTO stray_days (day, found_at)
    SELECT DISTINCT date_bin('24 hours', ts, '2000-01-01 00:00:00+00'), to_timestamp(${nowMs / 1000}::float8)
    FROM found WHERE ts IS NOT NULL
    ON CONFLICT DO NOTHING`
})

const deleteStrayDays = Effect.fnUntraced(function* (cutoffMs: number) {
  const sql = yield* SqlClient.SqlClient
  const days = yield* sql<{ ms: number }>`
    SELECT (extract(epoch FROM day) * 1000)::float8 AS ms FROM stray_days
    WHERE found_at < to_timestamp(${cutoffMs / 1000}::float8) ORDER BY day`
  for (const { ms } of days) {
    const gone = yield* untilNone(sql`
      DELETE FROM pose_frames_default WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM pose_frames_default
        WHERE environment_id = ANY(ARRAY(SELECT environment_id FROM frame_heads))
          AND ts >= to_timestamp(${ms / 1000}::float8) AND ts < to_timestamp(${(ms + dayMs) / 1000}::float8)
        LIMIT ${rowsMax}
      )) RETURNING 1`)
    // The next sweep records frames that arrive after this. They count from then.
    if (gone) yield* sql`DELETE FROM stray_days WHERE day = to_timestamp(${ms / 1000}::float8)`
  }
})

/** Creates the partitions of today and tomorrow. */
const makePartitions = Effect.fnUntraced(function* (nowMs: number) {
  for (const day of [dayOf(nowMs), dayOf(nowMs) + 1]) yield* orLater("the partition of a day", makePartition(day))
})

/** Deletes data that are too old at `nowMs`. @param wallMs the time from which days count that were first found now */
export const sweep = Effect.fnUntraced(function* (nowMs: number, retentionDays: number, wallMs = nowMs) {
  const sql = yield* SqlClient.SqlClient
  const cutoffMs = nowMs - retentionDays * dayMs
  yield* orLater("the days of frames", deleteDays(nowMs, retentionDays))
  yield* orLater("frames of other days", Effect.andThen(noteStrayDays(wallMs), deleteStrayDays(cutoffMs)))
  yield* orLater(
    "events",
    untilNone(sql`
    DELETE FROM events WHERE event_id = ANY(ARRAY(
      SELECT event_id FROM events WHERE event_id < ${uuidFrom(cutoffMs)}::uuid
        AND (NOT open OR environment_id <> ALL(${recentlyActive(sql)})) LIMIT ${rowsMax}
    )) RETURNING 1`),
  )
  yield* orLater(
    "what states were",
    untilNone(sql`
    DELETE FROM home_history WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM home_history WHERE at < to_timestamp(${cutoffMs / 1000}::float8) LIMIT ${rowsMax}
    )) RETURNING 1`),
  )
  yield* orLater(
    "tracks",
    untilNone(sql`
    DELETE FROM tracks WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM tracks WHERE stored_at < to_timestamp(${cutoffMs / 1000}::float8) LIMIT ${rowsMax}
    )) RETURNING 1`),
  )
})

/** The time of the newest stored frame or event; null if there is none. */
const newestStored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [frame] = yield* sql<{ ms: number | null }>`
    SELECT (extract(epoch FROM max(ts)) * 1000)::float8 AS ms FROM frame_heads`
  const [event] = yield* sql<{ id: string }>`SELECT event_id::text AS id FROM events ORDER BY event_id DESC LIMIT 1`
  const times = [frame?.ms ?? null, event === undefined ? null : timeOfUuid(event.id)].filter((ms) => ms !== null)
  return times.length === 0 ? null : Math.max(...times)
})

const readClocks = Effect.all({ wallMs: Clock.currentTimeMillis, monotonicMs })

/** A sweep at the time of this process. */
export const makeSweep = Effect.gen(function* () {
  const privacy = yield* Privacy
  let ageClock: AgeClock | null = null
  let held = false
  return Effect.gen(function* () {
    const now = yield* readClocks
    ageClock ??= new AgeClock(now, yield* newestStored)
    const { aheadMs, atMs } = ageClock.read(now)
    if (aheadMs > 0 && !held) {
      const days = (aheadMs / dayMs).toFixed(1)
      yield* Effect.logWarning(
        `retention paused for a day: the clock is ${days} days ahead of the newest stored data. Set the clock if it is wrong.`,
      )
    }
    held = aheadMs > 0
    const { dataRetentionDays } = yield* privacy.current
    yield* makePartitions(now.wallMs)
    yield* sweep(atMs, dataRetentionDays, now.wallMs)
  })
})

/** Sweeps periodically while the node runs. */
export const layerRetention: Layer.Layer<never, never, SqlClient.SqlClient | Privacy> = Layer.effectDiscard(
  Effect.flatMap(makeSweep, (once) =>
    once.pipe(
      Effect.catch(({ message }) => Effect.logWarning("old data are deleted later", message)),
      Effect.repeat(Schedule.spaced(sweepInterval)),
      Effect.forkScoped,
    )),
)
