/**
 * The track record: where one track has been and how it moved. The id of a track is random and has no relation to a person's identity.
 *
 * Places in metres on the floor plan; times are milliseconds since the Unix epoch.
 */
import { Schema } from "effect"
import { TrackStatus } from "./pose.ts"

/** The largest id that a track can have: ids are random, from 1 on, and within 31 bits, so that every client's integer holds them. */
export const trackIdMax = 2 ** 31 - 1

export const TrajectoryPoint = Schema.Struct({
  timestampMs: Schema.Number,
  x: Schema.Number,
  y: Schema.Number,
  /** Probability that there was a person, 0..1. */
  confidence: Schema.Number,
})
export type TrajectoryPoint = typeof TrajectoryPoint.Type

const MovementStatistics = Schema.Struct({
  /** Length of the way, metres; without the sway and noise of a standing person. */
  movementDistanceM: Schema.Number,
  /** Distance over the time in motion, m/s; 0 for a track that never moved. */
  averageSpeedMps: Schema.Number,
  timeStationaryS: Schema.Number,
  timeMovingS: Schema.Number,
})
type MovementStatistics = typeof MovementStatistics.Type

export const TrackRecord = Schema.Struct({
  trackId: Schema.Int,
  status: TrackStatus,
  firstSeenMs: Schema.Number,
  lastSeenMs: Schema.Number,
  /** Frames in which it was detected, or held while standing. The average covers these. */
  totalFrames: Schema.Int,
  averageConfidence: Schema.Number,
  /** Oldest first, thinned: see `core/tracking/trajectory.ts`. */
  trajectory: Schema.Array(TrajectoryPoint),
  statistics: MovementStatistics,
})
export type TrackRecord = typeof TrackRecord.Type
