/**
 * Footing: whether what is seen to be fast gets anywhere.
 *
 * The blades of a fan are seen at one place at a walker's speed or more, in ever other directions; who walks strays from where they were by
 * that speed. Both are means over what was seen of a track, the last ones counting most.
 */
import { type Place, placesApartM } from "../imaging/geometry.ts"

/** Somebody who is seen to move. */
export interface Seen extends Place {
  readonly velocity: { readonly x: number; readonly y: number }
}

export interface Footing {
  /** How often it was seen. */
  readonly times: number
  readonly speedMps: number
  /** Where it was seen, and how far from there, metres. */
  readonly place: Place
  readonly strayM: number
}

/** Sights that a mean is over: two seconds of hops. */
const memory = 20
/** Fewest sights of which it can be told. */
const timesMin = 10
/** What is slower may be somebody's arms. */
const turnsFromMps = 1.2
/** The stray, in seconds of the way at that speed: who walks has one or two, and a fan less than this. */
const strayMinS = 0.15

/** The footing once it is seen again, or for the first time. */
export const footingAfter = (before: Footing | null, seen: Seen): Footing => {
  const { place, speedMps, strayM, times } = before ?? { times: 0, speedMps: 0, place: seen, strayM: 0 }
  const weight = Math.max(1 / memory, 1 / (times + 1))
  return {
    times: times + 1,
    speedMps: speedMps + weight * (Math.hypot(seen.velocity.x, seen.velocity.y) - speedMps),
    place: { x: place.x + weight * (seen.x - place.x), y: place.y + weight * (seen.y - place.y) },
    strayM: strayM + weight * (placesApartM(place, seen) - strayM),
  }
}

/** Whether it turns in its place, as a fan does. */
export const turnsInPlace = ({ speedMps, strayM, times }: Footing): boolean =>
  times >= timesMin && speedMps > turnsFromMps && strayM < strayMinS * speedMps
