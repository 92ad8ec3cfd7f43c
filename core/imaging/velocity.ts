/**
 * Velocity of a body from the Doppler shifts that its links see.
 *
 * A path over a body shortens at v . (u_tx + u_rx), u from the body to the nodes: each link measures one component of the velocity, and
 * limbs, other persons and echoes by way of walls spread it. So the velocity is the one that most links agree on: the maximum of
 *
 *   sum over links of ln(1 + contrast S_l(v . g_l)),   S_l the spectrum of the body on link l, over its mean.
 */
import type { Vector3 } from "./geometry.ts"
import { innerPower } from "./hermitian.ts"
import type { LinkView } from "./separation.ts"

/** Velocity on the floor plan, m/s; standard deviation per axis. */
export interface Velocity {
  readonly x: number
  readonly y: number
  readonly sigmaMps: number
}

/** How much a link may say at most: with 1, agreement of many outweighs a strong line of one. */
const contrast = 1
const speedMaxMps = 2
const coarseStepMps = 0.2
const fineStepsMps = [0.1, 0.05]
/** Least standard deviation: a body is no point. And that where the links agree on nothing. */
const sigmaMinMps = 0.08
const sigmaMaxMps = 1
/** Step that the curvature at the maximum is taken over. */
const curvatureStepMps = 0.1

/** What one link says of a velocity. */
interface Line {
  /** Over the bins, with a mean of 1. */
  readonly spectrum: Float64Array
  readonly binMps: number
  /** Shortening of the path per metre that the body goes along x and y. */
  readonly gx: number
  readonly gy: number
}

/** Unit vector from a place to another, along x and y. */
const unit = (from: Vector3, to: Vector3): readonly [number, number] => {
  const [x, y, z] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]]
  const d = Math.max(0.1, Math.sqrt(x * x + y * y + z * z))
  return [x / d, y / d]
}

/** Spectrum of what comes from a body, smoothed over a person's own spread and scaled to a mean of 1. */
const lineOf = (view: LinkView, vector: Float64Array, weights: Float64Array, place: Vector3): Line => {
  const { moments: { spectrum }, state: { plan, steering, window: { size } } } = view
  const { bandOfBin, binMps, bins } = plan
  const powers = new Float64Array(bins)
  for (let bin = 0; bin < bins; bin++) {
    powers[bin] = weights[bandOfBin[bin]!]! * innerPower(vector, spectrum, 2 * size * bin)
  }
  const smooth = Float64Array.from(
    powers,
    (power, i) => 0.5 * power + 0.25 * (powers[(i + 1) % bins]! + powers[(i + bins - 1) % bins]!),
  )
  const total = smooth.reduce((sum, value) => sum + value, 0)
  const [tx, ty] = unit(place, steering.transmitter)
  const [rx, ry] = unit(place, steering.receiver)
  return { spectrum: smooth.map((value) => (value * bins) / Math.max(total, 1e-30)), binMps, gx: tx + rx, gy: ty + ry }
}

/** How well the links agree on a velocity; spectra are periodic, so what is too fast for them aliases. */
const agreement = (lines: ReadonlyArray<Line>, x: number, y: number): number => {
  let sum = 0
  // The logarithm of a product is that of many: with at most `bins` each, 64 of them stay far below the greatest number.
  let product = 1
  for (let l = 0; l < lines.length; l++) {
    const { binMps, gx, gy, spectrum } = lines[l]!
    const place = (x * gx + y * gy) / binMps
    const low = Math.floor(place)
    const rest = place - low
    const bins = spectrum.length
    const i = ((low % bins) + bins) % bins
    const value = (1 - rest) * spectrum[i]! + rest * spectrum[i + 1 === bins ? 0 : i + 1]!
    product *= 1 + contrast * value
    if ((l & 63) === 63) {
      sum += Math.log(product)
      product = 1
    }
  }
  return sum + Math.log(product)
}

/**
 * Velocity of a body at a place, of which each link has a steering vector, [link][antenna][basis function], and the weights of its
 * bands, [link][band].
 */
export const velocityOf = (
  views: ReadonlyArray<LinkView>,
  place: Vector3,
  vectors: ReadonlyArray<Float64Array>,
  weights: ReadonlyArray<Float64Array>,
): Velocity => {
  const lines = views.map((view, l) => lineOf(view, vectors[l]!, weights[l]!, place))
  let best = { x: 0, y: 0, value: agreement(lines, 0, 0) }
  const look = (x: number, y: number): void => {
    const value = agreement(lines, x, y)
    if (value > best.value) best = { x, y, value }
  }
  const reach = Math.round(speedMaxMps / coarseStepMps)
  for (let i = -reach; i <= reach; i++) for (let j = -reach; j <= reach; j++) look(i * coarseStepMps, j * coarseStepMps)
  for (const step of fineStepsMps) {
    const { x, y } = best
    for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) look(x + i * step, y + j * step)
  }
  const { x, y, value } = best
  const curvature = (dx: number, dy: number): number =>
    (2 * value - agreement(lines, x + dx, y + dy) - agreement(lines, x - dx, y - dy)) / curvatureStepMps ** 2
  const information = Math.min(curvature(curvatureStepMps, 0), curvature(0, curvatureStepMps))
  const spreadMps = information > 0 ? 1 / Math.sqrt(information) : sigmaMaxMps
  return { x, y, sigmaMps: Math.hypot(sigmaMinMps, spreadMps) }
}
