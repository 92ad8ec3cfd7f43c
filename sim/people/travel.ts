/**
 * Travel: walking to a place without running into others.
 *
 * Owns waiting before a route, stopping on it, and continuing around others. Boundary: `crowding.ts` decides which persons are in
 * the way.
 *
 * Invariant: every travel ends. A walker waits at most `patienceS` and stops at most `haltsMax` times on one way; after that it
 * ignores others.
 */
import type { Performer, Phases } from "./performer.ts"
import { isBlocked, placeOf } from "./crowding.ts"
import type { Place } from "../rooms/floor-plan.ts"
import { createMotion } from "../bodies/motion.ts"
import { fastTurn, shift } from "../bodies/motions/shift.ts"
import type { Course } from "./occupancy.ts"
import { keep, type Phase, play, stepS } from "../bodies/phase.ts"
import { channel, wrapAngle } from "../bodies/pose.ts"
import { createRoute, type Route } from "./route.ts"
import type { GaitStyle } from "./gait.ts"
import { createWalk, type WalkPhase } from "./walk.ts"

/** Places nearer than this are reached without walking. */
export const nearM = 0.25
/** A larger turn at the start of a way is made on the spot. */
const turnFirstRad = 0.7
/** Longest wait for others on one way. */
const patienceS = 6
const haltsMax = 4
/** Intervals at which a waiting and a walking person check for others. */
export const lookUpS = 0.3
const stepsPerLook = Math.round(0.1 / stepS)

/** Phases that return whether they achieved their goal. */
export type Attempt = Generator<Phase, boolean, void>

/** Stands at ease here with a heading and the feet side by side. */
export function* face(performer: Performer, headingRad: number, [x, y]: Place = placeOf(performer)): Phases {
  const frames = shift(performer.physique, performer.pose, x, y, headingRad)
  yield play(createMotion(performer.pose, performer.rates(), frames), "standing")
}

/** A walk that halts when another person gets in the way. */
const withCare = (performer: Performer, walk: WalkPhase): Phase => {
  let steps = 0
  return {
    step: (pose) => {
      if (steps++ % stepsPerLook === 0 && !walk.isHalted() && isBlocked(performer, walk)) walk.halt()
      return walk.step(pose)
    },
    activity: walk.activity,
  }
}

/** Turns on the spot to a heading in fast, wide steps. */
export function* turnFast(performer: Performer, headingRad: number): Phases {
  const [x, y] = placeOf(performer)
  const frames = shift(performer.physique, performer.pose, x, y, headingRad, fastTurn)
  yield play(createMotion(performer.pose, performer.rates(), frames), "standing")
}

interface Walking {
  /** A careful walk stops before its end when another person is in the way. */
  readonly isCareful: boolean
  readonly isBackwards?: boolean
}

/** Walks along a route and ends in the middle of a step. Returns whether it has come to the end. */
export function* walkAlong(
  performer: Performer,
  route: Route,
  { isBackwards = false, isCareful }: Walking,
): Attempt {
  const { gait, physique, pose, random } = performer
  const heading = route.startHeadingRad + (isBackwards ? Math.PI : 0)
  if (Math.abs(wrapAngle(heading - pose[channel.yaw])) > turnFirstRad) yield* face(performer, heading)
  const walk = createWalk(physique, pose, route, gait, isBackwards, random)
  performer.course = walk
  yield isCareful ? withCare(performer, walk) : walk
  performer.course = null
  return !walk.isHalted()
}

/** The course of a person who is about to walk a route. */
const courseOf = (route: Route, { speedMps }: GaitStyle): Course => ({
  headingRad: () => route.startHeadingRad,
  placeIn: (aheadS) => {
    const alongM = Math.min(route.lengthM, speedMps * aheadS)
    return [route.xAt(alongM), route.yAt(alongM)]
  },
})

/**
 * Walks the way that `wayFrom` finds from the current place, and turns to a heading at its end (null: keeps the heading of
 * arrival). Returns false, and stays, when there is no way.
 */
export function* travel(
  performer: Performer,
  wayFrom: (from: Place) => ReadonlyArray<Place> | null,
  headingRad: number | null,
): Attempt {
  let waitedS = 0
  for (let halts = 0;;) {
    const from = placeOf(performer)
    const way = wayFrom(from)
    if (way === null) return false
    const end = way[way.length - 1]!
    const isThere = halts > 0 && Math.hypot(end[0] - from[0], end[1] - from[1]) < nearM
    if (isThere) {
      yield* face(performer, headingRad ?? performer.pose[channel.yaw], end)
      return true
    }
    const route = createRoute(way, false, performer.gait.turnRateRadps)
    if (waitedS < patienceS && isBlocked(performer, courseOf(route, performer.gait))) {
      waitedS += lookUpS
      yield keep(lookUpS)
      continue
    }
    const isCareful = halts < haltsMax && waitedS < patienceS
    if (yield* walkAlong(performer, route, { isCareful })) {
      yield* face(performer, headingRad ?? route.endHeadingRad, end)
      return true
    }
    halts++
    yield* face(performer, performer.pose[channel.yaw])
  }
}
