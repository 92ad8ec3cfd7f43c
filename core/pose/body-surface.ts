/**
 * The surface of a body: solids, and charts on them.
 *
 * A *solid* is the convex hull of two balls in its own frame, which may be scaled along its directions: a tapered
 * capsule, or an ellipsoid where both balls coincide. A *chart* gives each point of a segment's surface a part and (u,
 * v). v runs along the segment, away from the trunk, or up from the hips and the neck. u runs across a half of it, from
 * one edge of the half to the other, or around a segment of one part. Boundary: `fitted-body.ts` chooses the solids of
 * a body.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import type { SegmentFrame } from "./body-frames.ts"
import { cross, lengthOf, subtract, unit } from "./vector.ts"

/** A hull of two balls. Its own frame has a ball at the origin and one at `length` on the third direction. */
export interface Solid {
  /** Centre of the first ball in the world, metres. */
  readonly origin: Vector3
  /** Directions of its own frame in the world, each of length 1. */
  readonly directions: readonly [Vector3, Vector3, Vector3]
  /** Metres of one unit of its own frame along each. */
  readonly unitsM: Vector3
  /** In units of its own frame. */
  readonly length: number
  readonly radii: readonly [number, number]
}

/** Surface coordinates of one segment. */
export interface Chart {
  readonly origin: Vector3
  /** Direction of growing v; v is 0 at `fromM` along it and 1 at `toM`. */
  readonly along: Vector3
  readonly fromM: number
  readonly toM: number
  /** Perpendicular to `along`: separates the halves. A length other than 1 compensates for a flat cross-section. */
  readonly apart: Vector3
  /** Perpendicular to both: direction of growing u. */
  readonly across: Vector3
  /** Part ids where `apart` is positive and where it is not; the same twice for a segment of one part. */
  readonly parts: readonly [number, number]
  /** Confidences of the joints at v = 0 and v = 1. */
  readonly confidences: readonly [number, number]
}

/** The solids that share a chart. */
export interface Segment {
  readonly chart: Chart
  readonly solids: ReadonlyArray<Solid>
}

const evenly: Vector3 = [1, 1, 1]

/** A solid that begins at `origin` and has its second ball `lengthM` along the frame's axis. */
export const solidOf = (
  origin: Vector3,
  { axis, front, left }: SegmentFrame,
  lengthM: number,
  radii: readonly [number, number],
  unitsM: Vector3 = evenly,
): Solid => ({
  origin,
  directions: [left, front, axis],
  unitsM,
  length: Math.max(0, lengthM) / unitsM[2],
  radii,
})

/** A capsule of one radius between two points. */
export const capsuleOf = (from: Vector3, to: Vector3, { axis, front, left }: SegmentFrame, radiusM: number): Solid => {
  const span = subtract(to, from)
  const along = unit(span, axis)
  const beside = unit(cross(front, along), left)
  const frame = { axis: along, left: beside, front: cross(along, beside) }
  return solidOf(from, frame, lengthOf(span), [radiusM, radiusM])
}

/** Distance in metres that a solid extends from its origin along a unit direction: the larger support of its balls. */
export const reachM = ({ directions, length, radii, unitsM }: Solid, x: number, y: number, z: number): number => {
  const [first, second, third] = directions
  const a = unitsM[0] * (first[0] * x + first[1] * y + first[2] * z)
  const b = unitsM[1] * (second[0] * x + second[1] * y + second[2] * z)
  const c = unitsM[2] * (third[0] * x + third[1] * y + third[2] * z)
  const ball = Math.sqrt(a * a + b * b + c * c)
  return Math.max(radii[0] * ball, length * c + radii[1] * ball)
}
