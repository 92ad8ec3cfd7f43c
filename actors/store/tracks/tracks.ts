/**
 * Tracks in the database: one row per track.
 *
 * Invariant: a row holds the newest state that was appended, in whatever order states arrive.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { ArchivedTrack } from "../../../protocols/messages/archive.ts"
import { integers, numbers, texts } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"

export class TrackStore extends Context.Service<TrackStore, {
  /** Writes the tracks of an environment, each once, in one statement. */
  readonly append: (
    environmentId: string,
    tracks: ReadonlyArray<ArchivedTrack>,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/actors/TrackStore") {
  static readonly layer: Layer.Layer<TrackStore, never, SqlClient.SqlClient> = Layer.effect(
    TrackStore,
    Effect.suspend(() => make),
  )
}

/** One row per track: its last state. */
const newestOf = (tracks: ReadonlyArray<ArchivedTrack>): ReadonlyArray<ArchivedTrack> => {
  const newest = new Map<string, ArchivedTrack>()
  for (const track of tracks) {
    const key = `${track.trackId} ${track.firstSeenMs}`
    if (track.lastSeenMs >= (newest.get(key)?.lastSeenMs ?? -Infinity)) newest.set(key, track)
  }
  return [...newest.values()]
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return TrackStore.of({
    append: Effect.fnUntraced(function* (environmentId, tracks) {
      const rows = newestOf(tracks)
      if (rows.length === 0) return
      const nowMs = yield* Clock.currentTimeMillis
      yield* orStoreUnavailable(sql`
        INSERT INTO tracks (environment_id, track_id, first_seen, last_seen, status, frames, confidence, distance_m,
          moving_s, stationary_s, source, stored_at)
        SELECT ${environmentId}::text, track_id, to_timestamp(first_seen_ms / 1000), to_timestamp(last_seen_ms / 1000),
          status, frames, confidence, distance_m, moving_s, stationary_s, source, to_timestamp(${nowMs / 1000}::float8)
        FROM unnest(
          ${integers(rows.map(({ trackId }) => trackId))}::int4[],
          ${numbers(rows.map(({ firstSeenMs }) => firstSeenMs))}::float8[],
          ${numbers(rows.map(({ lastSeenMs }) => lastSeenMs))}::float8[],
          ${texts(rows.map(({ status }) => status))}::text[],
          ${integers(rows.map(({ frames }) => frames))}::int4[],
          ${numbers(rows.map(({ confidence }) => confidence))}::float8[],
          ${numbers(rows.map(({ distanceM }) => distanceM))}::float8[],
          ${numbers(rows.map(({ movingS }) => movingS))}::float8[],
          ${numbers(rows.map(({ stationaryS }) => stationaryS))}::float8[],
          ${texts(rows.map(({ source }) => source))}::text[]
        ) AS track (track_id, first_seen_ms, last_seen_ms, status, frames, confidence, distance_m, moving_s, stationary_s,
          source)
        ON CONFLICT (environment_id, track_id, first_seen) DO UPDATE SET
          last_seen = excluded.last_seen, status = excluded.status, frames = excluded.frames,
          confidence = excluded.confidence, distance_m = excluded.distance_m, moving_s = excluded.moving_s,
          stationary_s = excluded.stationary_s, source = excluded.source, stored_at = excluded.stored_at
        WHERE tracks.last_seen < excluded.last_seen
          OR (tracks.last_seen = excluded.last_seen AND tracks.status <> 'ended')`)
    }),
  })
})
