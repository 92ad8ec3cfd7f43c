/**
 * The lengths of one body.
 *
 * Owns segment lengths from the height of a body (`core/pose/skeleton.ts`) and their variation between individuals.
 */
import { bodyProportions, faceOffsetsM } from "../../core/pose/skeleton.ts"
import type { Random } from "../randomness/random.ts"

/** Lengths in metres; left and right are alike. */
export interface Physique {
  readonly heightM: number
  /** 1 is slim to normal; 1.3 is stout. */
  readonly girth: number
  /** Height of the ankle above the sole. */
  readonly ankleM: number
  readonly shankM: number
  readonly thighM: number
  /** From the middle of the hips to the middle of the shoulders. */
  readonly trunkM: number
  /** From the middle of the shoulders to the crown. */
  readonly headM: number
  readonly upperArmM: number
  readonly forearmM: number
  readonly handM: number
  readonly shoulderHalfM: number
  readonly hipHalfM: number
  /** From the ankle to the ball of the foot and to the heel, along the floor. */
  readonly ballM: number
  readonly heelM: number
  readonly face: typeof faceOffsetsM
}

/** Relative standard deviation of a segment between people of one height, and its limit. */
const variation = 0.025
const variationMax = 0.05

/** The lengths of a person of `heightM`; segments differ by a few percent from the mean of that height. */
export const createPhysique = (heightM: number, girth: number, random: Random): Physique => {
  const vary = (fraction: number): number =>
    heightM * fraction * (1 + Math.max(-variationMax, Math.min(variationMax, variation * random.normal())))
  const p = bodyProportions
  const upright = [vary(p.footHeight), vary(p.shank), vary(p.thigh), vary(p.trunk), vary(p.neckAndHead)] as const
  // The segments above one another must add up to the height.
  const scale = heightM / upright.reduce((sum, length) => sum + length, 0)
  return {
    heightM,
    girth,
    ankleM: upright[0] * scale,
    shankM: upright[1] * scale,
    thighM: upright[2] * scale,
    trunkM: upright[3] * scale,
    headM: upright[4] * scale,
    upperArmM: vary(p.upperArm),
    forearmM: vary(p.forearm),
    handM: vary(p.hand),
    shoulderHalfM: vary(p.shoulderWidth) / 2,
    hipHalfM: vary(p.hipWidth) / 2,
    ballM: vary(0.072),
    heelM: vary(0.035),
    face: faceOffsetsM,
  }
}

/** Height of the hips of a body that stands upright; the knees are never locked. */
export const standingHipM = ({ ankleM, shankM, thighM }: Physique): number => ankleM + (shankM + thighM) * 0.997

/** Height of the hips above the seat. */
export const seatedHipM = ({ girth }: Physique): number => 0.08 * girth

/** Height of the trunk's axis above the surface when the body lies on its back or front. */
export const lyingHipM = ({ girth }: Physique): number => 0.1 * girth
