/**
 * The statement that inserts a batch of frames: fence, frames and minute sums.
 *
 * Columns are passed as arrays, and all bodies as one value that the database splits: an array of bodies would be built and parsed
 * element by element on both sides. Environments are named once and then numbered.
 */
import type { SqlClient } from "effect/sql"
import { activities } from "../../../protocols/domain/frame-summary.ts"
import type { ArchivedFrame } from "../../../protocols/messages/archive.ts"
import { booleans, integers, numbers, texts } from "../sql/columns.ts"
import { fence, type FrameBatch, type PreviousHead, type SealedFrame } from "./frame-id-fence.ts"
import { addToMinutes } from "./minute-sums.ts"

/** Columns of `pose_frames` in the order of writing. */
export const frameRowColumns = "environment_id, ts, frame_id, person_count, confidence, walking, standing, sitting, " +
  "lying, falling, unknown, processing_ms, source, present, motion, key_id, body"

/** A buffer of a given length. Its content stays in use until the statement has ended. */
export type Memory = (length: number) => Uint8Array

/** All bodies as one value, and the start of each, from 1. */
const joined = (frames: ReadonlyArray<SealedFrame>, memory: Memory) => {
  const bodies = memory(frames.reduce((total, { body }) => total + body.length, 0))
  const begins1: Array<number> = []
  let begin = 0
  for (const { body } of frames) {
    begins1.push(begin + 1)
    bodies.set(body, begin)
    begin += body.length
  }
  return { bodies, begins1 }
}

/** Writes a batch. Returns the previous newest id of each environment: frames with higher ids were written. */
export const insertFrames = (
  sql: SqlClient.SqlClient,
  { frames, heads, heads1 }: FrameBatch,
  memory: Memory = (length) => new Uint8Array(length),
) => {
  const { begins1, bodies } = joined(frames, memory)
  const column = <A>(of: (frame: ArchivedFrame) => A) => frames.map(({ frame }) => of(frame))
  const [walking, standing, sitting, lying, falling, unknown] = activities.map((activity) =>
    column(({ summary }) => summary.activities[activity])
  ) as [Array<number>, Array<number>, Array<number>, Array<number>, Array<number>, Array<number>]
  return sql<PreviousHead>`
    WITH fence AS (${fence(sql, heads)}
    ), frame AS MATERIALIZED (
      SELECT fence.environment_id, to_timestamp(ts_ms / 1000) AS ts, id::int8 AS frame_id, persons::int4 AS person_count,
        mean_confidence::float4 AS confidence, walking, standing, sitting, lying, falling, unknown,
        processing::float4 AS processing_ms, source, present, measured_motion::float4 AS motion, key_id, body_begin, body_length
      FROM unnest(
        ${integers(heads1)}::int4[],
        ${numbers(column(({ timestampMs }) => timestampMs))}::float8[],
        ${numbers(column(({ frameId }) => frameId))}::float8[],
        ${numbers(column(({ summary }) => summary.personCount))}::float8[],
        ${numbers(column(({ summary }) => summary.confidence))}::float8[],
        ${integers(walking)}::int4[],
        ${integers(standing)}::int4[],
        ${integers(sitting)}::int4[],
        ${integers(lying)}::int4[],
        ${integers(falling)}::int4[],
        ${integers(unknown)}::int4[],
        ${numbers(column(({ summary }) => summary.processingMs))}::float8[],
        ${texts(column(({ summary }) => summary.source))}::text[],
        ${booleans(column(({ summary }) => summary.present))}::bool[],
        ${numbers(column(({ summary }) => summary.motion))}::float8[],
        ${integers(frames.map(({ keyId }) => keyId))}::int4[],
        ${integers(begins1)}::int4[],
        ${integers(frames.map(({ body }) => body.length))}::int4[]
      ) AS given (head, ts_ms, id, persons, mean_confidence, walking, standing, sitting, lying, falling, unknown,
        processing, source, present, measured_motion, key_id, body_begin, body_length)
      JOIN fence ON fence.environment_id = (${texts(heads.map(({ environmentId }) => environmentId))}::text[])[head]
      WHERE id > fence.previous_id
    ), sums AS (${
    addToMinutes(
      sql,
      sql`
      SELECT environment_id, date_bin('1 minute', ts, '2000-01-01 00:00:00+00'), count(*),
        count(*) FILTER (WHERE source = 'live'), count(*) FILTER (WHERE source = 'replay'),
        count(*) FILTER (WHERE source = 'simulated'), coalesce(sum(person_count), 0), coalesce(max(person_count), 0),
        (array_agg(ts ORDER BY person_count DESC NULLS LAST, ts))[1], coalesce(sum(confidence * person_count), 0),
        sum(walking), sum(standing), sum(sitting), sum(lying), sum(falling), sum(unknown),
        count(*) FILTER (WHERE person_count = 0), count(*) FILTER (WHERE person_count = 1),
        count(*) FILTER (WHERE person_count = 2), count(*) FILTER (WHERE person_count = 3),
        count(*) FILTER (WHERE person_count > 3), sum(processing_ms::float8), count(*) FILTER (WHERE present),
        count(*) FILTER (WHERE NOT present), count(motion), coalesce(sum(motion::float8), 0)
      FROM frame GROUP BY 1, 2`,
    )
  }
    ), written AS (
      INSERT INTO pose_frames (${sql.literal(frameRowColumns)})
      SELECT environment_id, ts, frame_id, person_count, confidence, walking, standing, sitting, lying, falling, unknown,
        processing_ms, source, present, motion, key_id, substr(${bodies}::bytea, body_begin, body_length)
      FROM frame
    )
    SELECT environment_id, previous_id FROM fence`
}
