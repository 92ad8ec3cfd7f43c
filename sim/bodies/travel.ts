/**
 * Travelling: walking a way, with care for those who are about.
 *
 * Owns waiting before a way, stopping on it, and going on around others. Boundary: `company.ts` says who is in the way.
 *
 * Invariant: who travels arrives. It waits `patienceS` and stops `haltsMax` times at most on one way; then it goes on whoever
 * is in its way.
 */
import type { Actor, Phases } from "./actor.ts"
import { isBlocked, placeOf } from "./company.ts"
import type { Place } from "./floor-plan.ts"
import { createMotion } from "./motion.ts"
import { shift } from "./motions/shift.ts"
import type { Course } from "./occupancy.ts"
import { keep, type Phase, play, stepS } from "./phase.ts"
import { channel, wrapAngle } from "./pose.ts"
import { createRoute, type Route } from "./route.ts"
import { createWalk, type GaitStyle, type WalkPhase } from "./walk.ts"

/** Places nearer than this are reached without walking. */
export const nearM = 0.25
/** More than this to turn at the start of a way is turned on the spot. */
const turnFirstRad = 0.7
/** How long one waits for others on one way. */
const patienceS = 6
const haltsMax = 4
/** Who waits looks up so often, and who walks. */
export const lookUpS = 0.3
const stepsPerLook = Math.round(0.1 / stepS)

/** Phases that say whether they came to what was meant. */
export type Attempt = Generator<Phase, boolean, void>

/** Stands at ease here with a heading, and the feet side by side. */
export function* face(actor: Actor, headingRad: number, [x, y]: Place = placeOf(actor)): Phases {
  const frames = shift(actor.physique, actor.pose, x, y, headingRad)
  yield play(createMotion(actor.pose, actor.rates(), frames), "standing")
}

/** A walk that is halted when another gets in the way. */
const withCare = (actor: Actor, walk: WalkPhase): Phase => {
  let steps = 0
  return {
    step: (pose) => {
      if (steps++ % stepsPerLook === 0 && !walk.isHalted() && isBlocked(actor, walk)) walk.halt()
      return walk.step(pose)
    },
    activity: walk.activity,
  }
}

/** Walks along a route, and is in the middle of a step at its end; with care it may stop before that, and says so: false. */
export function* walkAlong(actor: Actor, route: Route, care: boolean): Attempt {
  const turn = wrapAngle(route.startHeadingRad - actor.pose[channel.yaw])
  if (Math.abs(turn) > turnFirstRad) yield* face(actor, route.startHeadingRad)
  const walk = createWalk(actor.physique, actor.pose, route, actor.gait, actor.random)
  actor.course = walk
  yield care ? withCare(actor, walk) : walk
  actor.course = null
  return !walk.isHalted()
}

/** A route that somebody is about to walk. */
const courseOf = (route: Route, { speedMps }: GaitStyle): Course => ({
  headingRad: () => route.startHeadingRad,
  placeIn: (aheadS) => {
    const alongM = Math.min(route.lengthM, speedMps * aheadS)
    return [route.xAt(alongM), route.yAt(alongM)]
  },
})

/**
 * Walks the way that `wayFrom` finds from wherever one stands, and turns to a heading at its end (null: as it came). False where
 * there is no way: it stays.
 */
export function* travel(
  actor: Actor,
  wayFrom: (from: Place) => ReadonlyArray<Place> | null,
  headingRad: number | null,
): Attempt {
  let waitedS = 0
  for (let halts = 0;;) {
    const from = placeOf(actor)
    const way = wayFrom(from)
    if (way === null) return false
    const end = way[way.length - 1]!
    const isThere = halts > 0 && Math.hypot(end[0] - from[0], end[1] - from[1]) < nearM
    if (isThere) {
      yield* face(actor, headingRad ?? actor.pose[channel.yaw], end)
      return true
    }
    const route = createRoute(way, false)
    if (waitedS < patienceS && isBlocked(actor, courseOf(route, actor.gait))) {
      waitedS += lookUpS
      yield keep(lookUpS)
      continue
    }
    const hasCare = halts < haltsMax && waitedS < patienceS
    if (yield* walkAlong(actor, route, hasCare)) {
      yield* face(actor, headingRad ?? route.endHeadingRad, end)
      return true
    }
    halts++
    yield* face(actor, actor.pose[channel.yaw])
  }
}
