/**
 * Company: distances and right of way between the people of one home.
 *
 * Owns how near people come to each other, who gives way, and who may use an outer door. Boundary: `occupancy.ts` has everyone's
 * position, `travel.ts` walks and waits by these rules. A person who is alone never waits and finds every place open.
 */
import type { Performer } from "./performer.ts"
import { along, type Door, isOuter, isWithin, type Place, type Rectangle, roomAt } from "../rooms/floor-plan.ts"
import { bodyHalfM, type Course, type Neighbour, type Other } from "./occupancy.ts"
import type { Planner } from "./planner.ts"
import { channel, type Pose } from "../bodies/pose.ts"

/** Smallest distance at which a person goes to stand beside another. */
const apartM = 0.8
/** A person who stands nearer than this to another moves on. */
const crowdedM = 0.5
/** Clearance of gestures and falls from others. */
const reachM = 0.5
/** Radius around an outer door in which people do not stand, and in which a person blocks others from entering. */
const doorwayM = 1.2
/** How far a walker looks ahead, and in which steps. */
const foresightS = 1.4
const foresightStepS = 0.1
/** Distance between two walkers, centre to centre. */
const passingM = 0.7
/** Distance of a walker from the body of a person who keeps still. */
const passingStillM = 0.25
/** Search pattern for an open place around one that is taken. */
const ringM = 0.3
const rings = 12
const bearings = 16

export const placeOf = ({ pose }: { readonly pose: Pose }): Place => [pose[channel.pelvisX], pose[channel.pelvisY]]

/** Hips and feet; for a lying person also the mirror image of the feet beyond the hips, which covers trunk and head. */
const footprintOf = ({ pose, rest }: Performer): Rectangle => {
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

/** A performer as the others see it. */
export const neighbourOf = (performer: Performer): Neighbour => ({
  isPresent: () => performer.rest.on !== "out",
  place: () => placeOf(performer),
  footprint: () => footprintOf(performer),
  walking: () => performer.course,
  isOnFeet: () => performer.rest.on === "feet",
  doorId: () => performer.doorId,
})

const distanceM = (a: Place, b: Place): number => Math.hypot(a[0] - b[0], a[1] - b[1])

const isAhead = (from: Place, headingRad: number, place: Place): boolean =>
  (place[0] - from[0]) * Math.cos(headingRad) + (place[1] - from[1]) * Math.sin(headingRad) > 0

/** Whether a walker would come too near to another person ahead who does not give way. */
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

/** Whether a person who walks, or is about to, must stop for another. */
export const isBlocked = (performer: Performer, course: Course): boolean =>
  performer.occupancy.othersOf(performer).some((other) => isStoppedBy(course, other))

/** The shortest way around those who keep still; if there is none, the shortest way. */
export const wayAround = (performer: Performer, from: Place, to: Place): ReadonlyArray<Place> | null => {
  const { occupancy, planner } = performer
  const still = occupancy.othersOf(performer).filter(({ neighbour }) => neighbour.walking() === null)
  const around = still.length === 0 ? null : planner.plan(from, to, still.map(({ neighbour }) => neighbour.footprint()))
  return around ?? planner.plan(from, to)
}

/** Whether a place is too near to an outer door for people who share a home to stand there. */
const isInDoorway = ({ floor }: Performer, place: Place): boolean =>
  floor.doors.some((door) => isOuter(door) && distanceM(place, door.place) < doorwayM)

/** Whether a performer may go to stand at a place: no other person is near or on the way there, and no outer door is near. */
export const isOpen = (performer: Performer, place: Place): boolean =>
  !performer.occupancy.isShared(performer) ||
  (!performer.occupancy.isTaken(performer, place, apartM) && !isInDoorway(performer, place))

/** Whether a performer must move on, being in the way of others. */
export const isCrowded = (performer: Performer): boolean =>
  performer.occupancy.isShared(performer) &&
  (performer.occupancy.isTaken(performer, placeOf(performer), crowdedM) || isInDoorway(performer, placeOf(performer)))

/** The open place nearest to `place`, in its room; `place` itself if none is found. */
export const openPlaceNear = (performer: Performer, place: Place): Place => {
  if (isOpen(performer, place)) return place
  const room = roomAt(performer.floor, place)
  for (let ring = 1; ring <= rings; ring++) {
    for (let i = 0; i < bearings; i++) {
      const other = along(place, (2 * Math.PI * i) / bearings, ring * ringM)
      const isFree = performer.planner.isFree(other, 0.7) && roomAt(performer.floor, other) === room
      if (isFree && isOpen(performer, other)) return other
    }
  }
  return place
}

/** Free places of the floor, with the other people as obstacles. */
export const groundOf = (performer: Performer): Pick<Planner, "isFree"> => ({
  isFree: (place, share) =>
    performer.planner.isFree(place, share) && !performer.occupancy.isTaken(performer, place, reachM),
})

/** Whether another person is going through a door. */
export const isInUse = (performer: Performer, { doorId }: Door): boolean =>
  performer.occupancy.othersOf(performer).some(({ neighbour }) => neighbour.doorId() === doorId)

/** Whether another person stands or walks behind a door, in the way of a person who enters. */
export const isObstructed = (performer: Performer, door: Door): boolean =>
  performer.occupancy.othersOf(performer).some(({ neighbour }) => {
    const gapM = distanceM(neighbour.place(), door.place)
    return gapM < (neighbour.isOnFeet() ? doorwayM : apartM)
  })
