/**
 * Actions: the phases that many steps of behaviour are made of.
 *
 * Owns moving by keyframes, going to a place, getting up, sitting and lying down, and staying with small moves. Boundary:
 * `travel.ts` walks, `behaviour.ts` makes steps of actions.
 */
import type { Activity } from "../bodies/activity.ts"
import type { Performer, Phases } from "./performer.ts"
import { placeOf, wayAround } from "./crowding.ts"
import type { Bed, Place, Seat } from "../rooms/floor-plan.ts"
import { createMotion, type Keyframe } from "../bodies/motion.ts"
import { type Berth, lieDown, sitUp, turnOver } from "../bodies/motions/bed.ts"
import { riseToKnees, rollToFront, standUpFromKnees, straighten } from "../bodies/motions/floor.ts"
import { fidgetLying, fidgetSitting, fidgetStanding } from "../bodies/motions/idle.ts"
import { sitDown, standUp, standUpFromFloor } from "../bodies/motions/sit.ts"
import { keep, type Phase, play, stepS } from "../bodies/phase.ts"
import { channel, nearestAngle, rewriteYaw } from "../bodies/pose.ts"
import type { Pace } from "../bodies/step.ts"
import { face, nearM, travel } from "./travel.ts"

/** Plays keyframes from the current pose at rest. */
export const moveBy = (
  performer: Performer,
  frames: ReadonlyArray<Keyframe>,
  activity: Activity | null = null,
): Phase => play(createMotion(performer.pose, null, frames), activity)

/**
 * Gets up, walks to a place and turns to a heading there (null: keeps the heading of arrival). Without a way to the place, the
 * performer stays. Also claims the places that the performer will use there.
 */
export function* goTo(
  performer: Performer,
  place: Place,
  headingRad: number | null,
  used: ReadonlyArray<Place> = [],
): Phases {
  performer.occupancy.claim(performer, [place, ...used])
  yield* getUp(performer)
  const from = placeOf(performer)
  const isNear = Math.hypot(place[0] - from[0], place[1] - from[1]) < nearM
  if (!isNear) yield* travel(performer, (start) => wayAround(performer, start, place), headingRad)
  else if (performer.planner.plan(from, place) !== null) {
    yield* face(performer, headingRad ?? performer.pose[channel.yaw], place)
  }
}

function* riseFromGround(performer: Performer): Phases {
  const { physique, pose, random } = performer
  if (!straighten(pose)) {
    yield moveBy(performer, rollToFront(physique, pose, random))
    rewriteYaw(pose, pose[channel.twist])
  }
  yield moveBy(performer, riseToKnees(physique, pose, random))
}

/** Gets up to stand at ease, whatever supports the body. A performer who is out stays out. */
export function* getUp(performer: Performer): Phases {
  const { physique, pose, random, rest } = performer
  if (rest.on === "out" || rest.on === "feet") return
  if (rest.on === "bed") {
    if (Math.abs(pose[channel.twist]) > 0.1) {
      yield moveBy(performer, turnOver(physique, pose, rest.berth.heightM, "back", random))
    }
    yield moveBy(performer, sitUp(physique, pose, rest.berth, random))
  }
  if (rest.on === "ground") {
    performer.fallImpactS = null
    yield* riseFromGround(performer)
  }
  if (rest.on === "ground" || rest.on === "knees") yield moveBy(performer, standUpFromKnees(physique, pose, random))
  else if (rest.on === "floor") yield moveBy(performer, standUpFromFloor(physique, pose, random))
  else yield moveBy(performer, standUp(physique, pose, random))
  performer.rest = { on: "feet" }
  yield* face(performer, pose[channel.yaw])
}

export function* sitOn(performer: Performer, seat: Seat, access: Place, isFast: boolean): Phases {
  if (performer.rest.on === "seat" && performer.rest.seat === seat) return
  yield* goTo(performer, access, seat.facingRad, [seat.place])
  const chair = {
    x: seat.place[0],
    y: seat.place[1],
    heightM: seat.heightM,
    yaw: nearestAngle(seat.facingRad, performer.pose[channel.yaw]),
  }
  yield moveBy(performer, sitDown(performer.physique, chair, isFast, performer.random))
  performer.rest = { on: "seat", seat }
}

export function* lieIn(performer: Performer, bed: Bed, berth: Berth, access: Place, pace: Pace): Phases {
  if (performer.rest.on === "bed" && performer.rest.bed === bed) return
  yield* goTo(performer, access, berth.edge.yaw, [berth.lying])
  const edge = { ...berth.edge, yaw: nearestAngle(berth.edge.yaw, performer.pose[channel.yaw]) }
  yield moveBy(performer, sitDown(performer.physique, edge, false, performer.random))
  yield keep(performer.random.uniform() * 1.5)
  yield moveBy(performer, lieDown(performer.physique, performer.pose, berth, pace, performer.random))
  performer.rest = { on: "bed", bed, berth }
}

/** Mean time between two small moves, seconds. */
const fidgetS = { feet: 9, knees: 15, seat: 14, edge: 14, floor: 14, bed: 35, ground: 25, out: Infinity } as const
/** Share of the moves in bed that turn the body over. */
const turnOverShare = 0.15

const fidget = ({ physique, pose, random, rest }: Performer): ReadonlyArray<Keyframe> => {
  if (rest.on === "feet") return fidgetStanding(physique, pose, random)
  if (rest.on === "bed" && random.uniform() < turnOverShare) {
    const isOnBack = Math.abs(pose[channel.twist]) < 0.1
    const inwards = random.uniform() < 0.3 ? -rest.berth.side : rest.berth.side
    return turnOver(physique, pose, rest.berth.heightM, isOnBack ? (inwards > 0 ? "left" : "right") : "back", random)
  }
  return rest.on === "bed" || rest.on === "ground" ? fidgetLying(pose, random) : fidgetSitting(pose, random)
}

/** Keeps the present posture for a while, with small moves. */
export function* stay(performer: Performer, seconds: number): Phases {
  const endS = performer.nowS + seconds
  while (endS - performer.nowS > stepS) {
    const waitS = -Math.log(1 - performer.random.uniform()) * fidgetS[performer.rest.on] + 1
    if (performer.nowS + waitS > endS) {
      yield keep(endS - performer.nowS)
      return
    }
    yield keep(waitS)
    const motion = createMotion(performer.pose, null, fidget(performer))
    if (performer.nowS + motion.durationS < endS) yield play(motion, null)
  }
}
