/**
 * The one statement that writes a batch of frames: fence, frames and the sums of their minutes.
 *
 * The fence is the upsert of the environments' heads. It locks each head's row until the commit and keeps the id that was there before,
 * so that one statement can tell, on every PostgreSQL since 14, which of its frames are new. Heads are locked in the order of their
 * names: two nodes that write the same environments cannot wait for each other in a circle.
 *
 * Columns travel as arrays, and all bodies as one value that the database cuts: an array of values is built and read element by
 * element on both sides. Environments are named once and then counted.
 */
import type { SqlClient } from "effect/sql"
import { activities } from "../../protocols/domain/frame-summary.ts"
import type { ArchivedFrame } from "../../protocols/messages/archive.ts"
import { integers, numbers, texts } from "./columns.ts"

/** A frame with its body as it is stored. */
export interface SealedFrame {
  readonly environmentId: string
  readonly frame: ArchivedFrame
  /** Null: the body is plain. */
  readonly keyId: number | null
  readonly body: Uint8Array
}

/** The columns of a batch. */
export interface FrameColumns {
  /** Each environment once, with its newest frame. */
  readonly heads: ReadonlyArray<
    { readonly environmentId: string; readonly frameId: number; readonly timestampMs: number }
  >
  /** Which of the heads each frame belongs to, from 1. */
  readonly heads1: ReadonlyArray<number>
  readonly frames: ReadonlyArray<SealedFrame>
  readonly bodies: Uint8Array
  /** Where each body begins, from 1. */
  readonly begins1: ReadonlyArray<number>
}

/**
 * The columns of frames, of which no two have the same environment and id.
 *
 * @param bytes memory of the length that is asked for, which the columns use until they are written
 */
export const columnsOf = (
  frames: ReadonlyArray<SealedFrame>,
  bytes: (length: number) => Uint8Array = (length) => new Uint8Array(length),
): FrameColumns => {
  const heads: Array<FrameColumns["heads"][number]> = []
  const headOf = new Map<string, number>()
  const bodies = bytes(frames.reduce((total, { body }) => total + body.length, 0))
  const heads1: Array<number> = []
  const begins1: Array<number> = []
  let begin = 0
  for (const { body, environmentId, frame: { frameId, timestampMs } } of frames) {
    const at = headOf.get(environmentId) ?? heads.length
    headOf.set(environmentId, at)
    if (frameId > (heads[at]?.frameId ?? 0)) heads[at] = { environmentId, frameId, timestampMs }
    heads1.push(at + 1)
    begins1.push(begin + 1)
    bodies.set(body, begin)
    begin += body.length
  }
  return { heads, heads1, frames, bodies, begins1 }
}

/** Writes a batch; answers of each environment the id that was its newest before: what is above it was written. */
export const writeFrames = (
  sql: SqlClient.SqlClient,
  { begins1, bodies, frames, heads, heads1 }: FrameColumns,
) => {
  const environmentIds = heads.map(({ environmentId }) => environmentId)
  const column = <A>(of: (frame: ArchivedFrame) => A) => frames.map(({ frame }) => of(frame))
  const [walking, standing, sitting, lying, falling, unknown] = activities.map((activity) =>
    column(({ summary }) => summary.activities[activity])
  ) as [Array<number>, Array<number>, Array<number>, Array<number>, Array<number>, Array<number>]
  return sql<{ readonly environment_id: string; readonly previous_id: number }>`
    WITH fence AS (
      INSERT INTO frame_heads AS head (environment_id, frame_id, ts)
      SELECT environment_id, frame_id, to_timestamp(ts_ms / 1000)
      FROM unnest(
        ${texts(environmentIds)}::text[],
        ${numbers(heads.map(({ frameId }) => frameId))}::float8[],
        ${numbers(heads.map(({ timestampMs }) => timestampMs))}::float8[]
      ) AS newest (environment_id, frame_id, ts_ms)
      ORDER BY environment_id
      ON CONFLICT (environment_id) DO UPDATE SET
        previous_id = head.frame_id,
        frame_id = greatest(head.frame_id, excluded.frame_id),
        ts = CASE WHEN excluded.frame_id > head.frame_id THEN excluded.ts ELSE head.ts END
      RETURNING environment_id, previous_id
    ), frame AS MATERIALIZED (
      SELECT fence.environment_id, to_timestamp(ts_ms / 1000) AS ts, id::int8 AS frame_id, person_count,
        mean_confidence::float4 AS confidence, walking, standing, sitting, lying, falling, unknown,
        processing::float4 AS processing_ms, source, key_id, body_begin, body_length
      FROM unnest(
        ${integers(heads1)}::int4[],
        ${numbers(column(({ timestampMs }) => timestampMs))}::float8[],
        ${numbers(column(({ frameId }) => frameId))}::float8[],
        ${integers(column(({ summary }) => summary.personCount))}::int4[],
        ${numbers(column(({ summary }) => summary.confidence))}::float8[],
        ${integers(walking)}::int4[],
        ${integers(standing)}::int4[],
        ${integers(sitting)}::int4[],
        ${integers(lying)}::int4[],
        ${integers(falling)}::int4[],
        ${integers(unknown)}::int4[],
        ${numbers(column(({ summary }) => summary.processingMs))}::float8[],
        ${texts(column(({ summary }) => summary.source))}::text[],
        ${integers(frames.map(({ keyId }) => keyId))}::int4[],
        ${integers(begins1)}::int4[],
        ${integers(frames.map(({ body }) => body.length))}::int4[]
      ) AS given (head, ts_ms, id, person_count, mean_confidence, walking, standing, sitting, lying, falling, unknown,
        processing, source, key_id, body_begin, body_length)
      JOIN fence ON fence.environment_id = (${texts(environmentIds)}::text[])[head]
      WHERE id > fence.previous_id
    ), sums AS (
      INSERT INTO pose_minutes AS sum
      SELECT environment_id, date_bin('1 minute', ts, '2000-01-01 00:00:00+00'), count(*),
        count(*) FILTER (WHERE source = 'live'), count(*) FILTER (WHERE source = 'replay'),
        count(*) FILTER (WHERE source = 'simulated'), sum(person_count), max(person_count),
        (array_agg(ts ORDER BY person_count DESC, ts))[1], coalesce(sum(confidence * person_count), 0),
        sum(walking), sum(standing), sum(sitting), sum(lying), sum(falling), sum(unknown),
        count(*) FILTER (WHERE person_count = 0), count(*) FILTER (WHERE person_count = 1),
        count(*) FILTER (WHERE person_count = 2), count(*) FILTER (WHERE person_count = 3),
        count(*) FILTER (WHERE person_count > 3), sum(processing_ms)
      FROM frame GROUP BY 1, 2
      ON CONFLICT (environment_id, minute) DO UPDATE SET
        frames = sum.frames + excluded.frames,
        frames_live = sum.frames_live + excluded.frames_live,
        frames_replay = sum.frames_replay + excluded.frames_replay,
        frames_simulated = sum.frames_simulated + excluded.frames_simulated,
        person_frames = sum.person_frames + excluded.person_frames,
        person_max = greatest(sum.person_max, excluded.person_max),
        person_max_at = CASE WHEN excluded.person_max > sum.person_max THEN excluded.person_max_at
          ELSE sum.person_max_at END,
        confidence_sum = sum.confidence_sum + excluded.confidence_sum,
        walking = sum.walking + excluded.walking,
        standing = sum.standing + excluded.standing,
        sitting = sum.sitting + excluded.sitting,
        lying = sum.lying + excluded.lying,
        falling = sum.falling + excluded.falling,
        unknown = sum.unknown + excluded.unknown,
        frames_0 = sum.frames_0 + excluded.frames_0,
        frames_1 = sum.frames_1 + excluded.frames_1,
        frames_2 = sum.frames_2 + excluded.frames_2,
        frames_3 = sum.frames_3 + excluded.frames_3,
        frames_4_plus = sum.frames_4_plus + excluded.frames_4_plus,
        processing_ms_sum = sum.processing_ms_sum + excluded.processing_ms_sum
    ), written AS (
      INSERT INTO pose_frames (environment_id, ts, frame_id, person_count, confidence, walking, standing, sitting, lying,
        falling, unknown, processing_ms, source, key_id, body)
      SELECT environment_id, ts, frame_id, person_count, confidence, walking, standing, sitting, lying, falling, unknown,
        processing_ms, source, key_id, substr(${bodies}::bytea, body_begin, body_length)
      FROM frame
    )
    SELECT environment_id, previous_id::float8 FROM fence`
}
