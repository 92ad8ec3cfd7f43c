/**
 * The track sample: what one hop says about one tracked person, for everything that watches persons.
 *
 * Owns the shape between the estimator and the watchers of this folder. Boundary: what is not measured is null and never a
 * default; a watcher that needs it then keeps silent. An estimator of the radio alone fills the place, the speed and the existence;
 * one of the body fills the rest.
 */

/** What a person does, as an estimator of the body tells it apart. */
export const activityStates = ["walking", "standing", "sitting", "lying", "falling"] as const
export type ActivityState = (typeof activityStates)[number]
export type ActivityLabel = ActivityState | "unknown"

/** One probability a state; they add up to 1. */
export type ActivityProbabilities = Readonly<Record<ActivityState, number>>

/** On the floor plan, metres. */
export interface Place {
  readonly x: number
  readonly y: number
}

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
  /** Velocity of the hips, up is positive. */
  readonly vertical: { readonly velocityMps: number; readonly sigmaMps: number } | null
  readonly activity: ActivityProbabilities | null
  /** Whether a breath is heard at the person's place. */
  readonly breathingSeen: boolean | null
  /** Probability that the track is a person. */
  readonly existence: number
}

export const distanceM = (a: Place, b: Place): number => Math.hypot(a.x - b.x, a.y - b.y)

/** Null of nothing. */
export const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
