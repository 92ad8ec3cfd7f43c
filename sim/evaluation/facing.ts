/**
 * Facing: the horizontal direction of a skeleton.
 *
 * Owns the direction of an upright body, square to its hips and shoulders, and of a lying one, from hips to head.
 */
import { pelvisOf } from "./record.ts"

const shoulders = [5, 6] as const
const hips = [11, 12] as const

/** Radians counter-clockwise from +x. */
export const facingRad = (keypoints: ArrayLike<number>): number => {
  const across = (axis: number): number =>
    [shoulders, hips].reduce(
      (sum, [left, right]) => sum + keypoints[3 * left + axis]! - keypoints[3 * right + axis]!,
      0,
    )
  const pelvis = pelvisOf(keypoints)
  const trunk = [0, 1, 2].map((axis) =>
    (keypoints[3 * shoulders[0] + axis]! + keypoints[3 * shoulders[1] + axis]!) / 2 - pelvis[axis]!
  )
  return Math.hypot(trunk[0]!, trunk[1]!) > Math.abs(trunk[2]!)
    ? Math.atan2(trunk[1]!, trunk[0]!)
    : Math.atan2(-across(0), across(1))
}
