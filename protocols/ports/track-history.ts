/**
 * The history of tracks: the port through which edges read tracks that no actor follows any more. The store answers it.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { TrackRecord, TrajectoryPoint } from "../domain/track.ts"

/** A track as it was last written. */
export interface StoredTrack {
  readonly environmentId: string
  readonly record: Omit<TrackRecord, "trajectory">
}

/** A way that was read from frames. */
interface StoredTrajectory {
  /** Oldest first. */
  readonly points: ReadonlyArray<TrajectoryPoint>
  /** Null when every stored frame of the time was read; else seconds between those that were. */
  readonly intervalS: number | null
}

export class TrackHistory extends Context.Service<TrackHistory, {
  /** The newest track of an id, in one environment or (null) in any active one; null when none was stored. */
  readonly track: (
    trackId: number,
    environmentId: string | null,
  ) => Effect.Effect<StoredTrack | null, StoreUnavailable>
  /** Where a track was from `fromMs` to `toMs`, both included, as far as it lived then. */
  readonly trajectory: (
    track: StoredTrack,
    fromMs: number,
    toMs: number,
  ) => Effect.Effect<StoredTrajectory, StoreUnavailable>
}>()("wavepose/protocols/TrackHistory") {}
