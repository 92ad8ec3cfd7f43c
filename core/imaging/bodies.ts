/**
 * Bodies: places in a room that echoes come from. They are found together, because each masks the echoes of the others.
 *
 * Owns the search for one more body and the refinement of all. Boundary: `matched-field.ts` decides which bodies are
 * persons.
 */
import type { Cells } from "../kernels/explained-power.ts"
import { type Computation, placed } from "../kernels/kernel.ts"
import { likelihoodOf } from "../kernels/likelihood.ts"
import { matchedField } from "../kernels/matched-field.ts"
import { type Body, bodyAt, bodyEnergiesOf } from "./body.ts"
import type { BodyEnergies } from "./cross-section.ts"
import type { SiteGeometry, Vector3 } from "./geometry.ts"
import { around, type Grid, insideOf } from "./grid.ts"
import { inner } from "./hermitian.ts"
import { cellsOf, createLinkImage, linkArraysOf, type LinkImage, meanMotion, meanShare } from "./link-image.ts"
import type { LinkState } from "./link-state.ts"
import { outer } from "./packed-hermitian.ts"
import { type LinkView, remainderOf, weightsBeside } from "./separation.ts"
import { stillRestOf } from "./still-echo.ts"

/** The constant part of the room: its grid, and the grid's cells for the links of the last image. */
export interface Room {
  readonly geometry: SiteGeometry
  readonly grid: Grid
  states: ReadonlyArray<LinkState>
  cells: Cells
}

/** The best fit of a body. */
interface Peak {
  readonly place: Vector3
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  /**
   * Mean share (0..1) over links of the moving energy, weighted for this body, that comes from the place; less that of
   * noise.
   */
  readonly score: number
  /** The score over the share of that energy that is not noise: whether the motion above the noise comes from the place. */
  readonly coherence: number
  readonly logLikelihood: number
}

/** Bodies refined beside each other. */
export interface Found {
  readonly bodies: ReadonlyArray<Body>
  readonly peaks: ReadonlyArray<Peak>
  readonly energies: BodyEnergies
}

/**
 * Mean share (0..1) over links of the moving energy that bodies explain, each band by the body that explains most of
 * it. A true body contributes its own bands; a spurious one adds little, however much it takes from the others.
 */
export const explainedShare = (views: ReadonlyArray<LinkView>, bodies: ReadonlyArray<Body>): number => {
  let shares = 0
  for (let l = 0; l < views.length; l++) {
    const { moments: { energies, noise }, state: { window } } = views[l]!
    const most = new Float64Array(energies.length)
    for (let k = 0; k < bodies.length; k++) {
      const { along, norm } = bodies[k]!.views[l]!
      const whole = Math.max(normMin, norm)
      for (let band = 1; band < most.length; band++) most[band] = Math.max(most[band]!, along[band]! / whole)
    }
    let whole = 0
    for (let band = 1; band < most.length; band++) whole += Math.max(0, energies[band]! - window.size * noise[band]!)
    if (whole > 0) shares += Math.min(1, sumFrom(1, most) / whole)
  }
  return shares / views.length
}

/** Horizontal distance. By a square root: `Math.hypot` takes ten times as long. */
export const floorDistanceM = (a: Vector3, b: Vector3): number => {
  const x = a[0] - b[0]
  const y = a[1] - b[1]
  return Math.sqrt(x * x + y * y)
}

/** Minimum norm after alignment: a link provides no evidence for weaker directions. */
const normMin = 0.15

const sumFrom = (first: number, values: Float64Array): number => {
  let total = 0
  for (let i = first; i < values.length; i++) total += values[i]!
  return total
}

/** Lower limits of a body's power: as a share of a link's energy, and as a multiple of its noise. */
const powerShareMin = 0.05
const powerNoiseMin = 0.3

/** Every link's image for body `k` of those with these energies; -1 for a body that is not among them. */
const imagesFor = (views: ReadonlyArray<LinkView>, energies: BodyEnergies, k: number): ReadonlyArray<LinkImage> =>
  views.map((view, l) => {
    const all = energies[l] ?? []
    const own = all[k]
    const others = all.filter((_, i) => i !== k)
    const noise = view.state.window.size * sumFrom(0, view.moments.noise)
    const known = others.reduce((energy, bands) => energy + sumFrom(1, bands), 0)
    const beside = sumFrom(1, view.moments.energies) - noise - known
    const least = Math.max(powerNoiseMin * noise, powerShareMin * beside)
    const power = Math.max(least, own === undefined ? beside : sumFrom(1, own))
    return createLinkImage(view.state, remainderOf(view, weightsBeside(view, others)), power)
  })

/**
 * Model error (the extent of a body, ghosts, motion within the window), and the maximum standard deviation of a place.
 */
const modelSigmaM = 0.15
const sigmaMaxM = 1

/** Standard deviation per axis from the curvature of the log-likelihood on the five by five points. */
const spreadOf = (values: Float64Array, stepM: number): number => {
  const curvature = (offset: number): number =>
    (2 * values[12]! - values[12 - 2 * offset]! - values[12 + 2 * offset]!) / (4 * stepM * stepM)
  const information = Math.min(curvature(1), curvature(5))
  return information > 0 ? 1 / Math.sqrt(information) : Number.POSITIVE_INFINITY
}

const argMax = (values: Float32Array | Float64Array): number => {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i
  return best
}

/** Minimum share of motion, which avoids division by zero. */
const motionMin = 1e-6

/**
 * The best place near `from`, on ever finer grids, which are too small for a kernel call; the last one only measures
 * the width of the peak.
 */
const climb = (room: Room, links: ReadonlyArray<LinkImage>, from: Vector3, stepsM: ReadonlyArray<number>): Peak => {
  const { perLink, tables, ...sizes } = linkArraysOf(links)
  const values = new Float64Array(25)
  let place = from
  let sigmaM = sigmaMaxM
  let logLikelihood = 0
  for (const stepM of stepsM) {
    const points = around(place, stepM)
    likelihoodOf({ ...sizes, points: points.length }, { perLink, tables }, cellsOf(links, points), values)
    sigmaM = Math.min(sigmaMaxM, Math.hypot(modelSigmaM, spreadOf(values, stepM)))
    const best = argMax(values)
    place = insideOf(room.geometry, points[best]!)
    logLikelihood = values[best]!
  }
  const score = meanShare(links, cellsOf(links, [place]))
  return { place, sigmaM, score, coherence: score / Math.max(motionMin, meanMotion(links)), logLikelihood }
}

/** The grid's cells for these links, [links][points][4]; rebuilt only when the links change. */
const gridCellsOf = (room: Room, links: ReadonlyArray<LinkImage>): Cells => {
  const { length } = links
  if (length === room.states.length && links.every(({ state }, l) => state === room.states[l])) return room.cells
  const each = 4 * room.grid.points.length
  room.cells = new Float32Array(length * each)
  for (const [l, { state }] of links.entries()) room.cells.set(state.gridCells, l * each)
  room.states = links.map(({ state }) => state)
  return room.cells
}

/** A new body is not searched within this distance of a known one. */
export const separationM = 0.6

/** The best place in the whole room that is not at a known body. */
const bestPlace = function* (
  room: Room,
  links: ReadonlyArray<LinkImage>,
  known: ReadonlyArray<Body>,
): Computation<Peak> {
  const { geometry, grid } = room
  const { perLink, tables, ...sizes } = linkArraysOf(links)
  const coarse = placed({
    kernel: matchedField,
    params: { ...sizes, points: grid.points.length },
    inputs: [tables, perLink, gridCellsOf(room, links)],
    fixed: [2],
  })
  yield [coarse]
  const values = Float64Array.from(
    coarse.output,
    (value, i) => known.some(({ place }) => floorDistanceM(place, grid.points[i]!) < separationM) ? -Infinity : value,
  )
  const stepM = grid.stepM / 3
  return climb(room, links, insideOf(geometry, grid.points[argMax(values)]!), [stepM, stepM / 3, stepM])
}

/** The best place in the whole room for one more moving body beside `bodies`. */
export const discover = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  bodies: ReadonlyArray<Body>,
): Computation<Peak> => bestPlace(room, imagesFor(views, bodyEnergiesOf(bodies), -1), bodies)

/** Every link's image of the still echoes, beside `bodies`. */
const stillImages = (views: ReadonlyArray<LinkView>, bodies: ReadonlyArray<Body>): ReadonlyArray<LinkImage> =>
  views.map((view, l) => {
    const { moments: { noise }, state } = view
    const { basis, rest } = stillRestOf(view, bodies, l)
    const energy = inner(rest, rest)[0]
    const dimensions = state.window.size - state.aligned.length - basis.length
    const power = Math.max(energy - dimensions * noise[0]!, powerShareMin * energy)
    return createLinkImage(state, { covariance: outer(rest), dimensions, noise: noise[0]! }, power)
  })

/** The best place in the room for one more still body beside `bodies`, by the difference from the empty room. */
export const discoverStill = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  bodies: ReadonlyArray<Body>,
): Computation<Peak> => bestPlace(room, stillImages(views, bodies), bodies)

/** Distance that a body may have moved since it was predicted: two steps of this size. */
const pursuitStepM = 0.18

/** By how much the log-likelihood that body `k` is near one place exceeds that of another place. */
export const preferenceOf = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  { energies }: Found,
  k: number,
  places: readonly [Vector3, Vector3],
): number => {
  const images = imagesFor(views, energies, k)
  const stepM = room.grid.stepM / 3
  const [one, other] = places.map((place) => climb(room, images, place, [stepM, stepM / 3, stepM / 9]).logLikelihood)
  return one! - other!
}

/** Refines each body in turn to its best fit beside the others. */
export const refine = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  given: ReadonlyArray<Body>,
  rounds: number,
): Found => {
  const bodies = [...given]
  const peaks: Array<Peak> = []
  let energies = bodyEnergiesOf(bodies)
  const stepM = room.grid.stepM / 3
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < bodies.length; k++) {
      const peak = climb(room, imagesFor(views, energies, k), bodies[k]!.place, [
        pursuitStepM,
        stepM,
        stepM / 3,
        stepM,
      ])
      peaks[k] = peak
      bodies[k] = bodyAt(views, peak.place)
      energies = bodyEnergiesOf(bodies)
    }
  }
  return { bodies, peaks, energies }
}
