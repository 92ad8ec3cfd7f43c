/**
 * A node and its images in the surfaces of its room: the sources that illuminate a point in the room.
 *
 * Owns the selection of images and the orientation of their antennas. Image 0 is the node itself. Boundary: the illumination of a
 * point is in `legs.ts`.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { imageIn } from "../rooms/room.ts"
import type { NodeAntennas } from "./antenna.ts"
import type { RadioRoom } from "./empty-room.ts"
import { type Mirror, writeReflection } from "./reflection.ts"

export interface NodeImages {
  /** Number of images, the node itself included. */
  readonly count: number
  /** [image][xyz]: the middle of the array. */
  readonly middles: Float64Array
  /** [image][element][xyz]. */
  readonly elements: Float64Array
  /** [image][xyz]: unit vector along the dipole. */
  readonly dipoles: Float64Array
  /** The surface of each image; null for the node itself. */
  readonly mirrors: ReadonlyArray<Mirror | null>
  readonly polarisation: number
}

/** Strength of the image in a mirror at the middle of the room: coefficient over distance. */
const strength = (mirror: Mirror, image: Vector3, size: Vector3): number => {
  const k = size.map((extent, axis) => extent / 2 - image[axis]!)
  const distance = Math.hypot(...k)
  const out = new Float64Array(2)
  writeReflection(mirror, k[0]! / distance, k[1]! / distance, k[2]! / distance, out)
  return Math.hypot(out[0]!, out[1]!) / distance
}

/** A node and the `bounces` strongest of its six images. */
export const createNodeImages = (radioRoom: RadioRoom, antennas: NodeAntennas, bounces: number): NodeImages => {
  const { position, elements } = antennas
  const mirrors: ReadonlyArray<Mirror | null> = [
    null,
    ...radioRoom.mirrors
      .map((mirror) => ({ mirror, weight: strength(mirror, imageIn(mirror.surface, position), radioRoom.room.size) }))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, bounces)
      .map(({ mirror }) => mirror),
  ]
  const seen = (mirror: Mirror | null, point: Vector3): Vector3 =>
    mirror === null ? point : imageIn(mirror.surface, point)
  const elementAt = (e: number): Vector3 => [elements[3 * e]!, elements[3 * e + 1]!, elements[3 * e + 2]!]
  return {
    count: mirrors.length,
    middles: Float64Array.from(mirrors.flatMap((mirror) => seen(mirror, position))),
    elements: Float64Array.from(
      mirrors.flatMap((mirror) =>
        Array.from({ length: elements.length / 3 }, (_, e) => seen(mirror, elementAt(e))).flat()
      ),
    ),
    dipoles: Float64Array.from(
      mirrors.flatMap((mirror) =>
        antennas.dipole.map((value, axis) => (axis === mirror?.surface.axis ? -value : value))
      ),
    ),
    mirrors,
    polarisation: antennas.polarisation,
  }
}
