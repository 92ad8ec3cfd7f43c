/**
 * Displacement test: whether a fast target changes its place.
 *
 * The blades of a fan are detected at one place at a walker's speed or more, in changing directions. A walker's
 * distance from earlier places grows with that speed. Both values are means over the detections of a track, weighted
 * towards the last ones.
 */
import { type Place, placesApartM } from "../imaging/geometry.ts"

/** A detection of a moving target. */
export interface Seen extends Place {
  readonly velocity: { readonly x: number; readonly y: number }
}

export interface Footing {
  /** Number of detections. */
  readonly times: number
  readonly speedMps: number
  /** Mean place of the detections, and mean distance from it, metres. */
  readonly place: Place
  readonly strayM: number
}

/** Detections that a mean covers: two seconds of hops. */
const memory = 20
/** Minimum detections for a decision. */
const timesMin = 10
/** Slower motion may be a person's arms. */
const turnsFromMps = 1.2
/**
 * Minimum mean distance, as the time to cover it at that speed: one to two seconds for a walker, less than this for a
 * fan.
 */
const strayMinS = 0.15

/** The means after another detection, or after the first one. */
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

/** Whether the target oscillates in place, like a fan. */
export const turnsInPlace = ({ speedMps, strayM, times }: Footing): boolean =>
  times >= timesMin && speedMps > turnsFromMps && strayM < strayMinS * speedMps
