/**
 * Posture: where the joints and scatterers of a walking or standing body are.
 *
 * Owns the forward kinematics from (place, heading, speed, gait phase) to points in the room. Boundary: where a body
 * goes is in `walker.ts`; what a scatterer does to a radio wave is in `sim/radio`.
 */
import { bodyProportions, faceOffsetsM, keypointNames } from "../../core/pose/skeleton.ts"

/** Scatterers of a body, two per limb pair; radar cross sections in m^2 apportion a whole adult's of about 0.9 m^2. */
export const scatterers = [
  { name: "head", rcsM2: 0.04 },
  { name: "chest", rcsM2: 0.25 },
  { name: "abdomen", rcsM2: 0.2 },
  { name: "left_upper_arm", rcsM2: 0.03 },
  { name: "right_upper_arm", rcsM2: 0.03 },
  { name: "left_forearm", rcsM2: 0.02 },
  { name: "right_forearm", rcsM2: 0.02 },
  { name: "left_hand", rcsM2: 0.01 },
  { name: "right_hand", rcsM2: 0.01 },
  { name: "left_thigh", rcsM2: 0.07 },
  { name: "right_thigh", rcsM2: 0.07 },
  { name: "left_shank", rcsM2: 0.05 },
  { name: "right_shank", rcsM2: 0.05 },
  { name: "left_foot", rcsM2: 0.02 },
  { name: "right_foot", rcsM2: 0.02 },
] as const

/** Index of the chest in `scatterers`: its place also decides what the torso shadows. */
export const chestIndex = 1

/** What the posture of a body depends on. */
export interface GaitState {
  readonly x: number
  readonly y: number
  /** Direction the body faces, radians counter-clockwise from +x. */
  readonly headingRad: number
  readonly speedMps: number
  /** Phase of the gait cycle (two steps), radians. */
  readonly phaseRad: number
  /** Displacement of the chest wall by breathing, metres, forward. */
  readonly breathM: number
}

/** Points in the room, interleaved x, y, z in metres: 17 keypoints (COCO order) and 15 scatterers. */
export interface Posture {
  readonly keypoints: Float64Array
  readonly scatterers: Float64Array
}

export const createPosture = (): Posture => ({
  keypoints: new Float64Array(keypointNames.length * 3),
  scatterers: new Float64Array(scatterers.length * 3),
})

/** Height of the hips above the floor in a standing body. */
const hipHeightM = (bodyHeightM: number): number =>
  (bodyProportions.footHeight + bodyProportions.shank + bodyProportions.thigh) * bodyHeightM

/** Length of a gait cycle (two steps): 1.346 sqrt(relative speed) hip heights, after Boulic et al. 1990. */
const cycleLengthM = (bodyHeightM: number, speedMps: number): number => {
  const hip = hipHeightM(bodyHeightM)
  return 1.346 * hip * Math.sqrt(Math.max(speedMps, 0) / hip)
}

/** Gait cycles per second; 0 when standing. */
export const cycleRateHz = (bodyHeightM: number, speedMps: number): number =>
  speedMps <= 0 ? 0 : speedMps / cycleLengthM(bodyHeightM, speedMps)

interface Leg {
  readonly hipRad: number
  readonly kneeRad: number
}

/** Part of the cycle that a foot is on the floor: 10 % more than half, so that both are for 20 % of the time. */
const stance = 0.6

// The swing amplitude makes the stance foot stand still: it carries the hip over 2 L sin(amplitude).
const swingAmplitude = (bodyHeightM: number, speedMps: number): number => {
  const legM = (bodyProportions.shank + bodyProportions.thigh) * bodyHeightM
  return Math.asin(Math.min((stance * cycleLengthM(bodyHeightM, speedMps)) / (2 * legM), 0.6))
}

// A leg stands from phase 0 on, its foot going back evenly below the body; then it swings forward with a bent knee.
const leg = (amplitude: number, phase: number): Leg => {
  const cycle = phase / (2 * Math.PI)
  const part = cycle - Math.floor(cycle)
  const swing = Math.max(0, (part - stance) / (1 - stance))
  const sweep = part < stance ? 1 - (2 * part) / stance : -Math.cos(Math.PI * swing)
  return {
    hipRad: Math.asin(sweep * Math.sin(amplitude)),
    kneeRad: 0.08 + 2 * amplitude * Math.sin(Math.PI * swing) ** 2,
  }
}

/** Computes the posture of a body of `bodyHeightM` into `into`. */
export const computePosture = (bodyHeightM: number, state: GaitState, into: Posture): void => {
  const p = bodyProportions
  const f = faceOffsetsM
  const h = bodyHeightM
  const forwardX = Math.cos(state.headingRad)
  const forwardY = Math.sin(state.headingRad)
  const set = (target: Float64Array, index: number, forward: number, aside: number, up: number): void => {
    target[index * 3] = state.x + forward * forwardX - aside * forwardY
    target[index * 3 + 1] = state.y + forward * forwardY + aside * forwardX
    target[index * 3 + 2] = up
  }

  const amplitude = swingAmplitude(h, state.speedMps)
  const legs = [leg(amplitude, state.phaseRad), leg(amplitude, state.phaseRad + Math.PI)]
  const reach = ({ hipRad, kneeRad }: Leg): number =>
    h * (p.thigh * Math.cos(hipRad) + p.shank * Math.cos(hipRad - kneeRad))
  const hipUp = h * p.footHeight + Math.max(...legs.map(reach))
  const lean = 0.04 * Math.min(state.speedMps, 1.5)
  const shoulderForward = h * p.trunk * Math.sin(lean)
  const shoulderUp = hipUp + h * p.trunk * Math.cos(lean)
  const headUp = h * p.neckAndHead

  set(into.keypoints, 0, shoulderForward + f.noseForward, 0, shoulderUp + headUp * f.noseRise)
  set(into.scatterers, 0, shoulderForward, 0, shoulderUp + headUp * 0.62)
  set(into.scatterers, 1, shoulderForward * 0.72 + 0.1 + state.breathM, 0, hipUp + (shoulderUp - hipUp) * 0.72)
  set(into.scatterers, 2, shoulderForward * 0.25 + 0.1 + 0.6 * state.breathM, 0, hipUp + (shoulderUp - hipUp) * 0.25)
  for (let side = 0; side < 2; side++) {
    const sign = side === 0 ? 1 : -1
    set(into.keypoints, 1 + side, shoulderForward + f.eyeForward, sign * f.eyeAside, shoulderUp + headUp * f.eyeRise)
    set(into.keypoints, 3 + side, shoulderForward, sign * f.earAside, shoulderUp + headUp * f.earRise)

    // Arms swing against the leg of their side.
    const shoulderAside = (sign * h * p.shoulderWidth) / 2
    const armRad = -0.8 * amplitude * Math.cos(state.phaseRad + side * Math.PI)
    const elbowRad = armRad + 0.2 + 0.5 * Math.max(0, armRad)
    const elbowForward = shoulderForward + h * p.upperArm * Math.sin(armRad)
    const elbowUp = shoulderUp - h * p.upperArm * Math.cos(armRad)
    const alongX = Math.sin(elbowRad)
    const alongZ = -Math.cos(elbowRad)
    const wristForward = elbowForward + h * p.forearm * alongX
    const wristUp = elbowUp + h * p.forearm * alongZ
    set(into.keypoints, 5 + side, shoulderForward, shoulderAside, shoulderUp)
    set(into.keypoints, 7 + side, elbowForward, shoulderAside, elbowUp)
    set(into.keypoints, 9 + side, wristForward, shoulderAside, wristUp)
    set(into.scatterers, 3 + side, (shoulderForward + elbowForward) / 2, shoulderAside, (shoulderUp + elbowUp) / 2)
    set(into.scatterers, 5 + side, (elbowForward + wristForward) / 2, shoulderAside, (elbowUp + wristUp) / 2)
    const hand = (h * p.hand) / 2
    set(into.scatterers, 7 + side, wristForward + hand * alongX, shoulderAside, wristUp + hand * alongZ)

    const { hipRad, kneeRad } = legs[side]!
    const hipAside = (sign * h * p.hipWidth) / 2
    const kneeForward = h * p.thigh * Math.sin(hipRad)
    const kneeUp = hipUp - h * p.thigh * Math.cos(hipRad)
    const ankleForward = kneeForward + h * p.shank * Math.sin(hipRad - kneeRad)
    const ankleUp = kneeUp - h * p.shank * Math.cos(hipRad - kneeRad)
    set(into.keypoints, 11 + side, 0, hipAside, hipUp)
    set(into.keypoints, 13 + side, kneeForward, hipAside, kneeUp)
    set(into.keypoints, 15 + side, ankleForward, hipAside, ankleUp)
    set(into.scatterers, 9 + side, kneeForward / 2, hipAside, (hipUp + kneeUp) / 2)
    set(into.scatterers, 11 + side, (kneeForward + ankleForward) / 2, hipAside, (kneeUp + ankleUp) / 2)
    set(into.scatterers, 13 + side, ankleForward + 0.07, hipAside, ankleUp * 0.6)
  }
}
