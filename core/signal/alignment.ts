/**
 * Reference alignment: takes a packet's own phase, delay and gain out of its channel response.
 *
 * A receiver adds to every packet a carrier phase, a detection delay and a gain, common to its antennas:
 * H(k) = g e^{-j(phi + 2 pi k df tau)} (H0(k) + D(k)). Against the static response H0 they are estimated and undone:
 *
 *   X = H conj(H0)                      cross spectrum
 *   delta = arg sum X(k+1) conj(X(k))   delay, in radians per subcarrier, over neighbouring subcarriers and all rows
 *   H' = H e^{-j delta k}
 *   c = sum conj(H') H0 / sum |H'|^2    complex gain, by least squares
 *   D = c H' - H0                       dynamic response
 *
 * D stays linear in what moves, but for its part parallel to H0 (one of rows x tones complex dimensions), which the gain
 * takes. Boundary: where H0 comes from is `reference.ts`. No allocation per frame.
 */

/** What is the same for all frames of a layout. */
export interface AlignmentPlan {
  /** Receive antennas times transmit streams: responses that share the packet's phase, delay and gain. */
  readonly rows: number
  readonly tones: number
  readonly subcarrierIndices: Int16Array
  /** Distance of neighbours, in subcarriers, that the delay is estimated from: the commonest one of the layout. */
  readonly step: number
  /** Positions i for which i + 1 is a neighbour at that distance; a gap (the centre, a pilot) is left out. */
  readonly neighbours: Uint16Array
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
    rotation: new Float64Array(2 * tones),
  }
}

/**
 * Phase slope, radians per subcarrier, of `response` against `reference` (interleaved complex [row][tone]).
 * Unambiguous within +-pi / step.
 */
const slopeAgainst = (plan: AlignmentPlan, response: Float32Array, at: number, reference: Float32Array): number => {
  const { rows, tones, neighbours } = plan
  let re = 0
  let im = 0
  for (let row = 0; row < rows; row++) {
    const base = 2 * row * tones
    for (let n = 0; n < neighbours.length; n++) {
      const r = base + 2 * neighbours[n]!
      const h = at + r
      const x0re = response[h]! * reference[r]! + response[h + 1]! * reference[r + 1]!
      const x0im = response[h + 1]! * reference[r]! - response[h]! * reference[r + 1]!
      const x1re = response[h + 2]! * reference[r + 2]! + response[h + 3]! * reference[r + 3]!
      const x1im = response[h + 3]! * reference[r + 2]! - response[h + 2]! * reference[r + 3]!
      re += x1re * x0re + x1im * x0im
      im += x1im * x0re - x1re * x0im
    }
  }
  return Math.atan2(im, re) / plan.step
}

/** Fills the plan's rotation with e^{-j slope k}. */
const setRotation = (plan: AlignmentPlan, slopeRad: number): void => {
  const { rotation, subcarrierIndices, tones } = plan
  for (let i = 0; i < tones; i++) {
    const angle = -slopeRad * subcarrierIndices[i]!
    rotation[2 * i] = Math.cos(angle)
    rotation[2 * i + 1] = Math.sin(angle)
  }
}

/**
 * Aligns the response at `at` in `responses` to `reference` and writes D to `out` from index 0 (all interleaved complex
 * [row][tone]). Returns false, with `out` untouched, when the response or the reference has no power.
 */
export const alignToReference = (
  plan: AlignmentPlan,
  responses: Float32Array,
  at: number,
  reference: Float32Array,
  out: Float32Array,
): boolean => {
  const { rows, tones, rotation } = plan
  setRotation(plan, slopeAgainst(plan, responses, at, reference))
  let re = 0
  let im = 0
  let power = 0
  for (let row = 0, v = 0; row < rows; row++) {
    for (let i = 0; i < tones; i++, v += 2) {
      const hre = responses[at + v]!
      const him = responses[at + v + 1]!
      const are = hre * rotation[2 * i]! - him * rotation[2 * i + 1]!
      const aim = hre * rotation[2 * i + 1]! + him * rotation[2 * i]!
      re += are * reference[v]! + aim * reference[v + 1]!
      im += are * reference[v + 1]! - aim * reference[v]!
      power += hre * hre + him * him
    }
  }
  if (!(power > 0) || (re === 0 && im === 0)) return false
  const cre = re / power
  const cim = im / power
  for (let row = 0, v = 0; row < rows; row++) {
    for (let i = 0; i < tones; i++, v += 2) {
      const gre = cre * rotation[2 * i]! - cim * rotation[2 * i + 1]!
      const gim = cre * rotation[2 * i + 1]! + cim * rotation[2 * i]!
      const hre = responses[at + v]!
      const him = responses[at + v + 1]!
      out[v] = hre * gre - him * gim - reference[v]!
      out[v + 1] = hre * gim + him * gre - reference[v + 1]!
    }
  }
  return true
}

/**
 * Takes the bulk delay out of a response and scales it to an rms of 1, in place: the phase slope of the response itself,
 * averaged over rows with the power as weight, becomes 0. Returns false when it has no power.
 */
export const centreDelay = (plan: AlignmentPlan, response: Float32Array): boolean => {
  const { rows, tones, rotation } = plan
  const flat = new Float32Array(response.length)
  for (let v = 0; v < flat.length; v += 2) flat[v] = 1
  setRotation(plan, slopeAgainst(plan, response, 0, flat))
  for (let row = 0, v = 0; row < rows; row++) {
    for (let i = 0; i < tones; i++, v += 2) {
      const re = response[v]! * rotation[2 * i]! - response[v + 1]! * rotation[2 * i + 1]!
      response[v + 1] = response[v]! * rotation[2 * i + 1]! + response[v + 1]! * rotation[2 * i]!
      response[v] = re
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
