/** Points of a room, in metres: distances and directions between them. */
import type { Vector3 } from "../../core/imaging/geometry.ts"

/** Points closer than this have no direction of their own: the vector between them is divided by it. */
const lengthMinM = 1e-9

export const distanceM = (a: Vector3, b: Vector3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

/** The unit vector from `a` to `b`. */
export const direction = (a: Vector3, b: Vector3): Vector3 => {
  const lengthM = Math.max(lengthMinM, distanceM(a, b))
  return [(b[0] - a[0]) / lengthM, (b[1] - a[1]) / lengthM, (b[2] - a[2]) / lengthM]
}

/** The point at a signed distance from `start` along a unit vector. */
export const pointAlong = (start: Vector3, along: Vector3, lengthM: number): Vector3 => [
  start[0] + lengthM * along[0],
  start[1] + lengthM * along[1],
  start[2] + lengthM * along[2],
]

/** The point at a share of the way from `a` (0) to `b` (1). */
export const pointBetween = (a: Vector3, b: Vector3, share: number): Vector3 => [
  a[0] + share * (b[0] - a[0]),
  a[1] + share * (b[1] - a[1]),
  a[2] + share * (b[2] - a[2]),
]
