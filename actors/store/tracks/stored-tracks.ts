/**
 * Tracks in the database: implements the port `TrackHistory`.
 *
 * A trajectory is read from frames. Of a long track only `slotsMax` moments are read, spread evenly over it: the first frame after
 * each moment that contains the person.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { type PoseFrame, TrackStatus } from "../../../protocols/domain/pose.ts"
import type { TrajectoryPoint } from "../../../protocols/domain/track.ts"
import type { FrameRange } from "../../../protocols/ports/frame-history.ts"
import { type StoredTrack, TrackHistory } from "../../../protocols/ports/track-history.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { type ActiveReader, makeActiveReader } from "../sensing/active-environments.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { frameColumns, type FrameRow, momentOf, readFrames, readRows } from "../frames/frame-rows.ts"

/** The most frames of a trajectory: all frames below this number, samples above. */
const slotsMax = 512
/** The largest lag between a track's row and its frames, in either direction, milliseconds. */
const slackMs = 1_000

interface TrackRow {
  readonly environmentId: string
  readonly trackId: number
  readonly status: string
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  readonly frames: number
  readonly confidence: number
  readonly distanceM: number
  readonly movingS: number
  readonly stationaryS: number
}

const isStatus = Schema.is(TrackStatus)

const trackOf = (row: TrackRow): StoredTrack => ({
  environmentId: row.environmentId,
  record: {
    trackId: row.trackId,
    status: isStatus(row.status) ? row.status : "ended",
    firstSeenMs: row.firstSeenMs,
    lastSeenMs: row.lastSeenMs,
    totalFrames: row.frames,
    averageConfidence: row.confidence,
    statistics: {
      movementDistanceM: row.distanceM,
      averageSpeedMps: row.movingS > 0 ? row.distanceM / row.movingS : 0,
      timeMovingS: row.movingS,
      timeStationaryS: row.stationaryS,
    },
  },
})

/** The lifetime of a track; `toMs` null: it may still be alive, because the row of a live track is updated only every few seconds. */
interface Life {
  /** Null if several environments have had a track of this id. */
  readonly environmentId: string | null
  readonly fromMs: number
  readonly toMs: number | null
}

/** The lifetime of a track within a range, from its rows; `elsewhere`: not in the range; null: it has no row. */
export const lifeOf = (
  { covers, sql }: ActiveReader,
  trackId: number,
  { environmentId, fromMs, toMs }: FrameRange,
): Effect.Effect<Life | "elsewhere" | null, StoreUnavailable> => {
  const overlap = sql.and([
    ...(fromMs === null ? [] : [sql`(last_seen >= ${momentOf(sql, fromMs - slackMs)} OR status <> 'ended')`]),
    ...(toMs === null ? [] : [sql`first_seen < ${momentOf(sql, toMs + slackMs)}`]),
  ])
  return Effect.map(
    orStoreUnavailable(sql<{
      known: boolean
      firstMs: number | null
      lastMs: number
      ended: boolean
      firstId: string
      lastId: string
    }>`
      SELECT count(*) > 0 AS known, min(environment_id) AS "firstId", max(environment_id) AS "lastId",
        (extract(epoch FROM min(first_seen) FILTER (WHERE ${overlap})) * 1000)::float8 AS "firstMs",
        (extract(epoch FROM max(last_seen) FILTER (WHERE ${overlap})) * 1000)::float8 AS "lastMs",
        bool_and(status = 'ended') FILTER (WHERE ${overlap}) AS ended
      FROM tracks WHERE track_id = ${trackId}::int4 AND ${covers(environmentId)}`),
    ([row]) => {
      if (row === undefined || !row.known) return null
      if (row.firstMs === null) return "elsewhere"
      return {
        environmentId: row.firstId === row.lastId ? row.firstId : null,
        fromMs: row.firstMs - slackMs,
        toMs: row.ended ? row.lastMs + slackMs : null,
      }
    },
  )
}

const pointsOf = (frames: ReadonlyArray<PoseFrame>, trackId: number): ReadonlyArray<TrajectoryPoint> =>
  frames.flatMap(({ persons, timestampMs }) => {
    const person = persons.find(({ id }) => id === trackId)
    return person === undefined
      ? []
      : [{ timestampMs, x: person.location.x, y: person.location.y, confidence: person.confidence }]
  })

/** The first frame with persons in each of `slotsMax` equal parts of the time. */
const readSlots = (sql: SqlClient.SqlClient, environmentId: string, fromMs: number, stepMs: number) =>
  orStoreUnavailable(sql<FrameRow>`
    SELECT near.*
    FROM generate_series(0, ${slotsMax - 1}::int4) AS slot CROSS JOIN LATERAL (
      SELECT ${sql.literal(frameColumns)} FROM pose_frames
      WHERE environment_id = ${environmentId} AND person_count > 0
        AND ts >= to_timestamp((${fromMs}::float8 + slot * ${stepMs}::float8) / 1000)
        AND ts < to_timestamp((${fromMs}::float8 + (slot + 1) * ${stepMs}::float8) / 1000)
      ORDER BY ts, frame_id LIMIT 1
    ) AS near ORDER BY slot`)

/** The history of tracks in this database. */
export const layerTrackHistory: Layer.Layer<TrackHistory, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  TrackHistory,
  Effect.gen(function* () {
    const reader = yield* makeActiveReader
    const { covers, sql } = reader
    const bodies = yield* FrameBodies
    return {
      track: Effect.fnUntraced(function* (trackId, environmentId) {
        const [row] = yield* orStoreUnavailable(sql<TrackRow>`
          SELECT environment_id AS "environmentId", track_id AS "trackId", status,
            (extract(epoch FROM first_seen) * 1000)::float8 AS "firstSeenMs",
            (extract(epoch FROM last_seen) * 1000)::float8 AS "lastSeenMs",
            frames, confidence::float8 AS confidence, distance_m::float8 AS "distanceM",
            moving_s::float8 AS "movingS", stationary_s::float8 AS "stationaryS"
          FROM tracks WHERE track_id = ${trackId}::int4 AND ${covers(environmentId)}
          ORDER BY last_seen DESC LIMIT 1`)
        return row === undefined ? null : trackOf(row)
      }),
      trajectory: Effect.fnUntraced(function* ({ environmentId, record }, fromMs, toMs) {
        const beginMs = Math.max(fromMs, record.firstSeenMs)
        // Both ends are inclusive, and a frame's time has a resolution of a millisecond.
        const endMs = Math.min(toMs, record.lastSeenMs) + 1
        if (beginMs >= endMs) return { points: [], intervalS: null }
        const range = { environmentId, fromMs: beginMs, toMs: endMs }
        const whole = yield* readRows(reader, {
          range,
          after: null,
          newestFirst: false,
          limit: slotsMax + 1,
          peopled: true,
        })
        const intervalMs = whole.length <= slotsMax ? null : (endMs - beginMs) / slotsMax
        const rows = intervalMs === null ? whole : yield* readSlots(sql, environmentId, beginMs, intervalMs)
        const points = pointsOf(yield* readFrames(bodies, rows), record.trackId)
        return { points, intervalS: intervalMs === null ? null : intervalMs / 1000 }
      }),
    }
  }),
)
