/**
 * The ends of links: antennas with the pattern of a half-wave dipole in a device, and their images in the room's surfaces.
 *
 * Boundary: the places of the elements are those of `antenna.ts`, the same for all radio models.
 */
import type { RadioNode, Vector3 } from "../../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../../randomness/random.ts"
import { imageIn } from "../../rooms/room.ts"
import { indoorAir } from "../air.ts"
import { createAntennas, type NodeAntennas } from "../antenna.ts"
import type { Slab } from "./slab.ts"

export interface End {
  readonly antennas: NodeAntennas
  /** The node itself and its images: [image][xyz], [image][element][xyz]. */
  readonly middles: Float64Array
  readonly elements: Float64Array
  /** The surface of each image; null for the node itself. */
  readonly slabs: ReadonlyArray<Slab | null>
  /** Amplitude of the first and the second harmonic of the pattern over the bearing, and their directions. */
  readonly lobes: Float64Array
}

/** Level of a dipole's null, and the largest change of the level by the device, in Np per harmonic. */
const nullAmplitude = 0.2
const lobeNp = 0.2

/** Amplitude of an end towards the unit vector (x, y, z). */
export const patternOf = ({ antennas, lobes }: End, x: number, y: number, z: number): number => {
  const [dx, dy, dz] = antennas.dipole
  const cos = x * dx + y * dy + z * dz
  const sin2 = 1 - cos * cos
  const dipole = sin2 < 1e-6 ? 0 : Math.cos((Math.PI / 2) * cos) / Math.sqrt(sin2)
  const bearing = Math.atan2(y, x)
  const level = lobes[0]! * Math.cos(bearing - lobes[1]!) + lobes[2]! * Math.cos(2 * (bearing - lobes[3]!))
  return antennas.polarisation * Math.max(nullAmplitude, dipole) * Math.exp(level)
}

/** The end of a node, with an image in each of `slabs`. */
export const createEnd = (
  node: RadioNode,
  antennaCount: number,
  wavelengthM: number,
  slabs: ReadonlyArray<Slab>,
  random: Random,
): End => {
  const antennas = createAntennas(node, antennaCount, wavelengthM, indoorAir, random)
  const surfaces: ReadonlyArray<Slab | null> = [null, ...slabs]
  const seen = (slab: Slab | null, point: Vector3): Vector3 => slab === null ? point : imageIn(slab.surface, point)
  const { elements } = antennas
  const elementAt = (e: number): Vector3 => [elements[3 * e]!, elements[3 * e + 1]!, elements[3 * e + 2]!]
  const lobe = (): readonly [number, number] => [uniformIn(random, 0, lobeNp), uniformIn(random, 0, 2 * Math.PI)]
  return {
    antennas,
    middles: Float64Array.from(surfaces.flatMap((slab) => seen(slab, node.position))),
    elements: Float64Array.from(
      surfaces.flatMap((slab) =>
        Array.from({ length: elements.length / 3 }, (_, e) => seen(slab, elementAt(e))).flat()
      ),
    ),
    slabs: surfaces,
    lobes: Float64Array.of(...lobe(), ...lobe()),
  }
}
