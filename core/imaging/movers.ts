/**
 * Movers: the bodies that move in a room, and which of them are detections.
 *
 * Owns how many bodies there are and when one is seen. Boundary: where a body fits best is `bodies.ts`; who keeps still is
 * `stillness.ts`. Invariant: at most `bodiesMax` bodies, so the work of an image is bounded.
 */
import type { Computation } from "../kernels/kernel.ts"
import { discover, distanceM, explainedShare, type Found, refine, type Room, separationM } from "./bodies.ts"
import { type Body, bodyAt, bodyEnergiesOf } from "./body.ts"
import { crossSectionOf } from "./cross-section.ts"
import type { Place } from "./geometry.ts"
import { type LinkView, weightsBeside } from "./separation.ts"
import { type StillEcho, stillEchoOf } from "./still-echo.ts"
import { type Velocity, velocityOf } from "./velocity.ts"

/** Somebody who moves, as one window sees them. */
export interface Detection extends Place {
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  readonly velocity: Velocity
  /** Mean share (0..1) of the links' moving energy that comes from this place; the share of noise is taken off. */
  readonly score: number
  /** Radar cross section of what moves there, m^2; a walking adult has 0.1 to 0.4. */
  readonly crossSectionM2: number
  /** What keeps its place there. */
  readonly still: StillEcho
}

/** Persons expected and found. */
export const bodiesMax = 8
/** A link sees motion when its moving energy is this many times its noise. */
const motionRatioMin = 3
/**
 * A place below this score is no detection: the links do not agree. A simulated walker scores 0.7 to 0.9 alone and 0.3 to 0.6 beside
 * others, whose bands count less for it.
 */
const scoreMinAlone = 0.4
const scoreMinBeside = 0.25
/** A place that is less certain than this is none. */
const sigmaMaxM = 0.5
/** Least cross section of what moves, m^2: what others leave at a place is below, nine adults of ten are above. */
const sectionMinM2 = 0.03

/** Share of what moves that one more body must explain. */
const gainMin = 0.05

/** Whether anything moves over a link. */
export const moves = ({ moments: { energies, noise }, state }: LinkView): boolean => {
  let energy = 0
  let quiet = 0
  for (let band = 1; band < energies.length; band++) {
    energy += energies[band]!
    quiet += state.window.size * noise[band]!
  }
  return energy >= motionRatioMin * Math.max(quiet, 1e-12)
}

/** Whether body `k` moves, apart from those before it. */
const isSeen = (views: ReadonlyArray<LinkView>, { bodies, energies, peaks }: Found, k: number): boolean => {
  const peak = peaks[k]!
  if (peak.sigmaM > sigmaMaxM) return false
  if (peak.score < (bodies.length === 1 ? scoreMinAlone : scoreMinBeside)) return false
  if (bodies.some(({ place }, i) => i < k && distanceM(place, peak.place) < separationM)) return false
  return crossSectionOf(views, energies, k, peak.place).movingM2 >= sectionMinM2
}

/** Bodies nearer to each other than this may be one that was taken for two. */
const doubtM = 1.5

const without = ({ bodies, peaks }: Found, k: number): Found => {
  const left = bodies.filter((_, i) => i !== k)
  return { bodies: left, peaks: peaks.filter((_, i) => i !== k), energies: bodyEnergiesOf(left) }
}

/** The bodies without those that the others explain as well: two about one person, or one that was there. */
const withoutRedundant = (room: Room, views: ReadonlyArray<LinkView>, given: Found): Found => {
  let found = given
  for (let k = given.bodies.length - 1; k >= 0 && found.bodies.length > 1; k--) {
    const body = found.bodies[k]!
    const others = found.bodies.filter((_, i) => i !== k)
    const near = others.some(({ place }) => distanceM(place, body.place) < doubtM)
    const fewer = near ? refine(room, views, others, 1) : null
    const gain = explainedShare(views, found.bodies) - explainedShare(views, fewer?.bodies ?? others)
    if (gain < gainMin) found = fewer ?? without(found, k)
  }
  return found
}

/** Bodies at the expected places, then one after the other whatever else moves. */
export const findMovers = function* (
  room: Room,
  views: ReadonlyArray<LinkView>,
  expected: ReadonlyArray<Body>,
): Computation<Found> {
  let found: Found = withoutRedundant(room, views, refine(room, views, expected, 1))
  while (found.bodies.length < bodiesMax) {
    const isFirst = found.bodies.length === 0
    const explained = explainedShare(views, found.bodies)
    const gains = (bodies: ReadonlyArray<Body>) => isFirst || explainedShare(views, bodies) - explained >= gainMin
    const peak = yield* discover(room, views, found.bodies)
    const more = [...found.bodies, bodyAt(views, peak.place)]
    if (!gains(more)) break
    const next = refine(room, views, more, isFirst ? 1 : 2)
    if (!isSeen(views, next, next.bodies.length - 1) || !gains(next.bodies)) break
    found = next
  }
  return found
}

/**
 * Standard deviation, m/s, that a velocity has beside its own where its place explains nothing of what moves. The rest, other bodies and
 * echoes by way of walls, is in the spectra that the velocity is read from and goes at speeds of its own; links can agree on one of those.
 * Simulated walkers' median error is 0.09 m/s at a score of 0.8, 0.16 at 0.5 and 0.25 at 0.3.
 */
const straySigmaMps = 0.25

/** A velocity, as uncertain as the rest of what moves makes it. */
const strayed = (velocity: Velocity, score: number): Velocity => ({
  ...velocity,
  sigmaMps: Math.hypot(velocity.sigmaMps, straySigmaMps * (1 - score)),
})

const detectionOf = (views: ReadonlyArray<LinkView>, { bodies, energies, peaks }: Found, k: number): Detection => {
  const { place: [x, y], score, sigmaM } = peaks[k]!
  const body = bodies[k]!
  const weights = views.map((view, l) => weightsBeside(view, energies[l]!.filter((_, i) => i !== k)))
  return {
    x,
    y,
    sigmaM,
    score,
    velocity: strayed(velocityOf(views, body.place, body.views.map(({ vector }) => vector), weights), score),
    crossSectionM2: crossSectionOf(views, energies, k, body.place).movingM2,
    still: stillEchoOf(views, bodies, energies, k),
  }
}

/** The detections among the bodies. */
export const detectionsOf = (views: ReadonlyArray<LinkView>, found: Found): ReadonlyArray<Detection> =>
  found.bodies.flatMap((_, k) => isSeen(views, found, k) ? [detectionOf(views, found, k)] : [])
