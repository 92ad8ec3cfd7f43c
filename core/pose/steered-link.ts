/**
 * A link steered to a place: the vectors that extract the echoes from there.
 *
 * Channels of a steered row are its mean, its first and second moment over the array, and its first and second over the
 * band. As in a monopulse radar, the moments separate echoes beside, above or behind the place from those of the place
 * itself.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { type Bearing, bearingOf, placeOf } from "../imaging/steering.ts"
import { bandMoments, type EchoSeries } from "./echo-series.ts"

export const channels = 5

export interface SteeredLink {
  readonly series: EchoSeries
  readonly place: Vector3
  readonly bearing: Bearing
}

export const steerTo = (series: EchoSeries, place: Vector3): SteeredLink => ({
  series,
  place,
  bearing: bearingOf(series.steering, place),
})

/**
 * Writes the steering vectors to `out` from value `at`: [channel][value], interleaved complex, `values` values each.
 */
export const writeVectors = (
  { bearing, series: { matches, steering } }: SteeredLink,
  values: number,
  out: Float32Array,
  at: number,
): void => {
  const { antennas, basis: { size } } = steering
  const angle = Math.PI * bearing.cosArrival
  const match = 2 * Math.round(placeOf(steering, bearing.excessM)) * bandMoments * size
  const middle = (antennas - 1) / 2
  const spread = (antennas * antennas - 1) / 12
  for (let a = 0; a < antennas; a++) {
    // Antennas are rotated towards the place and weighted by 1, x and x^2 less its mean, where x is the position on the
    // array.
    const x = a - middle
    const cos = Math.cos(angle * x) / antennas
    const sin = -Math.sin(angle * x) / antennas
    const write = (channel: number, moment: number, weight: number): void => {
      for (let q = 0; q < size; q++) {
        const from = match + 2 * (moment * size + q)
        const to = at + 2 * (channel * values + a * size + q)
        out[to] = weight * (cos * matches[from]! + sin * matches[from + 1]!)
        out[to + 1] = weight * (sin * matches[from]! - cos * matches[from + 1]!)
      }
    }
    write(0, 0, 1)
    write(1, 0, x)
    write(2, 0, x * x - spread)
    write(3, 1, 1)
    write(4, 2, 1)
  }
}
