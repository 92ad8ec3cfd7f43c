/**
 * Occupancy: the places that the people of one home have taken or are on their way to, and their bodies.
 *
 * Owns the claims and the list of people who share a home. Boundary: `crowding.ts` has the rules for avoiding others.
 *
 * 1. Persons are not their own neighbours: a person who is alone finds every place free.
 * 2. Of two people with equal claim, the one who joined earlier goes first.
 */
import { isWithin, type Place, type Rectangle } from "../rooms/floor-plan.ts"

/** Half the width of the floor area that a standing body covers. */
export const bodyHalfM = 0.2
/** Reduction of the distance kept from a body against that from a claim: a body begins `bodyHalfM` from its centre and stays. */
const nearerM = bodyHalfM + 0.05

/** A person as the others see it. */
export interface Neighbour {
  /** False while the person is out. */
  readonly isPresent: () => boolean
  readonly place: () => Place
  /** The floor area that the body covers. */
  readonly footprint: () => Rectangle
  /** The course that the person walks, or null. */
  readonly walking: () => Course | null
  /** Whether the person stands or walks, and neither sits nor lies. */
  readonly isOnFeet: () => boolean
  /** The outer door that the person goes through, or null. */
  readonly doorId: () => string | null
}

/** The motion of a walking person. */
export interface Course {
  readonly headingRad: () => number
  /** The place of the walker at a later time if nothing is in the way. */
  readonly placeIn: (aheadS: number) => Place
}

/** Another person who is present. */
export interface Other {
  readonly neighbour: Neighbour
  /** Whether this other person goes first when both could. */
  readonly isFirst: boolean
}

export interface Occupancy {
  /** Adds a person; once for each owner. */
  readonly join: (owner: object, neighbour: Neighbour) => void
  /** Replaces the places of `owner`; an empty list releases them. */
  readonly claim: (owner: object, places: ReadonlyArray<Place>) => void
  /** Whether a person other than `owner` claims a place within `radiusM`, or is there. */
  readonly isTaken: (owner: object, place: Place, radiusM: number) => boolean
  /** Whether there are other people, at home or out. */
  readonly isShared: (owner: object) => boolean
  /** The other people who are present, in the order in which they joined. */
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
