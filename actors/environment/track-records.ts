/**
 * The record of a track, as status answers and the store have it.
 *
 * Boundary: pure; tracks are followed and ended in `tracks.ts`.
 */
import { averageSpeedOf, pointsOf } from "../../core/tracking/trajectory.ts"
import type { TrackRecord } from "../../protocols/domain/track.ts"
import { statusOf } from "../track/machine.ts"
import type { Track } from "./track.ts"

/** The record of a track. */
export const trackRecordOf = ({ id, snapshot, trajectory }: Track): TrackRecord => ({
  trackId: id,
  status: statusOf(snapshot),
  firstSeenMs: trajectory.firstSeenMs,
  lastSeenMs: trajectory.last.timestampMs,
  totalFrames: trajectory.states,
  averageConfidence: trajectory.confidenceSum / trajectory.states,
  trajectory: pointsOf(trajectory),
  statistics: {
    movementDistanceM: trajectory.movementDistanceM,
    averageSpeedMps: averageSpeedOf(trajectory),
    timeStationaryS: trajectory.timeStationaryS,
    timeMovingS: trajectory.timeMovingS,
  },
})
