/**
 * The likelihood of positions over all links of a room, on the arrays of the kernel `matched-field.ts`. It is the kernel's
 * reference.
 *
 * Log-likelihood ratio of a body at a point, up to a constant:
 *
 *   looks sum over links of -ln(1 - share) - (sum z^2 - (sum z)^2 / links) / (2 sigma^2),   z = ln(power) + ln((d1 d2 / d0)^2)
 *
 * The first term is the matched energy with an unknown complex gain per link, the second the bistatic range law: energy
 * d1^2 d2^2 is about the same for all links.
 */
import { type Cells, shareAt } from "./explained-power.ts"

/**
 * Effective number of independent looks in a window. A body is many scatterers, so the snapshots of a window agree with
 * each other far more than with the steering of one point. The value is from simulated walks and only weights the two
 * terms.
 */
export const looks = 40

/** Standard deviation of z over links, in nepers, from the aspect of a body and the multipath of a link. */
const rangeLawSigma = 1.4
export const rangeLawWeight = 0.5 / rangeLawSigma ** 2

/**
 * Links whose factors are multiplied before the logarithm is taken: each is at least 1 - `shareMax`, so no product
 * underflows.
 */
const productLinks = 64

/** Sizes of a room's arrays. */
export interface LikelihoodSizes {
  readonly points: number
  readonly links: number
  /** Path lengths per table: the maximum over the links. */
  readonly entries: number
  readonly antennas: number
}

/** The arrays of the links. */
export interface LinkArrays {
  /** Share tables, [links][entries][2 antennas - 1][2]. */
  readonly tables: Float32Array
  /** Prior of the share and ln(power), [links][2]. */
  readonly perLink: Float32Array
}

/** Writes the likelihood of each point to `output`; cells are [links][points][4]. */
export const likelihoodOf = (
  { antennas, entries, links, points }: LikelihoodSizes,
  { perLink, tables }: LinkArrays,
  cells: Cells,
  output: Float32Array | Float64Array,
): void => {
  const fit = new Float64Array(points)
  const left = new Float64Array(points).fill(1)
  const sum = new Float64Array(points)
  const squares = new Float64Array(points)
  const length = 2 * entries * (2 * antennas - 1)
  for (let link = 0; link < links; link++) {
    const table = tables.subarray(link * length, (link + 1) * length)
    const prior = perLink[2 * link]!
    const logPower = perLink[2 * link + 1]!
    for (let point = 0; point < points; point++) {
      const cell = 4 * (link * points + point)
      left[point]! *= 1 - shareAt(table, antennas, prior, cells, cell)
      const z = logPower + cells[cell + 3]!
      sum[point]! += z
      squares[point]! += z * z
    }
    if ((link + 1) % productLinks !== 0 && link + 1 < links) continue
    for (let point = 0; point < points; point++) {
      fit[point]! -= looks * Math.log(left[point]!)
      left[point] = 1
    }
  }
  for (let i = 0; i < points; i++) {
    output[i] = fit[i]! - rangeLawWeight * (squares[i]! - (sum[i]! * sum[i]!) / links)
  }
}
