/**
 * A pose: all that the shape of a body depends on at one moment, as a flat array of channels.
 *
 * Owns the names of the channels, the upright pose, and changes of how one orientation is written. Boundary: `body.ts`
 * turns a pose into points; motions and the gait write poses.
 *
 * Lengths are metres in home coordinates, angles radians.
 * 1. Hips: yaw about the vertical, then a lean (`tiltForward`, `tiltLeft`: the direction and angle by which the trunk
 *    leaves the vertical), then `twist` about the trunk's own axis. Lying on the back is tiltForward = -pi / 2.
 * 2. Trunk relative to hips, head relative to trunk: a lean and a twist each.
 * 3. Legs are told where the ankles are, so that a foot that bears the body can't slide; hip and knee angles follow.
 * 4. Arms: shoulder raised forward (`Flex`) and sideways (`Abduct`), turned inwards (`Turn`), elbow bent.
 */
import { type Physique, standingHipM } from "./physique.ts"

const names = [
  "pelvisX",
  "pelvisY",
  "pelvisZ",
  "yaw",
  "tiltForward",
  "tiltLeft",
  "twist",
  "spineForward",
  "spineLeft",
  "spineTwist",
  "neckForward",
  "headTurn",
  "leftAnkleX",
  "leftAnkleY",
  "leftAnkleZ",
  "rightAnkleX",
  "rightAnkleY",
  "rightAnkleZ",
  "leftKneeOut",
  "rightKneeOut",
  /** Where the toes point. */
  "leftFootYaw",
  "rightFootYaw",
  /** Toes down is positive. */
  "leftFootPitch",
  "rightFootPitch",
  "leftFlex",
  "leftAbduct",
  "leftTurn",
  "leftElbow",
  "rightFlex",
  "rightAbduct",
  "rightTurn",
  "rightElbow",
  /** Height of what bears the arms and knees: the floor, or a bed. */
  "supportZ",
] as const

export type Channel = typeof names[number]

/** Index of each channel in a pose. */
export const channel: Readonly<Record<Channel, number>> = Object.fromEntries(
  names.map((name, i) => [name, i]),
) as Record<Channel, number>

export const channelCount = names.length

export type Pose = Float64Array

/** Some channels of a pose. */
export type Shape = Partial<Record<Channel, number>>

export const createPose = (): Pose => new Float64Array(channelCount)

export const sides = ["left", "right"] as const
export type Side = typeof sides[number]

/** +1 for left, -1 for right: the sign of what is to the left of the body. */
export const signOf = (side: Side): 1 | -1 => side === "left" ? 1 : -1

/** Half the distance of the ankles of who stands. */
export const stanceHalfM = ({ hipHalfM }: Physique): number => 0.85 * hipHalfM

export const wrapAngle = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))

/** The angle equal to `angle` that is nearest to `reference`. */
export const nearestAngle = (angle: number, reference: number): number => reference + wrapAngle(angle - reference)

/** Arms and head of who stands or walks at ease. */
export const relaxed = ({ girth }: Physique): Shape => ({
  tiltForward: 0,
  tiltLeft: 0,
  twist: 0,
  spineForward: 0,
  spineLeft: 0,
  spineTwist: 0,
  neckForward: 0.05,
  headTurn: 0,
  leftKneeOut: 0.05,
  rightKneeOut: 0.05,
  leftFlex: 0.02,
  rightFlex: 0.02,
  leftAbduct: 0.1 * girth,
  rightAbduct: 0.1 * girth,
  leftTurn: 0.3,
  rightTurn: 0.3,
  leftElbow: 0.2,
  rightElbow: 0.2,
  supportZ: 0,
})

/** Where the ankles are and the feet point when they stand side by side below (x, y). */
export const feetAt = (physique: Physique, x: number, y: number, yaw: number): Shape => {
  const half = stanceHalfM(physique)
  const c = Math.cos(yaw)
  const s = Math.sin(yaw)
  return {
    leftAnkleX: x - s * half,
    leftAnkleY: y + c * half,
    leftAnkleZ: physique.ankleM,
    rightAnkleX: x + s * half,
    rightAnkleY: y - c * half,
    rightAnkleZ: physique.ankleM,
    leftFootYaw: yaw + 0.1,
    rightFootYaw: yaw - 0.1,
    leftFootPitch: 0,
    rightFootPitch: 0,
  }
}

/** Standing at ease. */
export const upright = (physique: Physique, x: number, y: number, yaw: number): Shape => ({
  ...relaxed(physique),
  ...feetAt(physique, x, y, yaw),
  pelvisX: x,
  pelvisY: y,
  pelvisZ: standingHipM(physique),
  yaw,
})

export const setShape = (pose: Pose, shape: Shape): void => {
  for (const [name, value] of Object.entries(shape)) pose[channel[name as Channel]] = value
}

/**
 * Writes the same orientation with a yaw that is greater by `angle` and a twist that is smaller by it: a lean to
 * direction d followed by a twist is a turn by the twist followed by a lean to the direction d less the twist. No point of the
 * body moves.
 */
export const rewriteYaw = (pose: Pose, angle: number): void => {
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  const forward = pose[channel.tiltForward]
  const left = pose[channel.tiltLeft]
  pose[channel.yaw] += angle
  pose[channel.twist] -= angle
  pose[channel.tiltForward] = c * forward + s * left
  pose[channel.tiltLeft] = c * left - s * forward
}
