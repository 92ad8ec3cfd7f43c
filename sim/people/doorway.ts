/**
 * Entering and leaving through an outer door.
 *
 * Owns the way through the door and the waiting before it. Boundary: `travel.ts` walks the way.
 */
import { uniformIn } from "../randomness/random.ts"
import { getUp } from "./actions.ts"
import type { Performer, Phases } from "./performer.ts"
import { isInUse, isObstructed, isOpen, openPlaceNear, wayAround } from "./crowding.ts"
import { beyondDoor, type Door, isOuter, outsideM, type Place, roomAt } from "../rooms/floor-plan.ts"
import { keep } from "../bodies/phase.ts"
import { setShape, upright } from "../bodies/pose.ts"
import { drawPlace } from "./space.ts"
import { lookUpS, travel } from "./travel.ts"

/** How far a person goes into the room on entering, and how far in a shared home, to leave room for others. */
const insideM = 0.6
const furtherInsideM = 1.5
/** Longest waits for others to clear the space behind a door, and for another person to pass through it. */
const obstructedMaxS = 15
const inUseMaxS = 40

const outerDoor = ({ floor }: Performer, doorId: string): Door | null =>
  floor.doors.find((door) => door.doorId === doorId && isOuter(door)) ?? null

/** Puts the body at a place, standing at ease. */
const appear = (performer: Performer, [x, y]: Place, yaw: number): void => {
  setShape(performer.pose, upright(performer.physique, x, y, yaw))
  performer.rest = { on: "feet" }
}

/** Waits, within limits, until a door is not in use and, before entering, the space behind it is clear. Then takes the door. */
function* takeDoor(performer: Performer, door: Door, isEntering: boolean): Phases {
  const startS = performer.nowS
  for (;;) {
    const waitedS = performer.nowS - startS
    const isBusy = (waitedS < inUseMaxS && isInUse(performer, door)) ||
      (isEntering && waitedS < obstructedMaxS && isObstructed(performer, door))
    if (!isBusy) break
    yield keep(lookUpS)
  }
  performer.doorId = door.doorId
}

/** The path into the room from any place: outside, in the doorway, or already inside. */
const wayIn = (performer: Performer, door: Door, from: Place, to: Place): ReadonlyArray<Place> | null => {
  if (roomAt(performer.floor, from) !== null) return wayAround(performer, from, to)
  const inside = beyondDoor(performer.floor, door, -insideM)
  const isNear = Math.hypot(to[0] - inside[0], to[1] - inside[1]) < 1e-9
  return [from, door.place, ...(isNear ? [inside] : wayAround(performer, inside, to) ?? [inside])]
}

export function* enter(performer: Performer, doorId: string): Phases {
  if (performer.rest.on !== "out") return
  const { floor, occupancy, planner, random } = performer
  const door = outerDoor(performer, doorId)
  if (door === null) {
    const place = drawPlace(floor, planner, random, (spot) => isOpen(performer, spot))
    if (place !== null) appear(performer, place, uniformIn(random, -Math.PI, Math.PI))
    return
  }
  yield* takeDoor(performer, door, true)
  const start = beyondDoor(floor, door, outsideM)
  const inside = beyondDoor(floor, door, -insideM)
  const end = occupancy.isShared(performer)
    ? openPlaceNear(performer, beyondDoor(floor, door, -furtherInsideM))
    : inside
  appear(performer, start, Math.atan2(inside[1] - start[1], inside[0] - start[0]))
  occupancy.claim(performer, [end])
  yield* travel(performer, (from) => wayIn(performer, door, from, end), null)
  performer.doorId = null
}

/** The path from any place to the outside. */
const wayOut = (performer: Performer, door: Door, from: Place): ReadonlyArray<Place> | null => {
  const outside = beyondDoor(performer.floor, door, outsideM)
  if (roomAt(performer.floor, from) === null) return [from, outside]
  const way = wayAround(performer, from, beyondDoor(performer.floor, door, -insideM))
  return way === null ? null : [...way, door.place, outside]
}

export function* leave(performer: Performer, doorId: string, seconds: number): Phases {
  const door = outerDoor(performer, doorId)
  if (door === null) return
  yield* getUp(performer)
  yield* takeDoor(performer, door, false)
  const hasLeft = yield* travel(performer, (from) => wayOut(performer, door, from), null)
  performer.doorId = null
  if (!hasLeft) return
  performer.rest = { on: "out" }
  performer.occupancy.claim(performer, [])
  if (seconds > 0) yield keep(seconds)
}
