/** The parts of a scenario that depend on each other, and helpers for places in them. */
import type { Place } from "../rooms/floor-plan.ts"
import type { Person } from "./persons.ts"
import type { Door, Room } from "./rooms.ts"

export interface Parts {
  readonly rooms: ReadonlyArray<Room>
  readonly doors: ReadonlyArray<Door>
  readonly persons: ReadonlyArray<Person>
}

/** Whether a place of a room is at least `marginM` from all its walls. */
export const isInside = ([x, y]: Place, size: readonly [number, number, number], marginM: number): boolean =>
  x >= marginM && x <= size[0] - marginM && y >= marginM && y <= size[1] - marginM

/** A place as text. */
export const at = (place: ReadonlyArray<number>): string => `[${place.join(", ")}]`
