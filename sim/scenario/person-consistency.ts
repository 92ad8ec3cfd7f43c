/**
 * Checks that the persons of a scenario can follow their scripts: doors, seats and beds exist and are reachable.
 */
import { at, isInside, type Parts } from "./parts.ts"
import type { Step } from "./persons.ts"
import type { Room } from "./rooms.ts"

/** Smallest distance from the walls of a place to walk to. */
const walkDistanceMMin = 0.5

/** Rooms that are reachable from outside. */
const reachableRooms = ({ doors, rooms }: Parts): ReadonlyArray<Room> => {
  const reached = new Set<string | null>([null])
  for (let before = 0; before < reached.size;) {
    before = reached.size
    for (const { rooms: [a, b] } of doors) {
      if (reached.has(a)) reached.add(b)
      else if (reached.has(b)) reached.add(a)
    }
  }
  return rooms.filter(({ environmentId }) => reached.has(environmentId))
}

const outerDoorMistake = ({ doors }: Parts, door: string): string | null => {
  const found = doors.find(({ doorId }) => doorId === door)
  if (found === undefined) return `there is no door "${door}".`
  return found.rooms[1] === null ? null : `door "${door}" does not lead outside; its rooms must be [a room, null].`
}

const placeMistake = (place: readonly [number, number], rooms: ReadonlyArray<Room>): string | null =>
  rooms.some(({ origin, size }) => isInside([place[0] - origin[0], place[1] - origin[1]], size, walkDistanceMMin))
    ? null
    : `${at(place)} is not in a reachable room, ${walkDistanceMMin} m from its walls.`

const usedMistake = (what: string, id: string | undefined, ids: ReadonlyArray<string>): string | null =>
  (id === undefined ? ids.length > 0 : ids.includes(id))
    ? null
    : `there is no reachable ${what}${id === undefined ? "" : ` "${id}"`}.`

const stepMistake = (parts: Parts, rooms: ReadonlyArray<Room>, step: Step): string | null => {
  switch (step.do) {
    case "enter":
    case "leave":
      return outerDoorMistake(parts, step.door)
    case "walk":
      return placeMistake(step.to, rooms)
    case "sit":
    case "sit-fast":
      return usedMistake("seat", step.seat, rooms.flatMap(({ seats }) => seats.map(({ seatId }) => seatId)))
    case "lie":
      return usedMistake("bed", step.bed, rooms.flatMap(({ beds }) => beds.map(({ bedId }) => bedId)))
    default:
      return null
  }
}

const scriptMistake = (
  parts: Parts,
  rooms: ReadonlyArray<Room>,
  steps: ReadonlyArray<Step>,
): string | null => {
  let inside = false
  for (const [i, step] of steps.entries()) {
    if (!inside && step.do !== "enter") return `steps[${i}]: a person outside must "enter" before "${step.do}".`
    if (inside && step.do === "enter") return `steps[${i}]: a person inside must "leave" before "enter".`
    if (step.do === "enter") inside = true
    if (step.do === "leave") inside = false
    const mistake = stepMistake(parts, rooms, step)
    if (mistake !== null) return `steps[${i}]: ${mistake}`
  }
  return null
}

/** The first step that a person of the scenario cannot perform; null when all steps are possible. */
export const personMistake = (parts: Parts): string | null => {
  const rooms = reachableRooms(parts)
  for (const [i, { behaviour }] of parts.persons.entries()) {
    if (rooms.length === 0) return `persons[${i}]: no door leads from outside into a room; add one to doors.`
    const mistake = behaviour.kind === "script" ? scriptMistake(parts, rooms, behaviour.steps) : null
    if (mistake !== null) return `persons[${i}].behaviour.${mistake}`
  }
  return null
}
