/**
 * Postures at rest: sitting and lying, as shapes.
 *
 * Owns the positions of the limbs in each posture. Boundary: `motions/` has the movements into them.
 */
import { lyingHipM, type Physique, seatedHipM } from "./physique.ts"
import { type Shape, stanceHalfM } from "./pose.ts"

/** Distance in front of a seat at which a body stands before sitting down: the feet stay there. */
export const seatReachM = ({ heightM }: Physique): number => 0.235 * heightM

/** Height of the trunk's axis when the body lies on its side: half the shoulder width, slightly compressed. */
const sideHipM = ({ shoulderHalfM }: Physique): number => 0.93 * shoulderHalfM
/** On the side, the trunk rises towards the supporting shoulder. */
const sideLean = 1.42

/** The point at (forward, left) of a body at (x, y) with heading `yaw`. */
export const offset = (x: number, y: number, yaw: number, forward: number, left: number): readonly [number, number] => [
  x + Math.cos(yaw) * forward - Math.sin(yaw) * left,
  y + Math.sin(yaw) * forward + Math.cos(yaw) * left,
]

/** Both ankles at (forward, +-left) and a height, with the toes along `yaw` and a pitch. */
export const feetOf = (
  x: number,
  y: number,
  yaw: number,
  ankles: { readonly forward: number; readonly left: number; readonly z: number; readonly pitch: number },
): Shape => {
  const [leftAnkleX, leftAnkleY] = offset(x, y, yaw, ankles.forward, ankles.left)
  const [rightAnkleX, rightAnkleY] = offset(x, y, yaw, ankles.forward, -ankles.left)
  return {
    leftAnkleX,
    leftAnkleY,
    leftAnkleZ: ankles.z,
    rightAnkleX,
    rightAnkleY,
    rightAnkleZ: ankles.z,
    leftFootYaw: yaw,
    rightFootYaw: yaw,
    leftFootPitch: ankles.pitch,
    rightFootPitch: ankles.pitch,
  }
}

/** Both arms alike. */
export const arms = (flex: number, abduct: number, turn: number, elbow: number): Shape => ({
  leftFlex: flex,
  rightFlex: flex,
  leftAbduct: abduct,
  rightAbduct: abduct,
  leftTurn: turn,
  rightTurn: turn,
  leftElbow: elbow,
  rightElbow: elbow,
})

/** On a seat with its surface at `heightM`, hands on the thighs; the feet are not set. */
export const seated = (physique: Physique, x: number, y: number, yaw: number, heightM: number): Shape => ({
  pelvisX: x,
  pelvisY: y,
  pelvisZ: heightM + seatedHipM(physique),
  yaw,
  tiltForward: -0.1,
  tiltLeft: 0,
  twist: 0,
  spineForward: 0.08,
  spineLeft: 0,
  spineTwist: 0,
  neckForward: 0.1,
  headTurn: 0,
  leftKneeOut: 0.12,
  rightKneeOut: 0.12,
  ...arms(0.42, 0.14 * physique.girth, 0.45, 0.85),
  supportZ: 0,
})

/** On the floor with drawn-up knees, hands behind. */
export const seatedOnFloor = (physique: Physique, x: number, y: number, yaw: number): Shape => ({
  ...seated(physique, x, y, yaw, 0),
  ...feetOf(x, y, yaw, { forward: 0.31 * physique.heightM, left: 0.12, z: physique.ankleM, pitch: 0 }),
  tiltForward: -0.3,
  spineForward: 0.2,
  leftKneeOut: 0.25,
  rightKneeOut: 0.25,
  ...arms(-0.45, 0.3, 0, 0.25),
})

export type Lying = "back" | "left" | "right"

/**
 * On the back or a side, on a surface at `supportM`, with the feet towards `yaw`. `legs` is how far the legs are drawn up: 0 is
 * straight, 1 is with bent knees.
 */
export const lying = (
  physique: Physique,
  x: number,
  y: number,
  yaw: number,
  supportM: number,
  side: Lying,
  legs: number,
): Shape => {
  const { shankM, thighM } = physique
  const common = {
    pelvisX: x,
    pelvisY: y,
    yaw,
    tiltLeft: 0,
    spineForward: 0,
    spineLeft: 0,
    spineTwist: 0,
    supportZ: supportM,
  }
  const legM = (thighM + shankM) * (0.985 - 0.22 * legs)
  if (side === "back") {
    return {
      ...common,
      pelvisZ: supportM + lyingHipM(physique),
      tiltForward: -Math.PI / 2,
      twist: 0,
      neckForward: 0.2,
      headTurn: 0,
      leftKneeOut: 0.15,
      rightKneeOut: 0.15,
      ...feetOf(x, y, yaw, { forward: legM, left: stanceHalfM(physique), z: supportM + 0.07, pitch: -1.3 }),
      ...arms(0.02, 0.3, 1.2, 0.4),
    }
  }
  // The body faces the side that it lies on, so the legs bend in that direction.
  const sign = side === "left" ? 1 : -1
  const feet = feetOf(x, y, yaw, { forward: legM, left: 0, z: supportM, pitch: -0.5 })
  const [ankleX, ankleY] = offset(x, y, yaw, legM, sign * (0.02 + 0.1 * legs))
  return {
    ...common,
    pelvisZ: supportM + sideHipM(physique),
    tiltForward: -sideLean,
    twist: (sign * Math.PI) / 2,
    neckForward: 0.15,
    headTurn: 0,
    leftKneeOut: side === "right" ? 0.1 : 0,
    rightKneeOut: side === "left" ? 0.1 : 0,
    ...feet,
    leftAnkleX: ankleX,
    leftAnkleY: ankleY,
    leftAnkleZ: supportM + (side === "left" ? 0.06 : 0.16),
    rightAnkleX: ankleX,
    rightAnkleY: ankleY,
    rightAnkleZ: supportM + (side === "right" ? 0.06 : 0.16),
    ...arms(0.5, 0.1, 0.2, 1.6),
    // The upper arm sinks in front of the chest.
    [side === "left" ? "rightAbduct" : "leftAbduct"]: -0.65,
  }
}

/** On the front, with the head towards `yaw` and the hands beside the head. */
export const prone = (physique: Physique, x: number, y: number, yaw: number): Shape => ({
  pelvisX: x,
  pelvisY: y,
  pelvisZ: lyingHipM(physique),
  yaw,
  tiltForward: Math.PI / 2,
  tiltLeft: 0,
  twist: 0,
  spineForward: 0,
  spineLeft: 0,
  spineTwist: 0,
  neckForward: -0.2,
  headTurn: 1.1,
  leftKneeOut: 0.25,
  rightKneeOut: 0.25,
  ...feetOf(x, y, yaw, {
    forward: -0.995 * (physique.thighM + physique.shankM),
    left: stanceHalfM(physique),
    z: 0.07,
    pitch: 1.3,
  }),
  ...arms(1.5, 1.45, 0, 1.3),
  supportZ: 0,
})

/** On both knees, upright; the knees are below the hips. */
export const kneeling = (physique: Physique, x: number, y: number, yaw: number): Shape => ({
  pelvisX: x,
  pelvisY: y,
  pelvisZ: 0.055 + physique.thighM * 0.998,
  yaw,
  tiltForward: 0.02,
  tiltLeft: 0,
  twist: 0,
  spineForward: 0.08,
  spineLeft: 0,
  spineTwist: 0,
  neckForward: 0.15,
  headTurn: 0,
  leftKneeOut: 0.05,
  rightKneeOut: 0.05,
  ...feetOf(x, y, yaw, { forward: -0.985 * physique.shankM, left: stanceHalfM(physique), z: 0.075, pitch: 1.2 }),
  ...arms(0.25, 0.12, 0.3, 0.5),
  supportZ: 0,
})

/** On hands and knees; the knees are where `kneeling` has them at the same place. */
export const onAllFours = (physique: Physique, x: number, y: number, yaw: number): Shape => ({
  ...kneeling(physique, x, y, yaw),
  tiltForward: 1.4,
  spineForward: 0,
  neckForward: -0.5,
  ...arms(1.45, 0.12, 0, 0.12),
})
