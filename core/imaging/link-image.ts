/**
 * One link's part in the image of a room.
 *
 * Owns the grid of the floor plan, what a link keeps between hops, and its image of one window. Boundary: the score of places over
 * links is `likelihood.ts`; which peaks of it are persons is decided in `matched-field.ts`.
 */
import type { Observation } from "../signal/observation.ts"
import type { RadioNode, SiteGeometry, Vector3 } from "./geometry.ts"
import { deflate, type HermitianMatrix, identity, orthonormal } from "./hermitian.ts"
import type { LikelihoodSizes, LinkArrays } from "./likelihood.ts"
import { createLinkWindow, type LinkMoments, type LinkWindow } from "./link-window.ts"
import { type Cells, createShareTable, remainderWeight, shareAt, type ShareTable, typicalShare } from "./share.ts"
import {
  bearingOf,
  createSteering,
  type LagTable,
  placeOf,
  reachOf,
  type Steering,
  steeringVector,
  tabulate,
  timesFrequency,
} from "./steering.ts"
import { createToneBasis } from "./tone-basis.ts"

/** Height that is imaged: the torso, which returns half of a body's energy. */
const imagedHeightM = 1
const gridStepM = 0.25
const gridCellsMax = 4096
const marginM = 0.3

/** Points of the floor plan that are scored, row by row. */
export interface Grid {
  readonly points: ReadonlyArray<Vector3>
  readonly columns: number
  readonly stepM: number
}

/** What a link keeps between hops. */
export interface LinkState {
  readonly window: LinkWindow
  readonly steering: Steering
  /** Names the radio layout; a link starts anew when it changes. */
  readonly layout: string
  readonly directM: number
  readonly gridCells: Cells
  /** Directions that the alignment to the static response takes out of every packet, and the space without them. */
  readonly aligned: ReadonlyArray<Float64Array>
  readonly free: HermitianMatrix
  /** Energy of the steering vectors in that space. */
  readonly freeTable: LagTable
}

/** A link's part in one image. */
export interface LinkImage {
  readonly state: LinkState
  readonly moments: LinkMoments
  readonly rest: Remainder
  readonly table: ShareTable
  /** What the share is drawn to, times its weight. */
  readonly prior: number
  /** Moving energy, and how much of it noise puts into each direction. */
  readonly energy: number
  readonly noiseEnergy: number
  /** Directions (coefficients) that the energy is spread over. */
  readonly dimensions: number
}

/** A grid over the room's floor plan, 0.25 m or coarser in rooms that are too large for that. */
export const createGrid = ({ size: [width, depth, height] }: SiteGeometry): Grid => {
  const spanX = Math.max(width - 2 * marginM, 0)
  const spanY = Math.max(depth - 2 * marginM, 0)
  const stepM = Math.max(gridStepM, Math.sqrt((spanX * spanY) / gridCellsMax), (spanX + spanY) / 2048)
  const columns = Math.floor(spanX / stepM) + 1
  const rows = Math.floor(spanY / stepM) + 1
  const x0 = (width - (columns - 1) * stepM) / 2
  const y0 = (depth - (rows - 1) * stepM) / 2
  const z = Math.min(imagedHeightM, height / 2)
  const points = Array.from(
    { length: columns * rows },
    (_, i): Vector3 => [x0 + (i % columns) * stepM, y0 + Math.floor(i / columns) * stepM, z],
  )
  return { points, columns, stepM }
}

/** Writes what `points` are to a link to `out`, from value `at`. */
const writeCells = (
  { directM, steering }: Pick<LinkState, "directM" | "steering">,
  points: ReadonlyArray<Vector3>,
  out: Cells,
  at: number,
): void => {
  for (const [i, point] of points.entries()) {
    const { excessM, cosArrival, d1M, d2M } = bearingOf(steering, point)
    out[at + 4 * i] = placeOf(steering, excessM)
    out[at + 4 * i + 1] = Math.cos(Math.PI * cosArrival)
    out[at + 4 * i + 2] = -Math.sin(Math.PI * cosArrival)
    out[at + 4 * i + 3] = 2 * Math.log(Math.max(d1M * d2M, 0.01) / directM)
  }
}

/** What `points` are to links, [links][points][4]. */
export const cellsOf = (links: ReadonlyArray<LinkImage>, points: ReadonlyArray<Vector3>): Cells => {
  const cells = new Float32Array(4 * links.length * points.length)
  for (const [l, { state }] of links.entries()) writeCells(state, points, cells, 4 * l * points.length)
  return cells
}

export const layoutOf = (observation: Observation): string =>
  `${observation.receiveAntennas} ${observation.centerFrequencyHz} ${observation.tonesHz.join(" ")}`

/**
 * Alignment fits each packet's gain, phase and delay to the static response H0, so nothing along H0 and along its delay
 * derivative survives. H0 is taken as the line of sight.
 */
const alignedDirections = (steering: Steering): ReadonlyArray<Float64Array> => {
  const { cosArrival } = bearingOf(steering, steering.transmitter)
  const h0 = steeringVector(steering, { excessM: 0, cosArrival })
  return [h0, timesFrequency(steering, h0)]
}

export const createLinkState = (
  geometry: SiteGeometry,
  grid: Grid,
  ends: { readonly transmitter: RadioNode; readonly receiver: RadioNode },
  observation: Observation,
  hops: number,
): LinkState => {
  const { position: t } = ends.transmitter
  const { position: r } = ends.receiver
  const reachM = reachOf(geometry, t, r)
  const basis = createToneBasis(observation.tonesHz, reachM)
  const steering = createSteering(ends, reachM, observation.receiveAntennas, basis, observation.tonesHz)
  const size = observation.receiveAntennas * basis.size
  const aligned = orthonormal(alignedDirections(steering), identity(size))
  const free = identity(size)
  for (const u of aligned) deflate(free, u)
  const directM = Math.max(Math.hypot(t[0] - r[0], t[1] - r[1], t[2] - r[2]), 0.1)
  const gridCells = new Float32Array(4 * grid.points.length)
  writeCells({ directM, steering }, grid.points, gridCells, 0)
  return {
    window: createLinkWindow(basis, observation.receiveAntennas, hops),
    steering,
    layout: layoutOf(observation),
    directM,
    gridCells,
    aligned,
    free,
    freeTable: tabulate(steering, free),
  }
}

/** What is left of a link's space and covariance after directions were taken out. */
export interface Remainder {
  readonly covariance: HermitianMatrix
  readonly identity: HermitianMatrix
  readonly dimensions: number
}

/** A link's whole moments, without what alignment took (`LinkState.aligned`). */
export const wholeOf = (state: LinkState, moments: LinkMoments): Remainder => {
  for (const u of state.aligned) deflate(moments.covariance, u)
  const size = state.window.antennas * state.window.basis.size
  return { covariance: moments.covariance, identity: state.free, dimensions: size - state.aligned.length }
}

/** A link's image from what is left of its moments. */
export const createLinkImage = (state: LinkState, moments: LinkMoments, rest: Remainder): LinkImage => {
  const { antennas, basis } = state.window
  const size = antennas * basis.size
  let trace = 0
  for (let r = 0; r < size; r++) trace += rest.covariance[2 * (r * size + r)]!
  const energy = Math.max(trace, 1e-12)
  const noiseEnergy = moments.noise * (moments.packets - 1)
  const matched = tabulate(state.steering, rest.covariance)
  const left = rest.identity === state.free ? state.freeTable : tabulate(state.steering, rest.identity)
  return {
    state,
    moments,
    rest,
    table: createShareTable(matched, left, energy, antennas),
    prior: remainderWeight * typicalShare * Math.max(0, 1 - (rest.dimensions * noiseEnergy) / energy),
    energy,
    noiseEnergy,
    dimensions: rest.dimensions,
  }
}

/** Moving energy over what noise alone would give; 1 in an empty room. */
export const motionRatio = ({ energy, noiseEnergy, dimensions }: LinkImage): number =>
  energy / Math.max(dimensions * noiseEnergy, 1e-12)

/** Logarithm of the power of a link's echo, noise taken off. */
const logPowerOf = ({ dimensions, energy, moments, noiseEnergy }: LinkImage): number => {
  const noise = dimensions * noiseEnergy
  return Math.log(Math.max(energy - noise, 0.3 * noise, 1e-12) / moments.packets)
}

/** The links' part of the likelihood. Powers are against the mean over links, which changes nothing but keeps float32 exact. */
export const linkArraysOf = (
  links: ReadonlyArray<LinkImage>,
): LinkArrays & Pick<LikelihoodSizes, "antennas" | "entries" | "links"> => {
  const antennas = Math.max(...links.map(({ state }) => state.window.antennas))
  const entries = Math.max(...links.map(({ state }) => state.steering.vectors.length))
  const width = 2 * (2 * antennas - 1)
  const tables = new Float32Array(links.length * entries * width)
  const perLink = new Float32Array(2 * links.length)
  const powers = links.map(logPowerOf)
  const mean = powers.reduce((sum, power) => sum + power, 0) / links.length
  for (const [l, { prior, state, table }] of links.entries()) {
    const own = 2 * (2 * state.window.antennas - 1)
    const to = l * entries * width
    // A link of fewer antennas has no energy at the higher lags.
    if (own === width) tables.set(table, to)
    else {
      for (let i = 0; i < table.length / own; i++) tables.set(table.subarray(i * own, (i + 1) * own), to + i * width)
    }
    perLink[2 * l] = prior
    perLink[2 * l + 1] = powers[l]! - mean
  }
  return { antennas, entries, links: links.length, tables, perLink }
}

/** Fraction of a link's moving energy that comes from the point of the cell of number `l`. */
const shareOf = ({ prior, state, table }: LinkImage, cells: Cells, l: number): number =>
  shareAt(table, state.window.antennas, prior, cells, 4 * l)

/** Mean over links of the share of moving energy from one point, less the share that noise gives to any direction. */
export const meanShare = (links: ReadonlyArray<LinkImage>, cells: Cells): number => {
  let sum = 0
  for (const [l, link] of links.entries()) sum += shareOf(link, cells, l) - link.noiseEnergy / link.energy
  return Math.max(0, sum / links.length)
}

/**
 * Radar cross section of what moves at one point, m^2: the median over links of 4 pi (d1 d2 / d0)^2 times the echo's
 * power over the static response's, which the line of sight dominates (bistatic radar equation over the Friis
 * equation).
 */
export const crossSectionOf = (links: ReadonlyArray<LinkImage>, cells: Cells): number => {
  const sections = links.map((link, l) => {
    const { antennas, basis } = link.state.window
    const echo = Math.max(0, shareOf(link, cells, l) * link.energy - link.noiseEnergy)
    const range = Math.exp(cells[4 * l + 3]!)
    return (4 * Math.PI * range * echo) / (link.moments.packets * antennas * basis.tones)
  }).sort((a, b) => a - b)
  return sections[Math.floor(sections.length / 2)]!
}
