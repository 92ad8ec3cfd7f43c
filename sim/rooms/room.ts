/**
 * A room for radio waves: a box with six surfaces, openings in its walls, and furniture.
 *
 * Owns the surfaces, image sources, the loss of a straight path through the walls, and random furniture. World frame of a room:
 * metres, x east, y north, z up, origin at the south-west corner of the floor. Boundary: the effect of a path on CSI is in
 * `sim/radio`.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import { type MaterialName, wallLossDb } from "./materials.ts"

/** The six surfaces in their common order: two for each axis, the one at 0 first. */
export const surfaceNames = ["west", "east", "south", "north", "floor", "ceiling"] as const
type SurfaceName = typeof surfaceNames[number]

/** A large static scatterer. */
interface Furniture {
  readonly position: Vector3
  readonly rcsM2: number
}

/** A door or a passage: waves cross it without the loss of the wall. */
export interface Opening {
  readonly surface: "west" | "east" | "south" | "north"
  /** Beginning and end along the wall (y on the west and east walls, x on the others), and height. */
  readonly fromM: number
  readonly toM: number
  readonly heightM: number
}

export interface RoomDescription {
  readonly size: Vector3
  readonly surfaces: Readonly<Record<SurfaceName, MaterialName>>
  readonly openings: ReadonlyArray<Opening>
  readonly furniture: ReadonlyArray<Furniture>
}

/** One of the six surfaces: a plane at `offset` along `axis`. */
export interface Surface {
  readonly axis: 0 | 1 | 2
  readonly offset: number
  readonly material: MaterialName
}

export const surfacesOf = ({ size, surfaces }: RoomDescription): ReadonlyArray<Surface> =>
  surfaceNames.map((name, i) => {
    const axis = (i >> 1) as 0 | 1 | 2
    return { axis, offset: i % 2 === 0 ? 0 : size[axis], material: surfaces[name] }
  })

/** Mirror image of a point in a surface. */
export const imageIn = (surface: Surface, point: Vector3): Vector3 => {
  const image: [number, number, number] = [point[0], point[1], point[2]]
  image[surface.axis] = 2 * surface.offset - image[surface.axis]
  return image
}

/**
 * The sequences of at most two bounces, as indices into `surfacesOf` starting at the source: none, the six surfaces, and 18 pairs.
 * Pairs of different axes give the same image in both orders and appear once.
 */
export const bounceOrders: ReadonlyArray<ReadonlyArray<number>> = [
  [],
  ...surfaceNames.map((_, i) => [i]),
  ...surfaceNames.flatMap((_, i) =>
    surfaceNames.flatMap((_, j) => (i !== j && (i >> 1 === j >> 1 || i < j) ? [[i, j]] : []))
  ),
]

/** The loss of the wall rises to its full value over this distance from the edge of an opening. */
const edgeM = 0.3

/** Distance of a point of a wall from an opening; 0 within. */
const outsideM = (opening: Opening, along: number, up: number): number =>
  Math.max(0, opening.fromM - along, along - opening.toM, up - opening.heightM)

const crossingLossDb = (room: RoomDescription, surface: number, along: number, up: number): number => {
  const name = surfaceNames[surface]!
  let share = 1
  for (const opening of room.openings) {
    if (opening.surface === name) share = Math.min(share, outsideM(opening, along, up) / edgeM)
  }
  return share * wallLossDb(room.surfaces[name])
}

/**
 * Loss of the straight path from (ax, ay, az) within the room to (bx, by, bz), in dB: the sum over the surfaces that it crosses,
 * reduced at openings; 0 for a path inside the room.
 */
export const throughWallsDb = (
  room: RoomDescription,
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
): number => {
  const [width, depth, height] = room.size
  let lossDb = 0
  if (bx < 0 || bx > width) {
    const part = ((bx < 0 ? 0 : width) - ax) / (bx - ax)
    lossDb += crossingLossDb(room, bx < 0 ? 0 : 1, ay + part * (by - ay), az + part * (bz - az))
  }
  if (by < 0 || by > depth) {
    const part = ((by < 0 ? 0 : depth) - ay) / (by - ay)
    lossDb += crossingLossDb(room, by < 0 ? 2 : 3, ax + part * (bx - ax), az + part * (bz - az))
  }
  if (bz < 0 || bz > height) lossDb += wallLossDb(room.surfaces[bz < 0 ? "floor" : "ceiling"])
  return lossDb
}

/** `count` pieces of furniture at random places below 1.2 m with cross sections of 0.1 to 1 m^2. */
export const furnish = (size: Vector3, count: number, random: Random): ReadonlyArray<Furniture> =>
  Array.from({ length: count }, () => ({
    position: [
      uniformIn(random, 0.1, 0.9) * size[0],
      uniformIn(random, 0.1, 0.9) * size[1],
      uniformIn(random, 0.2, 1.2),
    ],
    rcsM2: uniformIn(random, 0.1, 1),
  }))
