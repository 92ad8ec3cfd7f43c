/**
 * One link's part of an image of a room: the arrays for the likelihood of places.
 *
 * Boundary: `core/kernels/likelihood.ts` computes the score of places over links; `matched-field.ts` decides which
 * peaks are persons.
 */
import {
  type Cells,
  createShareTable,
  remainderWeight,
  shareAt,
  type ShareTable,
  typicalShare,
} from "../kernels/explained-power.ts"
import type { LikelihoodSizes, LinkArrays } from "../kernels/likelihood.ts"
import type { Vector3 } from "./geometry.ts"
import { type LinkState, writeCells } from "./link-state.ts"
import type { Remainder } from "./separation.ts"
import { tabulate } from "./steering.ts"

/** A link's part of one image. */
export interface LinkImage {
  readonly state: LinkState
  readonly table: ShareTable
  /** The prior share times its weight. */
  readonly prior: number
  /** Energy, and the noise energy in each direction. */
  readonly energy: number
  readonly noise: number
  /** Logarithm of the power of the sought echo, less noise. */
  readonly logPower: number
}

/** Minimum energy, which avoids division by zero and its logarithm. */
const energyMin = 1e-12

/** A link's image of its remainder, for a sought echo of `power`. */
export const createLinkImage = (state: LinkState, rest: Remainder, power: number): LinkImage => {
  const { antennas, size } = state.window
  let trace = 0
  for (let r = 0; r < size; r++) trace += rest.covariance[2 * (r * size + r)]!
  const energy = Math.max(trace, energyMin)
  const matched = tabulate(state.steering, rest.covariance)
  return {
    state,
    table: createShareTable(matched, state.freeTable, energy, antennas),
    prior: remainderWeight * typicalShare * Math.max(0, 1 - (rest.dimensions * rest.noise) / energy),
    energy,
    noise: rest.noise,
    logPower: Math.log(Math.max(power, energyMin)),
  }
}

/** The cells of `points` for links, [links][points][4]. */
export const cellsOf = (links: ReadonlyArray<LinkImage>, points: ReadonlyArray<Vector3>): Cells => {
  const cells = new Float32Array(4 * links.length * points.length)
  for (const [l, { state }] of links.entries()) writeCells(state, points, cells, 4 * l * points.length)
  return cells
}

/**
 * The links' part of the likelihood. Powers are relative to the mean over links, which does not change the result but
 * keeps float32 accurate.
 */
export const linkArraysOf = (
  links: ReadonlyArray<LinkImage>,
): LinkArrays & Pick<LikelihoodSizes, "antennas" | "entries" | "links"> => {
  const antennas = Math.max(...links.map(({ state }) => state.window.antennas))
  const entries = Math.max(...links.map(({ state }) => state.steering.vectors.length))
  const width = 2 * (2 * antennas - 1)
  const tables = new Float32Array(links.length * entries * width)
  const perLink = new Float32Array(2 * links.length)
  const mean = links.reduce((sum, { logPower }) => sum + logPower, 0) / links.length
  for (const [l, { logPower, prior, state, table }] of links.entries()) {
    const own = 2 * (2 * state.window.antennas - 1)
    const to = l * entries * width
    // A link with fewer antennas has no energy at the higher lags.
    if (own === width) tables.set(table, to)
    else {
      for (let i = 0; i < table.length / own; i++) tables.set(table.subarray(i * own, (i + 1) * own), to + i * width)
    }
    perLink[2 * l] = prior
    perLink[2 * l + 1] = logPower - mean
  }
  return { antennas, entries, links: links.length, tables, perLink }
}

/** Mean over links of the share of energy that is not noise. */
export const meanMotion = (links: ReadonlyArray<LinkImage>): number =>
  links.reduce((sum, { prior }) => sum + prior, 0) / (remainderWeight * typicalShare * links.length)

/** Mean over links of the share of energy from the point of the cells, less the share of noise in any direction. */
export const meanShare = (links: ReadonlyArray<LinkImage>, cells: Cells): number => {
  let sum = 0
  for (const [l, { energy, noise, prior, state, table }] of links.entries()) {
    sum += shareAt(table, state.window.antennas, prior, cells, 4 * l) - noise / energy
  }
  return Math.max(0, sum / links.length)
}
