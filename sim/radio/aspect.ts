/**
 * Aspect: amplitude and phase of a scatterer as a function of the direction.
 *
 * The cross section of a scatterer is log-normal over links with 0.5 Np (of power) and drifts as the body turns, as in Swerling's
 * models. Both come from a smooth random function of the bearing in the body's frame, a sum of three harmonics, one function per
 * point. The factor of a link is the product of those of its two nodes, which makes it reciprocal.
 */
import { type Random, uniformIn } from "../randomness/random.ts"

const harmonics = 3
/** Coefficients per point: cosine and sine of each harmonic, for level and phase, and a constant phase. */
const stride = 4 * harmonics + 1

/** Random functions of a mover's points, drawn once. */
export interface Aspect {
  readonly coefficients: Float64Array
}

/** Half of a link's log-amplitude deviation: 0.25 Np for two independent ends. */
const levelSigmaNp = 0.25 / Math.SQRT2
/** The phase centre moves by about a centimetre at 2.4 GHz when the direction to a limb changes. */
const phaseSigmaRad = 0.4

export const createAspect = (points: number, random: Random): Aspect => {
  const coefficients = new Float64Array(points * stride)
  for (let point = 0; point < points; point++) {
    for (let m = 0; m < harmonics; m++) {
      const at = point * stride + 4 * m
      coefficients[at] = (levelSigmaNp * random.normal()) / Math.sqrt(harmonics)
      coefficients[at + 1] = (levelSigmaNp * random.normal()) / Math.sqrt(harmonics)
      coefficients[at + 2] = (phaseSigmaRad * random.normal()) / Math.sqrt(harmonics)
      coefficients[at + 3] = (phaseSigmaRad * random.normal()) / Math.sqrt(harmonics)
    }
    coefficients[point * stride + 4 * harmonics] = uniformIn(random, 0, Math.PI)
  }
  return { coefficients }
}

/**
 * Writes the complex factor (re, im) of `point` to `out`, for the bearing with cosine `cos` and sine `sin` in the body's frame.
 */
export const writeAspect = (
  { coefficients }: Aspect,
  point: number,
  cos: number,
  sin: number,
  out: Float64Array,
): void => {
  let level = 0
  let phase = coefficients[point * stride + 4 * harmonics]!
  let c = 1
  let s = 0
  for (let m = 0; m < harmonics; m++) {
    const next = c * cos - s * sin
    s = c * sin + s * cos
    c = next
    const at = point * stride + 4 * m
    level += coefficients[at]! * c + coefficients[at + 1]! * s
    phase += coefficients[at + 2]! * c + coefficients[at + 3]! * s
  }
  const amplitude = Math.exp(level)
  out[0] = amplitude * Math.cos(phase)
  out[1] = amplitude * Math.sin(phase)
}
