/**
 * The history of tracks: the port through which edges read ended tracks. The store implements it.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { TrackRecord, TrajectoryPoint } from "../domain/track.ts"

/** A track in its last stored state. */
export interface StoredTrack {
  readonly environmentId: string
  readonly record: Omit<TrackRecord, "trajectory">
}

/** A trajectory that was read from frames. */
interface StoredTrajectory {
  /** Oldest first. */
  readonly points: ReadonlyArray<TrajectoryPoint>
  /** Null if every stored frame was read, else the seconds between the ones that were. */
  readonly intervalS: number | null
}

export class TrackHistory extends Context.Service<TrackHistory, {
  /** The newest track of an id, in one environment or (null) in any active one; null if none was stored. */
  readonly track: (
    trackId: number,
    environmentId: string | null,
  ) => Effect.Effect<StoredTrack | null, StoreUnavailable>
  /** The positions of a track from `fromMs` to `toMs`, both inclusive, within its lifetime. */
  readonly trajectory: (
    track: StoredTrack,
    fromMs: number,
    toMs: number,
  ) => Effect.Effect<StoredTrajectory, StoreUnavailable>
}>()("wavepose/protocols/TrackHistory") {}
