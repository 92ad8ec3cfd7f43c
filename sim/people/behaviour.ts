/**
 * Behaviour: performs the steps of a script.
 *
 * Owns how each step of `step.ts` is made of phases: its preparation, place and duration. Boundary: `daily.ts` draws the steps of
 * a daily life; `falling.ts` has falls and lying down on the floor.
 */
import { uniformIn } from "../randomness/random.ts"
import { getUp, goTo, lieIn, moveBy, sitOn, stay } from "./actions.ts"
import type { Performer, Phases } from "./performer.ts"
import { groundOf, isCrowded, isOpen, openPlaceNear, placeOf, wayAround } from "./crowding.ts"
import { enter, leave } from "./doorway.ts"
import { moveAs } from "./captured.ts"
import { fallDown, lieOnFloor } from "./falling.ts"
import { type Bed, isOuter, type Place, type Seat } from "../rooms/floor-plan.ts"
import { createMotion } from "../bodies/motion.ts"
import { jump, pickUp } from "../bodies/motions/act.ts"
import { type Berth, berthOf } from "../bodies/motions/bed.ts"
import { kneelDown } from "../bodies/motions/floor.ts"
import { gesture } from "../bodies/motions/gesture.ts"
import { dropToFloor } from "../bodies/motions/sit.ts"
import { keep, play } from "../bodies/phase.ts"
import { channel } from "../bodies/pose.ts"
import { offset, seatReachM } from "../bodies/postures.ts"
import { createRoute } from "./route.ts"
import { drawPlace, openHeading } from "./space.ts"
import type { Gesture, Pace, Step } from "../bodies/step.ts"
import { face, nearM, turnFast, walkAlong } from "./travel.ts"

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
function* lie(performer: Performer, bedId: string | undefined, pace: Pace): Phases {
  const { floor, rest } = performer
  if (rest.on === "bed" && (bedId === undefined || rest.bed.bedId === bedId)) return
  const isKnown = bedId === undefined || floor.beds.some((bed) => bed.bedId === bedId)
  if (!isKnown) return yield* getUp(performer)
  const wanted = berthsIn(performer, floor.beds.filter((bed) => bedId === undefined || bed.bedId === bedId))
  const choice = pick(performer, wanted.length > 0 ? wanted : berthsIn(performer, floor.beds))
  if (choice === undefined) return yield* settle(performer)
  yield* lieIn(performer, choice.bed, choice.berth, choice.access, pace)
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

/** Walks to a place facing away from it; stays if the place is near or there is no way. */
function* backAway(performer: Performer, place: Place): Phases {
  yield* getUp(performer)
  performer.occupancy.claim(performer, [place])
  const from = placeOf(performer)
  const way = Math.hypot(place[0] - from[0], place[1] - from[1]) < nearM ? null : wayAround(performer, from, place)
  if (way === null) return
  yield* walkAlong(performer, createRoute(way, false, performer.gait.turnRateRadps), {
    isCareful: true,
    isBackwards: true,
  })
  yield* face(performer, performer.pose[channel.yaw])
}

function* turnBy(performer: Performer, byRad: number, isFast: boolean): Phases {
  yield* settle(performer)
  const heading = performer.pose[channel.yaw] + byRad
  yield* isFast ? turnFast(performer, heading) : face(performer, heading)
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
      return step.backwards === true
        ? yield* backAway(performer, openPlaceNear(performer, step.to))
        : yield* goTo(performer, openPlaceNear(performer, step.to), null)
    case "turn":
      return yield* turnBy(performer, step.byRad, step.fast === true)
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
      yield* lie(performer, step.bed, step.pace ?? "usual")
      return yield* stay(performer, step.seconds)
    case "lie-on-floor":
      return yield* lieOnFloor(performer, step.seconds, step.pace ?? "usual")
    case "fall":
      return yield* fallDown(performer, step)
    case "drop-to-floor":
      yield* findRoom(performer)
      yield moveBy(performer, dropToFloor(physique, pose, "fast", random))
      performer.rest = { on: "floor" }
      return yield* stay(performer, step.seconds ?? 5)
    case "sit-on-floor":
      yield* findRoom(performer)
      yield moveBy(performer, dropToFloor(physique, pose, "usual", random))
      performer.rest = { on: "floor" }
      return yield* stay(performer, step.seconds)
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
    case "captured":
      return yield* moveAs(performer, step.clips, step)
  }
}
