/**
 * Orientation of the segments of a body: a frame of three directions for the trunk, the head and each limb segment,
 * from the joints.
 *
 * The joints fix the axis of a segment, but not its rotation about it. That comes from the parent: the front of a limb
 * is the front of its parent, rotated by the smallest rotation from the parent's axis to its own. So a thigh that
 * points forward has its front up, and the shank below its knee has its front forward again. Invariant: the three
 * directions have length 1 and are perpendicular, for any joints.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { add, cross, middle, perpendicular, scaled, subtract, turned, unit } from "./vector.ts"

/**
 * Directions of a segment: to the body's left, to its front, and along it (trunk and head up, limbs away from the
 * trunk).
 */
export interface SegmentFrame {
  readonly left: Vector3
  readonly front: Vector3
  readonly axis: Vector3
}

const up: Vector3 = [0, 0, 1]
/** Left of a person who faces the viewer, where the viewer looks along +y. */
const leftOfViewed: Vector3 = [1, 0, 0]

/** The trunk: its axis from the hips to the shoulders, its left from both pairs of joints. Joints in COCO's order. */
export const trunkFrame = (joints: ReadonlyArray<Vector3>): SegmentFrame => {
  const axis = unit(subtract(middle(joints[5]!, joints[6]!), middle(joints[11]!, joints[12]!)), up)
  const across = add(subtract(joints[5]!, joints[6]!), subtract(joints[11]!, joints[12]!))
  const left = perpendicular(across, axis, leftOfViewed)
  return { left, front: cross(left, axis), axis }
}

/** Weight of the trunk's directions in those of the head, whose own points are only a few centimetres apart. */
const trunkShareM = 0.05

/** The head, from nose, eyes and ears, stabilised by the trunk. */
export const headFrame = (joints: ReadonlyArray<Vector3>, trunk: SegmentFrame): SegmentFrame => {
  const across = add(subtract(joints[3]!, joints[4]!), subtract(joints[1]!, joints[2]!))
  const left = unit(add(across, scaled(trunk.left, trunkShareM)), trunk.left)
  const ears = middle(joints[3]!, joints[4]!)
  const ahead = add(subtract(joints[0]!, ears), subtract(middle(joints[1]!, joints[2]!), ears))
  // Nose and eyes are near the ears' height, one below and one above: their mean points ahead.
  const front = perpendicular(add(ahead, scaled(trunk.front, trunkShareM)), left, trunk.front)
  return { left, front, axis: cross(front, left) }
}

/** The frame from which limbs hang: the trunk's, pointing down. */
export const hanging = ({ axis, front, left }: SegmentFrame): SegmentFrame => ({ left, front, axis: scaled(axis, -1) })

/** A segment from one joint to the next, with its parent's frame. */
export const limbFrame = (from: Vector3, to: Vector3, parent: SegmentFrame): SegmentFrame => {
  const axis = unit(subtract(to, from), parent.axis)
  // An arm straight up was raised sideways: its front stays the front.
  const front = perpendicular(turned(parent.front, parent.axis, axis, parent.front), axis, parent.front)
  return { left: cross(front, axis), front, axis }
}
