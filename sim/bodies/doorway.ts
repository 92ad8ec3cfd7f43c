/**
 * Coming in through an outer door, and going out.
 *
 * Owns the way through the door, and who has to wait before it. Boundary: `travel.ts` walks it.
 */
import { uniformIn } from "../random.ts"
import { type Actor, getUp, type Phases } from "./actor.ts"
import { isInUse, isObstructed, isOpen, openPlaceNear, wayAround } from "./company.ts"
import { beyondDoor, type Door, isOuter, outsideM, type Place, roomAt } from "./floor-plan.ts"
import { keep } from "./phase.ts"
import { setShape, upright } from "./pose.ts"
import { drawPlace } from "./space.ts"
import { lookUpS, travel } from "./travel.ts"

/** Who comes in goes so far into the room, and further where others will come after it. */
const insideM = 0.6
const furtherInsideM = 1.5
/** How long one waits for others to come away from behind a door, and for one who is going through it. */
const obstructedMaxS = 15
const inUseMaxS = 40

const outerDoor = ({ floor }: Actor, doorId: string): Door | null =>
  floor.doors.find((door) => door.doorId === doorId && isOuter(door)) ?? null

/** Puts the body somewhere, standing at ease. */
const appear = (actor: Actor, [x, y]: Place, yaw: number): void => {
  setShape(actor.pose, upright(actor.physique, x, y, yaw))
  actor.rest = { on: "feet" }
}

/** Waits until nobody goes through a door, and, to come in, until nobody is behind it; but not for ever. Then it is in use. */
function* takeDoor(actor: Actor, door: Door, comesIn: boolean): Phases {
  const startS = actor.nowS
  for (;;) {
    const waitedS = actor.nowS - startS
    const isBusy = (waitedS < inUseMaxS && isInUse(actor, door)) ||
      (comesIn && waitedS < obstructedMaxS && isObstructed(actor, door))
    if (!isBusy) break
    yield keep(lookUpS)
  }
  actor.doorId = door.doorId
}

/** The way in from wherever one is: outside, in the doorway, or inside already. */
const wayIn = (actor: Actor, door: Door, from: Place, to: Place): ReadonlyArray<Place> | null => {
  if (roomAt(actor.floor, from) !== null) return wayAround(actor, from, to)
  const inside = beyondDoor(actor.floor, door, -insideM)
  const isAll = Math.hypot(to[0] - inside[0], to[1] - inside[1]) < 1e-9
  return [from, door.place, ...(isAll ? [inside] : wayAround(actor, inside, to) ?? [inside])]
}

export function* enter(actor: Actor, doorId: string): Phases {
  if (actor.rest.on !== "out") return
  const { floor, occupancy, planner, random } = actor
  const door = outerDoor(actor, doorId)
  if (door === null) {
    const place = drawPlace(floor, planner, random, (spot) => isOpen(actor, spot))
    if (place !== null) appear(actor, place, uniformIn(random, -Math.PI, Math.PI))
    return
  }
  yield* takeDoor(actor, door, true)
  const start = beyondDoor(floor, door, outsideM)
  const inside = beyondDoor(floor, door, -insideM)
  const end = occupancy.isShared(actor) ? openPlaceNear(actor, beyondDoor(floor, door, -furtherInsideM)) : inside
  appear(actor, start, Math.atan2(inside[1] - start[1], inside[0] - start[0]))
  occupancy.claim(actor, [end])
  yield* travel(actor, (from) => wayIn(actor, door, from, end), null)
  actor.doorId = null
}

/** The way out from wherever one is. */
const wayOut = (actor: Actor, door: Door, from: Place): ReadonlyArray<Place> | null => {
  const outside = beyondDoor(actor.floor, door, outsideM)
  if (roomAt(actor.floor, from) === null) return [from, outside]
  const way = wayAround(actor, from, beyondDoor(actor.floor, door, -insideM))
  return way === null ? null : [...way, door.place, outside]
}

export function* leave(actor: Actor, doorId: string, seconds: number): Phases {
  const door = outerDoor(actor, doorId)
  if (door === null) return
  yield* getUp(actor)
  yield* takeDoor(actor, door, false)
  const hasLeft = yield* travel(actor, (from) => wayOut(actor, door, from), null)
  actor.doorId = null
  if (!hasLeft) return
  actor.rest = { on: "out" }
  actor.occupancy.claim(actor, [])
  if (seconds > 0) yield keep(seconds)
}
