/**
 * Who is where: the places that people of one home have taken or are on their way to.
 *
 * Owns the claims only: people who share an occupancy don't choose the same seat or spot. Those who don't ask may.
 */
import type { Place } from "./floor-plan.ts"

export interface Occupancy {
  /** Takes a place instead of the one that `owner` had; null takes none. */
  readonly claim: (owner: object, place: Place | null) => void
  /** Does another than `owner` claim a place nearer than `radiusM`? */
  readonly isTaken: (owner: object, place: Place, radiusM: number) => boolean
}

export const createOccupancy = (): Occupancy => {
  const claims = new Map<object, Place>()
  return {
    claim: (owner, place) => {
      if (place === null) claims.delete(owner)
      else claims.set(owner, place)
    },
    isTaken: (owner, [x, y], radiusM) => {
      for (const [other, place] of claims) {
        if (other !== owner && Math.hypot(place[0] - x, place[1] - y) < radiusM) return true
      }
      return false
    },
  }
}
