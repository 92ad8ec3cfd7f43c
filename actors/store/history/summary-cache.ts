/**
 * Answers about the past that need not be computed again.
 *
 * Frames are written once and never changed; they only come and go: new ones are appended, and the retention takes whole days. So an
 * answer about a range holds as long as nothing was appended to the range and each of its days is still there. The fence tells both
 * with a few rows: ids count an environment's frames without a gap, so when as many frames lie after the newest one of then as ids were
 * given out since, none of them lies in a range that had ended by then. An answer about all environments holds when it holds for each
 * active one that has frames, and they are still the same.
 *
 * Invariants: an answer is remembered only of a range of at most `daysMax` days that ends before the newest frame of then, and of at most
 * `environmentsMax` environments; one that cannot be proven to hold is forgotten; at most `entriesMax` answers of `rowsMax` rows, the longest unused forgotten first.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
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
const dayMs = 86_400_000
/** Frames since an answer that are counted to prove it; with more, 10 minutes' worth, it is computed anew. */
const freshMax = 6_000

/** Where an environment's frames stood at a moment. */
interface EnvironmentFence {
  readonly environmentId: string
  /** The newest id, and the time of that frame. */
  readonly frameId: number
  readonly headMs: number
  /** Days of the range that have frames. */
  readonly days: number
}

/** Of each environment that is asked about. */
type Fence = ReadonlyArray<EnvironmentFence>

interface Entry {
  readonly fence: Fence
  readonly answer: SummaryAnswer
}

/** A range with both ends. */
export type ClosedRange = FrameRange & { readonly fromMs: number; readonly toMs: number }

interface SummaryCache {
  /** The remembered answer, if it is proven to hold. */
  readonly find: (key: string, range: ClosedRange) => Effect.Effect<SummaryAnswer | null, StoreUnavailable>
  /** Where the frames stand; taken before an answer is computed, so that what is appended meanwhile is seen as new. */
  readonly fence: (range: ClosedRange) => Effect.Effect<Fence | null, StoreUnavailable>
  readonly remember: (key: string, range: ClosedRange, fence: Fence | null, answer: SummaryAnswer) => void
}

/** Where the frames of a range stand; null for a range that is not remembered. */
const fenceOf = (
  { covers, sql }: ActiveReader,
  { environmentId, fromMs, toMs }: ClosedRange,
): Effect.Effect<Fence | null, StoreUnavailable> => {
  if (toMs - fromMs > daysMax * dayMs) return Effect.succeed(null)
  const firstMs = Math.floor(fromMs / dayMs) * dayMs
  return Effect.map(
    orStoreUnavailable(sql<EnvironmentFence>`
      SELECT environment_id AS "environmentId", frame_id::float8 AS "frameId", (extract(epoch FROM ts) * 1000)::float8 AS "headMs", (
        SELECT count(*)::float8
        FROM generate_series(${momentOf(sql, firstMs)}, ${momentOf(sql, toMs - 1)}, interval '24 hours') AS day
        WHERE EXISTS (
          SELECT 1 FROM pose_minutes WHERE environment_id = frame_heads.environment_id
            AND minute >= greatest(day, date_trunc('minute', ${momentOf(sql, fromMs)}, 'UTC'))
            AND minute < least(day + interval '24 hours', ${momentOf(sql, toMs)})
        )
      ) AS days
      FROM frame_heads WHERE ${covers(environmentId)}
      ORDER BY environment_id LIMIT ${environmentsMax + 1}::int4`),
    (rows) => rows.length === 0 || rows.length > environmentsMax ? null : rows,
  )
}

/** Frames that lie after a moment, counted up to one more than `most`. */
const framesAfter = (sql: SqlClient.SqlClient, environmentId: string, afterMs: number, most: number) =>
  Effect.map(
    orStoreUnavailable(sql<{ count: number }>`
      SELECT count(*)::float8 AS count FROM (
        SELECT 1 FROM pose_frames
        WHERE environment_id = ${environmentId} AND ts > ${momentOf(sql, afterMs)} LIMIT ${most + 1}::int4
      ) AS later`),
    ([row]) => row?.count ?? 0,
  )

/** Whether nothing of one environment's range has changed between two fences. */
const holdsFor = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  then: EnvironmentFence,
  now: EnvironmentFence,
  toMs: number,
) {
  if (now.environmentId !== then.environmentId || now.days !== then.days) return false
  const fresh = now.frameId - then.frameId
  if (fresh === 0) return true
  if (fresh < 0 || fresh > freshMax || then.headMs < toMs) return false
  return (yield* framesAfter(sql, then.environmentId, then.headMs, fresh)) === fresh
})

/** Whether an answer still holds: the environments are the same, and nothing of their ranges has changed. */
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
      // All frames since lie after the fence's, so the fence may go on to the newest of them.
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
