/**
 * Windows of a link's echoes: the weighted rows of the last part of a second, in the form of the spectra kernel.
 *
 * Boundary: `link-spectrum.ts` defines the windows and uses the results. A window does not depend on a place, so it
 * serves all persons of a room.
 */
import { type EchoSeries, slotOf } from "./echo-series.ts"

/** Maximum span of one row, in mean distances of rows: a longer gap is not filled. */
const gapMax = 3

/** The last `windowS` seconds, each row the mean of `averageS` of them. */
interface WindowLengths {
  readonly windowS: number
  readonly averageS: number
}

/** A row of a window: the mean of the series' rows after `oldest` up to `latest`, at a time before the window's end. */
interface WindowRow {
  readonly oldest: number
  readonly latest: number
  readonly timeS: number
}

/** The rows of a window that ends at `endS`, the latest first: no more than the series has, which is bounded. */
export const windowOf = (
  { first, next, timesS }: EchoSeries,
  { averageS, windowS }: WindowLengths,
  endS: number,
): ReadonlyArray<WindowRow> => {
  const found: Array<WindowRow> = []
  let row = next - 1
  while (row >= first && timesS[slotOf(row)]! > endS) row--
  while (row >= first && timesS[slotOf(row)]! > endS - windowS) {
    const latest = row
    const oldestS = Math.max(timesS[slotOf(latest)]! - averageS, endS - windowS)
    let sumS = 0
    do sumS += timesS[slotOf(row--)]!
    while (row >= first && timesS[slotOf(row)]! > oldestS)
    found.push({ oldest: row, latest, timeS: sumS / (latest - row) - endS })
  }
  return found
}

/** Time span of a row: half the distance to its neighbours, which is uneven due to loss and jitter. */
const spanOf = (window: ReadonlyArray<WindowRow>, row: number, windowS: number): number => {
  const later = row === 0 ? 0 : window[row - 1]!.timeS
  const earlier = row === window.length - 1 ? -windowS : window[row + 1]!.timeS
  return Math.min((later - earlier) / 2, (gapMax * windowS) / window.length)
}

/** Weight of each row, with sum 1: its time span under a Hann window. */
const weightsOf = (window: ReadonlyArray<WindowRow>, windowS: number): Float64Array => {
  const weights = new Float64Array(window.length)
  let sum = 0
  for (const [row, { timeS }] of window.entries()) {
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * (timeS + windowS)) / windowS)
    sum += weights[row] = spanOf(window, row, windowS) * hann
  }
  if (sum > 0) { for (let row = 0; row < weights.length; row++) weights[row]! /= sum }
  return weights
}

/** Destination of a link's rows: arrays of the kernel, with `rows` places for rows. */
interface WindowArrays {
  /** [value][re, im][row] from `echoesAt`. */
  readonly echoes: Float32Array
  readonly echoesAt: number
  /** [cos, sin][row] from `turnsAt`: the rotation of a row per Doppler bin. */
  readonly turns: Float32Array
  readonly turnsAt: number
  readonly rows: number
}

/**
 * Writes a window's weighted rows, and their rotations for bins `stepMps` of path length apart; other places are
 * unchanged.
 */
export const writeWindow = (
  { rows: values, wavelengthM, width }: EchoSeries,
  window: ReadonlyArray<WindowRow>,
  { stepMps, windowS }: { readonly stepMps: number; readonly windowS: number },
  { echoes, echoesAt, rows, turns, turnsAt }: WindowArrays,
): void => {
  const weights = weightsOf(window, windowS)
  const stepRadPerS = (-2 * Math.PI * stepMps) / wavelengthM
  for (let row = 0; row < window.length; row++) {
    const { latest, oldest, timeS } = window[row]!
    const weight = weights[row]! / (latest - oldest)
    for (let of = latest; of > oldest; of--) {
      const from = 2 * slotOf(of) * width
      for (let i = 0, to = echoesAt + row; i < 2 * width; i++, to += rows) echoes[to]! += weight * values[from + i]!
    }
    turns[turnsAt + row] = Math.cos(stepRadPerS * timeS)
    turns[turnsAt + rows + row] = Math.sin(stepRadPerS * timeS)
  }
}
