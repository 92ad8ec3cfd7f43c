/**
 * Kneeling, and getting up from the floor: over the front, hands and knees, both knees, one knee.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Keyframe } from "../motion.ts"
import { type Physique, standingHipM } from "../physique.ts"
import { channel, type Pose, relaxed, rewriteYaw, type Shape, type Side, stanceHalfM, wrapAngle } from "../pose.ts"
import { arms, kneeling, offset, onAllFours, prone } from "../postures.ts"

const kneeZ = 0.055

const footShape = (side: Side, x: number, y: number, z: number, pitch: number): Shape => ({
  [`${side}AnkleX`]: x,
  [`${side}AnkleY`]: y,
  [`${side}AnkleZ`]: z,
  [`${side}FootPitch`]: pitch,
})

const armShape = (side: Side, flex: number, abduct: number, elbow: number): Shape => ({
  [`${side}Flex`]: flex,
  [`${side}Abduct`]: abduct,
  [`${side}Turn`]: 0,
  [`${side}Elbow`]: elbow,
})

/** One knee on the floor at (x, y), the left foot set in front of it. */
const frontFoot = (physique: Physique, x: number, y: number, yaw: number): Shape => {
  const [footX, footY] = offset(x, y, yaw, 0.2 * physique.heightM, stanceHalfM(physique))
  return { ...footShape("left", footX, footY, physique.ankleM, 0), leftFootYaw: yaw + 0.1 }
}

const rearFoot = (physique: Physique, x: number, y: number, yaw: number, side: Side): Shape => {
  const aside = (side === "left" ? 1 : -1) * stanceHalfM(physique)
  const [footX, footY] = offset(x, y, yaw, -0.985 * physique.shankM, aside)
  return { ...footShape(side, footX, footY, 0.075, 1.2), [`${side}FootYaw`]: yaw }
}

/** Kneels down from standing in 1.6 to 2.6 s: the right foot goes back first. The hips end 0.15 m behind their start. */
export const kneelDown = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 1.6, 2.6)
  const yaw = pose[channel.yaw]
  const [x, y] = offset(pose[channel.pelvisX], pose[channel.pelvisY], yaw, -0.15, 0)
  const end = kneeling(physique, x, y, yaw)
  const leftBack = rearFoot(physique, x, y, yaw, "left")
  return [
    { atS: 0.1 * seconds, set: { rightAnkleZ: physique.ankleM + 0.03 } },
    { atS: 0.3 * seconds, set: { spineForward: 0.35, ...arms(0.4, 0.15, 0.2, 0.5) } },
    { atS: 0.5 * seconds, set: rearFoot(physique, x, y, yaw, "right") },
    {
      atS: 0.6 * seconds,
      set: {
        pelvisX: x,
        pelvisY: y,
        pelvisZ: kneeZ + 0.06 + physique.thighM,
        leftFootPitch: 0,
        leftAnkleX: pose[channel.leftAnkleX],
        leftAnkleY: pose[channel.leftAnkleY],
        leftAnkleZ: pose[channel.leftAnkleZ],
      },
    },
    { atS: 0.75 * seconds, set: { leftAnkleZ: 0.15 } },
    { atS: seconds, set: { ...end, ...leftBack } },
  ]
}

/** From both knees to standing in 1.8 to 3 s: the left foot is set in front and the right foot follows. */
export const standUpFromKnees = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 1.8, 3)
  const yaw = pose[channel.yaw]
  const x = pose[channel.pelvisX]
  const y = pose[channel.pelvisY]
  const front = frontFoot(physique, x, y, yaw)
  const [overX, overY] = offset(x, y, yaw, 0.2 * physique.heightM, 0)
  const [besideX, besideY] = offset(x, y, yaw, 0.2 * physique.heightM, -stanceHalfM(physique))
  const [halfX, halfY] = offset(x, y, yaw, 0.1 * physique.heightM, 0)
  return [
    { atS: 0, set: {}, activity: "standing" },
    { atS: 0.15 * seconds, set: { leftAnkleZ: 0.16 } },
    {
      atS: 0.35 * seconds,
      set: { ...front, pelvisX: x, pelvisY: y, pelvisZ: pose[channel.pelvisZ], spineForward: 0.1 },
    },
    {
      atS: 0.5 * seconds,
      set: {
        rightAnkleX: pose[channel.rightAnkleX],
        rightAnkleY: pose[channel.rightAnkleY],
        rightAnkleZ: pose[channel.rightAnkleZ],
        rightFootPitch: pose[channel.rightFootPitch],
        spineForward: 0.55,
        ...arms(0.6, 0.15, 0.3, 0.6),
      },
    },
    { atS: 0.65 * seconds, set: { pelvisX: halfX, pelvisY: halfY, pelvisZ: 0.62 * standingHipM(physique) + 0.12 } },
    { atS: 0.7 * seconds, set: { rightAnkleZ: 0.18, rightFootPitch: 0.5 } },
    {
      atS: seconds,
      set: {
        ...relaxed(physique),
        ...footShape("right", besideX, besideY, physique.ankleM, 0),
        rightFootYaw: yaw - 0.1,
        pelvisX: overX,
        pelvisY: overY,
        pelvisZ: standingHipM(physique),
      },
    },
  ]
}

/**
 * Rewrites the orientation of a body on the floor as a lean straight back, so that the twist alone rolls it. A body on its front
 * is left unchanged. Returns whether it lies on its front.
 */
export const straighten = (pose: Pose): boolean => {
  const forward = pose[channel.tiltForward]
  const left = pose[channel.tiltLeft]
  const isOnFront = forward > 0.7 * Math.hypot(forward, left) && Math.abs(pose[channel.twist]) < 1
  if (!isOnFront) rewriteYaw(pose, wrapAngle(Math.atan2(left, forward) - Math.PI))
  return isOnFront
}

/** Rolls from the back or a side to the front in 1.2 to 2.2 s. The pose comes from `straighten`. */
export const rollToFront = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 1.2, 2.2)
  const twist = pose[channel.twist]
  const sign = Math.abs(twist) > 0.3 ? Math.sign(twist) : random.uniform() < 0.5 ? 1 : -1
  const yaw = pose[channel.yaw]
  const x = pose[channel.pelvisX]
  const y = pose[channel.pelvisY]
  const end = prone(physique, x, y, yaw + sign * Math.PI)
  const legM = 0.995 * (physique.thighM + physique.shankM)
  const [ankleX, ankleY] = offset(x, y, yaw, legM, 0)
  const lower = sign > 0 ? "left" : "right"
  const upper = sign > 0 ? "right" : "left"
  const aside: Shape = {
    pelvisZ: 0.95 * physique.shoulderHalfM,
    ...footShape(lower, ankleX, ankleY, 0.07, 0),
    ...footShape(upper, ankleX, ankleY, 0.2, 0),
    tiltForward: -1.42,
    // The lower arm lies along the body, the upper arm goes ahead.
    ...armShape(lower, 0, 0.05, 0.1),
    ...armShape(upper, 1.1, 0.1, 0.6),
  }
  // First onto the side with straight legs: bent knees would hit the floor.
  return [
    { atS: 0.45 * seconds, set: { ...aside, twist: (sign * Math.PI) / 2 } },
    {
      atS: seconds,
      set: {
        ...end,
        ...armShape(lower, 0.1, 0.25, 0.2),
        yaw,
        tiltForward: -Math.PI / 2,
        tiltLeft: 0,
        twist: sign * Math.PI,
      },
    },
  ]
}

/** From the front up to both knees in 2 to 3.5 s: the knees stay in place and the hips move in an arc above them. */
export const riseToKnees = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 2, 3.5)
  const yaw = pose[channel.yaw]
  const thigh = physique.thighM
  const [kneeX, kneeY] = offset(pose[channel.pelvisX], pose[channel.pelvisY], yaw, -thigh, 0)
  const fours = onAllFours(physique, kneeX, kneeY, yaw)
  const { pelvisX, pelvisY, pelvisZ, ...limbs } = fours
  const above = (rise: number): Shape => {
    const [x, y] = offset(kneeX, kneeY, yaw, thigh * Math.cos(rise), 0)
    return { pelvisX: x, pelvisY: y, pelvisZ: kneeZ + thigh * Math.sin(rise) }
  }
  const upright = kneeling(physique, kneeX, kneeY, yaw)
  return [
    { atS: 0.14 * seconds, set: { ...above(0.4), tiltForward: 1.58 } },
    { atS: 0.28 * seconds, set: above(0.8) },
    { atS: 0.42 * seconds, set: above(1.2) },
    { atS: 0.55 * seconds, set: { ...limbs, pelvisX: pelvisX!, pelvisY: pelvisY!, pelvisZ: pelvisZ! } },
    { atS: 0.62 * seconds, set: { tiltForward: fours.tiltForward! }, activity: "standing" },
    { atS: seconds, set: upright },
  ]
}
