/**
 * A cache of answers about the past.
 *
 * Frames are written once and never changed. New ones are appended, and retention deletes whole days: the oldest one, or a stray day, which has a
 * row of its own. So an answer about a range stays valid while nothing was appended to the range and none of its days was deleted. The fence
 * decides both from a few rows: the ids of an environment have no gaps, so if as many frames follow the former newest one as ids were assigned since, none of them
 * is in a range that had ended by then. An answer about all environments is valid if it is valid for each active
 * one with frames, and the set of these is the same.
 *
 * Invariants: only answers about at most `daysMax` days before the newest frame, and at most `environmentsMax` environments, are cached. An
 * answer that cannot be proven valid is dropped. The cache holds `entriesMax` answers of `rowsMax` rows and evicts the least recently used.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { dayMs } from "../../../core/analytics/calendar.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { FrameRange } from "../../../protocols/ports/frame-history.ts"
import type { SummaryAnswer } from "../../../protocols/ports/frame-summaries.ts"
import { orStoreUnavailable } from "../database/database.ts"
import type { ActiveReader } from "../sensing/active-environments.ts"
import { momentOf } from "../frames/frame-rows.ts"

const entriesMax = 128
const rowsMax = 2_000
const daysMax = 400
const environmentsMax = 32
/** The most frames since an answer that are counted to validate it: 10 minutes' worth. With more it is computed again. */
const freshMax = 6_000

/** The state of an environment's frames at a moment. */
interface EnvironmentFence {
  readonly environmentId: string
  /** The newest id, and the time of that frame. */
  readonly frameId: number
  readonly headMs: number
  /** The time of the oldest frame, or the start of the range if that is later; null without frames. */
  readonly oldestMs: number | null
  /** Stray days in the range, of all environments. */
  readonly strayDays: number
}

/** One entry per environment of the request. */
type Fence = ReadonlyArray<EnvironmentFence>

interface Entry {
  readonly fence: Fence
  readonly answer: SummaryAnswer
}

/** A range with both ends. */
export type ClosedRange = FrameRange & { readonly fromMs: number; readonly toMs: number }

interface SummaryCache {
  /** The cached answer, if it is proven valid. */
  readonly find: (key: string, range: ClosedRange) => Effect.Effect<SummaryAnswer | null, StoreUnavailable>
  /** The state of the frames, read before an answer is computed, so that frames appended meanwhile count as new. */
  readonly fence: (range: ClosedRange) => Effect.Effect<Fence | null, StoreUnavailable>
  readonly remember: (key: string, range: ClosedRange, fence: Fence | null, answer: SummaryAnswer) => void
}

/** The state of a range's frames; null for a range that is not cached. */
const fenceOf = (
  { covers, sql }: ActiveReader,
  { environmentId, fromMs, toMs }: ClosedRange,
): Effect.Effect<Fence | null, StoreUnavailable> => {
  if (toMs - fromMs > daysMax * dayMs) return Effect.succeed(null)
  const firstMs = Math.floor(fromMs / dayMs) * dayMs
  return Effect.map(
    orStoreUnavailable(sql<EnvironmentFence>`
      SELECT environment_id AS "environmentId", frame_id::float8 AS "frameId", (extract(epoch FROM ts) * 1000)::float8 AS "headMs",
        (extract(epoch FROM (
          SELECT greatest(ts, ${
      momentOf(sql, fromMs)
    }) FROM pose_frames WHERE environment_id = frame_heads.environment_id
          ORDER BY ts LIMIT 1
        )) * 1000)::float8 AS "oldestMs",
        (
          SELECT count(*)::float8 FROM stray_days WHERE day >= ${momentOf(sql, firstMs)} AND day < ${
      momentOf(sql, toMs)
    }
        ) AS "strayDays"
      FROM frame_heads WHERE ${covers(environmentId)}
      ORDER BY environment_id LIMIT ${environmentsMax + 1}::int4`),
    (rows) => rows.length === 0 || rows.length > environmentsMax ? null : rows,
  )
}

/** The number of frames after a moment, up to one more than `most`. */
const framesAfter = (sql: SqlClient.SqlClient, environmentId: string, afterMs: number, most: number) =>
  Effect.map(
    orStoreUnavailable(sql<{ count: number }>`
      SELECT count(*)::float8 AS count FROM (
        SELECT 1 FROM pose_frames
        WHERE environment_id = ${environmentId} AND ts > ${momentOf(sql, afterMs)} LIMIT ${most + 1}::int4
      ) AS later`),
    ([row]) => row?.count ?? 0,
  )

/** Whether one environment's range is unchanged between two states. */
const holdsFor = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  then: EnvironmentFence,
  now: EnvironmentFence,
  toMs: number,
) {
  if (now.environmentId !== then.environmentId) return false
  if (now.oldestMs !== then.oldestMs || now.strayDays !== then.strayDays) return false
  const fresh = now.frameId - then.frameId
  if (fresh === 0) return true
  if (fresh < 0 || fresh > freshMax || then.headMs < toMs) return false
  return (yield* framesAfter(sql, then.environmentId, then.headMs, fresh)) === fresh
})

/** Whether an answer is valid: the environments are the same, and their ranges are unchanged. */
const holds = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, then: Fence, now: Fence | null, toMs: number) {
  if (now === null || now.length !== then.length) return false
  for (const [i, environment] of then.entries()) {
    if (!(yield* holdsFor(sql, environment, now[i]!, toMs))) return false
  }
  return true
})

export const makeSummaryCache = (reader: ActiveReader): SummaryCache => {
  const entries = new Map<string, Entry>()
  const fence: SummaryCache["fence"] = (range) => fenceOf(reader, range)

  return {
    fence,
    find: Effect.fnUntraced(function* (key, range) {
      const entry = entries.get(key)
      if (entry === undefined) return null
      const now = yield* fence(range)
      const valid = yield* holds(reader.sql, entry.fence, now, range.toMs)
      entries.delete(key)
      if (!valid) return null
      // All frames since are after the recorded state, so it can advance to the newest of them.
      entries.set(key, { ...entry, fence: now! })
      return entry.answer
    }),
    remember: (key, range, fence, answer) => {
      const hasEnded = fence !== null && fence.some(({ headMs }) => headMs >= range.toMs)
      if (fence === null || !hasEnded || answer.rows.length > rowsMax) return
      entries.delete(key)
      entries.set(key, { fence, answer })
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value!)
    },
  }
}
