/**
 * The static response H0 of a link: what the room looks like when nothing moves in it.
 *
 * Owns how it is learned: from a timed calibration of the empty room, averaged after alignment and then kept as it is; or,
 * without one, as a running mean that stands still while something moves. `calibration` says which. The state is plain data
 * and outlives the process.
 *
 * Invariants: `response` has an rms of 1 and no bulk delay, so the dynamic response is relative to the static one, and delay 0
 * is that of the static response's strongest path (within a room, the direct one).
 */
import type { RadioLayout } from "../formats/csi-batch.ts"
import { type AlignmentPlan, centreDelay, scaleToUnitRms } from "./alignment.ts"
import type { LinkCalibration } from "./calibration.ts"

/** Time constant of the running mean, in hops: 100 s. */
const runningHops = 1000

/** Hops with packets that the running mean needs before it is a reference: 1 s. */
const hopsMin = 10

/** The static response of one link, as it is persisted. */
export interface Reference {
  readonly transmitterId: string
  /** Of a timed calibration of the empty room; null for a running mean. */
  calibration: LinkCalibration | null
  /** Hops that were averaged. */
  hops: number
  /** Interleaved complex [rx][tx][subcarrier]. */
  readonly response: Float32Array
  /** The channel that it holds for. */
  readonly layout: RadioLayout
}

/** Starts a reference with one frame's response; null when it has no power. */
export const beginReference = (
  transmitterId: string,
  layout: RadioLayout,
  plan: AlignmentPlan,
  response: Float32Array,
): Reference | null => {
  const copy = response.slice()
  return centreDelay(plan, copy) ? { transmitterId, calibration: null, hops: 0, response: copy, layout } : null
}

/** Whether dynamic responses against this reference mean something yet. */
export const isUsable = (reference: Reference): boolean => reference.calibration !== null || reference.hops >= hopsMin

/**
 * Takes a hop's sum of dynamic responses (against this very reference) into the running mean: the first 100 s weigh
 * alike, then older ones are forgotten. Does nothing to a calibrated reference, or while something moves.
 */
export const followQuietHop = (reference: Reference, sum: Float32Array, frames: number, moving: boolean): void => {
  if (reference.calibration !== null || moving || frames === 0) return
  reference.hops++
  moveBy(reference.response, sum, 1 / (frames * Math.min(reference.hops + 1, runningHops)))
}

/** Replaces the reference by the mean of a calibration: the sum of all its dynamic responses against this reference. */
export const calibrate = (
  reference: Reference,
  calibration: LinkCalibration,
  sum: Float32Array,
  frames: number,
  hops: number,
): void => {
  moveBy(reference.response, sum, 1 / frames)
  reference.calibration = calibration
  reference.hops = hops
}

const moveBy = (response: Float32Array, sum: Float32Array, weight: number): void => {
  for (let v = 0; v < response.length; v++) response[v]! += sum[v]! * weight
  scaleToUnitRms(response)
}
