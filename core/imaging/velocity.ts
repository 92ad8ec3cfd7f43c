/**
 * Velocity of a body from the Doppler shifts of its links.
 *
 * A path over a body shortens at v . (u_tx + u_rx), u from the body to the nodes. So each link measures one component
 * of the velocity, and limbs, other persons and echoes by way of walls spread it. The result is the velocity that most
 * links agree on: the maximum of
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
  /** Mean over links of ln(1 + contrast S): about 2 for a walker alone, below 1.2 for the blades of a fan, which have all speeds at once. */
  readonly agreement: number
}

/** Limits the weight of a single link: with 1, the agreement of many outweighs a strong line of one. */
const contrast = 1
const speedMaxMps = 2
const coarseStepMps = 0.2
const fineStepsMps = [0.1, 0.05]
/** Minimum standard deviation, because a body is not a point; and the one without any agreement. */
const sigmaMinMps = 0.08
const sigmaMaxMps = 1
/** Step of the curvature at the maximum. */
const curvatureStepMps = 0.1

/** One link's likelihood factors over velocity. */
interface Line {
  /** 1 + contrast S over the bins, whose number is a power of two, with the first one repeated at the end. */
  readonly factors: Float64Array
  /** Bins per m/s of the body's velocity along x and y. */
  readonly perX: number
  readonly perY: number
}

/** Unit vector from one place to another, x and y components. */
const unit = (from: Vector3, to: Vector3): readonly [number, number] => {
  const [x, y, z] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]]
  const d = Math.max(0.1, Math.sqrt(x * x + y * y + z * z))
  return [x / d, y / d]
}

/**
 * The likelihood factors of a link: the spectrum of the body's direction, smoothed over a person's own spread and
 * scaled to a mean of 1.
 */
const lineOf = (view: LinkView, vector: Float64Array, weights: Float64Array, place: Vector3): Line => {
  const { moments: { spectrum }, state: { plan, steering, window: { size } } } = view
  const { bandOfBin, binMps, bins } = plan
  const powers = new Float64Array(bins)
  for (let bin = 0; bin < bins; bin++) {
    powers[bin] = weights[bandOfBin[bin]!]! * innerPower(vector, spectrum, 2 * size * bin)
  }
  const factors = new Float64Array(bins + 1)
  let total = 0
  for (let bin = 0; bin < bins; bin++) {
    const beside = powers[bin + 1 === bins ? 0 : bin + 1]! + powers[bin === 0 ? bins - 1 : bin - 1]!
    total += factors[bin] = 0.5 * powers[bin]! + 0.25 * beside
  }
  const scale = (contrast * bins) / Math.max(total, 1e-30)
  for (let bin = 0; bin < bins; bin++) factors[bin] = 1 + scale * factors[bin]!
  factors[bins] = factors[0]!
  const [tx, ty] = unit(place, steering.transmitter)
  const [rx, ry] = unit(place, steering.receiver)
  return { factors, perX: (tx + rx) / binMps, perY: (ty + ry) / binMps }
}

/**
 * Links whose factors are multiplied before the logarithm is taken: each factor is at most `bins`, so no product
 * overflows.
 */
const productLinks = 64

/**
 * Agreement of the links on velocities along y from `y0` in steps, all with the same `x`, written to `out`. Spectra are
 * periodic, so higher speeds alias.
 */
const agreeAlong = (
  lines: ReadonlyArray<Line>,
  x: number,
  y0: number,
  stepY: number,
  out: Float64Array,
): void => {
  const products = new Float64Array(out.length).fill(1)
  out.fill(0)
  for (let l = 0; l < lines.length; l++) {
    const { factors, perX, perY } = lines[l]!
    const mask = factors.length - 2
    for (let j = 0; j < out.length; j++) {
      const place = x * perX + (y0 + j * stepY) * perY
      const low = Math.floor(place)
      const rest = place - low
      const bin = low & mask
      products[j]! *= (1 - rest) * factors[bin]! + rest * factors[bin + 1]!
    }
    if ((l + 1) % productLinks !== 0 && l + 1 < lines.length) continue
    for (let j = 0; j < out.length; j++) {
      out[j]! += Math.log(products[j]!)
      products[j] = 1
    }
  }
}

/** A velocity and the links' agreement on it. */
interface Agreed {
  readonly x: number
  readonly y: number
  readonly value: number
}

/** The best of a square of velocities around the best one so far. */
const bestAround = (lines: ReadonlyArray<Line>, best: Agreed, reach: number, stepMps: number): Agreed => {
  const values = new Float64Array(2 * reach + 1)
  let found = best
  for (let i = -reach; i <= reach; i++) {
    const x = best.x + i * stepMps
    const y0 = best.y - reach * stepMps
    agreeAlong(lines, x, y0, stepMps, values)
    for (let j = 0; j < values.length; j++) {
      if (values[j]! > found.value) found = { x, y: best.y + (j - reach) * stepMps, value: values[j]! }
    }
  }
  return found
}

/**
 * Velocity of a body at a place, given its steering vector on each link, [link][antenna][basis function], and the
 * weights of the bands, [link][band].
 */
export const velocityOf = (
  views: ReadonlyArray<LinkView>,
  place: Vector3,
  vectors: ReadonlyArray<Float64Array>,
  weights: ReadonlyArray<Float64Array>,
): Velocity => {
  const lines = views.map((view, l) => lineOf(view, vectors[l]!, weights[l]!, place))
  const one = new Float64Array(1)
  const agreement = (x: number, y: number): number => {
    agreeAlong(lines, x, y, 0, one)
    return one[0]!
  }
  let best: Agreed = { x: 0, y: 0, value: agreement(0, 0) }
  best = bestAround(lines, best, Math.round(speedMaxMps / coarseStepMps), coarseStepMps)
  for (const step of fineStepsMps) best = bestAround(lines, best, 1, step)
  const { x, y, value } = best
  const curvature = (dx: number, dy: number): number =>
    (2 * value - agreement(x + dx, y + dy) - agreement(x - dx, y - dy)) / curvatureStepMps ** 2
  const information = Math.min(curvature(curvatureStepMps, 0), curvature(0, curvatureStepMps))
  const spreadMps = information > 0 ? 1 / Math.sqrt(information) : sigmaMaxMps
  return { x, y, sigmaMps: Math.hypot(sigmaMinMps, spreadMps), agreement: value / views.length }
}
