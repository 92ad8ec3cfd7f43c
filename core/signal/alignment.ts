/**
 * Reference alignment: removes the packet's own phase, delay and gain from its channel response.
 *
 * A receiver adds a carrier phase, a detection delay and a gain to every packet, common to its antennas:
 * H(k) = g e^{-j(phi + 2 pi k df tau)} (H0(k) + D(k)). They are estimated against the static response H0 and undone:
 *
 *   X(k) = sum over rows of H conj(H0)          cross spectrum
 *   delta = arg sum X(k+1) conj(X(k))           delay, radians per subcarrier: a first estimate without phase wraps
 *   delta -> argmax |sum X(k) e^{-j delta k}|   two Newton steps: the least-squares delay, 2 to 4 times less noisy
 *   H' = H e^{-j delta k}
 *   c = sum conj(H') H0 / sum |H'|^2            complex gain, by least squares
 *   D = c H' - H0                               dynamic response
 *
 * D is linear in the moving echoes, except for their parts parallel to H0 and to k H0 (two of rows x tones complex
 * dimensions), which the gain and the delay absorb. Boundary: `reference.ts` provides H0. No allocation per frame.
 */
import { strongestSlope } from "./strongest-path.ts"

/** The data that all frames of a layout share. */
export interface AlignmentPlan {
  /** Receive antennas times transmit streams: the responses that share the packet's phase, delay and gain. */
  readonly rows: number
  readonly tones: number
  readonly subcarrierIndices: Int16Array
  /** Distance of the neighbours that the delay is estimated from, in subcarriers: the most common one of the layout. */
  readonly step: number
  /** Positions i for which i + 1 is a neighbour at that distance; gaps (the centre, a pilot) are excluded. */
  readonly neighbours: Uint16Array
  /** 1 for each position whose predecessor is a neighbour, else 0. */
  readonly turns: Uint8Array
  /** Scratch: the cross spectrum by tone. */
  readonly cross: Float64Array
  /** Scratch: e^{-j delta k} by tone. */
  readonly rotation: Float64Array
}

export const createAlignmentPlan = (rows: number, subcarrierIndices: Int16Array): AlignmentPlan => {
  const tones = subcarrierIndices.length
  const counts = new Map<number, number>()
  for (let i = 1; i < tones; i++) {
    const step = subcarrierIndices[i]! - subcarrierIndices[i - 1]!
    counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  let step = 1
  for (const [candidate, count] of counts) if (count > (counts.get(step) ?? 0)) step = candidate
  const neighbours: Array<number> = []
  for (let i = 0; i + 1 < tones; i++) {
    if (subcarrierIndices[i + 1]! - subcarrierIndices[i]! === step) neighbours.push(i)
  }
  return {
    rows,
    tones,
    subcarrierIndices,
    step,
    neighbours: Uint16Array.from(neighbours),
    turns: Uint8Array.from({ length: tones }, (_, i) => neighbours.includes(i - 1) ? 1 : 0),
    cross: new Float64Array(2 * tones),
    rotation: new Float64Array(2 * tones),
  }
}

const newtonSteps = 2

/** Fills the plan's cross spectrum with sum over rows of H conj(H0); returns the power of H. */
const setCross = (plan: AlignmentPlan, responses: Float32Array, at: number, reference: Float32Array): number => {
  const { cross, rows, tones } = plan
  cross.fill(0)
  let power = 0
  for (let row = 0, v = 0; row < rows; row++) {
    for (let i = 0; i < 2 * tones; i += 2, v += 2) {
      const hre = responses[at + v]!
      const him = responses[at + v + 1]!
      const rre = reference[v]!
      const rim = reference[v + 1]!
      cross[i]! += hre * rre + him * rim
      cross[i + 1]! += him * rre - hre * rim
      power += hre * hre + him * him
    }
  }
  return power
}

/**
 * Phase slope of the plan's cross spectrum, radians per subcarrier, estimated from neighbours. Unambiguous within +-pi
 * / step.
 */
const guessSlope = ({ cross, neighbours, step }: AlignmentPlan): number => {
  let re = 0
  let im = 0
  for (let n = 0; n < neighbours.length; n++) {
    const i = 2 * neighbours[n]!
    re += cross[i + 2]! * cross[i]! + cross[i + 3]! * cross[i + 1]!
    im += cross[i + 3]! * cross[i]! - cross[i + 2]! * cross[i + 1]!
  }
  return Math.atan2(im, re) / step
}

/**
 * Newton steps to the slope that maximises f = |S0|^2, S_n = sum k^n X(k) e^{-j slope k}: f' = 2 Im(conj(S0) S1), f'' =
 * 2 (|S1|^2 - Re(conj(S0) S2)). Leaves the rotation at the slope. Keeps the guess where the curvature is not negative.
 */
const refineSlope = (plan: AlignmentPlan, guess: number): void => {
  let slope = guess
  for (let round = 0; round < newtonSteps; round++) {
    const step = newtonStep(plan, slope)
    if (step === null) return
    slope -= step
  }
  setRotation(plan, slope)
}

/**
 * Sets the rotation at a slope and sums the moments with it, in one pass: a turn waits for the one before, and the sums fill the time.
 * Returns how far the slope is from the maximum; null where the curvature is not negative.
 */
const newtonStep = (plan: AlignmentPlan, slopeRad: number): number | null => {
  const { cross, rotation, subcarrierIndices, tones, turns } = plan
  const { step } = plan
  const stepRe = Math.cos(slopeRad * step)
  const stepIm = -Math.sin(slopeRad * step)
  let turnRe = 0, turnIm = 0
  let re0 = 0, im0 = 0, re1 = 0, im1 = 0, re2 = 0, im2 = 0
  for (let i = 0; i < tones; i++) {
    const k = subcarrierIndices[i]!
    if (turns[i] === 1) {
      const before = turnRe
      turnRe = before * stepRe - turnIm * stepIm
      turnIm = before * stepIm + turnIm * stepRe
    } else {
      turnRe = Math.cos(slopeRad * k)
      turnIm = -Math.sin(slopeRad * k)
    }
    rotation[2 * i] = turnRe
    rotation[2 * i + 1] = turnIm
    const re = cross[2 * i]! * turnRe - cross[2 * i + 1]! * turnIm
    const im = cross[2 * i]! * turnIm + cross[2 * i + 1]! * turnRe
    re0 += re
    im0 += im
    re1 += k * re
    im1 += k * im
    re2 += k * k * re
    im2 += k * k * im
  }
  const curvature = re1 * re1 + im1 * im1 - (re0 * re2 + im0 * im2)
  return curvature < 0 ? (re0 * im1 - im0 * re1) / curvature : null
}

/** Fills the plan's rotation with e^{-j slope k}; by recurrence for neighbours at the most common distance. */
const setRotation = ({ rotation, step, subcarrierIndices, tones, turns }: AlignmentPlan, slopeRad: number): void => {
  const stepRe = Math.cos(slopeRad * step)
  const stepIm = -Math.sin(slopeRad * step)
  let re = 0
  let im = 0
  for (let i = 0; i < tones; i++) {
    if (turns[i] === 1) {
      const before = re
      re = before * stepRe - im * stepIm
      im = before * stepIm + im * stepRe
    } else {
      re = Math.cos(slopeRad * subcarrierIndices[i]!)
      im = -Math.sin(slopeRad * subcarrierIndices[i]!)
    }
    rotation[2 * i] = re
    rotation[2 * i + 1] = im
  }
}

/**
 * Aligns the response at `at` in `responses` to `reference` and writes D to `out` from `to` (all interleaved complex
 * [row][tone]). Returns the gain |c|, or 0 with `out` unchanged when the response or the reference has no power.
 */
export const alignToReference = (
  plan: AlignmentPlan,
  responses: Float32Array,
  at: number,
  reference: Float32Array,
  out: Float32Array,
  to: number,
): number => {
  const { cross, rows, rotation, tones } = plan
  const power = setCross(plan, responses, at, reference)
  refineSlope(plan, guessSlope(plan))
  // The sum of conj(H') H0 is the conjugate of the sum of the rotated cross spectrum.
  let re = 0
  let im = 0
  for (let i = 0; i < 2 * tones; i += 2) {
    const crossRe = cross[i]!
    const crossIm = cross[i + 1]!
    const turnRe = rotation[i]!
    const turnIm = rotation[i + 1]!
    re += crossRe * turnRe - crossIm * turnIm
    im -= crossRe * turnIm + crossIm * turnRe
  }
  if (!(power > 0) || (re === 0 && im === 0)) return 0
  const cre = re / power
  const cim = im / power
  for (let i = 0; i < 2 * tones; i += 2) {
    const gre = cre * rotation[i]! - cim * rotation[i + 1]!
    rotation[i + 1] = cre * rotation[i + 1]! + cim * rotation[i]!
    rotation[i] = gre
  }
  for (let row = 0, v = 0; row < rows; row++) {
    for (let i = 0; i < 2 * tones; i += 2, v += 2) {
      const hre = responses[at + v]!
      const him = responses[at + v + 1]!
      const turnRe = rotation[i]!
      const turnIm = rotation[i + 1]!
      out[to + v] = hre * turnRe - him * turnIm - reference[v]!
      out[to + v + 1] = hre * turnIm + him * turnRe - reference[v + 1]!
    }
  }
  return Math.hypot(cre, cim)
}

/**
 * Removes the delay of its strongest path from a response and scales it to an rms of 1, in place. Returns false when it
 * has no power.
 */
export const centreDelay = (plan: AlignmentPlan, response: Float32Array): boolean => {
  const { rotation, rows, subcarrierIndices, tones } = plan
  setRotation(plan, strongestSlope(response, rows, subcarrierIndices))
  for (let row = 0, v = 0; row < rows; row++) {
    for (let i = 0; i < tones; i++, v += 2) {
      const turned = response[v]! * rotation[2 * i]! - response[v + 1]! * rotation[2 * i + 1]!
      response[v + 1] = response[v]! * rotation[2 * i + 1]! + response[v + 1]! * rotation[2 * i]!
      response[v] = turned
    }
  }
  return scaleToUnitRms(response)
}

/** Scales a complex response to an rms of 1, in place. Returns false when it has no power. */
export const scaleToUnitRms = (response: Float32Array): boolean => {
  let power = 0
  for (let v = 0; v < response.length; v++) power += response[v]! * response[v]!
  if (!(power > 0)) return false
  const scale = Math.sqrt(response.length / 2 / power)
  for (let v = 0; v < response.length; v++) response[v]! *= scale
  return true
}
