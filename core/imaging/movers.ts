/**
 * Movers: the moving bodies of a room, and which of them are detections.
 *
 * Owns the number of bodies and the criteria of a detection. Boundary: `bodies.ts` finds the best fit of a body;
 * `stillness.ts` handles still persons. Invariant: at most `bodiesMax` bodies, so the work of an image is bounded.
 */
import type { Computation } from "../kernels/kernel.ts"
import { discover, explainedShare, floorDistanceM, type Found, refine, type Room, separationM } from "./bodies.ts"
import { type Body, bodyAt, bodyEnergiesOf } from "./body.ts"
import { crossSectionOf } from "./cross-section.ts"
import type { Place } from "./geometry.ts"
import { type LinkView, weightsBeside } from "./separation.ts"
import { type StillEcho, stillEchoOf } from "./still-echo.ts"
import { type Velocity, velocityOf } from "./velocity.ts"
import { adultMinM2, isWeakPerson, type KnownPerson } from "./weak-body.ts"

/** A moving person in one window. */
export interface Detection extends Place {
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  readonly velocity: Velocity
  /** Mean share (0..1) of the links' moving energy that comes from this place, less the share of noise. */
  readonly score: number
  /** Radar cross section of the moving part, m^2; 0.1 to 0.4 for a walking adult. */
  readonly crossSectionM2: number
  /** The still echo at the place. */
  readonly still: StillEcho
}

/** Maximum number of persons expected and found. */
export const bodiesMax = 8
/** A link detects motion when its moving energy is this many times its noise. */
const motionRatioMin = 3
/**
 * A place with a lower score is not a detection, because the links do not agree. A simulated walker scores 0.7 to 0.9
 * alone and 0.3 to 0.6 beside others, whose bands count less for it.
 */
const scoreMinAlone = 0.4
const scoreMinBeside = 0.25
/** A place with a larger standard deviation is not a detection. */
const sigmaMaxM = 0.5

/** Share of the moving energy that one more body must explain. */
const gainMin = 0.05

/** Whether there is motion on a link. */
export const moves = ({ moments: { energies, noise }, state }: LinkView): boolean => {
  let energy = 0
  let quiet = 0
  for (let band = 1; band < energies.length; band++) {
    energy += energies[band]!
    quiet += state.window.size * noise[band]!
  }
  return energy >= motionRatioMin * Math.max(quiet, 1e-12)
}

/** Whether body `k` is a detection, separate from those before it. */
const isDetection = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  found: Found,
  k: number,
  persons: ReadonlyArray<KnownPerson>,
): boolean => {
  const { bodies, energies, peaks } = found
  const peak = peaks[k]!
  if (peak.sigmaM > sigmaMaxM) return false
  if (bodies.some(({ place }, i) => i < k && floorDistanceM(place, peak.place) < separationM)) return false
  const { movingM2 } = crossSectionOf(views, energies, k, peak.place)
  const isClear = peak.score >= (bodies.length === 1 ? scoreMinAlone : scoreMinBeside)
  return isClear && movingM2 >= adultMinM2 || isWeakPerson(room, views, found, movingM2, persons)
}

/** Bodies nearer to each other than this may be one person. */
const doubtM = 1.5

const without = ({ bodies, peaks }: Found, k: number): Found => {
  const left = bodies.filter((_, i) => i !== k)
  return { bodies: left, peaks: peaks.filter((_, i) => i !== k), energies: bodyEnergiesOf(left) }
}

/**
 * Removes the bodies that the others explain as well: a second one on the same person, or one whose person has left.
 */
const withoutRedundant = (room: Room, views: ReadonlyArray<LinkView>, given: Found): Found => {
  let found = given
  for (let k = given.bodies.length - 1; k >= 0 && found.bodies.length > 1; k--) {
    const body = found.bodies[k]!
    const others = found.bodies.filter((_, i) => i !== k)
    const near = others.some(({ place }) => floorDistanceM(place, body.place) < doubtM)
    const fewer = near ? refine(room, views, others, 1) : null
    const gain = explainedShare(views, found.bodies) - explainedShare(views, fewer?.bodies ?? others)
    if (gain < gainMin) found = fewer ?? without(found, k)
  }
  return found
}

/**
 * Bodies at the expected places, then further moving bodies one by one.
 *
 * @param persons the persons that are known, standing ones included
 * @param thrifty to find at most one further body, and to refine all bodies once
 */
export const findMovers = function* (
  room: Room,
  views: ReadonlyArray<LinkView>,
  expected: ReadonlyArray<Body>,
  persons: ReadonlyArray<KnownPerson>,
  thrifty: boolean,
): Computation<Found> {
  let found: Found = withoutRedundant(room, views, refine(room, views, expected, 1))
  while (found.bodies.length < bodiesMax) {
    const isFirst = found.bodies.length === 0
    const explained = explainedShare(views, found.bodies)
    const gains = (bodies: ReadonlyArray<Body>) => isFirst || explainedShare(views, bodies) - explained >= gainMin
    const peak = yield* discover(room, views, found.bodies)
    const more = [...found.bodies, bodyAt(views, peak.place)]
    if (!gains(more)) break
    const next = refine(room, views, more, isFirst || thrifty ? 1 : 2)
    if (!isDetection(room, views, next, next.bodies.length - 1, persons) || !gains(next.bodies)) break
    found = next
    if (thrifty) break
  }
  return found
}

/**
 * Additional standard deviation of a velocity, m/s, where its place explains none of the moving energy. The rest, other
 * bodies and echoes by way of walls, is in the same spectra with its own speeds, and links can agree on one of those.
 * Simulated walkers' median error is 0.09 m/s at a score of 0.8, 0.16 at 0.5 and 0.25 at 0.3.
 */
const straySigmaMps = 0.25

/** A velocity with the uncertainty of the unexplained motion. */
const withStray = (velocity: Velocity, score: number): Velocity => ({
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
    velocity: withStray(velocityOf(views, body.place, body.views.map(({ vector }) => vector), weights), score),
    crossSectionM2: crossSectionOf(views, energies, k, body.place).movingM2,
    still: stillEchoOf(views, bodies, energies, k),
  }
}

/** The detections among the bodies. */
export const detectionsOf = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  found: Found,
  persons: ReadonlyArray<KnownPerson>,
): ReadonlyArray<Detection> =>
  found.bodies.flatMap((_, k) => isDetection(room, views, found, k, persons) ? [detectionOf(views, found, k)] : [])
