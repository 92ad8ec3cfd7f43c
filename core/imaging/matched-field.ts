/**
 * Matched field: locates the echoes of persons in the room.
 *
 * Owns the decision when a moving body is a detection, and the windows of the links. The amplitude and phase of a body
 * differ from link to link, so each link is matched with an unknown complex gain and the links are summed
 * non-coherently. Receive arrays are assumed to be calibrated in phase. Boundary: `core/signal` sanitises, and must
 * give delays relative to the strongest path of the static response; tracks are in `core/tracking`, and predict the
 * places of persons.
 *
 * Invariants:
 * 1. A link takes part only when both of its nodes are in the geometry, so memory is bounded by the geometry; and only with
 *    a known centre frequency, without which a rotation has no speed.
 * 2. Windows follow event time (hop numbers), never the order or the time of arrival.
 * 3. At most `bodiesMax` persons are expected, so the work of an image is bounded.
 */
import type { Computation } from "../kernels/kernel.ts"
import { hopUs, type LinkObservation, type Observation } from "../observation/observation.ts"
import type { Room } from "./bodies.ts"
import { type Body, bodyAt, bodyEnergiesOf } from "./body.ts"
import { bandMomentsAt } from "./doppler-bands.ts"
import type { Place, SiteGeometry, Vector3 } from "./geometry.ts"
import { createGrid, isInside } from "./grid.ts"
import { createLinkState, layoutOf, type LinkState } from "./link-state.ts"
import { addHop } from "./link-window.ts"
import { bodiesMax, type Detection, detectionsOf, findMovers, moves } from "./movers.ts"
import type { LinkView } from "./separation.ts"
import { type StillEcho, stillEchoOf } from "./still-echo.ts"
import { findStill, type StillDetection } from "./stillness.ts"

/**
 * A predicted person. A standing person is not searched for at that place, because residuals of others would bias it.
 */
export interface ExpectedPerson extends Place {
  readonly stands: boolean
  /** See `KnownPerson`; null while it is not certain that this is a person. */
  readonly leastM2: number | null
}

export interface RoomImage {
  readonly detections: ReadonlyArray<Detection>
  /** Still echoes at the expected places, in the order of `expected`; empty without enough links. */
  readonly echoes: ReadonlyArray<StillEcho>
  /** A still person at an unexpected place; null when there is none, or when it is not the hop to search. */
  readonly still: StillDetection | null
  /** Whether most links have motion, located or not: more than breath and sway of a person at rest, mostly. */
  readonly mostLinksMove: boolean
  /** Links with geometry whose window is filled. */
  readonly linksUsed: number
  /** Age, at the end of the imaged hop, of the time that the detections describe: the middle of the window. */
  readonly lagS: number
  /** Why there are no detections; null when there are. */
  readonly reason: string | null
}

/** Keeps the windows of a room's links; belongs to one environment. */
export interface MatchedField {
  /**
   * Takes the new observations and images the window that ends with `hop`; one image must finish before the next.
   * `expected` is where persons should be at the middle of that window; the first `bodiesMax` are used. `thrifty` spends less work on it.
   */
  readonly image: (
    hop: number,
    observations: ReadonlyArray<Observation>,
    expected?: ReadonlyArray<ExpectedPerson>,
    thrifty?: boolean,
  ) => Computation<RoomImage>
  /** Takes the observations of a hop that is not imaged. */
  readonly add: (observations: ReadonlyArray<Observation>) => void
}

/** Length of the window: long enough for a walker's steps, short enough to follow a turn. */
const windowHops = 10
/** Age of the time that an image describes: the middle of its window. */
export const lagS = (windowHops * hopUs) / 2e6

/** Minimum number of links that fix a place on a plane. */
export const linksMin = 3
/**
 * Minimum receive antennas of a link. One antenna measures no angle, and alignment removes most of the delay
 * information within a room: simulated sites of such links locate no better than chance.
 */
export const antennasMin = 2
/** Minimum tones: one for the basis and three to measure noise. */
const tonesMin = 4
const none = (linksUsed: number, reason: string): RoomImage => ({
  detections: [],
  echoes: [],
  still: null,
  mostLinksMove: false,
  linksUsed,
  lagS,
  reason,
})

/** Smallest share of the links with motion when a body moves, also a weak one that is not located. */
const movingShareMin = 2 / 3

/** While a person is faster than this, the room's still echoes are changing. */
const inPlaceMps = 0.3

/** The windows of a room's links, by router and transmitter. */
const createWindows = (geometry: SiteGeometry, room: Room) => {
  const nodes = new Map(geometry.nodes.map((node) => [node.nodeId, node]))
  const states = new Map<string, LinkState>()

  const take = (observation: Observation, layout: string, link: LinkObservation): void => {
    const transmitter = nodes.get(link.transmitterId)
    const receiver = nodes.get(observation.routerId)
    if (transmitter === undefined || receiver === undefined || transmitter === receiver) return
    if (link.dynamic.length === 0 || observation.tonesHz.length < tonesMin) return
    if (observation.receiveAntennas < antennasMin || !(observation.centerFrequencyHz > 0)) return
    const key = JSON.stringify([observation.routerId, link.transmitterId])
    let state = states.get(key)
    if (state === undefined || state.layout !== layout) {
      state = createLinkState(geometry, room.grid, { transmitter, receiver }, observation, windowHops)
      states.set(key, state)
    }
    state.calibrated = link.calibratedAtUs !== null
    addHop(state.window, observation.hop, link)
  }
  const add: MatchedField["add"] = (observations) => {
    for (const observation of observations) {
      const layout = layoutOf(observation)
      for (const link of observation.links) take(observation, layout, link)
    }
  }
  return { states, add }
}

/**
 * The links whose static response is that of the calibrated empty room, and bodies as these see them. Against a running
 * mean, which absorbs still persons, there are no still echoes. Empty with fewer than `linksMin`.
 */
const againstEmptyRoom = (views: ReadonlyArray<LinkView>, bodies: ReadonlyArray<Body>) => {
  const links = views.flatMap(({ state }, l) => state.calibrated ? [l] : [])
  const used = links.length < linksMin ? [] : links
  return {
    views: used.map((l) => views[l]!),
    bodies: bodies.map((body) => ({ place: body.place, views: used.map((l) => body.views[l]!) })),
  }
}

/** A matched field for a site. */
export const createMatchedField = (geometry: SiteGeometry): MatchedField => {
  const room: Room = { geometry, grid: createGrid(geometry), states: [], cells: new Float32Array() }
  const { add, states } = createWindows(geometry, room)

  const viewsAt = (hop: number): ReadonlyArray<LinkView> =>
    [...states.values()].flatMap((state) => {
      const moments = bandMomentsAt(state.window, state.plan, hop, state.moments)
      return moments === null ? [] : [{ state, moments }]
    })

  const image: MatchedField["image"] = function* (hop, observations, expected = [], thrifty = false) {
    add(observations)
    const views = viewsAt(hop)
    if (views.length < linksMin) {
      return none(
        views.length,
        `Locating a person needs at least ${linksMin} links with known geometry, a known centre frequency, a reference ` +
          `and ${antennasMin} receive antennas; ${views.length} have them now.`,
      )
    }
    const known = expected.slice(0, bodiesMax).map(({ stands, x, y }) => ({
      stands,
      body: bodyAt(views, [x, y, room.grid.heightM] satisfies Vector3),
    }))
    const bodies = known.map(({ body }) => body)
    const standing = known.flatMap(({ body, stands }) => stands ? [body] : [])
    const persons = expected.flatMap(({ leastM2, x, y }) => leastM2 === null ? [] : [{ x, y, leastM2 }])
    const movingLinks = views.filter(moves).length
    const moving = movingLinks >= linksMin
    const found = moving
      ? yield* findMovers(room, views, bodies.filter((body) => !standing.includes(body)), persons, thrifty)
      : null
    const detections = found === null ? [] : detectionsOf(room, views, found, persons)
    const inPlace = detections.every(({ velocity: { x, y } }) => Math.hypot(x, y) < inPlaceMps)
    const others = againstEmptyRoom(views, [...standing, ...found?.bodies ?? []])
    const still = inPlace ? yield* findStill(room, others.views, others.bodies, hop) : null
    const expectedStill = againstEmptyRoom(views, bodies)
    const energies = bodyEnergiesOf(expectedStill.bodies)
    return {
      detections,
      // A person predicted outside has left: an echo from there belongs to the next room.
      echoes: bodies.map(({ place }, k) =>
        isInside(geometry, place)
          ? stillEchoOf(expectedStill.views, expectedStill.bodies, energies, k)
          : { ownSectionM2: 0 }
      ),
      still,
      mostLinksMove: movingLinks >= movingShareMin * views.length,
      linksUsed: views.length,
      lagS,
      reason: detections.length > 0
        ? null
        : moving
        ? "Something moves, but the links do not agree on a place."
        : "Nothing moves enough on three links to be located.",
    }
  }
  return { image, add }
}
