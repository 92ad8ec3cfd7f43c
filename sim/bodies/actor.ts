/**
 * An actor: a person in the middle of its behaviour.
 *
 * Owns the state that steps of behaviour share, and the phases that many of them are made of: moving by keyframes, going
 * somewhere, getting up, staying. Boundary: `travel.ts` walks, `behaviour.ts` makes steps of phases, `person.ts` runs them.
 */
import type { Activity } from "./activity.ts"
import { placeOf, wayAround } from "./company.ts"
import { type Bed, type FloorPlan, type Place, type Seat } from "./floor-plan.ts"
import { createMotion, type Keyframe } from "./motion.ts"
import { type Berth, lieDown, sitUp, turnOver } from "./motions/bed.ts"
import { riseToKnees, rollToFront, standUpFromKnees, straighten } from "./motions/floor.ts"
import { fidgetLying, fidgetSitting, fidgetStanding } from "./motions/idle.ts"
import { sitDown, standUp, standUpFromFloor } from "./motions/sit.ts"
import type { Course, Occupancy } from "./occupancy.ts"
import { keep, type Phase, play, stepS } from "./phase.ts"
import type { Physique } from "./physique.ts"
import type { Planner } from "./planner.ts"
import { channel, nearestAngle, type Pose, rewriteYaw } from "./pose.ts"
import type { Random } from "../random.ts"
import { face, nearM, travel } from "./travel.ts"
import type { GaitStyle } from "./walk.ts"

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
  /** The way that it walks just now. */
  course: Course | null
  /** The outer door that it is going through. */
  doorId: string | null
  fallImpactS: number | null
}

export type Phases = Generator<Phase, void, void>

/** Plays keyframes from the present pose at rest. */
export const moveBy = (actor: Actor, frames: ReadonlyArray<Keyframe>, activity: Activity | null = null): Phase =>
  play(createMotion(actor.pose, null, frames), activity)

/**
 * Gets up, walks to a place and turns to a heading there (null: as it came). Where there is no way it stays. What it is going to
 * use there, it claims too.
 */
export function* goTo(actor: Actor, place: Place, headingRad: number | null, used: ReadonlyArray<Place> = []): Phases {
  actor.occupancy.claim(actor, [place, ...used])
  yield* getUp(actor)
  const from = placeOf(actor)
  const isNear = Math.hypot(place[0] - from[0], place[1] - from[1]) < nearM
  if (!isNear) yield* travel(actor, (start) => wayAround(actor, start, place), headingRad)
  else if (actor.planner.plan(from, place) !== null) yield* face(actor, headingRad ?? actor.pose[channel.yaw], place)
}

function* riseFromGround(actor: Actor): Phases {
  const { physique, pose, random } = actor
  if (!straighten(pose)) {
    yield moveBy(actor, rollToFront(physique, pose, random))
    rewriteYaw(pose, pose[channel.twist])
  }
  yield moveBy(actor, riseToKnees(physique, pose, random))
}

/** Gets up to stand at ease, whatever bears the body. One who is out stays there. */
export function* getUp(actor: Actor): Phases {
  const { physique, pose, random, rest } = actor
  if (rest.on === "out" || rest.on === "feet") return
  if (rest.on === "bed") {
    if (Math.abs(pose[channel.twist]) > 0.1) {
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
  yield* face(actor, pose[channel.yaw])
}

export function* sitOn(actor: Actor, seat: Seat, access: Place, isFast: boolean): Phases {
  if (actor.rest.on === "seat" && actor.rest.seat === seat) return
  yield* goTo(actor, access, seat.facingRad, [seat.place])
  const chair = {
    x: seat.place[0],
    y: seat.place[1],
    heightM: seat.heightM,
    yaw: nearestAngle(seat.facingRad, actor.pose[channel.yaw]),
  }
  yield moveBy(actor, sitDown(actor.physique, chair, isFast, actor.random))
  actor.rest = { on: "seat", seat }
}

export function* lieIn(actor: Actor, bed: Bed, berth: Berth, access: Place): Phases {
  if (actor.rest.on === "bed" && actor.rest.bed === bed) return
  yield* goTo(actor, access, berth.edge.yaw, [berth.lying])
  const edge = { ...berth.edge, yaw: nearestAngle(berth.edge.yaw, actor.pose[channel.yaw]) }
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
    const isOnBack = Math.abs(pose[channel.twist]) < 0.1
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
