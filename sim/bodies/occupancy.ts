/**
 * Who is where: the places that people of one home have taken or are on their way to, and their bodies.
 *
 * Owns the claims, and the list of those who share a home. Boundary: what one does about the others is in `company.ts`.
 *
 * 1. Nobody is a neighbour of its own: who is alone finds every place free.
 * 2. Those who joined earlier go first where two could.
 */
import { isWithin, type Place, type Rectangle } from "./floor-plan.ts"

/** Half of what a standing body covers of the floor. */
export const bodyHalfM = 0.2
/** A body keeps others so much less far off than a claim does: it begins `bodyHalfM` from its middle and won't sway. */
const nearerM = bodyHalfM + 0.05

/** What others see of a person. */
export interface Neighbour {
  /** False while the person is out. */
  readonly isPresent: () => boolean
  readonly place: () => Place
  /** What the body covers of the floor. */
  readonly footprint: () => Rectangle
  /** Where it walks, or null. */
  readonly walking: () => Course | null
  /** On its own feet: it neither sits nor lies. */
  readonly isOnFeet: () => boolean
  /** The outer door that it is going through, or null. */
  readonly doorId: () => string | null
}

/** The way that somebody walks just now. */
export interface Course {
  readonly headingRad: () => number
  /** Where the walker will be, if nothing stops it. */
  readonly placeIn: (aheadS: number) => Place
}

/** Another person who is there. */
export interface Other {
  readonly neighbour: Neighbour
  /** Does it go first where both could? */
  readonly isFirst: boolean
}

export interface Occupancy {
  /** Makes a person known to the others; once for each owner. */
  readonly join: (owner: object, neighbour: Neighbour) => void
  /** Takes places instead of those that `owner` had; none: gives them back. */
  readonly claim: (owner: object, places: ReadonlyArray<Place>) => void
  /** Does another than `owner` claim a place nearer than `radiusM`, or is its body there? */
  readonly isTaken: (owner: object, place: Place, radiusM: number) => boolean
  /** Is there anybody else, at home or out? */
  readonly isShared: (owner: object) => boolean
  /** The others who are not out, in the order in which they joined. */
  readonly othersOf: (owner: object) => ReadonlyArray<Other>
}

export const createOccupancy = (): Occupancy => {
  const claims = new Map<object, ReadonlyArray<Place>>()
  const neighbours = new Map<object, Neighbour>()

  const isClaimed = (owner: object, [x, y]: Place, radiusM: number): boolean => {
    for (const [other, places] of claims) {
      if (other !== owner && places.some((place) => Math.hypot(place[0] - x, place[1] - y) < radiusM)) return true
    }
    return false
  }
  const othersOf = (owner: object): ReadonlyArray<Other> => {
    const others: Array<Other> = []
    let isFirst = true
    for (const [other, neighbour] of neighbours) {
      if (other === owner) isFirst = false
      else if (neighbour.isPresent()) others.push({ neighbour, isFirst })
    }
    return others
  }
  return {
    join: (owner, neighbour) => void neighbours.set(owner, neighbour),
    claim: (owner, places) => {
      if (places.length === 0) claims.delete(owner)
      else claims.set(owner, places)
    },
    isTaken: (owner, place, radiusM) =>
      isClaimed(owner, place, radiusM) ||
      othersOf(owner).some(({ neighbour }) => isWithin(place, neighbour.footprint(), radiusM - nearerM)),
    isShared: (owner) => neighbours.size > (neighbours.has(owner) ? 1 : 0),
    othersOf,
  }
}
