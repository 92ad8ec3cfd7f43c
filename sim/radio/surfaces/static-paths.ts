/**
 * The static paths of a link: line of sight, reflections of up to two bounces, and clutter.
 *
 * A path consists of straight parts between points in the room, which bodies may screen. Boundary: the sum over tones is in
 * `../field.ts`; the echoes of bodies are in `legs.ts`.
 */
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { direction, distanceM, pointBetween } from "../../rooms/points.ts"
import { bounceOrders, imageIn } from "../../rooms/room.ts"
import type { RoomClutter } from "./clutter.ts"
import { type End, patternOf } from "./ends.ts"
import { type Slab, writeSlab } from "./slab.ts"

export interface StaticPath {
  readonly kind: "line of sight" | "reflection" | "double reflection" | "near clutter" | "far clutter"
  /** Apparent source at the receiver, and the length before it. */
  readonly source: Vector3
  readonly beforeM: number
  readonly lengthM: number
  readonly re: number
  readonly im: number
  /** The point between two straight parts; null: the path is straight. Undefined for paths that bodies do not screen. */
  readonly corner?: Vector3 | null
}

/** Where the line from `source`, an image in the surface, to `to` crosses the surface. */
const crossing = ({ surface: { axis, offset } }: Slab, source: Vector3, to: Vector3): Vector3 => {
  const part = (offset - source[axis]) / (to[axis] - source[axis] || 1e-9)
  const share = Math.min(1, Math.max(0, part))
  return pointBetween(source, to, share)
}

const reflected = (
  slabs: ReadonlyArray<Slab>,
  wavelengthM: number,
  transmitter: End,
  receiver: End,
): ReadonlyArray<StaticPath> => {
  const out = new Float64Array(2)
  const from = transmitter.antennas.position
  const to = receiver.antennas.position
  return bounceOrders.map((bounces): StaticPath => {
    let source = from
    for (const bounce of bounces) source = imageIn(slabs[bounce]!.surface, source)
    const lengthM = distanceM(source, to)
    const k = direction(source, to)
    const departure: [number, number, number] = [k[0], k[1], k[2]]
    const amplitude = wavelengthM / (4 * Math.PI * lengthM)
    let re = amplitude
    let im = 0
    for (const bounce of bounces) {
      const slab = slabs[bounce]!
      departure[slab.surface.axis] *= -1
      writeSlab(slab, k[slab.surface.axis]!, out)
      const product = re * out[0]! - im * out[1]!
      im = re * out[1]! + im * out[0]!
      re = product
    }
    const gain = patternOf(transmitter, ...departure) * patternOf(receiver, -k[0], -k[1], -k[2])
    const path = { source, beforeM: 0, lengthM, re: re * gain, im: im * gain }
    if (bounces.length === 0) return { ...path, kind: "line of sight", corner: null }
    if (bounces.length === 2) return { ...path, kind: "double reflection" }
    return { ...path, kind: "reflection", corner: crossing(slabs[bounces[0]!]!, source, to) }
  })
}

/** A scatterer nearer than this counts as at this distance: clutter is as large as that. */
const distanceMinM = 0.5

const scattered = (
  { far, near }: RoomClutter,
  wavelengthM: number,
  transmitter: End,
  receiver: End,
): ReadonlyArray<StaticPath> => {
  const a = transmitter.antennas.position
  const b = receiver.antennas.position
  const pathOver = (isNear: boolean) => ({ phaseRad, position, rcsM2 }: RoomClutter["near"][number]): StaticPath => {
    const d1 = distanceM(a, position)
    const d2 = distanceM(position, b)
    const size = (Math.sqrt(rcsM2) * wavelengthM) /
      ((4 * Math.PI) ** 1.5 * Math.max(distanceMinM, d1) * Math.max(distanceMinM, d2))
    const gain = size * patternOf(transmitter, ...direction(a, position)) *
      patternOf(receiver, ...direction(b, position))
    return {
      kind: isNear ? "near clutter" : "far clutter",
      source: position,
      beforeM: d1,
      lengthM: d1 + d2,
      re: gain * Math.cos(phaseRad),
      im: gain * Math.sin(phaseRad),
      ...(isNear ? { corner: position } : {}),
    }
  }
  return [...near.map(pathOver(true)), ...far.map(pathOver(false))]
}

/** All static paths of a directed link; those with a `corner` can be screened. */
export const staticPaths = (
  slabs: ReadonlyArray<Slab>,
  clutter: RoomClutter,
  wavelengthM: number,
  transmitter: End,
  receiver: End,
): ReadonlyArray<StaticPath> => [
  ...reflected(slabs, wavelengthM, transmitter, receiver),
  ...scattered(clutter, wavelengthM, transmitter, receiver),
]
