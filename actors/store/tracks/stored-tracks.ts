/**
 * Tracks in the database: the store's answer to the port of their history.
 *
 * A trajectory is read from frames. A long life is not read whole: `slotsMax` moments are spread over it, and the first frame after
 * each is asked for its person.
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

/** Frames from which a trajectory is read at most: whole below, spread over the time above. */
const slotsMax = 512
/** What a track's row may lie behind the frames, or a frame behind its row, milliseconds. */
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

/** When a track lived; `toMs` null: it may live on, for the row of a track that lives is written every few seconds only. */
interface Life {
  /** Null where several environments have had a track of this id. */
  readonly environmentId: string | null
  readonly fromMs: number
  readonly toMs: number | null
}

/** When a track of this id lived within a range, as far as its rows tell; `elsewhere`: not in it; null: it has no row. */
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

/** The first frame with somebody in it of each of `slotsMax` equal parts of the time. */
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
        // Both ends are included, and a frame's time has no finer part than a millisecond.
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
