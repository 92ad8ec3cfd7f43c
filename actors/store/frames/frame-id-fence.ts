/**
 * The fence of frame ids: the head of an environment is its newest frame id, and the generation of the activation that may write.
 *
 * An activation claims the next generation when it begins. Frames of an earlier one are not new: an activation that was paused while its
 * environment moved cannot write.
 *
 * The fence is the upsert of the heads. It locks each head's row until the commit and returns the previous id, so that one
 * statement can tell which frames are new, on every PostgreSQL since 14. Heads are locked in the order of their
 * names, so two nodes that write the same environments cannot deadlock.
 */
import type { SqlClient, Statement } from "effect/sql"
import type { ArchivedFrame } from "../../../protocols/messages/archive.ts"
import { numbers, texts } from "../sql/columns.ts"

/** A frame with its stored body. */
export interface SealedFrame {
  readonly environmentId: string
  readonly frame: ArchivedFrame
  /** Null: the body is not encrypted. */
  readonly keyId: number | null
  readonly body: Uint8Array
}

/** An environment of a batch. */
interface FrameHead {
  readonly environmentId: string
  /** Its lowest id in the batch. */
  readonly firstId: number
  /** Its highest id in the batch, and the time of that frame. */
  readonly frameId: number
  readonly timestampMs: number
  /** Generation of all its frames in the batch. */
  readonly generation: number
}

/** The frames of a batch, grouped by environment. */
export interface FrameBatch {
  /** Each environment once. */
  readonly heads: ReadonlyArray<FrameHead>
  /** For each frame, the number of its head, from 1. */
  readonly heads1: ReadonlyArray<number>
  readonly frames: ReadonlyArray<SealedFrame>
}

/** The head of an environment before a batch was written. Higher ids are new; none is, if the batch is of an earlier generation. */
export interface PreviousHead {
  readonly environment_id: string
  readonly previous_id: number
}

/** Groups frames, of which no two have the same environment and id. All frames of an environment are of one generation. */
export const batchOf = (frames: ReadonlyArray<SealedFrame>): FrameBatch => {
  const heads: Array<FrameHead> = []
  const headOf = new Map<string, number>()
  const heads1: Array<number> = []
  for (const { environmentId, frame: { frameId, generation, timestampMs } } of frames) {
    const at = headOf.get(environmentId) ?? heads.length
    headOf.set(environmentId, at)
    const head = heads[at]
    const firstId = Math.min(head?.firstId ?? frameId, frameId)
    if (head === undefined || frameId > head.frameId) {
      heads[at] = { environmentId, firstId, frameId, timestampMs, generation }
    } else if (firstId < head.firstId) heads[at] = { ...head, firstId }
    heads1.push(at + 1)
  }
  return { heads, heads1, frames }
}

/** Above all ids. */
const noneIsNew = Number.MAX_SAFE_INTEGER

/** The fence, as a common table expression of `PreviousHead`. */
export const fence = (sql: SqlClient.SqlClient, heads: ReadonlyArray<FrameHead>): Statement.Fragment =>
  sql`
    INSERT INTO frame_heads AS head (environment_id, frame_id, ts, generation)
    SELECT environment_id, frame_id, to_timestamp(ts_ms / 1000), generation
    FROM unnest(
      ${texts(heads.map(({ environmentId }) => environmentId))}::text[],
      ${numbers(heads.map(({ frameId }) => frameId))}::float8[],
      ${numbers(heads.map(({ timestampMs }) => timestampMs))}::float8[],
      ${numbers(heads.map(({ generation }) => generation))}::float8[]
    ) AS newest (environment_id, frame_id, ts_ms, generation)
    ORDER BY environment_id
    ON CONFLICT (environment_id) DO UPDATE SET
      previous_id = CASE WHEN excluded.generation < head.generation THEN ${noneIsNew}::float8 ELSE head.frame_id END,
      frame_id = CASE WHEN excluded.generation < head.generation THEN head.frame_id
        ELSE greatest(head.frame_id, excluded.frame_id) END,
      ts = CASE WHEN excluded.generation >= head.generation AND excluded.frame_id > head.frame_id
        THEN excluded.ts ELSE head.ts END,
      generation = greatest(head.generation, excluded.generation)
    RETURNING environment_id, previous_id::float8`
