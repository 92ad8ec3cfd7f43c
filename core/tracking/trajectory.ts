/**
 * The trajectory of a track and its statistics, updated with each state.
 *
 * A point is kept when the person has moved `strideM` from the last one, or after `pointsIntervalMs`, so that a path
 * keeps its shape and a stay costs little. At `pointsMax` every second point is dropped and both distances double, so
 * the whole track stays covered at decreasing resolution. Distance is counted between places that differ by more than
 * their uncertainty, so noise does not accumulate while a person stands.
 *
 * Invariants: at most `pointsMax` points, in ascending time; the first and the last state are always among them; the
 * statistics never decrease, except for the average speed.
 */
import { placesApartM } from "../imaging/geometry.ts"

/** A track's state at one time; places in metres. */
export interface TrackState {
  readonly timestampMs: number
  readonly x: number
  readonly y: number
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  /** Probability that the person stands still, 0..1. */
  readonly standing: number
  /** Probability that the track is a person, 0..1. */
  readonly confidence: number
}

interface TrajectoryPoint {
  readonly timestampMs: number
  readonly x: number
  readonly y: number
  readonly confidence: number
}

export interface Trajectory {
  readonly points: ReadonlyArray<TrajectoryPoint>
  /** The latest state, which may not be a point yet. */
  readonly last: TrajectoryPoint
  /** Current minimum distance and time between points. */
  readonly strideM: number
  readonly intervalMs: number
  /** Place up to which the distance is counted. */
  readonly counted: { readonly x: number; readonly y: number }
  readonly firstSeenMs: number
  readonly states: number
  readonly confidenceSum: number
  readonly movementDistanceM: number
  readonly timeStationaryS: number
  readonly timeMovingS: number
}

export const pointsMax = 512
const strideM = 0.25
const pointsIntervalMs = 5_000
/** Minimum distance from the counted place that is movement: sway and shifts of weight stay below. */
const movementMinM = 0.4
/** Multiple of a place's uncertainty that a movement must exceed. */
const movementSigmas = 2
/** A longer gap between states is not counted as observed time. */
const gapMsMax = 2_000

const pointOf = ({ confidence, timestampMs, x, y }: TrackState): TrajectoryPoint => ({ timestampMs, x, y, confidence })

/** The trajectory of a new track. */
export const beginTrajectory = (state: TrackState): Trajectory => ({
  points: [pointOf(state)],
  last: pointOf(state),
  strideM,
  intervalMs: pointsIntervalMs,
  counted: { x: state.x, y: state.y },
  firstSeenMs: state.timestampMs,
  states: 1,
  confidenceSum: state.confidence,
  movementDistanceM: 0,
  timeStationaryS: 0,
  timeMovingS: 0,
})

/** Every second point, including the first. */
const thinned = (points: ReadonlyArray<TrajectoryPoint>): ReadonlyArray<TrajectoryPoint> =>
  points.filter((_, i) => i % 2 === 0)

const withPoint = (trajectory: Trajectory, point: TrajectoryPoint): Trajectory => {
  const { intervalMs, points, strideM } = trajectory
  const previous = points.at(-1)!
  if (placesApartM(previous, point) < strideM && point.timestampMs - previous.timestampMs < intervalMs) {
    return trajectory
  }
  // One place is reserved for the latest state.
  if (points.length < pointsMax - 1) return { ...trajectory, points: [...points, point] }
  return { ...trajectory, points: [...thinned(points), point], strideM: 2 * strideM, intervalMs: 2 * intervalMs }
}

/** The trajectory with one more state. A state that is not newer than the last one has no effect. */
export const extendTrajectory = (trajectory: Trajectory, state: TrackState): Trajectory => {
  const elapsedMs = state.timestampMs - trajectory.last.timestampMs
  if (elapsedMs <= 0) return trajectory
  const seenS = elapsedMs > gapMsMax ? 0 : elapsedMs / 1000
  const walks = state.standing < 0.5
  const stepM = placesApartM(trajectory.counted, state)
  const moved = stepM >= Math.max(movementMinM, movementSigmas * state.sigmaM)
  return {
    ...withPoint(trajectory, pointOf(state)),
    last: pointOf(state),
    counted: moved ? { x: state.x, y: state.y } : trajectory.counted,
    states: trajectory.states + 1,
    confidenceSum: trajectory.confidenceSum + state.confidence,
    movementDistanceM: trajectory.movementDistanceM + (moved ? stepM : 0),
    timeStationaryS: trajectory.timeStationaryS + (walks ? 0 : seenS),
    timeMovingS: trajectory.timeMovingS + (walks ? seenS : 0),
  }
}

/** The points, the latest state last. */
export const pointsOf = ({ last, points }: Trajectory): ReadonlyArray<TrajectoryPoint> =>
  points.at(-1)!.timestampMs === last.timestampMs ? points : [...points, last]

/** Distance over time in motion, m/s; 0 without any. */
export const averageSpeedOf = ({ movementDistanceM, timeMovingS }: Trajectory): number =>
  timeMovingS > 0 ? movementDistanceM / timeMovingS : 0
