/**
 * Behaviour: steps of a script, done.
 *
 * Owns how each step of `step.ts` is made of phases: what comes before it, where it is done, how long. Boundary:
 * `daily.ts` draws the steps of a daily life.
 */
import { uniformIn } from "../random.ts"
import {
  type Actor,
  face,
  follow,
  getUp,
  goTo,
  lieIn,
  moveBy,
  type Phases,
  placeOf,
  sitOn,
  stay,
  walkAlong,
} from "./actor.ts"
import { beyondDoor, type Door, outsideM, type Place, type Seat } from "./floor-plan.ts"
import { createMotion } from "./motion.ts"
import { jump, pickUp } from "./motions/act.ts"
import { type Berth, berthOf } from "./motions/bed.ts"
import { fall } from "./motions/fall.ts"
import { kneelDown } from "./motions/floor.ts"
import { gesture } from "./motions/gesture.ts"
import { dropToFloor } from "./motions/sit.ts"
import { keep, type Phase, play } from "./phase.ts"
import { channel, setShape, upright } from "./pose.ts"
import { offset, seatReachM } from "./postures.ts"
import { createRoute } from "./route.ts"
import { canFall, drawPlace, headingThat, openHeading } from "./space.ts"
import { type FallDirection, fallDirections, type Gesture, type Step } from "./step.ts"

/** Shortest time on the floor after a fall. */
const downMinS = 5
const triesMax = 30
/** Shares of the usual clearances that a falling body may have, tried in turn. */
const fallShares = [0.3, 0.05] as const

/** Phases that say whether it was possible. */
type Attempt = Generator<Phase, boolean, void>

/** Puts the body somewhere, standing at ease. */
const appear = (actor: Actor, [x, y]: Place, yaw: number): void => {
  setShape(actor.pose, upright(actor.physique, x, y, yaw))
  actor.rest = { on: "feet" }
}

const isOuter = ({ rooms }: Door): boolean => rooms[1] === null

function* enter(actor: Actor, doorId: string): Phases {
  if (actor.rest.on !== "out") return
  const door = actor.floor.doors.find((known) => known.doorId === doorId)
  if (door === undefined || !isOuter(door)) {
    const place = drawPlace(actor.floor, actor.planner, actor.random, () => true)
    if (place !== null) appear(actor, place, uniformIn(actor.random, -Math.PI, Math.PI))
    return
  }
  const start = beyondDoor(actor.floor, door, outsideM)
  const end = beyondDoor(actor.floor, door, -0.6)
  appear(actor, start, Math.atan2(end[1] - start[1], end[0] - start[0]))
  actor.occupancy.claim(actor, end)
  yield* follow(actor, [start, door.place, end], null)
}

function* leave(actor: Actor, doorId: string, seconds: number): Phases {
  const door = actor.floor.doors.find((known) => known.doorId === doorId)
  if (door === undefined || !isOuter(door)) return
  yield* getUp(actor)
  const before = beyondDoor(actor.floor, door, -0.6)
  const way = actor.planner.plan(placeOf(actor), before)
  if (way === null) return
  yield* follow(actor, [...way, door.place, beyondDoor(actor.floor, door, outsideM)], null)
  actor.rest = { on: "out" }
  actor.occupancy.claim(actor, null)
  if (seconds > 0) yield keep(seconds)
}

/** Turns to where arms and knees have room; moves away from walls that leave none. */
function* findRoom(actor: Actor): Phases {
  yield* getUp(actor)
  const { floor, planner, pose, random } = actor
  const here = openHeading(planner, placeOf(actor), pose[channel.yaw]!)
  if (here === null) {
    const place = drawPlace(floor, planner, random, (spot) => openHeading(planner, spot, 0) !== null)
    if (place !== null) yield* goTo(actor, place, null)
  }
  const heading = openHeading(planner, placeOf(actor), pose[channel.yaw]!)
  if (heading !== null && heading !== pose[channel.yaw]) yield* face(actor, heading)
}

function* gesticulate(actor: Actor, name: Gesture, seconds: number): Phases {
  const endS = actor.nowS + seconds
  for (;;) {
    const motion = createMotion(actor.pose, null, gesture(name, actor.pose, actor.random))
    if (actor.nowS + motion.durationS > endS) break
    yield play(motion, null)
    const waitS = uniformIn(actor.random, 0.5, 3)
    if (actor.nowS + waitS < endS) yield keep(waitS)
  }
  yield* stay(actor, endS - actor.nowS)
}

function* stand(actor: Actor, seconds: number, name: Gesture | undefined): Phases {
  yield* getUp(actor)
  if (name === undefined) return yield* stay(actor, seconds)
  yield* findRoom(actor)
  yield* gesticulate(actor, name, seconds)
}

const accessOf = (actor: Actor, seat: Seat): Place =>
  offset(seat.place[0], seat.place[1], seat.facingRad, seatReachM(actor.physique), 0)

const pick = <A>(actor: Actor, all: ReadonlyArray<A>): A | undefined =>
  all[Math.floor(actor.random.uniform() * all.length)]

function* sit(actor: Actor, seatId: string | undefined, isFast: boolean): Phases {
  const { floor, occupancy, rest } = actor
  const free = floor.seats.filter(({ place }) => !occupancy.isTaken(actor, place, 0.5))
  const stays = seatId === undefined && rest.on === "seat" && !isFast ? rest.seat : undefined
  const seat = seatId === undefined ? stays ?? pick(actor, free) : floor.seats.find((known) => known.seatId === seatId)
  if (seat === undefined) return yield* getUp(actor)
  if (isFast) yield* getUp(actor)
  yield* sitOn(actor, seat, accessOf(actor, seat), isFast)
  actor.occupancy.claim(actor, seat.place)
}

function* lie(actor: Actor, bedId: string | undefined): Phases {
  const { floor, occupancy, physique, planner, rest } = actor
  if (rest.on === "bed" && (bedId === undefined || rest.bed.bedId === bedId)) return
  const known = floor.beds.filter((bed) => bedId === undefined || bed.bedId === bedId)
  const berths = known.flatMap((bed) => {
    const sides = ([1, -1] as const).map((side) => {
      const berth = berthOf(physique, bed, side)
      const access = bedsideOf(actor, berth, 0)
      const room = bedsideShares.findIndex((share) => planner.isFree(bedsideOf(actor, berth, 0.3), share))
      return { bed, berth, access, worst: room < 0 ? bedsideShares.length : room }
    }).filter(({ access, berth }) =>
      planner.isFree(access, 0.15) && (bedId !== undefined || !occupancy.isTaken(actor, berth.lying, 0.5))
    )
    // Nobody squeezes in by the wall where the other side is free.
    return sides.filter(({ worst }) => sides.every((other) => worst <= other.worst))
  })
  const choice = pick(actor, berths)
  if (choice === undefined) return yield* getUp(actor)
  yield* lieIn(actor, choice.bed, choice.berth, choice.access)
  occupancy.claim(actor, choice.berth.lying)
}

/** Shares of the usual clearances that there may be beside a bed, the best first. */
const bedsideShares = [1, 0.5, 0.2] as const

/** Where one stands to sit down on the edge, or so much further away from the bed. */
const bedsideOf = (actor: Actor, { edge }: Berth, furtherM: number): Place =>
  offset(edge.x, edge.y, edge.yaw, seatReachM(actor.physique) + furtherM, 0)

/** Falls from the present pose, and lies. */
function* tumble(actor: Actor, direction: FallDirection): Phases {
  const { physique, pose, random } = actor
  const rates = actor.rates()
  const yaw = pose[channel.yaw]!
  const aheadMps = rates[channel.pelvisX]! * Math.cos(yaw) + rates[channel.pelvisY]! * Math.sin(yaw)
  const { frames, impactS } = fall(physique, pose, direction, Math.max(0, aheadMps), random)
  const motion = createMotion(pose, rates, frames)
  actor.fallImpactS = actor.nowS + impactS
  yield play(motion, "falling")
  actor.rest = { on: "ground" }
}

const directionsOf = (direction: FallDirection | undefined): ReadonlyArray<FallDirection> =>
  direction === undefined ? fallDirections : [direction]

/** Walks until it falls, where there is room for it; false if no such way was found. */
function* stumble(actor: Actor, wanted: FallDirection | undefined): Attempt {
  const { floor, planner, random } = actor
  const from = placeOf(actor)
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const place = drawPlace(floor, planner, random, (spot) => Math.hypot(spot[0] - from[0], spot[1] - from[1]) > 1)
    const way = place === null ? null : planner.plan(from, place)
    if (way === null || place === null) continue
    const [before, end] = [way[way.length - 2]!, way[way.length - 1]!]
    const heading = Math.atan2(end[1] - before[1], end[0] - before[0])
    const direction = pick(
      actor,
      directionsOf(wanted).filter((each) => canFall(planner, place, heading, each, fallShares[0])),
    )
    if (direction === undefined) continue
    yield* walkAlong(actor, createRoute(way, true))
    yield* tumble(actor, direction)
    return true
  }
  return false
}

/**
 * Falls where it stands, if need be after turning or going to where there is room; false where the home has no such place.
 */
function* collapse(actor: Actor, wanted: FallDirection | undefined): Attempt {
  const { floor, planner, pose, random } = actor
  for (const share of fallShares) {
    const fits = (place: Place, yaw: number) => (direction: FallDirection): boolean =>
      canFall(planner, place, yaw, direction, share)
    const headingAt = (place: Place): number | null =>
      headingThat((yaw) => directionsOf(wanted).some(fits(place, yaw)), pose[channel.yaw]!)
    if (headingAt(placeOf(actor)) === null) {
      const place = drawPlace(floor, planner, random, (spot) => headingAt(spot) !== null)
      if (place !== null) yield* goTo(actor, place, null)
    }
    const heading = headingAt(placeOf(actor))
    if (heading === null) continue
    if (heading !== pose[channel.yaw]) yield* face(actor, heading)
    const direction = pick(actor, directionsOf(wanted).filter(fits(placeOf(actor), heading)))
    if (direction === undefined) continue
    yield* tumble(actor, direction)
    return true
  }
  return false
}

/** Stays on the floor, as it is, for ever. */
function* remain(actor: Actor): Phases {
  for (;;) yield* stay(actor, 3600)
}

function* fallDown(actor: Actor, step: Extract<Step, { readonly do: "fall" }>): Phases {
  yield* getUp(actor)
  const hasStumbled = step.walking === true && (yield* stumble(actor, step.direction))
  if (!hasStumbled && !(yield* collapse(actor, step.direction))) return
  yield* stay(actor, Math.max(downMinS, step.seconds))
  if (step.recover) yield* getUp(actor)
  else yield* remain(actor)
}

/** Does one step. Steps that name what the floor plan doesn't have do nothing. */
export function* perform(actor: Actor, step: Step): Phases {
  if (step.do === "enter") return yield* enter(actor, step.door)
  if (actor.rest.on === "out") yield* enter(actor, actor.floor.doors.find(isOuter)?.doorId ?? "")
  const { physique, pose, random } = actor
  switch (step.do) {
    case "leave":
      return yield* leave(actor, step.door, step.seconds ?? 0)
    case "walk":
      return yield* goTo(actor, step.to, null)
    case "stand":
      return yield* stand(actor, step.seconds, step.gesture)
    case "sit":
      yield* sit(actor, step.seat, false)
      return step.gesture === undefined
        ? yield* stay(actor, step.seconds)
        : yield* gesticulate(actor, step.gesture, step.seconds)
    case "sit-fast":
      yield* sit(actor, step.seat, true)
      return yield* stay(actor, step.seconds ?? 5)
    case "lie":
      yield* lie(actor, step.bed)
      return yield* stay(actor, step.seconds)
    case "fall":
      return yield* fallDown(actor, step)
    case "drop-to-floor":
      yield* findRoom(actor)
      yield moveBy(actor, dropToFloor(physique, pose, random))
      actor.rest = { on: "floor" }
      return yield* stay(actor, step.seconds ?? 5)
    case "kneel":
      yield* findRoom(actor)
      yield moveBy(actor, kneelDown(physique, pose, random))
      actor.rest = { on: "knees" }
      yield* stay(actor, step.seconds)
      return yield* getUp(actor)
    case "pick-up":
      yield* findRoom(actor)
      return yield moveBy(actor, pickUp(physique, pose, random))
    case "jump":
      yield* findRoom(actor)
      return yield moveBy(actor, jump(physique, pose, random))
  }
}
