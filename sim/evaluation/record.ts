/**
 * The record of a sequence: truth and estimates, hop by hop, as plain numbers.
 *
 * Owns the form that every metric reads. Boundary: simulation and estimation are in `deploy/estimation`. Times are seconds since the
 * sequence began, places metres in the room's frame; keypoints are 17 in COCO order, [x, y, z] each.
 */

/** True activities. */
export const activities = ["walking", "standing", "sitting", "lying", "falling"] as const
export type TrueActivity = typeof activities[number]

export const joints = 17
const leftHip = 11
const rightHip = 12

export interface TruePerson {
  /** The same for the whole sequence. */
  readonly id: number
  readonly activity: TrueActivity
  readonly keypoints: ArrayLike<number>
  /** Breaths per minute; null when the simulator gives none. */
  readonly breathingBpm: number | null
}

/** An estimator's certainty about a person's keypoints, one number per keypoint. */
interface Certainty {
  /** Standard deviation of the position relative to the pelvis, per axis, metres. */
  readonly sigmaM: ArrayLike<number>
  /** P(error < 0.3 m). */
  readonly confidence: ArrayLike<number>
}

export interface EstimatedPerson {
  /** Of the track. */
  readonly id: number
  readonly activity: TrueActivity | "unknown"
  readonly keypoints: ArrayLike<number>
  /** Null when the estimator states none. */
  readonly certainty: Certainty | null
  /** Probability that there is a person, 0..1. */
  readonly score: number
}

/** The estimate of one hop. */
export interface HopEstimate {
  readonly persons: ReadonlyArray<EstimatedPerson>
  /** Fall alarms raised in this hop. */
  readonly fallAlarms: number
  /** Whether a person is in the room; null when the signal does not allow an answer. */
  readonly present: boolean | null
  readonly breathingBpm: number | null
}

export interface HopRecord {
  /** End of the hop: truth and estimate describe this moment. */
  readonly timeS: number
  readonly truth: ReadonlyArray<TruePerson>
  readonly estimate: HopEstimate
}

/** Length of a hop, seconds. */
export const hopS = 0.1

export interface SequenceRecord {
  readonly hops: ReadonlyArray<HopRecord>
  /** Times at which falls hit the floor, ascending. */
  readonly fallImpactsS: ReadonlyArray<number>
}

/** Writes the middle of the hips to `out`. */
export const pelvisOf = (keypoints: ArrayLike<number>, out: Float64Array = new Float64Array(3)): Float64Array => {
  for (let axis = 0; axis < 3; axis++) {
    out[axis] = (keypoints[3 * leftHip + axis]! + keypoints[3 * rightHip + axis]!) / 2
  }
  return out
}

/** Distance on the floor plan between the pelvises of two persons, metres. */
export const floorDistanceM = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const [l, r] = [3 * leftHip, 3 * rightHip]
  return Math.hypot(
    (a[l]! + a[r]! - b[l]! - b[r]!) / 2,
    (a[l + 1]! + a[r + 1]! - b[l + 1]! - b[r + 1]!) / 2,
  )
}
