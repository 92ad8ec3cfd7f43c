/**
 * The head of an environment, its newest frame, as the fence of what is written.
 *
 * The fence is the upsert of the environments' heads. It locks each head's row until the commit and keeps the id that was there before,
 * so that one statement can tell, on every PostgreSQL since 14, which of its frames are new. Heads are locked in the order of their
 * names: two nodes that write the same environments cannot wait for each other in a circle.
 */
import type { SqlClient, Statement } from "effect/sql"
import type { ArchivedFrame } from "../../../protocols/messages/archive.ts"
import { numbers, texts } from "../sql/columns.ts"

/** A frame with its body as it is stored. */
export interface SealedFrame {
  readonly environmentId: string
  readonly frame: ArchivedFrame
  /** Null: the body is plain. */
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
}

/** The frames of a batch, by environments. */
export interface FrameBatch {
  /** Each environment once. */
  readonly heads: ReadonlyArray<FrameHead>
  /** Which of the heads each frame belongs to, from 1. */
  readonly heads1: ReadonlyArray<number>
  readonly frames: ReadonlyArray<SealedFrame>
}

/** What was an environment's newest before a batch was written: what is above it is new. */
export interface PreviousHead {
  readonly environment_id: string
  readonly previous_id: number
}

/** Frames, of which no two have the same environment and id, as a batch. */
export const batchOf = (frames: ReadonlyArray<SealedFrame>): FrameBatch => {
  const heads: Array<FrameHead> = []
  const headOf = new Map<string, number>()
  const heads1: Array<number> = []
  for (const { environmentId, frame: { frameId, timestampMs } } of frames) {
    const at = headOf.get(environmentId) ?? heads.length
    headOf.set(environmentId, at)
    const head = heads[at]
    const firstId = Math.min(head?.firstId ?? frameId, frameId)
    if (head === undefined || frameId > head.frameId) heads[at] = { environmentId, firstId, frameId, timestampMs }
    else if (firstId < head.firstId) heads[at] = { ...head, firstId }
    heads1.push(at + 1)
  }
  return { heads, heads1, frames }
}

/** The fence, as a common table of `PreviousHead`. */
export const fence = (sql: SqlClient.SqlClient, heads: ReadonlyArray<FrameHead>): Statement.Fragment =>
  sql`
    INSERT INTO frame_heads AS head (environment_id, frame_id, ts)
    SELECT environment_id, frame_id, to_timestamp(ts_ms / 1000)
    FROM unnest(
      ${texts(heads.map(({ environmentId }) => environmentId))}::text[],
      ${numbers(heads.map(({ frameId }) => frameId))}::float8[],
      ${numbers(heads.map(({ timestampMs }) => timestampMs))}::float8[]
    ) AS newest (environment_id, frame_id, ts_ms)
    ORDER BY environment_id
    ON CONFLICT (environment_id) DO UPDATE SET
      previous_id = head.frame_id,
      frame_id = greatest(head.frame_id, excluded.frame_id),
      ts = CASE WHEN excluded.frame_id > head.frame_id THEN excluded.ts ELSE head.ts END
    RETURNING environment_id, previous_id::float8`
