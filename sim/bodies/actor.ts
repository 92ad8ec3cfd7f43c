/**
 * An actor: a person in the middle of its behaviour.
 *
 * Owns the state that steps of behaviour share, and the phases that many of them are made of: moving by keyframes, going
 * somewhere, getting up, staying. Boundary: `behaviour.ts` makes steps of them, `person.ts` runs the phases.
 */
import type { Activity } from "./activity.ts"
import { type Bed, type FloorPlan, type Place, type Seat } from "./floor-plan.ts"
import { createMotion, type Keyframe } from "./motion.ts"
import { type Berth, lieDown, sitUp, turnOver } from "./motions/bed.ts"
import { riseToKnees, rollToFront, standUpFromKnees, straighten } from "./motions/floor.ts"
import { fidgetLying, fidgetSitting, fidgetStanding } from "./motions/idle.ts"
import { shift } from "./motions/shift.ts"
import { sitDown, standUp, standUpFromFloor } from "./motions/sit.ts"
import type { Occupancy } from "./occupancy.ts"
import { keep, type Phase, play, stepS } from "./phase.ts"
import type { Physique } from "./physique.ts"
import type { Planner } from "./planner.ts"
import { channel, nearestAngle, type Pose, rewriteYaw, wrapAngle } from "./pose.ts"
import type { Random } from "../random.ts"
import { createRoute, type Route } from "./route.ts"
import { createWalk, type GaitStyle } from "./walk.ts"

/** What bears the body between two steps of behaviour. */
export type Rest =
  | { readonly on: "out" }
  | { readonly on: "feet" }
  | { readonly on: "knees" }
  | { readonly on: "seat"; readonly seat: Seat }
  | { readonly on: "edge"; readonly bed: Bed; readonly berth: Berth }
  | { readonly on: "bed"; readonly bed: Bed; readonly berth: Berth }
  | { readonly on: "floor" }
  /** Lying on the floor after a fall. */
  | { readonly on: "ground" }

export interface Actor {
  readonly physique: Physique
  readonly gait: GaitStyle
  readonly floor: FloorPlan
  readonly planner: Planner
  readonly occupancy: Occupancy
  readonly random: Random
  /** The present pose; phases write it. */
  readonly pose: Pose
  /** How fast it changes, per second. */
  readonly rates: () => Pose
  nowS: number
  rest: Rest
  fallImpactS: number | null
}

export type Phases = Generator<Phase, void, void>

/** More than this to turn at the start of a way is turned on the spot. */
const turnFirstRad = 0.7

export const placeOf = ({ pose }: Actor): Place => [pose[channel.pelvisX]!, pose[channel.pelvisY]!]

/** Plays keyframes from the present pose at rest. */
export const moveBy = (actor: Actor, frames: ReadonlyArray<Keyframe>, activity: Activity | null = null): Phase =>
  play(createMotion(actor.pose, null, frames), activity)

/** Stands at ease here with a heading, and the feet side by side. */
export function* face(actor: Actor, headingRad: number, [x, y]: Place = placeOf(actor)): Phases {
  const frames = shift(actor.physique, actor.pose, x, y, headingRad)
  yield play(createMotion(actor.pose, actor.rates(), frames), "standing")
}

/** Walks along a way from the present place and turns to a heading at its end (null: as it came). */
export function* follow(actor: Actor, way: ReadonlyArray<Place>, headingRad: number | null): Phases {
  const route = createRoute(way, false)
  yield* walkAlong(actor, route)
  yield* face(actor, headingRad ?? route.endHeadingRad, way[way.length - 1]!)
}

/** Walks along a route, and is in the middle of a step at its end. */
export function* walkAlong(actor: Actor, route: Route): Phases {
  const turn = wrapAngle(route.startHeadingRad - actor.pose[channel.yaw]!)
  if (Math.abs(turn) > turnFirstRad) yield* face(actor, route.startHeadingRad)
  yield createWalk(actor.physique, actor.pose, route, actor.gait, actor.random)
}

/** Gets up, walks to a place and turns to a heading there (null: as it came). Where there is no way it stays. */
export function* goTo(actor: Actor, place: Place, headingRad: number | null): Phases {
  yield* getUp(actor)
  actor.occupancy.claim(actor, place)
  const from = placeOf(actor)
  const way = actor.planner.plan(from, place)
  if (way === null) return
  const isNear = Math.hypot(place[0] - from[0], place[1] - from[1]) < 0.25
  if (isNear) yield* face(actor, headingRad ?? actor.pose[channel.yaw]!, place)
  else yield* follow(actor, way, headingRad)
}

function* riseFromGround(actor: Actor): Phases {
  const { physique, pose, random } = actor
  if (!straighten(pose)) {
    yield moveBy(actor, rollToFront(physique, pose, random))
    rewriteYaw(pose, pose[channel.twist]!)
  }
  yield moveBy(actor, riseToKnees(physique, pose, random))
}

/** Gets up to stand at ease, whatever bears the body. One who is out stays there. */
export function* getUp(actor: Actor): Phases {
  const { physique, pose, random, rest } = actor
  if (rest.on === "out" || rest.on === "feet") return
  if (rest.on === "bed") {
    if (Math.abs(pose[channel.twist]!) > 0.1) {
      yield moveBy(actor, turnOver(physique, pose, rest.berth.heightM, "back", random))
    }
    yield moveBy(actor, sitUp(physique, pose, rest.berth, random))
  }
  if (rest.on === "ground") {
    actor.fallImpactS = null
    yield* riseFromGround(actor)
  }
  if (rest.on === "ground" || rest.on === "knees") yield moveBy(actor, standUpFromKnees(physique, pose, random))
  else if (rest.on === "floor") yield moveBy(actor, standUpFromFloor(physique, pose, random))
  else yield moveBy(actor, standUp(physique, pose, random))
  actor.rest = { on: "feet" }
  yield* face(actor, pose[channel.yaw]!)
}

export function* sitOn(actor: Actor, seat: Seat, access: Place, isFast: boolean): Phases {
  if (actor.rest.on === "seat" && actor.rest.seat === seat) return
  yield* goTo(actor, access, seat.facingRad)
  const chair = {
    x: seat.place[0],
    y: seat.place[1],
    heightM: seat.heightM,
    yaw: nearestAngle(seat.facingRad, actor.pose[channel.yaw]!),
  }
  yield moveBy(actor, sitDown(actor.physique, chair, isFast, actor.random))
  actor.rest = { on: "seat", seat }
}

export function* lieIn(actor: Actor, bed: Bed, berth: Berth, access: Place): Phases {
  if (actor.rest.on === "bed" && actor.rest.bed === bed) return
  yield* goTo(actor, access, berth.edge.yaw)
  const edge = { ...berth.edge, yaw: nearestAngle(berth.edge.yaw, actor.pose[channel.yaw]!) }
  yield moveBy(actor, sitDown(actor.physique, edge, false, actor.random))
  yield keep(actor.random.uniform() * 1.5)
  yield moveBy(actor, lieDown(actor.physique, actor.pose, berth, actor.random))
  actor.rest = { on: "bed", bed, berth }
}

/** Mean time between two small moves, seconds. */
const fidgetS = { feet: 9, knees: 15, seat: 14, edge: 14, floor: 14, bed: 35, ground: 25, out: Infinity } as const
/** Share of the moves in bed that turn the body over. */
const turnOverShare = 0.15

const fidget = ({ physique, pose, random, rest }: Actor): ReadonlyArray<Keyframe> => {
  if (rest.on === "feet") return fidgetStanding(physique, pose, random)
  if (rest.on === "bed" && random.uniform() < turnOverShare) {
    const isOnBack = Math.abs(pose[channel.twist]!) < 0.1
    const inwards = random.uniform() < 0.3 ? -rest.berth.side : rest.berth.side
    return turnOver(physique, pose, rest.berth.heightM, isOnBack ? (inwards > 0 ? "left" : "right") : "back", random)
  }
  return rest.on === "bed" || rest.on === "ground" ? fidgetLying(pose, random) : fidgetSitting(pose, random)
}

/** Stays for a while as it is, with small moves. */
export function* stay(actor: Actor, seconds: number): Phases {
  const endS = actor.nowS + seconds
  while (endS - actor.nowS > stepS) {
    const waitS = -Math.log(1 - actor.random.uniform()) * fidgetS[actor.rest.on] + 1
    if (actor.nowS + waitS > endS) {
      yield keep(endS - actor.nowS)
      return
    }
    yield keep(waitS)
    const motion = createMotion(actor.pose, null, fidget(actor))
    if (actor.nowS + motion.durationS < endS) yield play(motion, null)
  }
}
