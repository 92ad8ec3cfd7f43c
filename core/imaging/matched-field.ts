/**
 * Matched field: where in the room the moving part of the dynamic response comes from.
 *
 * Owns the peaks of the likelihood over the floor plan and when a peak is a detection. The amplitude and phase of a
 * body differ from link to link, so each link is matched with an unknown complex gain and the links are summed
 * non-coherently. Receive arrays are taken as calibrated in phase. Boundary: sanitisation is in `core/signal`, which
 * must give delays relative to the mean delay of the static response; tracks are in `core/tracking`.
 *
 * Invariants:
 * 1. A link takes part only when both of its nodes are in the geometry, so memory is bounded by the geometry.
 * 2. Windows follow event time (hop numbers), never the order or the time of arrival.
 */
import type { Computation } from "../kernels/kernel.ts"
import { matchedField } from "../kernels/matched-field.ts"
import { hopUs, type LinkObservation, type Observation } from "../signal/observation.ts"
import { withoutBody } from "./clean.ts"
import type { SiteGeometry, Vector3 } from "./geometry.ts"
import { likelihoodOf } from "./likelihood.ts"
import {
  cellsOf,
  createGrid,
  createLinkImage,
  createLinkState,
  crossSectionOf,
  type Grid,
  layoutOf,
  linkArraysOf,
  type LinkImage,
  type LinkState,
  meanShare,
  motionRatio,
  wholeOf,
} from "./link-image.ts"
import { addHop, momentsAt } from "./link-window.ts"
import type { Cells } from "./share.ts"

/** A person seen in one window. */
export interface Detection {
  /** Place on the floor plan, metres. */
  readonly x: number
  readonly y: number
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  /** Mean share (0..1) of the links' moving energy that comes from this place; the share of noise is taken off. */
  readonly score: number
  /** Radar cross section of what moves there, m^2; a walking adult has 0.1 to 0.4. */
  readonly crossSectionM2: number
}

export interface RoomImage {
  /** Strongest first. */
  readonly detections: ReadonlyArray<Detection>
  /** Links with geometry whose window is filled. */
  readonly linksUsed: number
  /** Age, at the end of the imaged hop, of the moment that the detections describe: the middle of the window. */
  readonly lagS: number
  /** Why there are no detections; null when there are. */
  readonly reason: string | null
}

/** Keeps the windows of a room's links; belongs to one environment. */
export interface MatchedField {
  /** Takes the observations that have come and images the window that ends with `hop`; one image is finished before the next. */
  readonly image: (hop: number, observations: ReadonlyArray<Observation>) => Computation<RoomImage>
}

/** Length of the window: long enough for a walker's steps, short enough to follow a turn. */
const windowHops = 10
const lagS = (windowHops * hopUs) / 2e6

/** Fewest links that fix a place on a plane. */
export const linksMin = 3
/**
 * Fewest receive antennas of a link. One antenna measures no angle, and alignment takes most of what the delay would
 * say within a room: simulated sites of such links locate no better than chance.
 */
export const antennasMin = 2
/** Fewest tones: one for the basis and three to measure noise. */
const tonesMin = 4
const detectionsMax = 4
/** Persons nearer to each other than this are one detection. */
const separationM = 0.8
/** A link sees motion when its moving energy is this many times its noise. */
const motionRatioMin = 3
/** A place below this score is no detection: the links do not agree. A simulated walker scores 0.7 to 0.9. */
const scoreMin = 0.4
/**
 * Least cross section of what moves for persons beside the first, and least share of the largest one. CLEAN leaves up
 * to 0.03 m^2 and a fifth of one simulated walker behind; a second walker shows with 0.05 to 0.2 m^2.
 */
const furtherCrossSectionMinM2 = 0.035
const furtherShareMin = 0.2

interface Peak extends Omit<Detection, "x" | "y"> {
  readonly place: Vector3
}

const none = (linksUsed: number, reason: string): RoomImage => ({ detections: [], linksUsed, lagS, reason })

/** The room as far as it does not change: its grid, and what the grid is to the links that had a part in the last image. */
interface Room {
  readonly geometry: SiteGeometry
  readonly grid: Grid
  states: ReadonlyArray<LinkState>
  cells: Cells
}

/** What the grid is to these links, [links][points][4]; copied together anew only when they are others than before. */
const gridCellsOf = (room: Room, links: ReadonlyArray<LinkImage>): Cells => {
  const { length } = links
  if (length === room.states.length && links.every(({ state }, l) => state === room.states[l])) return room.cells
  const each = 4 * room.grid.points.length
  room.cells = new Float32Array(length * each)
  for (const [l, { state }] of links.entries()) room.cells.set(state.gridCells, l * each)
  room.states = links.map(({ state }) => state)
  return room.cells
}

const argMax = (values: Float32Array | Float64Array): number => {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i
  return best
}

/** The five by five points around a place, `stepM` apart. */
const around = ([x, y, z]: Vector3, stepM: number): ReadonlyArray<Vector3> =>
  Array.from({ length: 25 }, (_, i): Vector3 => [x + ((i % 5) - 2) * stepM, y + (Math.floor(i / 5) - 2) * stepM, z])

/** Standard deviation per axis from the curvature of the log-likelihood on the five by five points. */
const spreadOf = (values: Float64Array, stepM: number): number => {
  const curvature = (offset: number): number =>
    (2 * values[12]! - values[12 - 2 * offset]! - values[12 + 2 * offset]!) / (4 * stepM * stepM)
  const information = Math.min(curvature(1), curvature(5))
  return information > 0 ? 1 / Math.sqrt(information) : Number.POSITIVE_INFINITY
}

/** What the model leaves out (the extent of a body, ghosts, the window's motion) and the widest a place can be. */
const modelSigmaM = 0.15
const sigmaMaxM = 1

/** The strongest peak of the whole room, then of finer grids around it, which are too small to be sent anywhere. */
const strongest = function* (room: Room, links: ReadonlyArray<LinkImage>): Computation<Peak> {
  const { grid, geometry: { size } } = room
  const { perLink, tables, ...sizes } = linkArraysOf(links)
  const coarse = yield {
    kernel: matchedField,
    params: { ...sizes, points: grid.points.length },
    inputs: [tables, perLink, gridCellsOf(room, links)],
  }
  let place = grid.points[argMax(coarse)]!
  let sigmaM = sigmaMaxM
  for (const stepM of [grid.stepM / 3, grid.stepM / 9, grid.stepM / 3]) {
    const points = around(place, stepM)
    const fine = new Float64Array(points.length)
    likelihoodOf({ ...sizes, points: points.length }, { perLink, tables }, cellsOf(links, points), fine)
    // The last pass only measures the width of the peak.
    sigmaM = Math.min(sigmaMaxM, Math.hypot(modelSigmaM, spreadOf(fine, stepM)))
    const [x, y, z] = points[argMax(fine)]!
    place = [Math.max(0, Math.min(size[0], x)), Math.max(0, Math.min(size[1], y)), z]
  }
  const cells = cellsOf(links, [place])
  return { place, sigmaM, score: meanShare(links, cells), crossSectionM2: crossSectionOf(links, cells) }
}

/** Peaks one after the other, each taken out of the links before the next is looked for; then each once more. */
const findPeaks = function* (room: Room, images: ReadonlyArray<LinkImage>): Computation<ReadonlyArray<Peak>> {
  const without = (peaks: ReadonlyArray<Peak>): ReadonlyArray<LinkImage> =>
    images.map((link) => peaks.reduce((rest, { place }) => withoutBody(rest, place), link))
  let found: ReadonlyArray<Peak> = []
  let links = images
  while (
    found.length < detectionsMax && links.filter((link) => motionRatio(link) >= motionRatioMin).length >= linksMin
  ) {
    const peak = yield* strongest(room, links)
    // Persons found together share the energy, so the first look at a further one asks for less.
    if (!isPerson(peak, found, 0.4)) break
    // The first place was found with the second person still in the picture, so it is looked for again without.
    const next = [...found, peak]
    for (let i = 0; found.length > 0 && i < next.length; i++) {
      next[i] = yield* strongest(room, without(next.filter((_, other) => other !== i)))
    }
    if (!next.every((peak, i) => isPerson(peak, next.slice(0, i), 1))) break
    found = next
    links = without(found)
  }
  return found
}

/** Whether a peak is a person beside those of `others`; `strictness` scales what further persons must return. */
const isPerson = (peak: Peak, others: ReadonlyArray<Peak>, strictness: number): boolean => {
  if (peak.score < scoreMin) return false
  const distanceTo = ({ place: [x, y] }: Peak): number => Math.hypot(x - peak.place[0], y - peak.place[1])
  if (others.some((other) => distanceTo(other) < separationM)) return false
  const largest = Math.max(0, ...others.map(({ crossSectionM2 }) => crossSectionM2))
  const least = strictness * Math.max(furtherCrossSectionMinM2, furtherShareMin * largest)
  return others.length === 0 || peak.crossSectionM2 >= least
}

/** A matched field for a site. */
export const createMatchedField = (geometry: SiteGeometry): MatchedField => {
  const room: Room = { geometry, grid: createGrid(geometry), states: [], cells: new Float32Array() }
  const nodes = new Map(geometry.nodes.map((node) => [node.nodeId, node]))
  const states = new Map<string, LinkState>()

  const take = (observation: Observation, link: LinkObservation): void => {
    const transmitter = nodes.get(link.transmitterId)
    const receiver = nodes.get(observation.routerId)
    if (transmitter === undefined || receiver === undefined || transmitter === receiver) return
    if (link.dynamic.length === 0 || observation.tonesHz.length < tonesMin) return
    if (observation.receiveAntennas < antennasMin) return
    const key = JSON.stringify([observation.routerId, link.transmitterId])
    let state = states.get(key)
    if (state === undefined || state.layout !== layoutOf(observation)) {
      state = createLinkState(geometry, room.grid, { transmitter, receiver }, observation, windowHops)
      states.set(key, state)
    }
    addHop(state.window, observation.hop, link.dynamic)
  }

  const image: MatchedField["image"] = function* (hop, observations) {
    for (const observation of observations) {
      for (const link of observation.links) take(observation, link)
    }
    const links = [...states.values()].flatMap((state) => {
      const moments = momentsAt(state.window, hop)
      if (moments === null) return []
      return [createLinkImage(state, moments, wholeOf(state, moments))]
    })
    if (links.length < linksMin) {
      return none(
        links.length,
        `Locating a person needs at least ${linksMin} links with known geometry, a reference and ` +
          `${antennasMin} receive antennas; ${links.length} have them now.`,
      )
    }
    const moving = links.filter((link) => motionRatio(link) >= motionRatioMin).length
    if (moving < linksMin) return none(links.length, "Nothing moves enough on three links to be located.")
    const peaks = yield* findPeaks(room, links)
    if (peaks.length === 0) return none(links.length, "Something moves, but the links do not agree on a place.")
    return {
      detections: peaks.map(({ place: [x, y], ...rest }) => ({ x, y, ...rest })),
      linksUsed: links.length,
      lagS,
      reason: null,
    }
  }
  return { image }
}
