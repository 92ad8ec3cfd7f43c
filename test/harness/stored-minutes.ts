/** Minutes and tracks, written into a database as the archive would have. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

type NonEmpty = readonly [Record<string, unknown>, ...ReadonlyArray<Record<string, unknown>>]

interface MinuteSpecial {
  /** The activity of all persons of the minute. */
  readonly activity?: "walking" | "standing" | "sitting" | "lying" | "falling" | "unknown"
  readonly source?: "live" | "replay" | "simulated"
}

/** Stores minutes from `fromMs` on, each of 600 frames with a constant number of persons; null: frames that do not count them. */
export const storeMinutes = Effect.fnUntraced(function* (
  environmentId: string,
  fromMs: number,
  persons: ReadonlyArray<number | null>,
  { activity = "standing", source = "live" }: MinuteSpecial = {},
) {
  const sql = yield* SqlClient.SqlClient
  const count = (is: boolean, of: number) => is ? of : 0
  const rows = persons.map((counted, i) => {
    const n = counted ?? 0
    const minute = new Date(fromMs + i * 60_000)
    return {
      environment_id: environmentId,
      minute,
      frames: 600,
      frames_live: count(source === "live", 600),
      frames_replay: count(source === "replay", 600),
      frames_simulated: count(source === "simulated", 600),
      person_frames: 600 * n,
      person_max: n,
      person_max_at: new Date(minute.getTime() + 1000),
      confidence_sum: 480 * n,
      walking: count(activity === "walking", 600 * n),
      standing: count(activity === "standing", 600 * n),
      sitting: count(activity === "sitting", 600 * n),
      lying: count(activity === "lying", 600 * n),
      falling: count(activity === "falling", 600 * n),
      unknown: count(activity === "unknown", 600 * n),
      frames_0: count(counted === 0, 600),
      frames_1: count(n === 1, 600),
      frames_2: count(n === 2, 600),
      frames_3: count(n === 3, 600),
      frames_4_plus: count(n > 3, 600),
      processing_ms_sum: 12_000,
    }
  })
  yield* sql`INSERT INTO pose_minutes ${sql.insert(rows as unknown as NonEmpty)}`
})

/** Tracks that went 5 m in 10 s, and stood for the rest of their lives. */
export const storeTracks = Effect.fnUntraced(function* (
  environmentId: string,
  tracks: ReadonlyArray<{ readonly trackId: number; readonly firstMs: number; readonly lastMs: number }>,
) {
  const sql = yield* SqlClient.SqlClient
  const rows = tracks.map(({ firstMs, lastMs, trackId }) => ({
    environment_id: environmentId,
    track_id: trackId,
    first_seen: new Date(firstMs),
    last_seen: new Date(lastMs),
    status: "ended",
    frames: (lastMs - firstMs) / 100,
    confidence: 0.8,
    distance_m: 5,
    moving_s: 10,
    stationary_s: (lastMs - firstMs) / 1000 - 10,
    source: "live",
  }))
  yield* sql`INSERT INTO tracks ${sql.insert(rows as unknown as NonEmpty)}`
})
