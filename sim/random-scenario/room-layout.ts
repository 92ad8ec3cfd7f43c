/**
 * Layout of a random room: a door, seats, a bed and a table, with ways between them.
 *
 * Seats and beds stand at walls and face into the room, so that they are reachable; the space before the door stays free.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { along, type Bed, bedFootprint, isWithin, type Place, type Rectangle, type Seat } from "../rooms/floor-plan.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import { chance, drawInteger, drawOne, rounded } from "./draws.ts"

export interface RoomLayout {
  /** Middle of the doorway, on a wall. */
  readonly door: Place
  readonly seats: ReadonlyArray<Seat>
  readonly beds: ReadonlyArray<Bed>
  readonly obstacles: ReadonlyArray<Rectangle>
}

const attemptsMax = 40
/** Width of ways between objects, and depth of the free space before the door. */
const wayM = 0.7
const doorwayHalfM = 0.55
const beforeDoorM = 1.3

/** A wall: its first corner, its direction, its length and the direction into the room. */
interface Wall {
  readonly corner: Place
  readonly bearingRad: number
  readonly lengthM: number
  readonly inwardRad: number
}

const wallsOf = ([width, depth]: Vector3): ReadonlyArray<Wall> => [
  { corner: [0, 0], bearingRad: 0, lengthM: width, inwardRad: Math.PI / 2 },
  { corner: [width, 0], bearingRad: Math.PI / 2, lengthM: depth, inwardRad: Math.PI },
  { corner: [width, depth], bearingRad: Math.PI, lengthM: width, inwardRad: -Math.PI / 2 },
  { corner: [0, depth], bearingRad: -Math.PI / 2, lengthM: depth, inwardRad: 0 },
]

const round = ([x, y]: Place): Place => [rounded(x), rounded(y)]

/** A place `insetM` from a wall and at least `halfM` from its corners. */
const besideWall = (wall: Wall, halfM: number, insetM: number, random: Random): Place =>
  along(
    along(wall.corner, wall.bearingRad, uniformIn(random, halfM, wall.lengthM - halfM)),
    wall.inwardRad,
    insetM,
  )

const overlaps = (a: Rectangle, b: Rectangle, marginM: number): boolean =>
  a.low[0] < b.high[0] + marginM && b.low[0] < a.high[0] + marginM &&
  a.low[1] < b.high[1] + marginM && b.low[1] < a.high[1] + marginM

const square = ([x, y]: Place, halfM: number): Rectangle => ({
  low: [x - halfM, y - halfM],
  high: [x + halfM, y + halfM],
})

/** Draws an object until it has free ways around it; null when the room is full. */
const fitted = <T>(
  draw: () => T,
  footprintOf: (thing: T) => Rectangle,
  taken: Array<Rectangle>,
  size: Vector3,
): T | null => {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const thing = draw()
    const footprint = footprintOf(thing)
    const isIn = [footprint.low, footprint.high].every((corner) =>
      isWithin(corner, { low: [0, 0], high: [size[0], size[1]] }, 0.001)
    )
    if (!isIn || taken.some((other) => overlaps(footprint, other, wayM))) continue
    taken.push(footprint)
    return thing
  }
  return null
}

const drawBed = (size: Vector3, random: Random): Bed => {
  const wall = drawOne(random, wallsOf(size))
  const lengthM = 2
  const widthM = drawOne(random, [0.9, 1.4])
  // The head of the bed is at the wall, or its side.
  return chance(random, 0.5)
    ? {
      bedId: "bed",
      place: round(besideWall(wall, widthM / 2, lengthM / 2, random)),
      lengthM,
      widthM,
      heightM: rounded(uniformIn(random, 0.4, 0.6), 2),
      headingRad: wall.inwardRad,
    }
    : {
      bedId: "bed",
      place: round(besideWall(wall, lengthM / 2, widthM / 2, random)),
      lengthM,
      widthM,
      heightM: rounded(uniformIn(random, 0.4, 0.6), 2),
      headingRad: wall.bearingRad,
    }
}

const drawSeat = (size: Vector3, i: number, random: Random): Seat => {
  const wall = drawOne(random, wallsOf(size))
  return {
    seatId: `seat-${i + 1}`,
    place: round(besideWall(wall, 0.5, uniformIn(random, 0.35, 0.6), random)),
    heightM: rounded(uniformIn(random, 0.38, 0.5), 2),
    facingRad: wall.inwardRad,
  }
}

const drawTable = (size: Vector3, random: Random): Rectangle => {
  const half = [uniformIn(random, 0.3, 0.6), uniformIn(random, 0.3, 0.5)] as const
  const x = uniformIn(random, 1 + half[0], size[0] - 1 - half[0])
  const y = uniformIn(random, 1 + half[1], size[1] - 1 - half[1])
  return { low: round([x - half[0], y - half[1]]), high: round([x + half[0], y + half[1]]) }
}

/** Furnishes a room of at least 3 x 3 m. */
export const drawRoomLayout = (size: Vector3, random: Random): RoomLayout => {
  const wall = drawOne(random, wallsOf(size))
  const door = round(besideWall(wall, doorwayHalfM, 0, random))
  const taken: Array<Rectangle> = [square(along(door, wall.inwardRad, beforeDoorM / 2), beforeDoorM / 2)]
  const place = <T>(draw: () => T, footprintOf: (thing: T) => Rectangle): ReadonlyArray<T> => {
    const thing = fitted(draw, footprintOf, taken, size)
    return thing === null ? [] : [thing]
  }
  const beds = place(() => drawBed(size, random), bedFootprint)
  const seats = Array.from(
    { length: drawInteger(random, [1, 4]) },
    (_, i) => place(() => drawSeat(size, i, random), (seat) => square(seat.place, 0.3)),
  ).flat()
  const roomy = Math.min(size[0], size[1]) > 4
  const obstacles = roomy && chance(random, 0.5) ? place(() => drawTable(size, random), (table) => table) : []
  return { door, seats, beds, obstacles }
}

/** The layout, in one of four cases with a mattress on the floor instead of its bed. */
export const withMattress = (layout: RoomLayout, random: Random): RoomLayout =>
  chance(random, 0.25)
    ? { ...layout, beds: layout.beds.map((bed) => ({ ...bed, heightM: rounded(uniformIn(random, 0.12, 0.28), 2) })) }
    : layout
