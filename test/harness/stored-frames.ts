/**
 * Frames put into a database as the writer of frames would: rows, sums of minutes, the newest id. And persons who walk through them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { summaryOf } from "../../protocols/domain/frame-summary.ts"
import type { Activity, Person, PoseFrame } from "../../protocols/domain/pose.ts"
import { encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { noVitals } from "./vitals.ts"

export const activities = [
  "walking",
  "standing",
  "sitting",
  "lying",
  "falling",
  "unknown",
] as const satisfies ReadonlyArray<Activity>

/** A standing person at a place derived from the id. */
export const someone = (id: number, over: Partial<Person> = {}): Person => ({
  id,
  trackStatus: "active",
  trackAge: 10,
  confidence: 0.9,
  activity: "walking",
  location: { x: id % 10, y: 2 },
  locationSigmaM: 0.2,
  velocity: { x: 0, y: 0 },
  boundingBox: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 },
  keypoints: [{ name: "nose", x: 0.5, y: 0.5, confidence: 0.8, visible: true, observed: true }],
  keypoints3d: [],
  evidenceReason: null,
  ...over,
})

/** A frame with these persons in it. */
export const frameWith = (
  frameId: number,
  timestampMs: number,
  persons: ReadonlyArray<Person>,
  over: Partial<PoseFrame> = {},
): PoseFrame => ({
  environmentId: "living-room",
  frameId,
  timestampMs,
  processingTimeMs: 2,
  persons,
  routerCount: 3,
  signalQuality: 0.9,
  processingPipeline: "back-projection",
  processingMode: "realtime",
  presence: { present: persons.length > 0, confidence: 0.9, reason: null },
  motion: 0.5,
  vitals: noVitals,
  capabilities: ["presence", "motion", "location", "count"],
  personsReason: null,
  view: { lookingAlong: "+y", widthM: 5, heightM: 2.5 },
  provenance: { source: "live", calibrated: true, modelVersion: "mean-skeleton", linksUsed: 12 },
  ...over,
})

/** As text, empty for no person: the driver accepts no array in which whole numbers, others or nulls are mixed. */
const meanConfidence = ({ persons }: PoseFrame): string =>
  persons.length === 0 ? "" : String(persons.reduce((sum, { confidence }) => sum + confidence, 0) / persons.length)

const insertFrames = (sql: SqlClient.SqlClient, frames: ReadonlyArray<PoseFrame>) => {
  const doing = (activity: Activity) =>
    frames.map(({ persons }) => persons.filter((p) => p.activity === activity).length)
  return sql`
    INSERT INTO pose_frames (environment_id, ts, frame_id, person_count, confidence, walking, standing, sitting, lying,
      falling, unknown, processing_ms, source, present, motion, body)
    SELECT environment_id, to_timestamp(ts_ms / 1000), frame_id, nullif(person_count, '')::int4, nullif(confidence, '')::float8, walking,
      standing, sitting, lying, falling, unknown, processing_ms::float8, source, nullif(present, '')::bool, nullif(motion, '')::float8, body
    FROM unnest(
      ${frames.map(({ environmentId }) => environmentId)}::text[], ${frames.map((f) => f.timestampMs)}::float8[],
      ${frames.map(({ frameId }) => frameId)}::float8[], ${
    frames.map((f) => String(summaryOf(f).personCount ?? ""))
  }::text[],
      ${frames.map(meanConfidence)}::text[], ${doing("walking")}::int4[], ${doing("standing")}::int4[],
      ${doing("sitting")}::int4[], ${doing("lying")}::int4[], ${doing("falling")}::int4[], ${doing("unknown")}::int4[],
      ${frames.map((f) => String(f.processingTimeMs))}::text[], ${frames.map((f) => f.provenance.source)}::text[],
      ${frames.map((f) => String(f.presence.present ?? ""))}::text[], ${
    frames.map((f) => String(f.motion ?? ""))
  }::text[],
      ${frames.map(encodePoseFrame) as never}::bytea[]
    ) AS frame (environment_id, ts_ms, frame_id, person_count, confidence, walking, standing, sitting, lying, falling,
      unknown, processing_ms, source, present, motion, body)`
}

/** Sums what the frames of these ids add to their minutes. */
const addToMinutes = (sql: SqlClient.SqlClient, environmentId: string, first: number, last: number) =>
  sql`
    INSERT INTO pose_minutes
    SELECT environment_id, date_trunc('minute', ts, 'UTC'), count(*), count(*) FILTER (WHERE source = 'live'),
      count(*) FILTER (WHERE source = 'replay'), count(*) FILTER (WHERE source = 'simulated'),
      coalesce(sum(person_count), 0), coalesce(max(person_count), 0), (array_agg(ts ORDER BY person_count DESC NULLS LAST, ts))[1], coalesce(sum(confidence * person_count), 0),
      sum(walking), sum(standing), sum(sitting), sum(lying), sum(falling), sum(unknown),
      count(*) FILTER (WHERE person_count = 0), count(*) FILTER (WHERE person_count = 1),
      count(*) FILTER (WHERE person_count = 2), count(*) FILTER (WHERE person_count = 3),
      count(*) FILTER (WHERE person_count > 3), sum(processing_ms), count(*) FILTER (WHERE present),
      count(*) FILTER (WHERE NOT present), count(motion), coalesce(sum(motion::float8), 0)
    FROM pose_frames
    WHERE environment_id = ${environmentId} AND frame_id BETWEEN ${first}::int4 AND ${last}::int4 GROUP BY 1, 2
    ON CONFLICT (environment_id, minute) DO UPDATE SET
      ${
    sql.literal(
      [
        ...[
          "frames",
          "frames_live",
          "frames_replay",
          "frames_simulated",
          "person_frames",
          "confidence_sum",
          ...activities,
        ],
        ...["frames_0", "frames_1", "frames_2", "frames_3", "frames_4_plus", "processing_ms_sum"],
        ...["frames_present", "frames_absent", "motion_frames", "motion_sum"],
      ].map((column) => `${column} = pose_minutes.${column} + excluded.${column}`).join(", "),
    )
  }, person_max = greatest(pose_minutes.person_max, excluded.person_max)`

/** Stores frames of one environment, in the order of their ids, in one commit. */
export const storeFrames = Effect.fnUntraced(function* (frames: ReadonlyArray<PoseFrame>) {
  const sql = yield* SqlClient.SqlClient
  const last = frames.at(-1)
  if (last === undefined) return
  yield* sql.withTransaction(Effect.gen(function* () {
    for (let at = 0; at < frames.length; at += 500) yield* insertFrames(sql, frames.slice(at, at + 500))
    yield* addToMinutes(sql, last.environmentId, frames[0]!.frameId, last.frameId)
    yield* sql`
      INSERT INTO frame_heads (environment_id, frame_id, ts)
      VALUES (${last.environmentId}, ${last.frameId}::int4, to_timestamp(${last.timestampMs}::float8 / 1000))
      ON CONFLICT (environment_id) DO UPDATE SET frame_id = excluded.frame_id, ts = excluded.ts`
  }))
})

/** Stores the row of a track. */
export const storeTrack = Effect.fnUntraced(function* (track: {
  readonly environmentId?: string
  readonly trackId: number
  readonly firstMs: number
  readonly lastMs: number
  readonly status?: string
}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO tracks (environment_id, track_id, first_seen, last_seen, status, frames, confidence, distance_m,
      moving_s, stationary_s, source)
    VALUES (${
    track.environmentId ?? "living-room"
  }, ${track.trackId}::int4, to_timestamp(${track.firstMs}::float8 / 1000),
      to_timestamp(${track.lastMs}::float8 / 1000), ${track.status ?? "ended"}, 42, 0.75, 12.5, 10, 5, 'live')`
})
