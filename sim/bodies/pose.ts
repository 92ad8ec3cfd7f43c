/**
 * A pose: everything that the shape of a body depends on at one moment, as a flat array of channels.
 *
 * Owns the channels, the upright pose, and the conversion between two notations of one orientation. Boundary: `body.ts` turns a
 * pose into points; motions and the gait write poses.
 *
 * Lengths are metres in home coordinates, angles radians.
 * 1. Hips: yaw about the vertical, then a lean (`tiltForward`, `tiltLeft`: direction and angle by which the trunk leaves the
 *    vertical), then `twist` about the axis of the trunk. Lying on the back is tiltForward = -pi / 2.
 * 2. Trunk relative to hips, head relative to trunk: a lean and a twist each.
 * 3. Legs are given by the positions of the ankles, so a supporting foot cannot slide; hip and knee angles follow from them.
 * 4. Arms: shoulder raised forward (`Flex`) and sideways (`Abduct`), rotated inwards (`Turn`), elbow bent (`Elbow`).
 */
import { type Physique, standingHipM } from "./physique.ts"

/** Index of each channel in a pose. */
export const channel = {
  pelvisX: 0,
  pelvisY: 1,
  pelvisZ: 2,
  yaw: 3,
  tiltForward: 4,
  tiltLeft: 5,
  twist: 6,
  spineForward: 7,
  spineLeft: 8,
  spineTwist: 9,
  neckForward: 10,
  headTurn: 11,
  leftAnkleX: 12,
  leftAnkleY: 13,
  leftAnkleZ: 14,
  rightAnkleX: 15,
  rightAnkleY: 16,
  rightAnkleZ: 17,
  leftKneeOut: 18,
  rightKneeOut: 19,
  /** Direction of the toes. */
  leftFootYaw: 20,
  rightFootYaw: 21,
  /** Toes down is positive. */
  leftFootPitch: 22,
  rightFootPitch: 23,
  leftFlex: 24,
  leftAbduct: 25,
  leftTurn: 26,
  leftElbow: 27,
  rightFlex: 28,
  rightAbduct: 29,
  rightTurn: 30,
  rightElbow: 31,
  /** Height of the surface that supports arms and knees: the floor, or a bed. */
  supportZ: 32,
} as const

export type Channel = keyof typeof channel

export const channelCount = Object.keys(channel).length

export type Pose = Float64Array & Record<typeof channel[Channel], number>

/** Some channels of a pose. */
export type Shape = Partial<Record<Channel, number>>

export const createPose = (): Pose => new Float64Array(channelCount) as Pose

/** Adds `factor` times the channels of another pose. */
export const addScaled = (pose: Pose, other: Pose, factor: number): void => {
  for (let i = 0; i < channelCount; i++) pose[i]! += factor * other[i]!
}

export const sides = ["left", "right"] as const
export type Side = typeof sides[number]

/** Channels of the arm on each side. */
export const armChannels = {
  left: { flex: channel.leftFlex, abduct: channel.leftAbduct, turn: channel.leftTurn, elbow: channel.leftElbow },
  right: { flex: channel.rightFlex, abduct: channel.rightAbduct, turn: channel.rightTurn, elbow: channel.rightElbow },
} as const

/** Channels of the leg on each side. */
export const legChannels = {
  left: {
    ankleX: channel.leftAnkleX,
    ankleY: channel.leftAnkleY,
    ankleZ: channel.leftAnkleZ,
    kneeOut: channel.leftKneeOut,
    footYaw: channel.leftFootYaw,
    footPitch: channel.leftFootPitch,
  },
  right: {
    ankleX: channel.rightAnkleX,
    ankleY: channel.rightAnkleY,
    ankleZ: channel.rightAnkleZ,
    kneeOut: channel.rightKneeOut,
    footYaw: channel.rightFootYaw,
    footPitch: channel.rightFootPitch,
  },
} as const

/** +1 for left, -1 for right: the sign of offsets to the left of the body. */
export const signOf = (side: Side): 1 | -1 => side === "left" ? 1 : -1

/** Half the distance between the ankles of a standing body. */
export const stanceHalfM = ({ hipHalfM }: Physique): number => 0.85 * hipHalfM

export const wrapAngle = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))

/** The angle equal to `angle` that is nearest to `reference`. */
export const nearestAngle = (angle: number, reference: number): number => reference + wrapAngle(angle - reference)

/** Arms and head of a body that stands or walks at ease. */
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

/** Ankle positions and foot directions of feet side by side below (x, y). */
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
 * Rewrites an orientation with a yaw that is greater by `angle` and a twist that is smaller by it. A lean to direction d
 * followed by a twist equals a turn by the twist followed by a lean to the direction d minus the twist. No point of the body
 * moves.
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
