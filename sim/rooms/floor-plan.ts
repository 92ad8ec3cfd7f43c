/**
 * A floor plan: where people can be in a home.
 *
 * Owns the rooms, doors, seats, beds and obstacles as rectangles and points in home coordinates, and their geometry: footprints,
 * the room of a place, and the places before and behind a door. Boundary: `planner.ts` finds ways.
 *
 * Home coordinates: metres, x and y along the walls, one frame for all rooms; the floor is at z = 0. Angles are
 * counter-clockwise from +x.
 */

export type Place = readonly [x: number, y: number]

export interface Rectangle {
  readonly low: Place
  readonly high: Place
}

/** A room between its walls. */
export interface FloorRoom extends Rectangle {
  readonly roomId: string
}

/** An opening in the wall that two rooms share, or in an outer wall. */
export interface Door {
  readonly doorId: string
  /** The middle of the opening, on the wall. */
  readonly place: Place
  /** The two rooms that it joins; null is outside the home. */
  readonly rooms: readonly [string, string | null]
}

export interface Seat {
  readonly seatId: string
  /** Position of the hips of a person who sits there. */
  readonly place: Place
  /** Height of its surface. */
  readonly heightM: number
  /** Heading of a person who sits there: away from the back of the seat. */
  readonly facingRad: number
}

export interface Bed {
  readonly bedId: string
  /** Its middle. */
  readonly place: Place
  readonly lengthM: number
  readonly widthM: number
  /** Height of its surface. */
  readonly heightM: number
  /** From the head to the feet; a multiple of a quarter turn. */
  readonly headingRad: number
}

export interface FloorPlan {
  readonly rooms: ReadonlyArray<FloorRoom>
  readonly doors: ReadonlyArray<Door>
  readonly seats: ReadonlyArray<Seat>
  readonly beds: ReadonlyArray<Bed>
  /** Other obstacles: tables, cupboards. Seats and beds need no rectangle here. */
  readonly obstacles: ReadonlyArray<Rectangle>
}

/** Width and depth of a seat. */
const seatWidthM = 0.44

/** Distance outside an outer door at which people appear and disappear. */
export const outsideM = 1.5

export const along = ([x, y]: Place, headingRad: number, distanceM: number): Place => [
  x + Math.cos(headingRad) * distanceM,
  y + Math.sin(headingRad) * distanceM,
]

/** Whether a place is within a rectangle that is grown by `marginM` on every side. */
export const isWithin = ([x, y]: Place, { high, low }: Rectangle, marginM: number): boolean =>
  x > low[0] - marginM && x < high[0] + marginM && y > low[1] - marginM && y < high[1] + marginM

/** The room that holds a place, or null. */
export const roomAt = (floor: FloorPlan, place: Place): FloorRoom | null =>
  floor.rooms.find((room) => isWithin(place, room, 1e-9)) ?? null

const around = ([x, y]: Place, alongM: number, acrossM: number, headingRad: number): Rectangle => {
  const c = Math.abs(Math.cos(headingRad))
  const s = Math.abs(Math.sin(headingRad))
  const halfX = (alongM * c + acrossM * s) / 2
  const halfY = (alongM * s + acrossM * c) / 2
  return { low: [x - halfX, y - halfY], high: [x + halfX, y + halfY] }
}

const seatFootprint = ({ facingRad, place }: Seat): Rectangle =>
  around(along(place, facingRad, -0.03), seatWidthM, seatWidthM, facingRad)

export const bedFootprint = ({ headingRad, lengthM, place, widthM }: Bed): Rectangle =>
  around(place, lengthM, widthM, headingRad)

/** Footprints of everything that stands on the floor. */
export const footprints = (floor: FloorPlan): ReadonlyArray<Rectangle> => [
  ...floor.obstacles,
  ...floor.seats.map(seatFootprint),
  ...floor.beds.map(bedFootprint),
]

/** Whether a door leads outside. */
export const isOuter = ({ rooms }: Door): boolean => rooms[1] === null

/** Unit vector through a door, out of its first room. */
const doorNormal = (floor: FloorPlan, door: Door): Place => {
  const room = floor.rooms.find(({ roomId }) => roomId === door.rooms[0])
  if (room === undefined) return [1, 0]
  const [x, y] = door.place
  const sides: ReadonlyArray<readonly [number, Place]> = [
    [Math.abs(x - room.low[0]), [-1, 0]],
    [Math.abs(x - room.high[0]), [1, 0]],
    [Math.abs(y - room.low[1]), [0, -1]],
    [Math.abs(y - room.high[1]), [0, 1]],
  ]
  return sides.reduce((best, side) => side[0] < best[0] ? side : best)[1]
}

/** A place `distanceM` beyond a door, seen from its first room; negative distances are in that room. */
export const beyondDoor = (floor: FloorPlan, door: Door, distanceM: number): Place => {
  const [nx, ny] = doorNormal(floor, door)
  return [door.place[0] + nx * distanceM, door.place[1] + ny * distanceM]
}
