/**
 * Behaviour: performs the steps of a script.
 *
 * Owns how each step of `step.ts` is made of phases: its preparation, place and duration. Boundary: `daily.ts` draws the steps of
 * a daily life.
 */
import { uniformIn } from "../randomness/random.ts"
import { getUp, goTo, lieIn, moveBy, sitOn, stay } from "./actions.ts"
import type { Performer, Phases } from "./performer.ts"
import { groundOf, isCrowded, isOpen, openPlaceNear, placeOf, wayAround } from "./crowding.ts"
import { enter, leave } from "./doorway.ts"
import { type Bed, isOuter, type Place, type Seat } from "../rooms/floor-plan.ts"
import { createMotion } from "../bodies/motion.ts"
import { jump, pickUp } from "../bodies/motions/act.ts"
import { type Berth, berthOf } from "../bodies/motions/bed.ts"
import { fall } from "../bodies/motions/fall.ts"
import { kneelDown } from "../bodies/motions/floor.ts"
import { gesture } from "../bodies/motions/gesture.ts"
import { dropToFloor } from "../bodies/motions/sit.ts"
import { keep, play } from "../bodies/phase.ts"
import { channel } from "../bodies/pose.ts"
import { offset, seatReachM } from "../bodies/postures.ts"
import { createRoute } from "./route.ts"
import { canFall, drawPlace, headingThat, openHeading } from "./space.ts"
import { type FallDirection, fallDirections, type Gesture, type Step } from "../bodies/step.ts"
import { type Attempt, face, walkAlong } from "./travel.ts"

/** Shortest time on the floor after a fall. */
const downMinS = 5
const triesMax = 30
/** Shares of the usual clearances that are accepted for a falling body, tried in turn. */
const fallShares = [0.3, 0.05] as const

/** Stands here; moves to an open place if this one is taken or lies in a doorway. */
function* settle(performer: Performer): Phases {
  yield* getUp(performer)
  if (isCrowded(performer)) yield* goTo(performer, openPlaceNear(performer, placeOf(performer)), null)
  performer.occupancy.claim(performer, [placeOf(performer)])
}

/** Turns to where arms and knees have room; moves away from walls and people if there is no such heading. */
function* findRoom(performer: Performer): Phases {
  yield* settle(performer)
  const { floor, planner, pose, random } = performer
  const ground = groundOf(performer)
  const here = openHeading(ground, placeOf(performer), pose[channel.yaw])
  if (here === null) {
    const suits = (spot: Place): boolean => isOpen(performer, spot) && openHeading(ground, spot, 0) !== null
    const place = drawPlace(floor, planner, random, suits)
    if (place !== null) yield* goTo(performer, place, null)
  }
  const heading = openHeading(ground, placeOf(performer), pose[channel.yaw]) ??
    openHeading(planner, placeOf(performer), pose[channel.yaw])
  if (heading !== null && heading !== pose[channel.yaw]) yield* face(performer, heading)
}

function* gesticulate(performer: Performer, name: Gesture, seconds: number): Phases {
  const endS = performer.nowS + seconds
  for (;;) {
    const motion = createMotion(performer.pose, null, gesture(name, performer.pose, performer.random))
    if (performer.nowS + motion.durationS > endS) break
    yield play(motion, null)
    const waitS = uniformIn(performer.random, 0.5, 3)
    if (performer.nowS + waitS < endS) yield keep(waitS)
  }
  yield* stay(performer, endS - performer.nowS)
}

function* stand(performer: Performer, seconds: number, name: Gesture | undefined): Phases {
  yield* settle(performer)
  if (name === undefined) return yield* stay(performer, seconds)
  yield* findRoom(performer)
  yield* gesticulate(performer, name, seconds)
}

const accessOf = (performer: Performer, seat: Seat): Place =>
  offset(seat.place[0], seat.place[1], seat.facingRad, seatReachM(performer.physique), 0)

const pick = <A>(performer: Performer, all: ReadonlyArray<A>): A | undefined =>
  all[Math.floor(performer.random.uniform() * all.length)]

/** Sits down, on another seat if the named one is taken; stands if no seat is free. */
function* sit(performer: Performer, seatId: string | undefined, isFast: boolean): Phases {
  const { floor, occupancy, rest } = performer
  const own = rest.on === "seat" ? rest.seat : undefined
  const free = floor.seats.filter((seat) =>
    seat === own ||
    !(occupancy.isTaken(performer, seat.place, besideM) ||
      occupancy.isTaken(performer, accessOf(performer, seat), besideM))
  )
  const stays = seatId === undefined && !isFast ? own : undefined
  const named = seatId === undefined ? undefined : floor.seats.find((known) => known.seatId === seatId)
  const isUnknown = seatId !== undefined && named === undefined
  if (isUnknown) return yield* getUp(performer)
  const seat = named !== undefined && free.includes(named) ? named : stays ?? pick(performer, free)
  if (seat === undefined) return yield* settle(performer)
  if (isFast) yield* getUp(performer)
  yield* sitOn(performer, seat, accessOf(performer, seat), isFast)
}

/** Lies down in a free berth, in another bed than the named one if necessary; stands if there is none. */
function* lie(performer: Performer, bedId: string | undefined): Phases {
  const { floor, rest } = performer
  if (rest.on === "bed" && (bedId === undefined || rest.bed.bedId === bedId)) return
  const isKnown = bedId === undefined || floor.beds.some((bed) => bed.bedId === bedId)
  if (!isKnown) return yield* getUp(performer)
  const wanted = berthsIn(performer, floor.beds.filter((bed) => bedId === undefined || bed.bedId === bedId))
  const choice = pick(performer, wanted.length > 0 ? wanted : berthsIn(performer, floor.beds))
  if (choice === undefined) return yield* settle(performer)
  yield* lieIn(performer, choice.bed, choice.berth, choice.access)
}

/** Smallest distance between people who sit or lie. */
const besideM = 0.47

/** Free berths in beds, each with the place to stand before lying down. */
const berthsIn = (performer: Performer, beds: ReadonlyArray<Bed>) => {
  const { occupancy, physique, planner } = performer
  return beds.flatMap((bed) => {
    const sides = ([1, -1] as const).map((side) => {
      const berth = berthOf(physique, bed, side)
      const access = bedsideOf(performer, berth, 0)
      const room = bedsideShares.findIndex((share) => planner.isFree(bedsideOf(performer, berth, 0.3), share))
      return { bed, berth, access, worst: room < 0 ? bedsideShares.length : room }
    }).filter(({ access, berth }) =>
      planner.isFree(access, 0.15) &&
      [access, berth.lying].every((place) => !occupancy.isTaken(performer, place, besideM))
    )
    // The side by the wall is not used when the other side has more room.
    return sides.filter(({ worst }) => sides.every((other) => worst <= other.worst))
  })
}

/** Shares of the usual clearances that are accepted beside a bed, the best first. */
const bedsideShares = [1, 0.5, 0.2] as const

/** The place to stand before sitting down on the edge, `furtherM` further away from the bed. */
const bedsideOf = (performer: Performer, { edge }: Berth, furtherM: number): Place =>
  offset(edge.x, edge.y, edge.yaw, seatReachM(performer.physique) + furtherM, 0)

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

const directionsOf = (direction: FallDirection | undefined): ReadonlyArray<FallDirection> =>
  direction === undefined ? fallDirections : [direction]

/** Walks to a place with room for a fall, and falls there; returns false if it did not fall. */
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
    const hasCome = yield* walkAlong(performer, createRoute(way, true), true)
    if (hasCome) yield* tumble(performer, direction)
    else yield* face(performer, pose[channel.yaw])
    return hasCome
  }
  return false
}

/**
 * Falls on the spot, after turning or moving to a place with room if necessary; returns false if the home has no such place.
 */
function* collapse(performer: Performer, wanted: FallDirection | undefined): Attempt {
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
    const direction = pick(performer, directionsOf(wanted).filter(fits(placeOf(performer), heading)))
    if (direction === undefined) continue
    yield* tumble(performer, direction)
    return true
  }
  return false
}

/** Stays on the floor without end. */
function* remain(performer: Performer): Phases {
  for (;;) yield* stay(performer, 3600)
}

function* fallDown(performer: Performer, step: Extract<Step, { readonly do: "fall" }>): Phases {
  yield* getUp(performer)
  const hasStumbled = step.walking === true && (yield* stumble(performer, step.direction))
  if (!hasStumbled && !(yield* collapse(performer, step.direction))) return
  yield* stay(performer, Math.max(downMinS, step.seconds))
  if (step.recover) yield* getUp(performer)
  else yield* remain(performer)
}

/** Performs one step. A step that names something missing from the floor plan does nothing. */
export function* perform(performer: Performer, step: Step): Phases {
  if (step.do === "enter") return yield* enter(performer, step.door)
  if (performer.rest.on === "out") yield* enter(performer, performer.floor.doors.find(isOuter)?.doorId ?? "")
  const { physique, pose, random } = performer
  switch (step.do) {
    case "leave":
      return yield* leave(performer, step.door, step.seconds ?? 0)
    case "walk":
      return yield* goTo(performer, openPlaceNear(performer, step.to), null)
    case "stand":
      return yield* stand(performer, step.seconds, step.gesture)
    case "sit":
      yield* sit(performer, step.seat, false)
      return step.gesture === undefined
        ? yield* stay(performer, step.seconds)
        : yield* gesticulate(performer, step.gesture, step.seconds)
    case "sit-fast":
      yield* sit(performer, step.seat, true)
      return yield* stay(performer, step.seconds ?? 5)
    case "lie":
      yield* lie(performer, step.bed)
      return yield* stay(performer, step.seconds)
    case "fall":
      return yield* fallDown(performer, step)
    case "drop-to-floor":
      yield* findRoom(performer)
      yield moveBy(performer, dropToFloor(physique, pose, random))
      performer.rest = { on: "floor" }
      return yield* stay(performer, step.seconds ?? 5)
    case "kneel":
      yield* findRoom(performer)
      yield moveBy(performer, kneelDown(physique, pose, random))
      performer.rest = { on: "knees" }
      yield* stay(performer, step.seconds)
      return yield* getUp(performer)
    case "pick-up":
      yield* findRoom(performer)
      return yield moveBy(performer, pickUp(physique, pose, random))
    case "jump":
      yield* findRoom(performer)
      return yield moveBy(performer, jump(physique, pose, random))
  }
}
