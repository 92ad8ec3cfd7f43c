/**
 * Behaviour: steps of a script, done.
 *
 * Owns how each step of `step.ts` is made of phases: what comes before it, where it is done, how long. Boundary:
 * `daily.ts` draws the steps of a daily life.
 */
import { uniformIn } from "../random.ts"
import { type Actor, getUp, goTo, lieIn, moveBy, type Phases, sitOn, stay } from "./actor.ts"
import { groundOf, isCrowded, isOpen, openPlaceNear, placeOf, wayAround } from "./company.ts"
import { enter, leave } from "./doorway.ts"
import { type Bed, isOuter, type Place, type Seat } from "./floor-plan.ts"
import { createMotion } from "./motion.ts"
import { jump, pickUp } from "./motions/act.ts"
import { type Berth, berthOf } from "./motions/bed.ts"
import { fall } from "./motions/fall.ts"
import { kneelDown } from "./motions/floor.ts"
import { gesture } from "./motions/gesture.ts"
import { dropToFloor } from "./motions/sit.ts"
import { keep, play } from "./phase.ts"
import { channel } from "./pose.ts"
import { offset, seatReachM } from "./postures.ts"
import { createRoute } from "./route.ts"
import { canFall, drawPlace, headingThat, openHeading } from "./space.ts"
import { type FallDirection, fallDirections, type Gesture, type Step } from "./step.ts"
import { type Attempt, face, walkAlong } from "./travel.ts"

/** Shortest time on the floor after a fall. */
const downMinS = 5
const triesMax = 30
/** Shares of the usual clearances that a falling body may have, tried in turn. */
const fallShares = [0.3, 0.05] as const

/** Stands here, or where nobody is if that is another's place or the doorway. */
function* settle(actor: Actor): Phases {
  yield* getUp(actor)
  if (isCrowded(actor)) yield* goTo(actor, openPlaceNear(actor, placeOf(actor)), null)
  actor.occupancy.claim(actor, [placeOf(actor)])
}

/** Turns to where arms and knees have room; moves away from walls and people that leave none. */
function* findRoom(actor: Actor): Phases {
  yield* settle(actor)
  const { floor, planner, pose, random } = actor
  const ground = groundOf(actor)
  const here = openHeading(ground, placeOf(actor), pose[channel.yaw])
  if (here === null) {
    const suits = (spot: Place): boolean => isOpen(actor, spot) && openHeading(ground, spot, 0) !== null
    const place = drawPlace(floor, planner, random, suits)
    if (place !== null) yield* goTo(actor, place, null)
  }
  const heading = openHeading(ground, placeOf(actor), pose[channel.yaw]) ??
    openHeading(planner, placeOf(actor), pose[channel.yaw])
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
  yield* settle(actor)
  if (name === undefined) return yield* stay(actor, seconds)
  yield* findRoom(actor)
  yield* gesticulate(actor, name, seconds)
}

const accessOf = (actor: Actor, seat: Seat): Place =>
  offset(seat.place[0], seat.place[1], seat.facingRad, seatReachM(actor.physique), 0)

const pick = <A>(actor: Actor, all: ReadonlyArray<A>): A | undefined =>
  all[Math.floor(actor.random.uniform() * all.length)]

/** Sits down, on another seat than the named one if somebody has it; stands where no seat is free. */
function* sit(actor: Actor, seatId: string | undefined, isFast: boolean): Phases {
  const { floor, occupancy, rest } = actor
  const own = rest.on === "seat" ? rest.seat : undefined
  const free = floor.seats.filter((seat) =>
    seat === own ||
    !(occupancy.isTaken(actor, seat.place, besideM) || occupancy.isTaken(actor, accessOf(actor, seat), besideM))
  )
  const stays = seatId === undefined && !isFast ? own : undefined
  const named = seatId === undefined ? undefined : floor.seats.find((known) => known.seatId === seatId)
  const isUnknown = seatId !== undefined && named === undefined
  if (isUnknown) return yield* getUp(actor)
  const seat = named !== undefined && free.includes(named) ? named : stays ?? pick(actor, free)
  if (seat === undefined) return yield* settle(actor)
  if (isFast) yield* getUp(actor)
  yield* sitOn(actor, seat, accessOf(actor, seat), isFast)
}

/** Lies down where nobody lies, in another bed than the named one if need be; stands where there is no such place. */
function* lie(actor: Actor, bedId: string | undefined): Phases {
  const { floor, rest } = actor
  if (rest.on === "bed" && (bedId === undefined || rest.bed.bedId === bedId)) return
  const isKnown = bedId === undefined || floor.beds.some((bed) => bed.bedId === bedId)
  if (!isKnown) return yield* getUp(actor)
  const wanted = berthsIn(actor, floor.beds.filter((bed) => bedId === undefined || bed.bedId === bedId))
  const choice = pick(actor, wanted.length > 0 ? wanted : berthsIn(actor, floor.beds))
  if (choice === undefined) return yield* settle(actor)
  yield* lieIn(actor, choice.bed, choice.berth, choice.access)
}

/** Nobody sits or lies down so near to another. */
const besideM = 0.47

/** Where one can lie in beds, and where one stands to lie down there. */
const berthsIn = (actor: Actor, beds: ReadonlyArray<Bed>) => {
  const { occupancy, physique, planner } = actor
  return beds.flatMap((bed) => {
    const sides = ([1, -1] as const).map((side) => {
      const berth = berthOf(physique, bed, side)
      const access = bedsideOf(actor, berth, 0)
      const room = bedsideShares.findIndex((share) => planner.isFree(bedsideOf(actor, berth, 0.3), share))
      return { bed, berth, access, worst: room < 0 ? bedsideShares.length : room }
    }).filter(({ access, berth }) =>
      planner.isFree(access, 0.15) &&
      [access, berth.lying].every((place) => !occupancy.isTaken(actor, place, besideM))
    )
    // Nobody squeezes in by the wall where the other side is free.
    return sides.filter(({ worst }) => sides.every((other) => worst <= other.worst))
  })
}

/** Shares of the usual clearances that there may be beside a bed, the best first. */
const bedsideShares = [1, 0.5, 0.2] as const

/** Where one stands to sit down on the edge, or so much further away from the bed. */
const bedsideOf = (actor: Actor, { edge }: Berth, furtherM: number): Place =>
  offset(edge.x, edge.y, edge.yaw, seatReachM(actor.physique) + furtherM, 0)

const fallBearings: Readonly<Record<FallDirection, number>> = {
  forward: 0,
  backward: Math.PI,
  left: Math.PI / 2,
  right: -Math.PI / 2,
}

/** Falls from the present pose, and lies. */
function* tumble(actor: Actor, direction: FallDirection): Phases {
  const { physique, pose, random } = actor
  const rates = actor.rates()
  const yaw = pose[channel.yaw]
  const aheadMps = rates[channel.pelvisX] * Math.cos(yaw) + rates[channel.pelvisY] * Math.sin(yaw)
  const { frames, impactS } = fall(physique, pose, direction, Math.max(0, aheadMps), random)
  const motion = createMotion(pose, rates, frames)
  actor.fallImpactS = actor.nowS + impactS
  actor.occupancy.claim(actor, landing(placeOf(actor), yaw, direction))
  yield play(motion, "falling")
  actor.rest = { on: "ground" }
}

/** What a falling body comes to cover, as places. */
const landing = ([x, y]: Place, yaw: number, direction: FallDirection): ReadonlyArray<Place> => {
  const towards = yaw + fallBearings[direction]
  return [0, 0.6, 1.2].map((ahead) => offset(x, y, towards, ahead, 0))
}

const directionsOf = (direction: FallDirection | undefined): ReadonlyArray<FallDirection> =>
  direction === undefined ? fallDirections : [direction]

/** Walks until it falls, where there is room for it; false if no such way was found. */
function* stumble(actor: Actor, wanted: FallDirection | undefined): Attempt {
  const { floor, planner, pose, random } = actor
  const ground = groundOf(actor)
  const from = placeOf(actor)
  const suits = (spot: Place): boolean => Math.hypot(spot[0] - from[0], spot[1] - from[1]) > 1 && isOpen(actor, spot)
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const place = drawPlace(floor, planner, random, suits)
    const way = place === null ? null : wayAround(actor, from, place)
    if (way === null || place === null) continue
    const [before, end] = [way[way.length - 2]!, way[way.length - 1]!]
    const heading = Math.atan2(end[1] - before[1], end[0] - before[0])
    const direction = pick(
      actor,
      directionsOf(wanted).filter((each) => canFall(ground, place, heading, each, fallShares[0])),
    )
    if (direction === undefined) continue
    actor.occupancy.claim(actor, landing(place, heading, direction))
    const hasCome = yield* walkAlong(actor, createRoute(way, true), true)
    if (hasCome) yield* tumble(actor, direction)
    else yield* face(actor, pose[channel.yaw])
    return hasCome
  }
  return false
}

/**
 * Falls where it stands, if need be after turning or going to where there is room; false where the home has no such place.
 */
function* collapse(actor: Actor, wanted: FallDirection | undefined): Attempt {
  const { floor, planner, pose, random } = actor
  const ground = groundOf(actor)
  for (const share of fallShares) {
    const fits = (place: Place, yaw: number) => (direction: FallDirection): boolean =>
      canFall(ground, place, yaw, direction, share)
    const headingAt = (place: Place): number | null =>
      headingThat((yaw) => directionsOf(wanted).some(fits(place, yaw)), pose[channel.yaw])
    if (headingAt(placeOf(actor)) === null) {
      const place = drawPlace(floor, planner, random, (spot) => isOpen(actor, spot) && headingAt(spot) !== null)
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
      return yield* goTo(actor, openPlaceNear(actor, step.to), null)
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
