/**
 * Separation: the energy that each of several bodies returns on a link, band by band, and the weight of a band for one
 * of them.
 *
 * Persons are separated by motion more than by place: an array of three antennas does not resolve two of them in a
 * room, but one dominates in most Doppler bands of a link. So nothing is projected out. The weight of a band for a body
 * falls with the energy that the others return in it, because a point model omits as much of a body (its extent, its
 * echoes by way of walls) as it explains.
 */
import type { BandMoments } from "./doppler-bands.ts"
import type { Vector3 } from "./geometry.ts"
import { deflate, type HermitianMatrix, inner, innerPower, outsideOf } from "./hermitian.ts"
import type { LinkState } from "./link-state.ts"
import { formOf, powerAlong, unpack } from "./packed-hermitian.ts"
import { bearingOf, steeringVector } from "./steering.ts"

/** One link's window. */
export interface LinkView {
  readonly state: LinkState
  readonly moments: BandMoments
}

/** A body as seen by one link. */
export interface BodyView {
  /** The place's steering vector outside the aligned directions; and its energy, at most 1. */
  readonly vector: Float64Array
  readonly norm: number
  /** Energy along it in each band, less noise. */
  readonly along: Float64Array
}

/** The view of a place on a link. */
export const bodyViewOf = (
  { moments: { covariances, noise }, state: { aligned, steering } }: LinkView,
  place: Vector3,
): BodyView => {
  const vector = outsideOf(aligned, steeringVector(steering, bearingOf(steering, place)))
  const [norm] = inner(vector, vector)
  const form = formOf(vector)
  const along = new Float64Array(covariances.length)
  for (let band = 0; band < along.length; band++) {
    along[band] = powerAlong(covariances[band]!, form) - noise[band]! * norm
  }
  return { vector, norm, along }
}

/** Regularisation of directions that alignment mostly removes; elsewhere it lowers energies by 5 %. */
const remainderMin = 0.05
/**
 * Gauss-Seidel sweeps: enough for bodies in different directions; bodies in the same direction cannot be separated
 * anyway.
 */
const sweeps = 8
/** Minimum noise of a bin, which avoids division by zero. */
const noiseMin = 1e-12

/** Energy that each body returns in each band, [body][band], less noise: non-negative least squares of the energies. */
export const energiesOf = (bodies: ReadonlyArray<BodyView>): ReadonlyArray<Float64Array> => {
  const overlaps = bodies.map(({ vector: a }, i) =>
    bodies.map(({ vector: b }, j) => innerPower(a, b) + (i === j ? remainderMin : 0))
  )
  const energies = bodies.map(({ along }) => new Float64Array(along.length))
  const bands = energies[0]?.length ?? 0
  for (let sweep = 0; sweep < (bodies.length > 1 ? sweeps : 1); sweep++) {
    for (let i = 0; i < bodies.length; i++) {
      const { along } = bodies[i]!
      const overlap = overlaps[i]!
      const own = energies[i]!
      own.set(along)
      for (let j = 0; j < bodies.length; j++) {
        if (j === i) continue
        const share = overlap[j]!
        const other = energies[j]!
        for (let band = 0; band < bands; band++) own[band]! -= share * other[band]!
      }
      const whole = overlap[i]!
      for (let band = 0; band < bands; band++) own[band] = Math.max(0, own[band]! / whole)
    }
  }
  return energies
}

/** Weight of each moving band beside bodies that return `others`; band 0, which is static, has weight 0. */
export const weightsBeside = (
  { moments: { noise }, state: { plan } }: LinkView,
  others: ReadonlyArray<Float64Array>,
): Float64Array => {
  const noisePerBin = Math.max(noise[1]! / plan.binsOfBand[1]!, noiseMin)
  const weights = new Float64Array(noise.length)
  for (let band = 1; band < weights.length; band++) {
    let other = 0
    for (let i = 0; i < others.length; i++) other += others[i]![band]!
    weights[band] = noisePerBin / (noisePerBin + other / plan.binsOfBand[band]!)
  }
  return weights
}

/** The weighted sum of a link's bands. */
export interface Remainder {
  readonly covariance: HermitianMatrix
  /** Number of directions that the energy is spread over. */
  readonly dimensions: number
  /** Noise energy in each of them. */
  readonly noise: number
}

/** The weighted sum of the bands of a link. */
export const remainderOf = ({ moments, state }: LinkView, weights: Float64Array): Remainder => {
  const { aligned, window } = state
  const packed = new Float64Array(window.size * window.size)
  let noise = 0
  for (let band = 0; band < weights.length; band++) {
    const of = moments.covariances[band]!
    const weight = weights[band]!
    if (weight === 0) continue
    for (let i = 0; i < packed.length; i++) packed[i]! += weight * of[i]!
    noise += weight * moments.noise[band]!
  }
  const covariance = unpack(packed, window.size)
  for (const u of aligned) deflate(covariance, u)
  return { covariance, dimensions: window.size - aligned.length, noise }
}
