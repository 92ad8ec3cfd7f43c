/**
 * Deletes the whole history of one environment: frames, events, tracks, labels and the sums of reports.
 *
 * Statements are bounded (`rowsMax`), so that a long history does not lock the tables for long. `frame_heads` stays, so frame ids are not
 * reused. Triggers update `pose_spans` and `event_hours`. The time limit is that of a statement, however long the history is. A deletion that
 * was cut off is continued by a repetition.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { DroppedHistory } from "../../../protocols/ports/enrolments.ts"
import { orStoreUnavailable } from "../database/database.ts"

const rowsMax = 5_000
/** The tables and their time columns. */
const tables = [["pose_frames", "ts"], ["pose_minutes", "minute"], ["tracks", "last_seen"], ["events", "ts"], [
  "labels",
  "begins_at",
]] as const

/** Deletes the rows of an environment, oldest first. Returns their number. */
const deleteRows = Effect.fnUntraced(function* (environmentId: string, table: string, time: string) {
  const sql = yield* SqlClient.SqlClient
  const [from, at] = [sql(table), sql(time)]
  let total = 0
  while (true) {
    const [deleted] = yield* orStoreUnavailable(sql<{ count: number }>`
      WITH gone AS (
        DELETE FROM ${from} WHERE environment_id = ${environmentId} AND ${at} <= coalesce((
          SELECT ${at} FROM ${from} WHERE environment_id = ${environmentId} ORDER BY ${at} LIMIT 1 OFFSET ${rowsMax - 1}
        ), 'infinity') RETURNING 1
      ) SELECT count(*)::int4 AS count FROM gone`)
    total += deleted!.count
    if (deleted!.count < rowsMax) return total
  }
})

export const dropHistory = Effect.fnUntraced(function* (environmentId: string) {
  const deleted = yield* Effect.forEach(
    tables,
    ([table, time]) => deleteRows(environmentId, table, time),
  )
  // The trigger decrements counts and leaves rows of zero.
  const sql = yield* SqlClient.SqlClient
  yield* orStoreUnavailable(sql`DELETE FROM event_hours WHERE environment_id = ${environmentId} AND events = 0`)
  const [frames, , tracks, events] = deleted
  const rows = deleted.reduce((sum, count) => sum + count, 0)
  return { frames: frames!, events: events!, tracks: tracks!, rows } satisfies DroppedHistory
})
