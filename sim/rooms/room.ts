/**
 * A room for radio waves: a box with six surfaces and some furniture.
 *
 * Owns materials, image sources and furniture. Boundary: what a path does to CSI is in `sim/radio`.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../random.ts"

/**
 * Materials by real permittivity and conductivity c * f^d (f in GHz), ITU-R P.2040-1 table 3.
 */
const materials = {
  concrete: { permittivity: 5.31, c: 0.0326, d: 0.8095 },
  brick: { permittivity: 3.75, c: 0.038, d: 0 },
  plasterboard: { permittivity: 2.94, c: 0.0116, d: 0.7076 },
  wood: { permittivity: 1.99, c: 0.0047, d: 1.0718 },
  glass: { permittivity: 6.27, c: 0.0043, d: 1.1925 },
} as const

export type MaterialName = keyof typeof materials
export const materialNames = Object.keys(materials) as ReadonlyArray<MaterialName>

export interface RoomDescription {
  readonly size: Vector3
  readonly walls: MaterialName
  readonly floor: MaterialName
  readonly ceiling: MaterialName
  /** Pieces of furniture; each is a static scatterer at a random place. */
  readonly furniture: number
}

/** One of the six surfaces: a plane at `offset` along `axis`. */
export interface Surface {
  readonly axis: 0 | 1 | 2
  readonly offset: number
  readonly material: MaterialName
}

export interface Furniture {
  readonly position: Vector3
  readonly rcsM2: number
}

export const surfacesOf = (room: RoomDescription): ReadonlyArray<Surface> => [
  { axis: 0, offset: 0, material: room.walls },
  { axis: 0, offset: room.size[0], material: room.walls },
  { axis: 1, offset: 0, material: room.walls },
  { axis: 1, offset: room.size[1], material: room.walls },
  { axis: 2, offset: 0, material: room.floor },
  { axis: 2, offset: room.size[2], material: room.ceiling },
]

/** Mirror image of a point in a surface. */
export const imageIn = (surface: Surface, point: Vector3): Vector3 => {
  const image: [number, number, number] = [point[0], point[1], point[2]]
  image[surface.axis] = 2 * surface.offset - image[surface.axis]
  return image
}

/**
 * Magnitude of the Fresnel reflection coefficient of a thick slab, averaged in power over both polarisations. The loss
 * tangent of indoor materials at 2 to 6 GHz is below 0.1, so the magnitude uses |permittivity|.
 */
export const reflectionMagnitude = (material: MaterialName, cosIncidence: number, frequencyHz: number): number => {
  const { permittivity, c, d } = materials[material]
  const vacuum = 8.8541878128e-12
  const conductivity = c * (frequencyHz / 1e9) ** d
  const epsilon = Math.hypot(permittivity, conductivity / (2 * Math.PI * frequencyHz * vacuum))
  const root = Math.sqrt(epsilon - 1 + cosIncidence * cosIncidence)
  const te = (cosIncidence - root) / (cosIncidence + root)
  const tm = (epsilon * cosIncidence - root) / (epsilon * cosIncidence + root)
  return Math.sqrt((te * te + tm * tm) / 2)
}

/** Furniture at random places below 1.2 m with cross sections of 0.1 to 1 m^2. */
export const furnish = (room: RoomDescription, random: Random): ReadonlyArray<Furniture> =>
  Array.from({ length: room.furniture }, () => ({
    position: [
      uniformIn(random, 0.1, 0.9) * room.size[0],
      uniformIn(random, 0.1, 0.9) * room.size[1],
      uniformIn(random, 0.2, 1.2),
    ],
    rcsM2: uniformIn(random, 0.1, 1),
  }))
