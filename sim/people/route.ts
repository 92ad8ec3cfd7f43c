/**
 * A route: a planned way with rounded corners, as a person walks it.
 *
 * Owns place, heading and highest speed along the way. Boundary: `planner.ts` finds the way, `walk.ts` sets the feet.
 */
import type { Place } from "../rooms/floor-plan.ts"
import { nearestAngle } from "../bodies/pose.ts"

const spacingM = 0.03
/** Largest distance before a corner at which the route starts to cut it. */
const cornerM = 0.32
const speedInTurnMinMps = 0.2
const decelerationMps2 = 1.1

/** The highest speed that allows a stop within a distance. */
export const brakingSpeedMps = (distanceM: number): number => Math.sqrt(2 * decelerationMps2 * Math.max(0, distanceM))

/** The distance needed to stop from a speed. */
export const brakingDistanceM = (speedMps: number): number => (speedMps * speedMps) / (2 * decelerationMps2)

/** A route as evenly spaced samples. */
export interface Route {
  readonly lengthM: number
  readonly endHeadingRad: number
  readonly startHeadingRad: number
  readonly xAt: (alongM: number) => number
  readonly yAt: (alongM: number) => number
  /** Unwrapped: it may pass pi. */
  readonly headingAt: (alongM: number) => number
  /** Highest speed that allows for the turns ahead and the end. */
  readonly speedMaxAt: (alongM: number) => number
}

/** The way as dense points, with its corners replaced by parabolas. */
const rounded = (way: ReadonlyArray<Place>): Array<Place> => {
  const points: Array<Place> = [way[0]!]
  for (let i = 1; i < way.length - 1; i++) {
    const [before, corner, after] = [way[i - 1]!, way[i]!, way[i + 1]!]
    const toward = Math.hypot(corner[0] - before[0], corner[1] - before[1])
    const onward = Math.hypot(after[0] - corner[0], after[1] - corner[1])
    const cut = Math.min(cornerM, toward / 2, onward / 2)
    if (cut < 1e-6) continue
    for (let k = 0; k <= 12; k++) {
      const u = k / 12
      const a = ((1 - u) * (1 - u) * cut) / toward
      const b = (u * u * cut) / onward
      points.push([
        corner[0] + (before[0] - corner[0]) * a + (after[0] - corner[0]) * b,
        corner[1] + (before[1] - corner[1]) * a + (after[1] - corner[1]) * b,
      ])
    }
  }
  points.push(way[way.length - 1]!)
  return points
}

/** The polyline, sampled at even distances. */
const resampled = (points: ReadonlyArray<Place>, lengthM: number, count: number): Float64Array => {
  const samples = new Float64Array(2 * count)
  let passedM = 0
  let segment = 0
  for (let i = 0; i < count; i++) {
    const target = (lengthM * i) / (count - 1)
    for (;;) {
      const [x0, y0] = points[segment]!
      const [x1, y1] = points[segment + 1]!
      const step = Math.hypot(x1 - x0, y1 - y0)
      if (target <= passedM + step || segment === points.length - 2) {
        const u = step === 0 ? 0 : Math.min(1, (target - passedM) / step)
        samples[2 * i] = x0 + (x1 - x0) * u
        samples[2 * i + 1] = y0 + (y1 - y0) * u
        break
      }
      passedM += step
      segment++
    }
  }
  return samples
}

/**
 * The route along a way of at least two places. It ends at rest, or in full walk with `runOut`.
 *
 * @param turnRateMaxRadps highest turn rate: walkers slow down to keep it
 */
export const createRoute = (way: ReadonlyArray<Place>, runOut: boolean, turnRateMaxRadps = 2.6): Route => {
  const points = rounded(way)
  let lengthM = 0
  for (let i = 1; i < points.length; i++) {
    lengthM += Math.hypot(points[i]![0] - points[i - 1]![0], points[i]![1] - points[i - 1]![1])
  }
  const count = Math.max(4, Math.ceil(lengthM / spacingM) + 1)
  const places = resampled(points, lengthM, count)
  const stepM = lengthM / (count - 1)
  const headings = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const from = 2 * Math.max(0, i - 1)
    const to = 2 * Math.min(count - 1, i + 1)
    const heading = Math.atan2(places[to + 1]! - places[from + 1]!, places[to]! - places[from]!)
    headings[i] = i === 0 ? heading : nearestAngle(heading, headings[i - 1]!)
  }
  const speeds = new Float64Array(count).fill(Infinity)
  if (!runOut) speeds[count - 1] = 0
  for (let i = count - 2; i >= 0; i--) {
    const turn = Math.abs(headings[Math.min(count - 1, i + 1)]! - headings[Math.max(0, i - 1)]!) / (2 * stepM)
    const inTurn = Math.max(speedInTurnMinMps, turnRateMaxRadps / Math.max(1e-6, turn))
    speeds[i] = Math.min(inTurn, Math.sqrt(speeds[i + 1]! ** 2 + 2 * decelerationMps2 * stepM))
  }

  const between = (values: Float64Array, stride: number, offset: number, alongM: number): number => {
    const place = Math.max(0, Math.min(count - 1 - 1e-9, alongM / stepM))
    const i = Math.floor(place)
    const low = values[stride * i + offset]!
    return low + (values[stride * (i + 1) + offset]! - low) * (place - i)
  }
  return {
    lengthM,
    startHeadingRad: headings[0]!,
    endHeadingRad: headings[count - 1]!,
    xAt: (alongM) => between(places, 2, 0, alongM),
    yAt: (alongM) => between(places, 2, 1, alongM),
    headingAt: (alongM) => between(headings, 1, 0, alongM),
    // Near the end the speed falls with the root of the distance, which linear interpolation between samples would miss.
    speedMaxAt: (alongM) =>
      Math.min(
        between(speeds, 1, 0, alongM + stepM > lengthM && !runOut ? alongM - stepM : alongM),
        runOut ? Infinity : brakingSpeedMps(lengthM - alongM),
      ),
  }
}
