/**
 * The static response H0 of a link: its channel when nothing moves in the room.
 *
 * Owns its estimation: from a timed calibration of the empty room, averaged after alignment and then kept unchanged, or
 * as a running mean that pauses during motion. `calibration` tells the two apart. The state is plain data and is
 * persisted.
 *
 * Invariants: `response` has an rms of 1 and no bulk delay, so the dynamic response is relative to the static one, and
 * delay 0 is that of the static response's strongest path (within a room, the direct one).
 */
import type { RadioLayout } from "../formats/csi-batch.ts"
import { type AlignmentPlan, centreDelay, scaleToUnitRms } from "./alignment.ts"
import type { LinkCalibration } from "./calibration.ts"

/** Time constant of the running mean, in hops: 100 s. */
const runningHops = 1000

/** Hops with packets before the running mean is usable: 1 s. */
const hopsMin = 10

/** The static response of one link, in its persisted form. */
export interface Reference {
  readonly transmitterId: string
  /** Data of a timed calibration of the empty room; null for a running mean. */
  calibration: LinkCalibration | null
  /** Number of averaged hops. */
  hops: number
  /** Interleaved complex [rx][tx][subcarrier]. */
  readonly response: Float32Array
  /** The channel that it is valid for. */
  readonly layout: RadioLayout
}

/** Starts a reference with the response of one frame; null when it has no power. */
export const beginReference = (
  transmitterId: string,
  layout: RadioLayout,
  plan: AlignmentPlan,
  response: Float32Array,
): Reference | null => {
  const copy = response.slice()
  return centreDelay(plan, copy) ? { transmitterId, calibration: null, hops: 0, response: copy, layout } : null
}

/** Whether dynamic responses against this reference are meaningful. */
export const isUsable = (reference: Reference): boolean => reference.calibration !== null || reference.hops >= hopsMin

/**
 * Adds a hop's sum of dynamic responses (against this same reference) to the running mean: the first 100 s have equal
 * weight, then older ones decay. Leaves a calibrated reference unchanged, and every reference during motion.
 */
export const followQuietHop = (reference: Reference, sum: Float32Array, frames: number, moving: boolean): void => {
  if (reference.calibration !== null || moving || frames === 0) return
  reference.hops++
  moveBy(reference.response, sum, 1 / (frames * Math.min(reference.hops + 1, runningHops)))
}

/** Restarts a running mean with another static response: the mean dynamic response against the old one is added to it. */
export const restartReference = (reference: Reference, mean: Float32Array): void => {
  moveBy(reference.response, mean, 1)
  reference.hops = 0
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
