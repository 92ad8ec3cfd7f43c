/**
 * One link's part in the image of a room, and the likelihood of places over all links.
 *
 * Owns the grid of the floor plan, what a link keeps between hops, and the score of places. Boundary: which peaks of
 * the score are persons is decided in `matched-field.ts`.
 */
import type { Observation } from "../signal/observation.ts"
import type { RadioNode, SiteGeometry, Vector3 } from "./geometry.ts"
import { deflate, type HermitianMatrix, identity, orthonormal } from "./hermitian.ts"
import { createLinkWindow, type LinkMoments, type LinkWindow } from "./link-window.ts"
import {
  bearingOf,
  createSteering,
  type LagTable,
  reachOf,
  steeredEnergy,
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

/**
 * Effective number of independent looks in a window. A body is many scatterers, so a window's snapshots agree with each
 * other far more than with a point's steering; the value is from simulated walks and only weighs the two terms.
 */
const looks = 40

/** Spread of ln(energy d1^2 d2^2) over links: the aspect of a body and the multipath of a link, in nepers. */
const rangeLawSigma = 1.4

/** Points of the floor plan that are scored, row by row. */
export interface Grid {
  readonly points: ReadonlyArray<Vector3>
  readonly columns: number
  readonly stepM: number
}

/**
 * What points are to a link, four values a point: path length beyond the line of sight, e^{-j pi cosArrival}, and
 * ln((d1 d2 / d0)^2).
 */
export type Cells = Float32Array

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
  /** Energy of the moving part, and of the steering vectors themselves, in what is left of the space. */
  readonly table: LagTable
  readonly remainder: LagTable
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

/** What `points` are to a link. */
export const cellsOf = (steering: Steering, directM: number, points: ReadonlyArray<Vector3>): Cells => {
  const cells = new Float32Array(4 * points.length)
  for (const [i, point] of points.entries()) {
    const { excessM, cosArrival, d1M, d2M } = bearingOf(steering, point)
    cells[4 * i] = excessM
    cells[4 * i + 1] = Math.cos(Math.PI * cosArrival)
    cells[4 * i + 2] = -Math.sin(Math.PI * cosArrival)
    cells[4 * i + 3] = 2 * Math.log(Math.max(d1M * d2M, 0.01) / directM)
  }
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
  return {
    window: createLinkWindow(basis, observation.receiveAntennas, hops),
    steering,
    layout: layoutOf(observation),
    directM,
    gridCells: cellsOf(steering, directM, grid.points),
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
  const size = state.window.antennas * state.window.basis.size
  let energy = 0
  for (let r = 0; r < size; r++) energy += rest.covariance[2 * (r * size + r)]!
  return {
    state,
    moments,
    table: tabulate(state.steering, rest.covariance),
    rest,
    remainder: rest.identity === state.free ? state.freeTable : tabulate(state.steering, rest.identity),
    energy: Math.max(energy, 1e-12),
    noiseEnergy: moments.noise * (moments.packets - 1),
    dimensions: rest.dimensions,
  }
}

/** Moving energy over what noise alone would give; 1 in an empty room. */
export const motionRatio = ({ energy, noiseEnergy, dimensions }: LinkImage): number =>
  energy / Math.max(dimensions * noiseEnergy, 1e-12)

/**
 * Where alignment or CLEAN left little of a direction, a link says little about it: the share is drawn to that of a
 * typical walker, with the weight of `remainderWeight` of a whole direction. Otherwise places on a link's line of
 * sight, which alignment takes out, would be marked down. Both values are from simulated walks.
 */
const remainderWeight = 0.1
const typicalShare = 0.8

/** Fraction of a link's moving energy that comes from the point at index `i` of `cells`. */
const shareOf = (
  { state, table, remainder, energy, noiseEnergy, dimensions }: LinkImage,
  cells: Cells,
  i: number,
): number => {
  const excessM = cells[4 * i]!
  const stepRe = cells[4 * i + 1]!
  const stepIm = cells[4 * i + 2]!
  const matched = steeredEnergy(state.steering, table, excessM, stepRe, stepIm)
  const left = steeredEnergy(state.steering, remainder, excessM, stepRe, stepIm)
  const typical = typicalShare * Math.max(0, 1 - (dimensions * noiseEnergy) / energy)
  return Math.min(0.999, (matched / energy + remainderWeight * typical) / (left + remainderWeight))
}

/**
 * Log-likelihood ratio of a body at each of `count` points, up to a constant. `cells` has an entry for each link. The
 * first term is the matched energy with an unknown complex gain per link, -looks sum ln(1 - share); the second is the
 * bistatic range law: energy d1^2 d2^2 is about the same for all links.
 */
export const likelihoodOf = (
  links: ReadonlyArray<LinkImage>,
  cells: ReadonlyArray<Cells>,
  count: number,
): Float64Array => {
  const fit = new Float64Array(count)
  const sum = new Float64Array(count)
  const squares = new Float64Array(count)
  for (const [l, link] of links.entries()) {
    const { energy, noiseEnergy, dimensions, moments } = link
    const echo = Math.max(energy - dimensions * noiseEnergy, 0.3 * dimensions * noiseEnergy, 1e-12)
    const logPower = Math.log(echo / moments.packets)
    const own = cells[l]!
    for (let i = 0; i < count; i++) {
      fit[i] = fit[i]! - looks * Math.log(1 - shareOf(link, own, i))
      const z = logPower + own[4 * i + 3]!
      sum[i] = sum[i]! + z
      squares[i] = squares[i]! + z * z
    }
  }
  const weight = 0.5 / rangeLawSigma ** 2
  for (let i = 0; i < count; i++) {
    fit[i] = fit[i]! - weight * (squares[i]! - (sum[i]! * sum[i]!) / links.length)
  }
  return fit
}

/** Mean over links of the share of moving energy from one point, less the share that noise gives to any direction. */
export const meanShare = (links: ReadonlyArray<LinkImage>, cells: ReadonlyArray<Cells>): number => {
  let sum = 0
  for (const [l, link] of links.entries()) sum += shareOf(link, cells[l]!, 0) - link.noiseEnergy / link.energy
  return Math.max(0, sum / links.length)
}

/**
 * Radar cross section of what moves at one point, m^2: the median over links of 4 pi (d1 d2 / d0)^2 times the echo's
 * power over the static response's, which the line of sight dominates (bistatic radar equation over the Friis
 * equation).
 */
export const crossSectionOf = (links: ReadonlyArray<LinkImage>, cells: ReadonlyArray<Cells>): number => {
  const sections = links.map((link, l) => {
    const { antennas, basis } = link.state.window
    const echo = Math.max(0, shareOf(link, cells[l]!, 0) * link.energy - link.noiseEnergy)
    const range = Math.exp(cells[l]![3]!)
    return (4 * Math.PI * range * echo) / (link.moments.packets * antennas * basis.tones)
  }).sort((a, b) => a - b)
  return sections[Math.floor(sections.length / 2)]!
}
