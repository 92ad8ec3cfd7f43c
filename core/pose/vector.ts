/** Three-dimensional vector algebra for a body in space. */
import type { Vector3 } from "../imaging/geometry.ts"

export const add = (a: Vector3, b: Vector3): Vector3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]

export const subtract = (a: Vector3, b: Vector3): Vector3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]

export const scaled = (a: Vector3, factor: number): Vector3 => [a[0] * factor, a[1] * factor, a[2] * factor]

export const dot = (a: Vector3, b: Vector3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

export const cross = (a: Vector3, b: Vector3): Vector3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

/** By a square root: `Math.hypot` takes ten times as long, to guard against magnitudes that no body has. */
export const lengthOf = (a: Vector3): number => Math.sqrt(dot(a, a))

export const middle = (a: Vector3, b: Vector3): Vector3 => scaled(add(a, b), 0.5)

/** `from` moved by `distance` along the unit vector `direction`. */
export const moved = (from: Vector3, direction: Vector3, distance: number): Vector3 =>
  add(from, scaled(direction, distance))

/** Shorter vectors have no meaningful direction: a tenth of a millimetre between joints. */
const lengthMin = 1e-4

/** The vector of length 1 in the direction of `a`, or `otherwise` where `a` has none. */
export const unit = (a: Vector3, otherwise: Vector3): Vector3 => {
  const length = lengthOf(a)
  return length > lengthMin ? scaled(a, 1 / length) : otherwise
}

/** A unit vector perpendicular to the unit vector `a`: the most distant axis of the room, orthogonalised. */
const anyPerpendicular = (a: Vector3): Vector3 => {
  const [x, y, z] = [Math.abs(a[0]), Math.abs(a[1]), Math.abs(a[2])]
  const far: Vector3 = x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1]
  return scaled(cross(a, far), 1 / lengthOf(cross(a, far)))
}

/** The component of `a` perpendicular to the unit vector `axis`, of length 1; else that of `otherwise`; else any. */
export const perpendicular = (a: Vector3, axis: Vector3, otherwise: Vector3): Vector3 => {
  const second = unit(moved(otherwise, axis, -dot(otherwise, axis)), anyPerpendicular(axis))
  return unit(moved(a, axis, -dot(a, axis)), second)
}

/** 1 + cosine below which two unit vectors count as opposite: within about two degrees. */
const oppositeMax = 5e-4

/**
 * `a` rotated by the smallest rotation from the unit vector `from` to the unit vector `to` (Rodrigues). Opposite
 * vectors have no smallest rotation: then half a turn about `hinge`, a unit vector perpendicular to `from`.
 */
export const turned = (a: Vector3, from: Vector3, to: Vector3, hinge: Vector3): Vector3 => {
  const onePlusCosine = 1 + dot(from, to)
  if (onePlusCosine < oppositeMax) return subtract(scaled(hinge, 2 * dot(hinge, a)), a)
  const w = cross(from, to)
  const wa = cross(w, a)
  return add(add(a, wa), scaled(cross(w, wa), 1 / onePlusCosine))
}
