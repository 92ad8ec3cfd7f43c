/**
 * Lying down from the edge of a bed, getting up again, and turning over.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Bed, Place } from "../../rooms/floor-plan.ts"
import type { Keyframe } from "../motion.ts"
import type { Physique } from "../physique.ts"
import { channel, nearestAngle, type Pose, type Shape, stanceHalfM } from "../pose.ts"
import { arms, feetOf, type Lying, lying, offset, seated } from "../postures.ts"
import type { Pace } from "../step.ts"
import type { Chair } from "./sit.ts"

/** The places to sit on the edge of a bed and to lie in it, on one of its long sides (+1: left of the direction head to feet). */
export interface Berth {
  readonly edge: Chair
  /** Position of the hips in bed. */
  readonly lying: Place
  readonly headingRad: number
  readonly heightM: number
  readonly side: 1 | -1
}

/** A berth that puts the crown 0.12 m from the head of the bed. */
export const berthOf = (physique: Physique, bed: Bed, side: 1 | -1): Berth => {
  const forward = Math.min(0.12 + physique.trunkM + physique.headM, bed.lengthM - 0.5) - bed.lengthM / 2
  const [x, y] = bed.place
  const [edgeX, edgeY] = offset(x, y, bed.headingRad, forward, side * (bed.widthM / 2 - 0.16))
  // In a wide bed a person keeps to one side.
  const own = Math.max(0, bed.widthM / 2 - 0.45)
  return {
    edge: { x: edgeX, y: edgeY, heightM: bed.heightM, yaw: bed.headingRad + (side * Math.PI) / 2 },
    lying: offset(x, y, bed.headingRad, forward, side * own),
    headingRad: bed.headingRad,
    heightM: bed.heightM,
    side,
  }
}

/** Halfway between sitting on the edge and lying: half turned, leaning back, the feet coming up. */
const halfWay = (physique: Physique, berth: Berth, fromYaw: number, toYaw: number): Shape => {
  const x = berth.edge.x * 0.6 + berth.lying[0] * 0.4
  const y = berth.edge.y * 0.6 + berth.lying[1] * 0.4
  const yaw = fromYaw + 0.5 * (toYaw - fromYaw)
  return {
    pelvisX: x,
    pelvisY: y,
    pelvisZ: berth.heightM + 0.1,
    yaw,
    tiltForward: -0.8,
    spineForward: 0.2,
    neckForward: 0.3,
    ...feetOf(x, y, yaw, {
      forward: 0.36 * physique.heightM,
      left: stanceHalfM(physique),
      z: berth.heightM + 0.16,
      pitch: -0.6,
    }),
    ...arms(-0.35, 0.35, 0, 0.5),
    supportZ: berth.heightM,
  }
}

/** Time to lie down from sitting, seconds. */
const downSeconds: Readonly<Record<Pace, readonly [number, number]>> = {
  slow: [4.5, 9],
  usual: [2, 4],
  fast: [0.9, 1.6],
}

/** From sitting on the floor to lying on the back in place, at a pace. */
export const lieBack = (physique: Physique, pose: Pose, pace: Pace, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, ...downSeconds[pace])
  const end = lying(
    physique,
    pose[channel.pelvisX],
    pose[channel.pelvisY],
    pose[channel.yaw],
    0,
    "back",
    uniformIn(random, 0, 1),
  )
  return [
    { atS: seconds * 0.5, set: { tiltForward: -0.8, spineForward: 0.25, neckForward: 0.35 }, activity: "lying" },
    { atS: seconds, set: end },
  ]
}

/** From sitting on the edge to lying on the back, at a pace. */
export const lieDown = (
  physique: Physique,
  pose: Pose,
  berth: Berth,
  pace: Pace,
  random: Random,
): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, ...downSeconds[pace])
  const fromYaw = pose[channel.yaw]
  const yaw = nearestAngle(berth.headingRad, fromYaw)
  return [
    { atS: seconds * 0.5, set: halfWay(physique, berth, fromYaw, yaw), activity: "lying" },
    { atS: seconds, set: lying(physique, berth.lying[0], berth.lying[1], yaw, berth.heightM, "back", 0) },
  ]
}

/** From lying on the back to sitting on the edge, in 2 to 4 s. */
export const sitUp = (physique: Physique, pose: Pose, berth: Berth, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 2, 4)
  const fromYaw = pose[channel.yaw]
  const { edge } = berth
  const yaw = nearestAngle(edge.yaw, fromYaw)
  const forward = 0.235 * physique.heightM
  return [
    { atS: seconds * 0.5, set: halfWay(physique, berth, yaw, fromYaw), activity: "sitting" },
    {
      atS: seconds,
      set: {
        ...seated(physique, edge.x, edge.y, yaw, edge.heightM),
        ...feetOf(edge.x, edge.y, yaw, { forward, left: stanceHalfM(physique), z: physique.ankleM, pitch: 0 }),
      },
    },
  ]
}

/** Turns over to the back or a side in 1.5 to 3 s, in place. */
export const turnOver = (
  physique: Physique,
  pose: Pose,
  supportM: number,
  side: Lying,
  random: Random,
): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 1.5, 3)
  const legs = side === "back" ? uniformIn(random, 0, 0.5) : uniformIn(random, 0.3, 1)
  const end = lying(physique, pose[channel.pelvisX], pose[channel.pelvisY], pose[channel.yaw], supportM, side, legs)
  return [{ atS: seconds, set: end }]
}
