/**
 * Clutter: what a room holds besides its six surfaces, as static scatterers drawn once per room.
 *
 * Near clutter is in the room, most of it before walls, so bodies shadow it. Far clutter stands for waves that were reflected more than
 * twice: scatterers behind the walls, as far away as the room's images. Their number and their cross sections set K factor and delay
 * spread, which nothing here prescribes.
 */
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { RoomDescription } from "../../rooms/room.ts"

interface Scatterer {
  readonly position: Vector3
  readonly rcsM2: number
  readonly phaseRad: number
}

/** Draws of a room. */
export interface RoomClutter {
  readonly near: ReadonlyArray<Scatterer>
  readonly far: ReadonlyArray<Scatterer>
  /** Share of the power that each surface reflects in the specular direction, and thickness of the surfaces. */
  readonly specularPower: number
  readonly thicknessM: number
}

const ranges = {
  near: [10, 30],
  nearRcsM2: [0.02, 0.8],
  far: [18, 30],
  /** The farther a scatterer is, the larger: a whole wall behind a wall. */
  farRcsM2: [5, 30],
  farM: [2, 18],
  specularPower: [0.25, 0.8],
  thicknessM: [0.06, 0.25],
} as const

const logUniform = (random: Random, [low, high]: readonly [number, number]): number =>
  low * (high / low) ** random.uniform()

const countIn = (random: Random, [low, high]: readonly [number, number]): number =>
  Math.round(uniformIn(random, low, high))

const drawNear = (size: Vector3, random: Random): Scatterer => {
  const position: [number, number, number] = [
    size[0] * uniformIn(random, 0.05, 0.95),
    size[1] * uniformIn(random, 0.05, 0.95),
    size[2] * uniformIn(random, 0.05, 0.85),
  ]
  // Three of four pieces stand at a wall.
  if (random.uniform() < 0.75) {
    const axis = random.uniform() < 0.5 ? 0 : 1
    position[axis] = random.uniform() < 0.5 ? 0.15 : size[axis] - 0.15
  }
  return {
    position,
    rcsM2: logUniform(random, ranges.nearRcsM2),
    phaseRad: uniformIn(random, 0, 2 * Math.PI),
  }
}

const drawFar = (size: Vector3, random: Random): Scatterer => {
  const bearing = uniformIn(random, 0, 2 * Math.PI)
  const beyondM = uniformIn(random, ...ranges.farM)
  const position = [Math.cos(bearing), Math.sin(bearing)].map((direction, axis) =>
    size[axis]! / 2 + direction * (size[axis]! / 2 + beyondM)
  )
  return {
    position: [position[0]!, position[1]!, size[2] * uniformIn(random, -0.5, 1.5)],
    rcsM2: logUniform(random, ranges.farRcsM2) * (1 + beyondM / 4) ** 2,
    phaseRad: uniformIn(random, 0, 2 * Math.PI),
  }
}

/** Draws the clutter of a room; its furniture is part of it. */
export const drawClutter = ({ furniture, size }: RoomDescription, random: Random): RoomClutter => ({
  specularPower: uniformIn(random, ...ranges.specularPower),
  thicknessM: uniformIn(random, ...ranges.thicknessM),
  near: [
    ...furniture.map((piece) => ({ ...piece, phaseRad: uniformIn(random, 0, 2 * Math.PI) })),
    ...Array.from({ length: countIn(random, ranges.near) }, () => drawNear(size, random)),
  ],
  far: Array.from({ length: countIn(random, ranges.far) }, () => drawFar(size, random)),
})
