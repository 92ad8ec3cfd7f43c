/**
 * Falls, and lying down on the floor: where there is room for them, and their phases.
 *
 * Boundary: the movements are in `sim/bodies/motions`.
 */
import type { Performer, Phases } from "./performer.ts"
import { getUp, goTo, moveBy, stay } from "./actions.ts"
import { groundOf, isOpen, placeOf, wayAround } from "./crowding.ts"
import type { Place } from "../rooms/floor-plan.ts"
import { createMotion } from "../bodies/motion.ts"
import { lieBack } from "../bodies/motions/bed.ts"
import { fall } from "../bodies/motions/fall.ts"
import { dropToFloor } from "../bodies/motions/sit.ts"
import { type Phase, play } from "../bodies/phase.ts"
import { channel } from "../bodies/pose.ts"
import { offset } from "../bodies/postures.ts"
import { createRoute } from "./route.ts"
import { canFall, drawPlace, headingThat } from "./space.ts"
import { type FallDirection, fallDirections, type Pace, type Step } from "../bodies/step.ts"
import { type Attempt, face, walkAlong } from "./travel.ts"

/** Shortest time on the floor after a fall. */
const downMinS = 5
const triesMax = 30
/** Shares of the usual clearances that are accepted for a falling body, tried in turn. */
const fallShares = [0.3, 0.05] as const

const fallBearings: Readonly<Record<FallDirection, number>> = {
  forward: 0,
  backward: Math.PI,
  left: Math.PI / 2,
  right: -Math.PI / 2,
}

/** Falls from the current pose and lies. */
function* tumble(performer: Performer, direction: FallDirection): Phases {
  const { physique, pose, random } = performer
  const rates = performer.rates()
  const yaw = pose[channel.yaw]
  const aheadMps = rates[channel.pelvisX] * Math.cos(yaw) + rates[channel.pelvisY] * Math.sin(yaw)
  const { frames, impactS } = fall(physique, pose, direction, Math.max(0, aheadMps), random)
  const motion = createMotion(pose, rates, frames)
  performer.fallImpactS = performer.nowS + impactS
  performer.occupancy.claim(performer, landing(placeOf(performer), yaw, direction))
  yield play(motion, "falling")
  performer.rest = { on: "ground" }
}

/** Places that a falling body will cover. */
const landing = ([x, y]: Place, yaw: number, direction: FallDirection): ReadonlyArray<Place> => {
  const towards = yaw + fallBearings[direction]
  return [0, 0.6, 1.2].map((ahead) => offset(x, y, towards, ahead, 0))
}

const pick = <A>(performer: Performer, all: ReadonlyArray<A>): A | undefined =>
  all[Math.floor(performer.random.uniform() * all.length)]

const directionsOf = (direction: FallDirection | undefined): ReadonlyArray<FallDirection> =>
  direction === undefined ? fallDirections : [direction]

/** Walks to a place with room for a fall, and falls there; returns false if there was no fall. */
function* stumble(performer: Performer, wanted: FallDirection | undefined): Attempt {
  const { floor, planner, pose, random } = performer
  const ground = groundOf(performer)
  const from = placeOf(performer)
  const suits = (spot: Place): boolean =>
    Math.hypot(spot[0] - from[0], spot[1] - from[1]) > 1 && isOpen(performer, spot)
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const place = drawPlace(floor, planner, random, suits)
    const way = place === null ? null : wayAround(performer, from, place)
    if (way === null || place === null) continue
    const [before, end] = [way[way.length - 2]!, way[way.length - 1]!]
    const heading = Math.atan2(end[1] - before[1], end[0] - before[0])
    const direction = pick(
      performer,
      directionsOf(wanted).filter((each) => canFall(ground, place, heading, each, fallShares[0])),
    )
    if (direction === undefined) continue
    performer.occupancy.claim(performer, landing(place, heading, direction))
    const hasCome = yield* walkAlong(performer, createRoute(way, true, performer.gait.turnRateRadps), {
      isCareful: true,
    })
    if (hasCome) yield* tumble(performer, direction)
    else yield* face(performer, pose[channel.yaw])
    return hasCome
  }
  return false
}

/**
 * Turns or moves to where there is room to fall in one of the directions; returns such directions, none if the home has no room.
 */
function* findRoomToFall(
  performer: Performer,
  wanted: FallDirection | undefined,
): Generator<Phase, ReadonlyArray<FallDirection>, void> {
  const { floor, planner, pose, random } = performer
  const ground = groundOf(performer)
  for (const share of fallShares) {
    const fits = (place: Place, yaw: number) => (direction: FallDirection): boolean =>
      canFall(ground, place, yaw, direction, share)
    const headingAt = (place: Place): number | null =>
      headingThat((yaw) => directionsOf(wanted).some(fits(place, yaw)), pose[channel.yaw])
    if (headingAt(placeOf(performer)) === null) {
      const place = drawPlace(floor, planner, random, (spot) => isOpen(performer, spot) && headingAt(spot) !== null)
      if (place !== null) yield* goTo(performer, place, null)
    }
    const heading = headingAt(placeOf(performer))
    if (heading === null) continue
    if (heading !== pose[channel.yaw]) yield* face(performer, heading)
    const directions = directionsOf(wanted).filter(fits(placeOf(performer), heading))
    if (directions.length > 0) return directions
  }
  return []
}

/** Falls where there is room; returns false if the home has no such place. */
function* collapse(performer: Performer, wanted: FallDirection | undefined): Attempt {
  const direction = pick(performer, yield* findRoomToFall(performer, wanted))
  if (direction === undefined) return false
  yield* tumble(performer, direction)
  return true
}

/** Sits down on the floor and lies back, at a pace; without room for this the person stands. */
export function* lieOnFloor(performer: Performer, seconds: number, pace: Pace): Phases {
  const { physique, pose, random } = performer
  yield* getUp(performer)
  if ((yield* findRoomToFall(performer, "backward")).length === 0) return yield* stay(performer, seconds)
  performer.occupancy.claim(performer, landing(placeOf(performer), pose[channel.yaw], "backward"))
  yield moveBy(performer, dropToFloor(physique, pose, pace, random))
  performer.rest = { on: "floor" }
  yield moveBy(performer, lieBack(physique, pose, pace, random))
  performer.rest = { on: "ground" }
  yield* stay(performer, seconds)
  yield* getUp(performer)
}

/** Stays on the floor without end. */
function* remain(performer: Performer): Phases {
  for (;;) yield* stay(performer, 3600)
}

export function* fallDown(performer: Performer, step: Extract<Step, { readonly do: "fall" }>): Phases {
  yield* getUp(performer)
  const hasStumbled = step.walking === true && (yield* stumble(performer, step.direction))
  if (!hasStumbled && !(yield* collapse(performer, step.direction))) return
  yield* stay(performer, Math.max(downMinS, step.seconds))
  if (step.recover) yield* getUp(performer)
  else yield* remain(performer)
}
