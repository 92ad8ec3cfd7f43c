/**
 * The size of a body: its height from its bones, and its girths.
 *
 * All sizes are fractions of the height, so one number scales a body. Boundary: lengths of segments are in
 * `skeleton.ts`.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { bodyProportions as lengths } from "./skeleton.ts"
import { lengthOf, middle, subtract } from "./vector.ts"

const radiusOf = (circumference: number): number => circumference / (2 * Math.PI)

/**
 * Girths as fractions of the height: the mean of men and women of the mean ratio to stature in the measurements of the
 * 2012 Anthropometric Survey of U.S. Army Personnel (ANSUR II, Gordon et al. 2014; 4,082 men and 1,986 women). A radius
 * is that of a circle of the measured circumference.
 */
export const bodyGirths = {
  neckRadius: radiusOf(0.2147),
  /** Largest extents of the head. */
  headBreadth: 0.0894,
  headLength: 0.1152,
  /** From the ear (tragion) to the crown. */
  earToCrown: 0.0763,
  /** Across the shoulders with their muscles (bideltoid). */
  shoulderBreadth: 0.2838,
  chestBreadth: 0.1652,
  hipBreadth: 0.2072,
  /** Mean depth of chest and buttocks over their mean breadth. */
  trunkDepthShare: (0.1483 + 0.1416) / (0.1652 + 0.2072),
  crotchHeight: 0.4809,
  upperArmRadius: radiusOf(0.1959),
  /** The forearm at its thickest, which is below the elbow. */
  elbowRadius: radiusOf(0.1695),
  wristRadius: radiusOf(0.0977),
  handLength: 0.1106,
  handBreadth: 0.0492,
  thighRadius: radiusOf(0.3673),
  /** The calf at its thickest; the lower thigh above the knee differs by 6 %. */
  kneeRadius: radiusOf(0.2264),
  ankleRadius: radiusOf(0.1316),
  footLength: 0.1528,
  footBreadth: 0.0575,
  heelBreadth: 0.0413,
} as const

/** Limits of the fitted height: from a sitting baby to beyond the tallest adults. */
const heightMMin = 0.5
const heightMMax = 2.4

/**
 * The height of a body in metres from the distances of its joints, in COCO's order: the median of the heights that nine
 * segments imply, so that a few misplaced joints have no effect.
 */
export const bodyHeightM = (joints: ReadonlyArray<Vector3>): number => {
  const between = (a: Vector3, b: Vector3, share: number): number => lengthOf(subtract(a, b)) / share
  const bone = (from: number, to: number, share: number): ReadonlyArray<number> => [
    between(joints[from]!, joints[to]!, share),
    between(joints[from + 1]!, joints[to + 1]!, share),
  ]
  const heights = [
    between(middle(joints[5]!, joints[6]!), middle(joints[11]!, joints[12]!), lengths.trunk),
    ...bone(5, 7, lengths.upperArm),
    ...bone(7, 9, lengths.forearm),
    ...bone(11, 13, lengths.thigh),
    ...bone(13, 15, lengths.shank),
  ].sort((a, b) => a - b)
  return Math.max(heightMMin, Math.min(heightMMax, heights[heights.length >> 1]!))
}
