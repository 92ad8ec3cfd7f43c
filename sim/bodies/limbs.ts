/**
 * Limbs: frames, arms and legs of the forward kinematics.
 *
 * Owns how an arm follows from its angles and a leg from the position of its ankle. Boundary: `body.ts` assembles the whole body.
 */
import type { Physique } from "./physique.ts"
import { armChannels, channel, legChannels, type Pose, type Side, signOf, wrapAngle } from "./pose.ts"

/** A position or a direction, x, y, z: three numbers of their own, or a view of a longer array. */
export type Point = Float64Array & Record<0 | 1 | 2, number>

export const createPoint = (): Point => new Float64Array(3) as Point

/** View of point `index` of an array of points. */
export const pointIn = (points: Float64Array, index: number): Point =>
  points.subarray(3 * index, 3 * index + 3) as Point

/** Axes of a part of the body in home coordinates. */
interface Frame {
  readonly forward: Point
  readonly left: Point
  readonly up: Point
}

export const createFrame = (): Frame => ({ forward: createPoint(), left: createPoint(), up: createPoint() })

/** Points of an arm or a leg: all are views, so writing them fills the arrays of the posture. */
export interface LimbPoints {
  /** Shoulder or hip; written before the limb is placed. */
  readonly root: Point
  /** Elbow or knee. */
  readonly joint: Point
  /** Wrist or ankle. */
  readonly end: Point
  /** Scatterers of the two bones, two on each, and of the hand or foot. */
  readonly scatterers: {
    readonly upper: readonly [Point, Point]
    readonly lower: readonly [Point, Point]
    readonly tip: Point
  }
}

/** Smallest distance of elbows, wrists and knees from the supporting surface, and of ankles from the floor, metres. */
const clearanceM = 0.035
/** Beyond this share of its length a leg extends less and less, up to `reachMax`: the knee does not snap straight. */
const reachSoft = 0.986
const reachMax = 0.9992

const axes = [0, 1, 2] as const
/** Scratch of `composeFrame` and of the limb that is being placed. */
const local = createFrame()
const bone = createPoint()

/** Writes an axis that is given in the frame `parent`, in home coordinates. */
const toHome = (parent: Frame, axis: Point, into: Point): void => {
  const forward = axis[0]
  const left = axis[1]
  const up = axis[2]
  into[0] = parent.forward[0] * forward + parent.left[0] * left + parent.up[0] * up
  into[1] = parent.forward[1] * forward + parent.left[1] * left + parent.up[1] * up
  into[2] = parent.forward[2] * forward + parent.left[2] * left + parent.up[2] * up
}

/** `parent` leaned by the angle |(forward, left)| in that direction, then turned by `twist` about its own up axis. */
export const composeFrame = (parent: Frame, forward: number, left: number, twist: number, into: Frame): void => {
  const angle = Math.sqrt(forward * forward + left * left)
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  const kx = angle < 1e-12 ? 0 : -left / angle
  const ky = angle < 1e-12 ? 0 : forward / angle
  const rest = 1 - c
  const ct = Math.cos(twist)
  const st = Math.sin(twist)
  // Rodrigues' rotation about (kx, ky, 0), which takes up towards the lean; then the twist mixes forward and left.
  const fx = c + kx * kx * rest
  const fy = kx * ky * rest
  const fz = -ky * s
  const ly = c + ky * ky * rest
  const lz = kx * s
  local.forward[0] = fx * ct + fy * st
  local.forward[1] = fy * ct + ly * st
  local.forward[2] = fz * ct + lz * st
  local.left[0] = fy * ct - fx * st
  local.left[1] = ly * ct - fy * st
  local.left[2] = lz * ct - fz * st
  local.up[0] = ky * s
  local.up[1] = -kx * s
  local.up[2] = c
  toHome(parent, local.forward, into.forward)
  toHome(parent, local.left, into.left)
  toHome(parent, local.up, into.up)
}

/** Writes the point at (forward, left, up) of a frame whose origin is `origin`. */
export const placeAt = (origin: Point, frame: Frame, forward: number, left: number, up: number, into: Point): void => {
  for (const axis of axes) {
    into[axis] = origin[axis] + frame.forward[axis] * forward + frame.left[axis] * left + frame.up[axis] * up
  }
}

/** Two points on a bone, at 27 % and 73 % of it, so that their mean and spread are those of an even rod. */
const scatterOn = (from: Point, to: Point, [near, far]: readonly [Point, Point]): void => {
  for (const axis of axes) {
    const start = from[axis]
    const length = to[axis] - start
    near[axis] = start + 0.27 * length
    far[axis] = start + 0.73 * length
  }
}

/**
 * Raises `bone` (a unit vector from a joint at height `fromZ`) until its end is not below `lowestZ`. It gives way along its own
 * horizontal direction, and the more along (outX, outY) the deeper it would reach.
 */
const liftBone = (fromZ: number, lengthM: number, lowestZ: number, outX: number, outY: number): void => {
  const depth = lowestZ - (fromZ + bone[2] * lengthM)
  if (depth <= 0) return
  const z = Math.min(1, (lowestZ - fromZ) / lengthM)
  const share = (4 * depth) / lengthM
  const x = bone[0] + share * outX
  const y = bone[1] + share * outY
  const scale = Math.sqrt(Math.max(0, 1 - z * z)) / Math.max(1e-9, Math.sqrt(x * x + y * y))
  bone[0] = x * scale
  bone[1] = y * scale
  bone[2] = z
}

const extend = (from: Point, to: Point, lengthM: number): void => {
  for (const axis of axes) to[axis] = from[axis] + bone[axis] * lengthM
}

/** Places elbow, wrist and scatterers of the arm on a side. */
export const placeArm = (physique: Physique, pose: Pose, side: Side, chest: Frame, arm: LimbPoints): void => {
  const { end: wrist, joint: elbow, root: shoulder, scatterers } = arm
  const angles = armChannels[side]
  const sign = signOf(side)
  const cf = Math.cos(pose[angles.flex])
  const sf = Math.sin(pose[angles.flex])
  const ca = Math.cos(pose[angles.abduct])
  const sa = sign * Math.sin(pose[angles.abduct])
  const ct = Math.cos(pose[angles.turn])
  const st = -sign * Math.sin(pose[angles.turn])
  const lowestZ = pose[channel.supportZ] + clearanceM
  // Upper arms give way outwards and towards the feet, forearms outwards and towards the head.
  const outX = sign * chest.left[0]
  const outY = sign * chest.left[1]
  // In the frame of the chest: along the upper arm, the direction in which a straight elbow bends, and inwards.
  for (const axis of axes) {
    bone[axis] = chest.forward[axis] * sf * ca + chest.left[axis] * sa - chest.up[axis] * cf * ca
  }
  liftBone(shoulder[2], physique.upperArmM, lowestZ, outX - 0.7 * chest.up[0], outY - 0.7 * chest.up[1])
  extend(shoulder, elbow, physique.upperArmM)
  const ce = Math.cos(pose[angles.elbow])
  const se = Math.sin(pose[angles.elbow])
  const bendForward = cf * ct + sf * sa * -st
  const bendLeft = ca * st
  const bendUp = sf * ct - cf * sa * -st
  for (const axis of axes) {
    const upper = chest.forward[axis] * sf * ca + chest.left[axis] * sa - chest.up[axis] * cf * ca
    const bend = chest.forward[axis] * bendForward + chest.left[axis] * bendLeft + chest.up[axis] * bendUp
    bone[axis] = upper * ce + bend * se
  }
  liftBone(elbow[2], physique.forearmM, lowestZ, outX + 0.4 * chest.up[0], outY + 0.4 * chest.up[1])
  extend(elbow, wrist, physique.forearmM)
  scatterOn(shoulder, elbow, scatterers.upper)
  scatterOn(elbow, wrist, scatterers.lower)
  for (const axis of axes) scatterers.tip[axis] = wrist[axis] + (bone[axis] * physique.handM) / 2
}

const softened = (share: number): number =>
  share <= reachSoft
    ? share
    : reachSoft + (reachMax - reachSoft) * Math.tanh((share - reachSoft) / (reachMax - reachSoft))

/** Places knee, ankle and scatterers of the leg on a side. */
export const placeLeg = (physique: Physique, pose: Pose, side: Side, hips: Frame, leg: LimbPoints): void => {
  const { end: ankle, joint: knee, root: hip, scatterers } = leg
  const channels = legChannels[side]
  const { shankM, thighM } = physique
  const dx = pose[channels.ankleX] - hip[0]
  const dy = pose[channels.ankleY] - hip[1]
  const dz = Math.max(clearanceM, pose[channels.ankleZ]) - hip[2]
  const wanted = Math.max(1e-6, Math.sqrt(dx * dx + dy * dy + dz * dz))
  const reach = Math.max(Math.abs(thighM - shankM) + 0.03, (thighM + shankM) * softened(wanted / (thighM + shankM)))
  const x = dx / wanted
  const y = dy / wanted
  const z = dz / wanted
  const along = (thighM * thighM - shankM * shankM + reach * reach) / (2 * reach)
  const bend = Math.sqrt(Math.max(0, thighM * thighM - along * along))
  // A knee bends about the axis from hip to hip, forward; (ox, oy, oz) is a quarter turn from there, away from the other leg.
  let nx = y * hips.left[2] - z * hips.left[1]
  let ny = z * hips.left[0] - x * hips.left[2]
  let nz = x * hips.left[1] - y * hips.left[0]
  const norm = 1 / Math.max(1e-9, Math.sqrt(nx * nx + ny * ny + nz * nz))
  nx *= norm
  ny *= norm
  nz *= norm
  const sign = -signOf(side)
  const ox = sign * (y * nz - z * ny)
  const oy = sign * (z * nx - x * nz)
  const oz = sign * (x * ny - y * nx)
  let out = pose[channels.kneeOut]
  const lowest = pose[channel.supportZ] + clearanceM - hip[2] - z * along
  if (bend * (nz * Math.cos(out) + oz * Math.sin(out)) < lowest) {
    // Height follows the cosine of the angle from the highest point of the knee's circle: turn up until it is high enough.
    const highest = Math.atan2(oz, nz)
    const most = Math.acos(Math.min(1, lowest / (bend * Math.max(1e-9, Math.sqrt(nz * nz + oz * oz)))))
    out = highest + Math.max(-most, Math.min(most, wrapAngle(out - highest)))
  }
  const c = Math.cos(out)
  const s = Math.sin(out)
  knee[0] = hip[0] + x * along + (nx * c + ox * s) * bend
  knee[1] = hip[1] + y * along + (ny * c + oy * s) * bend
  knee[2] = hip[2] + z * along + (nz * c + oz * s) * bend
  ankle[0] = hip[0] + x * reach
  ankle[1] = hip[1] + y * reach
  ankle[2] = hip[2] + z * reach
  scatterOn(hip, knee, scatterers.upper)
  scatterOn(knee, ankle, scatterers.lower)
  const footYaw = pose[channels.footYaw]
  const pitch = pose[channels.footPitch]
  const toes = physique.ballM * 0.5
  const sole = physique.ankleM * 0.4
  const level = Math.cos(pitch) * toes - Math.sin(pitch) * sole
  scatterers.tip[0] = ankle[0] + Math.cos(footYaw) * level
  scatterers.tip[1] = ankle[1] + Math.sin(footYaw) * level
  scatterers.tip[2] = ankle[2] - Math.sin(pitch) * toes - Math.cos(pitch) * sole
}
