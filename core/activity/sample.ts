/**
 * The track sample: one hop's data of one tracked person, the input of all watches.
 *
 * Owns the shape between the estimator and the watches of this folder. Boundary: an unmeasured value is null and never
 * a default; a watch that needs it then reports nothing. A radio-only estimator fills the place, the speed and the
 * existence; a body estimator fills the rest.
 */
import type { Place } from "../imaging/geometry.ts"

/** Activities that a body estimator distinguishes. */
export const activityStates = ["walking", "standing", "sitting", "lying", "falling"] as const
export type ActivityState = (typeof activityStates)[number]
export type ActivityLabel = ActivityState | "unknown"

/** One probability per state; they add up to 1. */
export type ActivityProbabilities = Readonly<Record<ActivityState, number>>

export interface TrackSample {
  readonly trackId: number
  /** Event time, seconds; a person's samples come in ascending order. */
  readonly timeS: number
  readonly place: Place
  /** Standard deviation per axis. */
  readonly placeSigmaM: number
  /** Speed over the floor. */
  readonly speedMps: number
  /** Standard deviation of the velocity, per axis. */
  readonly speedSigmaMps: number
  /** Height of the middle of the hips over the floor. */
  readonly pelvis: { readonly heightM: number; readonly sigmaM: number } | null
  /** Vertical velocity of the hips, positive upwards. */
  readonly vertical: { readonly velocityMps: number; readonly sigmaMps: number } | null
  readonly activity: ActivityProbabilities | null
  /** Whether a breath is measured at the person's place. */
  readonly breathingSeen: boolean | null
  /** Probability that the track is a person. */
  readonly existence: number
  /** Whether the person has walked out of the room. */
  readonly left: boolean
}

/** Minimum speed of a movement, beyond twice its sigma. */
const movingMpsMin = 0.2
const verticalMpsMin = 0.3

/** Whether the person certainly moves. */
export const moves = ({ speedMps, speedSigmaMps, vertical }: TrackSample): boolean =>
  speedMps - 2 * speedSigmaMps > movingMpsMin ||
  (vertical !== null && Math.abs(vertical.velocityMps) - 2 * vertical.sigmaMps > verticalMpsMin)
