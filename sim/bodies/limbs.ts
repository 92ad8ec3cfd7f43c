/**
 * Limbs: frames, arms and legs of the kinematics.
 *
 * Owns how an arm follows from its angles and a leg from the place of its ankle. Boundary: `body.ts` puts them together.
 *
 * A frame is nine numbers: forward, left and up axis of a part of the body in home coordinates.
 */
import type { Posture } from "./body.ts"
import type { Physique } from "./physique.ts"
import { channel, type Pose, wrapAngle } from "./pose.ts"

export type Frame = Float64Array

export const createFrame = (): Frame => new Float64Array(9)

/** Nearest that elbows, wrists and knees come to what bears them, and ankles to the floor, metres. */
const clearanceM = 0.035
/** From this share of its length on a leg gives less and less, to `reachMax`: its knee doesn't snap straight. */
const reachSoft = 0.986
const reachMax = 0.9992
/** Keypoints are interleaved left and right, so a limb's next joint is two points on. */
const nextJoint = 6

const local = createFrame()

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
  // Rodrigues about (kx, ky, 0), which takes up towards the lean; then the twist mixes forward and left.
  const fx = c + kx * kx * rest
  const fy = kx * ky * rest
  const fz = -ky * s
  const ly = c + ky * ky * rest
  const lz = kx * s
  local[0] = fx * ct + fy * st
  local[1] = fy * ct + ly * st
  local[2] = fz * ct + lz * st
  local[3] = fy * ct - fx * st
  local[4] = ly * ct - fy * st
  local[5] = lz * ct - fz * st
  local[6] = ky * s
  local[7] = -kx * s
  local[8] = c
  for (let axis = 0; axis < 9; axis += 3) {
    const a = local[axis]
    const b = local[axis + 1]
    const d = local[axis + 2]
    into[axis] = parent[0] * a + parent[3] * b + parent[6] * d
    into[axis + 1] = parent[1] * a + parent[4] * b + parent[7] * d
    into[axis + 2] = parent[2] * a + parent[5] * b + parent[8] * d
  }
}

/** Writes the point at (forward, left, up) of a frame whose origin is `origin`. */
export const addBent = (
  origin: Float64Array,
  frame: Frame,
  forward: number,
  left: number,
  up: number,
  into: Float64Array,
  at: number,
): void => {
  into[at] = origin[0] + frame[0] * forward + frame[3] * left + frame[6] * up
  into[at + 1] = origin[1] + frame[1] * forward + frame[4] * left + frame[7] * up
  into[at + 2] = origin[2] + frame[2] * forward + frame[5] * left + frame[8] * up
}

/** Two points on a bone, at 27 % and 73 % of it, so that their mean and spread are those of an even rod. */
const scatterOn = (points: Float64Array, from: number, to: number, into: Float64Array, at: number): void => {
  for (let axis = 0; axis < 3; axis++) {
    const start = points[from + axis]
    const length = points[to + axis] - start
    into[at + axis] = start + 0.27 * length
    into[at + 3 + axis] = start + 0.73 * length
  }
}

const bone = new Float64Array(3)

/**
 * Turns `bone` (a unit vector from a joint at height `fromZ`) up until its end is not below `lowestZ`. What it gives way to
 * is its own horizontal direction, and more of `outX, outY` the deeper it would reach.
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

const extend = (points: Float64Array, from: number, to: number, lengthM: number): void => {
  for (let axis = 0; axis < 3; axis++) points[to + axis] = points[from + axis] + bone[axis] * lengthM
}

/** Places elbow, wrist and the arm's scatterers (`at` on) of side 0 (left) or 1; the shoulder is in place. */
export const placeArm = (
  physique: Physique,
  pose: Pose,
  side: number,
  chest: Frame,
  into: Posture,
  shoulder: number,
  at: number,
): void => {
  const { keypoints: points, scatterers } = into
  const first = side === 0 ? channel.leftFlex : channel.rightFlex
  const sign = side === 0 ? 1 : -1
  const cf = Math.cos(pose[first])
  const sf = Math.sin(pose[first])
  const ca = Math.cos(pose[first + 1])
  const sa = sign * Math.sin(pose[first + 1])
  const ct = Math.cos(pose[first + 2])
  const st = -sign * Math.sin(pose[first + 2])
  const elbow = shoulder + nextJoint
  const wrist = elbow + nextJoint
  const lowestZ = pose[channel.supportZ] + clearanceM
  // Upper arms give way outwards and to the feet, forearms outwards and to the head.
  const outX = sign * chest[3]
  const outY = sign * chest[4]
  // In the chest's frame: along the upper arm, the way a straight elbow bends, and inwards.
  for (let axis = 0; axis < 3; axis++) {
    bone[axis] = chest[axis] * sf * ca + chest[3 + axis] * sa - chest[6 + axis] * cf * ca
  }
  liftBone(points[shoulder + 2], physique.upperArmM, lowestZ, outX - 0.7 * chest[6], outY - 0.7 * chest[7])
  extend(points, shoulder, elbow, physique.upperArmM)
  const ce = Math.cos(pose[first + 3])
  const se = Math.sin(pose[first + 3])
  const bendForward = cf * ct + sf * sa * -st
  const bendLeft = ca * st
  const bendUp = sf * ct - cf * sa * -st
  for (let axis = 0; axis < 3; axis++) {
    const upper = chest[axis] * sf * ca + chest[3 + axis] * sa - chest[6 + axis] * cf * ca
    const bend = chest[axis] * bendForward + chest[3 + axis] * bendLeft + chest[6 + axis] * bendUp
    bone[axis] = upper * ce + bend * se
  }
  liftBone(points[elbow + 2], physique.forearmM, lowestZ, outX + 0.4 * chest[6], outY + 0.4 * chest[7])
  extend(points, elbow, wrist, physique.forearmM)
  scatterOn(points, shoulder, elbow, scatterers, at)
  scatterOn(points, elbow, wrist, scatterers, at + 6)
  for (let axis = 0; axis < 3; axis++) {
    scatterers[at + 12 + axis] = points[wrist + axis] + (bone[axis] * physique.handM) / 2
  }
}

const softened = (share: number): number =>
  share <= reachSoft
    ? share
    : reachSoft + (reachMax - reachSoft) * Math.tanh((share - reachSoft) / (reachMax - reachSoft))

/** Places knee, ankle and the leg's scatterers (`at` on) of side 0 (left) or 1; the hip is in place. */
export const placeLeg = (
  physique: Physique,
  pose: Pose,
  side: number,
  hips: Frame,
  into: Posture,
  hip: number,
  at: number,
): void => {
  const { keypoints: points, scatterers } = into
  const target = side === 0 ? channel.leftAnkleX : channel.rightAnkleX
  const knee = hip + nextJoint
  const ankle = knee + nextJoint
  const { shankM, thighM } = physique
  const dx = pose[target] - points[hip]
  const dy = pose[target + 1] - points[hip + 1]
  const dz = Math.max(clearanceM, pose[target + 2]) - points[hip + 2]
  const wanted = Math.max(1e-6, Math.sqrt(dx * dx + dy * dy + dz * dz))
  const reach = Math.max(Math.abs(thighM - shankM) + 0.03, (thighM + shankM) * softened(wanted / (thighM + shankM)))
  const x = dx / wanted
  const y = dy / wanted
  const z = dz / wanted
  const along = (thighM * thighM - shankM * shankM + reach * reach) / (2 * reach)
  const bend = Math.sqrt(Math.max(0, thighM * thighM - along * along))
  // A knee bends about the axis from hip to hip, forward; `out` is a quarter turn from there, away from the other leg.
  let nx = y * hips[5] - z * hips[4]
  let ny = z * hips[3] - x * hips[5]
  let nz = x * hips[4] - y * hips[3]
  const norm = 1 / Math.max(1e-9, Math.sqrt(nx * nx + ny * ny + nz * nz))
  nx *= norm
  ny *= norm
  nz *= norm
  const sign = side === 0 ? -1 : 1
  const ox = sign * (y * nz - z * ny)
  const oy = sign * (z * nx - x * nz)
  const oz = sign * (x * ny - y * nx)
  let out = pose[side === 0 ? channel.leftKneeOut : channel.rightKneeOut]
  const lowest = pose[channel.supportZ] + clearanceM - points[hip + 2] - z * along
  if (bend * (nz * Math.cos(out) + oz * Math.sin(out)) < lowest) {
    // Height goes with the cosine of the angle from the highest place on the knee's circle: turn up to where it is enough.
    const highest = Math.atan2(oz, nz)
    const most = Math.acos(Math.min(1, lowest / (bend * Math.max(1e-9, Math.sqrt(nz * nz + oz * oz)))))
    out = highest + Math.max(-most, Math.min(most, wrapAngle(out - highest)))
  }
  const c = Math.cos(out)
  const s = Math.sin(out)
  points[knee] = points[hip] + x * along + (nx * c + ox * s) * bend
  points[knee + 1] = points[hip + 1] + y * along + (ny * c + oy * s) * bend
  points[knee + 2] = points[hip + 2] + z * along + (nz * c + oz * s) * bend
  points[ankle] = points[hip] + x * reach
  points[ankle + 1] = points[hip + 1] + y * reach
  points[ankle + 2] = points[hip + 2] + z * reach
  scatterOn(points, hip, knee, scatterers, at)
  scatterOn(points, knee, ankle, scatterers, at + 6)
  const footYaw = pose[side === 0 ? channel.leftFootYaw : channel.rightFootYaw]
  const pitch = pose[side === 0 ? channel.leftFootPitch : channel.rightFootPitch]
  const toes = physique.ballM * 0.5
  const sole = physique.ankleM * 0.4
  const level = Math.cos(pitch) * toes - Math.sin(pitch) * sole
  scatterers[at + 12] = points[ankle] + Math.cos(footYaw) * level
  scatterers[at + 13] = points[ankle + 1] + Math.sin(footYaw) * level
  scatterers[at + 14] = points[ankle + 2] - Math.sin(pitch) * toes - Math.cos(pitch) * sole
}
