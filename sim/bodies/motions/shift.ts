/**
 * Shifting: turning on the spot and setting the feet side by side, by steps.
 */
import type { Keyframe } from "../motion.ts"
import { type Physique, standingHipM } from "../physique.ts"
import {
  channel,
  feetAt,
  nearestAngle,
  type Pose,
  relaxed,
  type Shape,
  type Side,
  sides,
  upright,
  wrapAngle,
} from "../pose.ts"

/** Steps of a turn: their duration, and the turn of one foot in one step. */
interface TurnSteps {
  readonly stepSeconds: number
  readonly turnPerStep: number
}

const usualTurn: TurnSteps = { stepSeconds: 0.33, turnPerStep: 0.7 }
/** As fast as a person turns who is called from behind. */
export const fastTurn: TurnSteps = { stepSeconds: 0.24, turnPerStep: 1.1 }
/** A foot nearer than this to its place does not move. */
const toleranceM = 0.03

interface FootPlace {
  readonly x: number
  readonly y: number
  readonly z: number
}

const footOf = (pose: Pose, side: Side): FootPlace => ({
  x: pose[channel[`${side}AnkleX`]],
  y: pose[channel[`${side}AnkleY`]],
  z: pose[channel[`${side}AnkleZ`]],
})

const only = (shape: Shape, side: Side): Shape =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => name.startsWith(side)))

/** The feet that have to move, in order: a foot in the air first, else the inner one of a turn, else the one further off. */
const feetToMove = (physique: Physique, pose: Pose, target: Shape, turn: number): ReadonlyArray<Side> => {
  const errorOf = (side: Side): number => {
    const { x, y, z } = footOf(pose, side)
    const lifted = Math.max(0, z - physique.ankleM - 0.01)
    return Math.hypot(x - target[`${side}AnkleX`]!, y - target[`${side}AnkleY`]!) + 100 * lifted
  }
  const left = errorOf("left")
  const right = errorOf("right")
  const inner = Math.abs(turn) > 0.15 ? (turn > 0 ? 0.1 : -0.1) : 0
  const order: ReadonlyArray<Side> = left + inner >= right ? ["left", "right"] : ["right", "left"]
  return Math.abs(turn) > 0.15 ? order : order.filter((side) => Math.max(left, right) > 0 && errorOf(side) > toleranceM)
}

/** Lifts one foot at `fromS` and sets it down at `target` at `toS`. */
const stepOf = (
  side: Side,
  pose: Pose,
  last: Shape,
  target: Shape,
  fromS: number,
  toS: number,
): ReadonlyArray<Keyframe> => {
  const held = only(last, side)
  const set = only(target, side)
  const low = Math.min(held[`${side}AnkleZ`]!, set[`${side}AnkleZ`]!)
  const isInAir = pose[channel[`${side}AnkleZ`]] > low + 0.01 && fromS < 0.05
  return [
    ...(fromS < 0.02 ? [] : [{ atS: fromS, set: held }]),
    ...(isInAir ? [] : [{ atS: (fromS + toS) / 2, set: { [`${side}AnkleZ`]: low + 0.05, [`${side}FootPitch`]: 0.3 } }]),
    { atS: toS, set },
  ]
}

/**
 * Keyframes from any standing pose to standing at ease at (x, y) with a heading; the place may be a few decimetres away.
 */
export const shift = (
  physique: Physique,
  pose: Pose,
  x: number,
  y: number,
  headingRad: number,
  { stepSeconds, turnPerStep } = usualTurn,
): ReadonlyArray<Keyframe> => {
  const startYaw = pose[channel.yaw]
  const yaw = nearestAngle(headingRad, startYaw)
  const turn = yaw - startYaw
  const startX = pose[channel.pelvisX]
  const startY = pose[channel.pelvisY]
  const order = feetToMove(physique, pose, feetAt(physique, x, y, yaw), turn)
  const count = Math.max(order.length, Math.ceil(Math.abs(turn) / turnPerStep))
  const last: Record<Side, Shape> = { left: {}, right: {} }
  for (const side of sides) {
    const names = Object.keys(only(feetAt(physique, 0, 0, 0), side)) as ReadonlyArray<keyof Shape>
    last[side] = Object.fromEntries(names.map((name) => [name, pose[channel[name]]]))
  }
  const frames: Array<Keyframe> = []
  for (let k = 0; order.length > 0 && k < count; k++) {
    const side = order[k % order.length]!
    const share = Math.min(1, (k + 2) / count)
    const feet = feetAt(physique, startX + (x - startX) * share, startY + (y - startY) * share, startYaw + turn * share)
    for (const name of [`${side}FootYaw`] as const) {
      feet[name] = last[side][name]! + wrapAngle(feet[name]! - last[side][name]!)
    }
    frames.push(...stepOf(side, pose, last[side], feet, k * stepSeconds, (k + 0.95) * stepSeconds))
    last[side] = feet
  }
  const { pelvisX, pelvisY } = upright(physique, x, y, yaw)
  const body: Shape = {
    ...relaxed(physique),
    pelvisX: pelvisX!,
    pelvisY: pelvisY!,
    pelvisZ: standingHipM(physique),
    yaw,
  }
  const atS = Math.max(0.3, count * stepSeconds + 0.1)
  return [...frames, { atS, set: body }].sort((a, b) => a.atS - b.atS)
}
