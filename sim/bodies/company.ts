/**
 * Company: what a person sees of the others of its home, and what is free beside them.
 *
 * Owns how near people come to each other, who gives way, and who may go through an outer door. Boundary: `occupancy.ts` knows
 * where everyone is, `travel.ts` walks and waits by what is said here. Who is alone is never told to wait or to keep off.
 */
import type { Actor } from "./actor.ts"
import { along, type Door, isOuter, isWithin, type Place, type Rectangle, roomAt } from "./floor-plan.ts"
import { bodyHalfM, type Course, type Neighbour, type Other } from "./occupancy.ts"
import type { Planner } from "./planner.ts"
import { channel, type Pose } from "./pose.ts"

/** Nobody goes to stand nearer than this to another. */
const apartM = 0.8
/** Who stands nearer than this to another moves on. */
const crowdedM = 0.5
/** What gestures and falls keep from others. */
const reachM = 0.5
/** Nobody comes in while another is so near to the door, and nobody stands about there. */
const doorwayM = 1.2
/** Who walks looks so far ahead, in steps. */
const foresightS = 1.4
const foresightStepS = 0.1
/** Walkers keep so far from each other, middle to middle. */
const passingM = 0.7
/** And so far from the body of one who keeps still. */
const passingStillM = 0.25
/** Where a free place is looked for around one that is not. */
const ringM = 0.3
const rings = 12
const bearings = 16

export const placeOf = ({ pose }: { readonly pose: Pose }): Place => [pose[channel.pelvisX], pose[channel.pelvisY]]

/** The hips and the feet; of who lies also what is as far on the other side of the hips as the feet: trunk and head. */
const footprintOf = ({ pose, rest }: Actor): Rectangle => {
  const [x, y] = placeOf({ pose })
  const feet = [channel.leftAnkleX, channel.rightAnkleX].map((ankle): Place => [pose[ankle]!, pose[ankle + 1]!])
  const lies = rest.on === "ground" || rest.on === "bed"
  const opposite = lies ? feet.map(([footX, footY]): Place => [2 * x - footX, 2 * y - footY]) : []
  const points: ReadonlyArray<Place> = [
    [x - bodyHalfM, y - bodyHalfM],
    [x + bodyHalfM, y + bodyHalfM],
    ...feet,
    ...opposite,
  ]
  const xs = points.map((point) => point[0])
  const ys = points.map((point) => point[1])
  return { low: [Math.min(...xs), Math.min(...ys)], high: [Math.max(...xs), Math.max(...ys)] }
}

/** An actor as the others see it. */
export const neighbourOf = (actor: Actor): Neighbour => ({
  isPresent: () => actor.rest.on !== "out",
  place: () => placeOf(actor),
  footprint: () => footprintOf(actor),
  walking: () => actor.course,
  isOnFeet: () => actor.rest.on === "feet",
  doorId: () => actor.doorId,
})

const distanceM = (a: Place, b: Place): number => Math.hypot(a[0] - b[0], a[1] - b[1])

const isAhead = (from: Place, headingRad: number, place: Place): boolean =>
  (place[0] - from[0]) * Math.cos(headingRad) + (place[1] - from[1]) * Math.sin(headingRad) > 0

/** Would a walker come too near to another who is ahead, and not be given way? */
const isStoppedBy = (course: Course, { isFirst, neighbour }: Other): boolean => {
  const here = course.placeIn(0)
  const there = neighbour.place()
  if (!isAhead(here, course.headingRad(), there)) return false
  const theirs = neighbour.walking()
  const isGivenWay = theirs !== null && !isFirst && isAhead(there, theirs.headingRad(), here)
  if (isGivenWay) return false
  const footprint = neighbour.footprint()
  const nowM = distanceM(here, there)
  if (theirs === null && isWithin(here, footprint, passingStillM)) return false
  for (let aheadS = foresightStepS; aheadS <= foresightS; aheadS += foresightStepS) {
    const place = course.placeIn(aheadS)
    if (theirs === null) {
      if (isWithin(place, footprint, passingStillM)) return true
      continue
    }
    const gapM = distanceM(place, theirs.placeIn(aheadS))
    if (gapM < passingM && gapM < nowM - 0.05) return true
  }
  return false
}

/** Must somebody who walks, or is about to, stop for another? */
export const isBlocked = (actor: Actor, course: Course): boolean =>
  actor.occupancy.othersOf(actor).some((other) => isStoppedBy(course, other))

/** The shortest way around those who keep still; where there is none, the shortest way. */
export const wayAround = (actor: Actor, from: Place, to: Place): ReadonlyArray<Place> | null => {
  const { occupancy, planner } = actor
  const still = occupancy.othersOf(actor).filter(({ neighbour }) => neighbour.walking() === null)
  const around = still.length === 0 ? null : planner.plan(from, to, still.map(({ neighbour }) => neighbour.footprint()))
  return around ?? planner.plan(from, to)
}

/** Is a place one where people who share a home don't stand about? */
const isInDoorway = ({ floor }: Actor, place: Place): boolean =>
  floor.doors.some((door) => isOuter(door) && distanceM(place, door.place) < doorwayM)

/** May one go to stand at a place: nobody else is near or on the way there, and it isn't before an outer door? */
export const isOpen = (actor: Actor, place: Place): boolean =>
  !actor.occupancy.isShared(actor) ||
  (!actor.occupancy.isTaken(actor, place, apartM) && !isInDoorway(actor, place))

/** Must one who stands here go on, because it is in somebody's way? */
export const isCrowded = (actor: Actor): boolean =>
  actor.occupancy.isShared(actor) &&
  (actor.occupancy.isTaken(actor, placeOf(actor), crowdedM) || isInDoorway(actor, placeOf(actor)))

/** The nearest open place to one, in its room; the place itself if none is found. */
export const openPlaceNear = (actor: Actor, place: Place): Place => {
  if (isOpen(actor, place)) return place
  const room = roomAt(actor.floor, place)
  for (let ring = 1; ring <= rings; ring++) {
    for (let i = 0; i < bearings; i++) {
      const other = along(place, (2 * Math.PI * i) / bearings, ring * ringM)
      const isFree = actor.planner.isFree(other, 0.7) && roomAt(actor.floor, other) === room
      if (isFree && isOpen(actor, other)) return other
    }
  }
  return place
}

/** The floor with the others on it. */
export const groundOf = (actor: Actor): Pick<Planner, "isFree"> => ({
  isFree: (place, share) => actor.planner.isFree(place, share) && !actor.occupancy.isTaken(actor, place, reachM),
})

/** Is another just going through a door? */
export const isInUse = (actor: Actor, { doorId }: Door): boolean =>
  actor.occupancy.othersOf(actor).some(({ neighbour }) => neighbour.doorId() === doorId)

/** Does another stand or walk behind a door, where who comes in would meet it? */
export const isObstructed = (actor: Actor, door: Door): boolean =>
  actor.occupancy.othersOf(actor).some(({ neighbour }) => {
    const gapM = distanceM(neighbour.place(), door.place)
    return gapM < (neighbour.isOnFeet() ? doorwayM : apartM)
  })
