/**
 * Sitting down and standing up again, on seats and on the floor.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Keyframe } from "../motion.ts"
import { type Physique, standingHipM } from "../physique.ts"
import { channel, type Pose, relaxed, type Shape } from "../pose.ts"
import { arms, feetOf, offset, seated, seatedOnFloor } from "../postures.ts"
import type { Pace } from "../step.ts"

export interface Chair {
  readonly x: number
  readonly y: number
  readonly heightM: number
  readonly yaw: number
}

/** Sits down in 1.2 to 2.5 s, with `isFast` in 0.5 to 0.8 s. The body stands in front of the seat and faces away from it. */
export const sitDown = (
  physique: Physique,
  chair: Chair,
  isFast: boolean,
  random: Random,
): ReadonlyArray<Keyframe> => {
  const seconds = isFast ? uniformIn(random, 0.5, 0.8) : uniformIn(random, 1.2, 2.5)
  const end = seated(physique, chair.x, chair.y, chair.yaw, chair.heightM)
  const lean = isFast ? 0.35 : uniformIn(random, 0.45, 0.65)
  return [
    { atS: seconds * 0.55, set: { spineForward: lean, ...arms(0.3, 0.15, 0.3, 0.6) } },
    { atS: seconds * 0.6, set: {}, activity: "sitting" },
    { atS: seconds, set: { pelvisX: end.pelvisX!, pelvisY: end.pelvisY!, pelvisZ: end.pelvisZ!, yaw: chair.yaw } },
    { atS: seconds + 0.35, set: end },
  ]
}

/** The middle between the ankles. */
const feetMiddle = (pose: Pose): readonly [number, number] => [
  (pose[channel.leftAnkleX] + pose[channel.rightAnkleX]) / 2,
  (pose[channel.leftAnkleY] + pose[channel.rightAnkleY]) / 2,
]

/** Stands up over the feet in 1.2 to 2.5 s. */
export const standUp = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 1.2, 2.5)
  const [x, y] = feetMiddle(pose)
  const body: Shape = { pelvisX: x, pelvisY: y, pelvisZ: standingHipM(physique) }
  return [
    {
      atS: seconds * 0.25,
      set: { pelvisX: pose[channel.pelvisX], pelvisY: pose[channel.pelvisY], pelvisZ: pose[channel.pelvisZ] },
    },
    { atS: seconds * 0.4, set: { spineForward: uniformIn(random, 0.5, 0.75), tiltForward: 0.05 } },
    { atS: seconds * 0.55, set: {}, activity: "standing" },
    { atS: seconds, set: { ...relaxed(physique), ...body } },
  ]
}

/** Time to sit down on the floor, seconds. */
const downSeconds: Readonly<Record<Pace, readonly [number, number]>> = {
  slow: [2.5, 5],
  usual: [1.6, 2.6],
  fast: [0.8, 1.3],
}

/** Sits down on the floor at a pace: down between the feet, then back. */
export const dropToFloor = (physique: Physique, pose: Pose, pace: Pace, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, ...downSeconds[pace])
  const yaw = pose[channel.yaw]
  const [x, y] = offset(pose[channel.pelvisX], pose[channel.pelvisY], yaw, -0.3 * physique.heightM, 0)
  const end = seatedOnFloor(physique, x, y, yaw)
  const feet = feetOf(x, y, yaw, { forward: 0.3 * physique.heightM, left: 0.12, z: physique.ankleM, pitch: 0 })
  return [
    { atS: seconds * 0.5, set: { spineForward: 0.6, ...arms(0.2, 0.35, 0, 0.4) } },
    { atS: seconds * 0.6, set: {}, activity: "sitting" },
    { atS: seconds, set: { pelvisX: x, pelvisY: y, pelvisZ: end.pelvisZ! } },
    {
      atS: seconds + 0.3,
      set: { ...arms(-0.45, 0.3, 0, 0.25), tiltForward: end.tiltForward!, spineForward: end.spineForward! },
    },
    { atS: seconds + 0.6, set: { ...end, ...feet } },
  ]
}

/** Gets up from sitting on the floor through a squat in 2 to 3 s. */
export const standUpFromFloor = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 2, 3)
  const yaw = pose[channel.yaw]
  const [x, y] = [pose[channel.pelvisX], pose[channel.pelvisY]]
  const reach = 0.2 * physique.heightM
  const [overX, overY] = offset(x, y, yaw, reach, 0)
  const [squatX, squatY] = offset(x, y, yaw, reach * 0.6, 0)
  const feet = feetOf(x, y, yaw, { forward: reach, left: 0.12, z: physique.ankleM, pitch: 0 })
  return [
    { atS: seconds * 0.12, set: { leftAnkleZ: physique.ankleM + 0.03, rightAnkleZ: physique.ankleM + 0.03 } },
    { atS: seconds * 0.25, set: { ...feet, pelvisX: x, pelvisY: y, pelvisZ: pose[channel.pelvisZ] } },
    { atS: seconds * 0.4, set: { spineForward: 0.75, tiltForward: 0.15, ...arms(0.9, 0.15, 0.2, 0.3) } },
    {
      atS: seconds * 0.55,
      set: { pelvisX: squatX, pelvisY: squatY, pelvisZ: 0.24 * physique.heightM },
      activity: "standing",
    },
    { atS: seconds, set: { ...relaxed(physique), pelvisX: overX, pelvisY: overY, pelvisZ: standingHipM(physique) } },
  ]
}
