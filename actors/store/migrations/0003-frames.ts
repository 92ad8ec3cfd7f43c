/**
 * Partitions frames by day, with columns for queries. Adds minute sums and tracks. Converts the frames of earlier versions: their columns
 * are computed from their bodies.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { summaryOf } from "../../../protocols/domain/frame-summary.ts"
import { decodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import { integers, numbers, texts } from "../sql/columns.ts"
import { dayOf, makePartition, windowOf } from "../sql/partitions.ts"

/** Frames per step. */
const batchMax = 512
/** The default retention, days: older frames do not get partitions of their own. */
const retentionDays = 30

const statements = [
  `DROP INDEX pose_frames_by_time`,
  `ALTER TABLE pose_frames RENAME TO pose_frames_old`,
  `ALTER TABLE pose_frames_old RENAME CONSTRAINT pose_frames_pkey TO pose_frames_old_pkey`,
  `CREATE TABLE pose_frames (
    environment_id text NOT NULL,
    ts timestamptz NOT NULL,
    frame_id bigint NOT NULL,
    person_count smallint NOT NULL,
    -- Mean over the persons; null without persons.
    confidence real,
    -- Persons by what they do.
    walking smallint NOT NULL,
    standing smallint NOT NULL,
    sitting smallint NOT NULL,
    lying smallint NOT NULL,
    falling smallint NOT NULL,
    unknown smallint NOT NULL,
    processing_ms real NOT NULL,
    source text NOT NULL,
    -- The key that the body is encrypted under; null: it is plain.
    key_id smallint,
    -- The frame whole as protocols/grpc/pose-frame.ts encodes it.
    body bytea NOT NULL,
    PRIMARY KEY (environment_id, ts, frame_id)
  ) PARTITION BY RANGE (ts)`,
  `ALTER TABLE pose_frames ALTER COLUMN body SET STORAGE EXTERNAL`,
  `CREATE TABLE pose_frames_default (LIKE pose_frames INCLUDING DEFAULTS INCLUDING STORAGE)
    WITH (toast_tuple_target = 8160)`,
  `ALTER TABLE pose_frames ATTACH PARTITION pose_frames_default DEFAULT`,
  // Days of the default partition, and when they were first found there: their age for the retention.
  `CREATE TABLE stray_days (day timestamptz PRIMARY KEY, found_at timestamptz NOT NULL)`,
  // The newest frame of each environment, and the one before the last write: these fence frame ids.
  `CREATE TABLE frame_heads (
    environment_id text PRIMARY KEY,
    frame_id bigint NOT NULL,
    ts timestamptz NOT NULL,
    previous_id bigint NOT NULL DEFAULT 0
  )`,
  // Sums over the frames of a minute, so that reports do not read frames.
  `CREATE TABLE pose_minutes (
    environment_id text NOT NULL,
    minute timestamptz NOT NULL,
    frames integer NOT NULL,
    frames_live integer NOT NULL,
    frames_replay integer NOT NULL,
    frames_simulated integer NOT NULL,
    person_frames bigint NOT NULL,
    person_max smallint NOT NULL,
    person_max_at timestamptz NOT NULL,
    -- Over persons.
    confidence_sum double precision NOT NULL,
    -- Person-frames by what persons do.
    walking bigint NOT NULL,
    standing bigint NOT NULL,
    sitting bigint NOT NULL,
    lying bigint NOT NULL,
    falling bigint NOT NULL,
    unknown bigint NOT NULL,
    -- Frames by their persons.
    frames_0 integer NOT NULL,
    frames_1 integer NOT NULL,
    frames_2 integer NOT NULL,
    frames_3 integer NOT NULL,
    frames_4_plus integer NOT NULL,
    processing_ms_sum double precision NOT NULL,
    PRIMARY KEY (environment_id, minute)
  )`,
  `CREATE TABLE tracks (
    environment_id text NOT NULL,
    track_id integer NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL,
    status text NOT NULL,
    frames integer NOT NULL,
    confidence real NOT NULL,
    distance_m real NOT NULL,
    moving_s real NOT NULL,
    stationary_s real NOT NULL,
    source text NOT NULL,
    -- Time of the node, not of the event: its age for the retention.
    stored_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (environment_id, track_id, first_seen)
  )`,
  `CREATE INDEX tracks_by_time ON tracks (environment_id, last_seen)`,
  `CREATE INDEX tracks_by_id ON tracks (track_id)`,
]

interface OldFrame {
  readonly environment_id: string
  readonly frame_id: number
  readonly ts_ms: number
  readonly body: Uint8Array
}

/** The columns of an old frame; null if it is unreadable. */
const readOld = (frame: OldFrame) => {
  try {
    return [{ ...frame, ...summaryOf(decodePoseFrame(frame.body)) }]
  } catch {
    return []
  }
}

/** Converts the frames after a key. Returns the last key of the batch, or null at the end. */
const carryBatch = Effect.fnUntraced(function* (after: { readonly environment: string; readonly id: number }) {
  const sql = yield* SqlClient.SqlClient
  const old = yield* sql<OldFrame>`
    SELECT environment_id, frame_id::float8, (extract(epoch FROM ts) * 1000)::float8 AS ts_ms, body FROM pose_frames_old
    WHERE (environment_id, frame_id) > (${after.environment}, ${after.id}::float8::int8)
    ORDER BY environment_id, frame_id LIMIT ${batchMax}`
  const last = old.at(-1)
  if (last === undefined) return null
  const frames = old.flatMap(readOld)
  if (frames.length < old.length) {
    yield* Effect.logWarning(`${old.length - frames.length} stored frames cannot be read and are left out`)
  }
  yield* sql`
    INSERT INTO pose_frames (environment_id, ts, frame_id, person_count, confidence, walking, standing, sitting, lying,
      falling, unknown, processing_ms, source, body)
    SELECT old.environment_id, old.ts, old.frame_id, frame.person_count, frame.confidence, walking, standing, sitting, lying, falling,
      unknown, processing_ms, source, old.body
    FROM unnest(
      ${texts(frames.map(({ environment_id }) => environment_id))}::text[],
      ${numbers(frames.map(({ frame_id }) => frame_id))}::float8[],
      ${integers(frames.map(({ personCount }) => personCount ?? 0))}::int4[],
      ${numbers(frames.map(({ confidence }) => confidence))}::float8[],
      ${integers(frames.map(({ activities }) => activities.walking))}::int4[],
      ${integers(frames.map(({ activities }) => activities.standing))}::int4[],
      ${integers(frames.map(({ activities }) => activities.sitting))}::int4[],
      ${integers(frames.map(({ activities }) => activities.lying))}::int4[],
      ${integers(frames.map(({ activities }) => activities.falling))}::int4[],
      ${integers(frames.map(({ activities }) => activities.unknown))}::int4[],
      ${numbers(frames.map(({ processingMs }) => processingMs))}::float8[],
      ${texts(frames.map(({ source }) => source))}::text[]
    ) AS frame (environment_id, frame_id, person_count, confidence, walking, standing, sitting, lying, falling, unknown,
      processing_ms, source)
    JOIN pose_frames_old AS old ON old.environment_id = frame.environment_id AND old.frame_id = frame.frame_id::int8`
  return { environment: last.environment_id, id: last.frame_id }
})

const makeDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { first, last } = windowOf(yield* Clock.currentTimeMillis, retentionDays)
  const days = yield* sql<{ ms: number }>`
    SELECT DISTINCT (extract(epoch FROM date_bin('24 hours', ts, '2000-01-01 00:00:00+00')) * 1000)::float8 AS ms
    FROM pose_frames_old`
  for (const { ms } of days) {
    const day = dayOf(ms)
    if (day >= first && day <= last) yield* makePartition(day)
  }
})

const sums = [
  `INSERT INTO frame_heads (environment_id, frame_id, ts)
    SELECT DISTINCT ON (environment_id) environment_id, frame_id, ts FROM pose_frames_old
    ORDER BY environment_id, frame_id DESC`,
  `INSERT INTO pose_minutes
    SELECT environment_id, date_bin('1 minute', ts, '2000-01-01 00:00:00+00'), count(*),
      count(*) FILTER (WHERE source = 'live'), count(*) FILTER (WHERE source = 'replay'),
      count(*) FILTER (WHERE source = 'simulated'), sum(person_count), max(person_count),
      (array_agg(ts ORDER BY person_count DESC, ts))[1], coalesce(sum(confidence * person_count), 0),
      sum(walking), sum(standing), sum(sitting), sum(lying), sum(falling), sum(unknown),
      count(*) FILTER (WHERE person_count = 0), count(*) FILTER (WHERE person_count = 1),
      count(*) FILTER (WHERE person_count = 2), count(*) FILTER (WHERE person_count = 3),
      count(*) FILTER (WHERE person_count > 3), sum(processing_ms)
    FROM pose_frames GROUP BY 1, 2`,
  `DROP TABLE pose_frames_old`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* makeDays
  let after: { readonly environment: string; readonly id: number } | null = { environment: "", id: 0 }
  while (after !== null) after = yield* carryBatch(after)
  for (const statement of sums) yield* sql.unsafe(statement)
})
