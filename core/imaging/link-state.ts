/**
 * State that a link keeps between hops: its window, its steering over the room, and the directions that alignment
 * removes.
 */
import type { Cells, LagTable } from "../kernels/explained-power.ts"
import { hopUs, type Observation } from "../observation/observation.ts"
import { type BandMoments, type BandPlan, createBandMoments, createBandPlan, samplesPerHopOf } from "./doppler-bands.ts"
import type { RadioNode, SiteGeometry, Vector3 } from "./geometry.ts"
import type { Grid } from "./grid.ts"
import { deflate, identity, orthonormal } from "./hermitian.ts"
import { createLinkWindow, type LinkWindow } from "./link-window.ts"
import {
  type Bearing,
  bearingOf,
  createSteering,
  placeOf,
  reachOf,
  type Steering,
  steeringVector,
  tabulate,
  timesFrequency,
} from "./steering.ts"
import { createToneBasis } from "./tone-basis.ts"

export interface LinkState {
  readonly window: LinkWindow
  readonly plan: BandPlan
  /** Buffers for the moments of a window. */
  readonly moments: BandMoments
  readonly steering: Steering
  /** Identifies the radio layout; a link restarts when it changes. */
  readonly layout: string
  readonly directM: number
  readonly gridCells: Cells
  /** Orthonormal directions that the alignment to the static response removes from every packet. */
  readonly aligned: ReadonlyArray<Float64Array>
  /** Energy of the steering vectors outside these directions. */
  readonly freeTable: LagTable
  /** Whether the static response is that of a calibrated empty room, so that a difference from it is meaningful. */
  calibrated: boolean
}

/** Minimum of d1 d2, m^2, and of the line of sight, m: no body or node is nearer to an antenna. */
const pathsMinM2 = 0.01
const directMinM = 0.1

/**
 * d1 d2 / d0 of a point. For a fixed cross section, the echo amplitude over that of the direct path is proportional to
 * its inverse.
 */
export const spreadingM = ({ directM, steering }: Pick<LinkState, "directM" | "steering">, point: Vector3): number =>
  spreadingOf(bearingOf(steering, point), directM)

const spreadingOf = ({ d1M, d2M }: Bearing, directM: number): number => Math.max(d1M * d2M, pathsMinM2) / directM

/**
 * Writes the cells of `points` for a link to `out` from value `at`, [point][4] as in `core/kernels/explained-power.ts`.
 */
export const writeCells = (
  { directM, steering }: Pick<LinkState, "directM" | "steering">,
  points: ReadonlyArray<Vector3>,
  out: Cells,
  at: number,
): void => {
  for (let i = 0; i < points.length; i++) {
    const bearing = bearingOf(steering, points[i]!)
    const cos = Math.cos(Math.PI * bearing.cosArrival)
    const sin = Math.sqrt(Math.max(0, 1 - cos * cos))
    out[at + 4 * i] = placeOf(steering, bearing.excessM)
    out[at + 4 * i + 1] = cos
    out[at + 4 * i + 2] = bearing.cosArrival > 0 ? -sin : sin
    out[at + 4 * i + 3] = 2 * Math.log(spreadingOf(bearing, directM))
  }
}

/** Key of the observation properties that a link's state depends on. */
export const layoutOf = (observation: Observation): string =>
  `${observation.receiveAntennas} ${observation.centerFrequencyHz} ${observation.tonesHz.join(" ")}`

/**
 * Alignment fits each packet's gain, phase and delay to the static response H0, so nothing along H0 and its delay
 * derivative remains. H0 is assumed to be the line of sight.
 */
const alignedDirections = (steering: Steering): ReadonlyArray<Float64Array> => {
  const { cosArrival } = bearingOf(steering, steering.transmitter)
  const h0 = steeringVector(steering, { excessM: 0, cosArrival })
  return [h0, timesFrequency(steering, h0)]
}

/**
 * The state of a link in a room.
 *
 * @param observation an observation of the link, for its radio layout
 * @param hops length of the window
 */
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
  const hopS = hopUs / 1e6
  const samplesPerHop = samplesPerHopOf(observation.centerFrequencyHz, hopS)
  const window = createLinkWindow(basis, observation.receiveAntennas, hops, samplesPerHop)
  const plan = createBandPlan(hops, samplesPerHop, hopS, observation.centerFrequencyHz)
  const aligned = orthonormal(alignedDirections(steering))
  const free = identity(window.size)
  for (const u of aligned) deflate(free, u)
  const directM = Math.max(steering.directM, directMinM)
  const gridCells = new Float32Array(4 * grid.points.length)
  writeCells({ directM, steering }, grid.points, gridCells, 0)
  return {
    window,
    plan,
    moments: createBandMoments(window, plan),
    steering,
    layout: layoutOf(observation),
    directM,
    gridCells,
    aligned,
    freeTable: tabulate(steering, free),
    calibrated: false,
  }
}
