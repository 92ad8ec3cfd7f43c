/**
 * Rows of a link's echoes steered to a place: what of each comes from there, and how it leans over the array and the band.
 *
 * Boundary: which windows are steered, and what becomes of the rows, is `link-spectrum.ts`.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { type Bearing, bearingOf, placeOf, type Steering } from "../imaging/steering.ts"
import { bandMoments, type EchoSeries, slotOf } from "./echo-series.ts"

/** Channels of a steered row: mean, first and second moment over the array, first and second over the band. */
export const channels = 5

export const windowRowsMax = 512
const basisMax = 64
const antennasMax = 8

/** The rows of one window. */
export interface SteeredRows {
  /** [channel][re, im][row], for `windowRowsMax` rows. */
  readonly values: Float64Array
  /** Before the window's end, so at most 0. */
  readonly timesS: Float64Array
  /** Mean of some rows before they are steered. */
  readonly mean: Float64Array
}

export const createSteeredRows = (): SteeredRows => ({
  values: new Float64Array(windowRowsMax * 2 * channels),
  timesS: new Float64Array(windowRowsMax),
  mean: new Float64Array(2 * antennasMax * basisMax),
})

export interface Steered {
  readonly bearing: Bearing
  /** Entry of the steering table that is nearest to the place. */
  readonly entry: number
  /** e^{-j pi cosArrival}: what one antenna more turns by, undone; and what the first turns by against the array's middle. */
  readonly turnRe: number
  readonly turnIm: number
  readonly firstRe: number
  readonly firstIm: number
}

/** What it takes to steer a link to a place. */
export const steerTo = (steering: Steering, place: Vector3): Steered => {
  const bearing = bearingOf(steering, place)
  const angle = Math.PI * bearing.cosArrival
  const first = angle * (steering.antennas - 1) / 2
  return {
    bearing,
    entry: Math.round(placeOf(steering, bearing.excessM)),
    turnRe: Math.cos(angle),
    turnIm: -Math.sin(angle),
    firstRe: Math.cos(first),
    firstIm: Math.sin(first),
  }
}

/** Steers a row (from value `from` of `values`) to the place: writes its channels to row `to` of the scratch. */
const steerRow = (
  { matches, steering: { antennas, basis: { size } } }: EchoSeries,
  values: Float32Array | Float64Array,
  from: number,
  { entry, firstIm, firstRe, turnIm, turnRe }: Steered,
  steered: Float64Array,
  to: number,
): void => {
  // Antennas are turned towards the place and weighed by 1, x and x^2 less its mean, with x their place on the array.
  const middle = (antennas - 1) / 2
  const spread = (antennas * antennas - 1) / 12
  // The band's mean of each of the three, and its first and second moment of the array's mean.
  let [m0Re, m0Im, m1Re, m1Im, m2Re, m2Im, b1Re, b1Im, b2Re, b2Im] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  const match = 2 * entry * bandMoments * size
  for (let q = 0; q < 2 * size; q += 2) {
    let [aRe, aIm, xRe, xIm, yRe, yIm] = [0, 0, 0, 0, 0, 0]
    let wRe = firstRe
    let wIm = firstIm
    for (let a = 0, i = from + q; a < antennas; a++, i += 2 * size) {
      const x = a - middle
      const bend = x * x - spread
      const re = values[i]! * wRe - values[i + 1]! * wIm
      const im = values[i]! * wIm + values[i + 1]! * wRe
      aRe += re
      aIm += im
      xRe += x * re
      xIm += x * im
      yRe += bend * re
      yIm += bend * im
      const next = wRe * turnRe - wIm * turnIm
      wIm = wRe * turnIm + wIm * turnRe
      wRe = next
    }
    let re = matches[match + q]!
    let im = matches[match + q + 1]!
    m0Re += re * aRe + im * aIm
    m0Im += re * aIm - im * aRe
    m1Re += re * xRe + im * xIm
    m1Im += re * xIm - im * xRe
    m2Re += re * yRe + im * yIm
    m2Im += re * yIm - im * yRe
    re = matches[match + 2 * size + q]!
    im = matches[match + 2 * size + q + 1]!
    b1Re += re * aRe + im * aIm
    b1Im += re * aIm - im * aRe
    re = matches[match + 4 * size + q]!
    im = matches[match + 4 * size + q + 1]!
    b2Re += re * aRe + im * aIm
    b2Im += re * aIm - im * aRe
  }
  const scale = 1 / antennas
  steered[to] = scale * m0Re
  steered[to + windowRowsMax] = scale * m0Im
  steered[to + 2 * windowRowsMax] = scale * m1Re
  steered[to + 3 * windowRowsMax] = scale * m1Im
  steered[to + 4 * windowRowsMax] = scale * m2Re
  steered[to + 5 * windowRowsMax] = scale * m2Im
  steered[to + 6 * windowRowsMax] = scale * b1Re
  steered[to + 7 * windowRowsMax] = scale * b1Im
  steered[to + 8 * windowRowsMax] = scale * b2Re
  steered[to + 9 * windowRowsMax] = scale * b2Im
}

/** Writes the mean of the rows after `oldest` up to `latest` to `mean`. */
const meanOfRows = ({ rows, width }: EchoSeries, oldest: number, latest: number, mean: Float64Array): void => {
  const scale = 1 / (latest - oldest)
  mean.fill(0, 0, 2 * width)
  for (let row = latest; row > oldest; row--) {
    const from = 2 * slotOf(row) * width
    for (let i = 0; i < 2 * width; i++) mean[i]! += scale * rows[from + i]!
  }
}

/** The last `windowS` seconds, each row the mean of `averageS` of them. */
interface Window {
  readonly windowS: number
  readonly averageS: number
}

/** Steers the rows of a window that ends at `endS`, the latest first; answers how many there are. */
export const steerWindow = (
  series: EchoSeries,
  { averageS, windowS }: Window,
  endS: number,
  steered: Steered,
  scratch: SteeredRows,
): number => {
  const { first, next, rows, timesS, width } = series
  let count = 0
  let row = next - 1
  while (row >= first && timesS[slotOf(row)]! > endS) row--
  while (row >= first && timesS[slotOf(row)]! > endS - windowS && count < windowRowsMax) {
    const latest = row
    const oldestS = Math.max(timesS[slotOf(latest)]! - averageS, endS - windowS)
    let sumS = 0
    do sumS += timesS[slotOf(row--)]!
    while (row >= first && timesS[slotOf(row)]! > oldestS)
    if (latest - row === 1) steerRow(series, rows, 2 * slotOf(latest) * width, steered, scratch.values, count)
    else {
      meanOfRows(series, row, latest, scratch.mean)
      steerRow(series, scratch.mean, 0, steered, scratch.values, count)
    }
    scratch.timesS[count] = sumS / (latest - row) - endS
    count++
  }
  return count
}
