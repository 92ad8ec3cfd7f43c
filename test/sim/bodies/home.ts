/**
 * Homes and people for the tests of bodies.
 */
import { keypointNames } from "../../../core/pose/skeleton.ts"
import type { FloorPlan } from "../../../sim/rooms/floor-plan.ts"
import { createPerson, type Person, type PersonDescription, type PersonState } from "../../../sim/people/person.ts"
import type { Step } from "../../../sim/bodies/step.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

/** Two furnished rooms with a door between them and one to the outside. */
export const home: FloorPlan = {
  rooms: [
    { roomId: "living", low: [0, 0], high: [6, 5] },
    { roomId: "bedroom", low: [6, 0], high: [10, 4.5] },
  ],
  doors: [
    { doorId: "inner", place: [6, 2.2], rooms: ["living", "bedroom"] },
    { doorId: "front", place: [3, 0], rooms: ["living", null] },
  ],
  seats: [
    { seatId: "sofa", place: [0.6, 2.2], heightM: 0.42, facingRad: 0 },
    { seatId: "chair", place: [4.2, 4.3], heightM: 0.46, facingRad: -Math.PI / 2 },
  ],
  beds: [{ bedId: "bed", place: [8.9, 3.4], lengthM: 2, widthM: 1.4, heightM: 0.5, headingRad: Math.PI }],
  obstacles: [{ low: [2, 2.2], high: [2.9, 2.9] }, { low: [9.5, 0], high: [10, 1.5] }],
}

/** One empty room. */
export const hall = (lengthM: number, widthM: number): FloorPlan => ({
  rooms: [{ roomId: "hall", low: [0, 0], high: [lengthM, widthM] }],
  doors: [],
  seats: [],
  beds: [],
  obstacles: [],
})

export const adult = (
  behaviour: PersonDescription["behaviour"],
  parts: Partial<PersonDescription> = {},
): PersonDescription => ({
  heightM: 1.72,
  girth: 1.05,
  walkingSpeedMps: 1.1,
  breathing: { ratePerMinute: 15, chestMm: 7 },
  heart: { ratePerMinute: 68, chestMm: 0.35 },
  behaviour,
  ...parts,
})

/** A person that does steps once. */
export const doing = (
  steps: ReadonlyArray<Step>,
  floor: FloorPlan = home,
  seed = 1,
  parts: Partial<PersonDescription> = {},
): Person => createPerson(adult({ kind: "script", steps, loop: false }, parts), floor, createRandom(seed, "person"))

/** Calls `look` with every state at `rateHz` until it returns true or `untilS` is over; returns the time. */
export const watch = (
  person: Person,
  untilS: number,
  rateHz: number,
  look: (state: PersonState, timeS: number) => boolean | void,
): number => {
  for (let i = 0; i <= untilS * rateHz; i++) if (look(person.at(i / rateHz), i / rateHz) === true) return i / rateHz
  return untilS
}

export const indexOf = (name: typeof keypointNames[number]): number => keypointNames.indexOf(name)

export const pointOf = (points: Float64Array, index: number): readonly [number, number, number] => [
  points[3 * index]!,
  points[3 * index + 1]!,
  points[3 * index + 2]!,
]

export const distance = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number =>
  Math.hypot(...a.map((value, axis) => value - b[axis]!))
