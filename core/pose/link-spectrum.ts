/**
 * Doppler spectra of a link's echoes, steered to a place: what moves there how fast, and how it leans over the array and the band.
 *
 * Owns the windows, the steering of rows and the transform. Boundary: the series is `echo-series.ts`; how a spectrum and the geometry
 * make a token is `link-token.ts`.
 *
 * Doppler bins are rates of the path's length in m/s, not hertz, so that bands share their meaning. The cross terms tell echoes from
 * beside, above or behind the place from those of the place itself, as a monopulse radar does.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { type Bearing, bearingOf, placeOf, type Steering } from "../imaging/steering.ts"
import { bandMoments, type EchoSeries, slotOf } from "./echo-series.ts"

/** A Doppler spectrum of a token: bins from -`reach` to `reach`, `stepMps` apart, over the last `windowS`. */
export interface Spectrum {
  readonly windowS: number
  readonly stepMps: number
  readonly reach: number
  /** Cross terms are taken at every so manieth bin, up to this many from the middle. */
  readonly crossStep: number
  readonly crossReach: number
  /** Packets per average before the transform: slow motion needs no more. */
  readonly averageS: number
}

export const spectra: readonly [limbs: Spectrum, rest: Spectrum] = [
  { windowS: 0.32, stepMps: 0.38, reach: 11, crossStep: 2, crossReach: 10, averageS: 0 },
  { windowS: 1.28, stepMps: 0.1, reach: 4, crossStep: 2, crossReach: 2, averageS: 0.04 },
]

const binsOf = ({ reach }: Spectrum): number => 2 * reach + 1
const crossBinsOf = ({ crossReach, crossStep }: Spectrum): number => (2 * crossReach) / crossStep + 1

/** Channels of a steered row: mean, first and second moment over the array, first and second over the band. */
const channels = 5
const crossChannels = channels - 1

/** Values of a spectrum: powers, then (re, im) of the cross terms. */
export const spectrumSize = (spectrum: Spectrum): number => binsOf(spectrum) + 2 * crossChannels * crossBinsOf(spectrum)

const powerFloor = 1e-7

/** Memory of the transforms of one caller, so that spectra allocate nothing. */
export interface SpectrumScratch {
  readonly combined: Float64Array
  /** Mean of some rows. */
  readonly mean: Float64Array
  /** Rows of a window, [row][channel], interleaved complex; and their times. */
  readonly steered: Float64Array
  readonly timesS: Float64Array
  /** [bin][channel], interleaved complex. */
  readonly bins: Float64Array
}

const windowRowsMax = 512
const basisMax = 64
const antennasMax = 8

export const createSpectrumScratch = (): SpectrumScratch => ({
  combined: new Float64Array(2 * 3 * basisMax),
  mean: new Float64Array(2 * antennasMax * basisMax),
  steered: new Float64Array(windowRowsMax * 2 * channels),
  timesS: new Float64Array(windowRowsMax),
  bins: new Float64Array(2 * channels * Math.max(...spectra.map(binsOf))),
})

export interface Steered {
  readonly bearing: Bearing
  /** Entry of the steering table that is nearest to the place. */
  readonly entry: number
  /** e^{-j pi cosArrival}: what one antenna more turns by, undone. */
  readonly turnRe: number
  readonly turnIm: number
}

/** What it takes to steer a link to a place. */
export const steerTo = (steering: Steering, place: Vector3): Steered => {
  const bearing = bearingOf(steering, place)
  const angle = Math.PI * bearing.cosArrival
  return {
    bearing,
    entry: Math.round(placeOf(steering, bearing.excessM)),
    turnRe: Math.cos(angle),
    turnIm: -Math.sin(angle),
  }
}

/** Steers a row (from value `from` of `values`) to the place: writes its channels to row `to` of the scratch. */
const steerRow = (
  { matches, steering: { antennas, basis: { size } } }: EchoSeries,
  values: Float32Array | Float64Array,
  from: number,
  { entry, turnIm, turnRe }: Steered,
  { combined, steered }: SpectrumScratch,
  to: number,
): void => {
  combined.fill(0, 0, 6 * size)
  const middle = (antennas - 1) / 2
  // Antennas are turned towards the place and weighed by 1, x and x^2 less its mean, with x their place on the array.
  const firstRad = -Math.atan2(turnIm, turnRe) * middle
  let wRe = Math.cos(firstRad)
  let wIm = Math.sin(firstRad)
  const spread = (antennas * antennas - 1) / 12
  for (let a = 0; a < antennas; a++) {
    const x = a - middle
    const bend = x * x - spread
    for (let q = 0; q < size; q++) {
      const i = from + 2 * (a * size + q)
      const re = values[i]! * wRe - values[i + 1]! * wIm
      const im = values[i]! * wIm + values[i + 1]! * wRe
      combined[2 * q]! += re
      combined[2 * q + 1]! += im
      combined[2 * (size + q)]! += x * re
      combined[2 * (size + q) + 1]! += x * im
      combined[2 * (2 * size + q)]! += bend * re
      combined[2 * (2 * size + q) + 1]! += bend * im
    }
    const next = wRe * turnRe - wIm * turnIm
    wIm = wRe * turnIm + wIm * turnRe
    wRe = next
  }
  for (let channel = 0; channel < channels; channel++) {
    // Channels 1 and 2 are the array's moments of the band's mean; 3 and 4 the band's moments of the array's mean.
    const match = 2 * (entry * bandMoments + Math.max(0, channel - 2)) * size
    const vector = channel < 3 ? 2 * channel * size : 0
    let re = 0
    let im = 0
    for (let q = 0; q < 2 * size; q += 2) {
      re += matches[match + q]! * combined[vector + q]! + matches[match + q + 1]! * combined[vector + q + 1]!
      im += matches[match + q]! * combined[vector + q + 1]! - matches[match + q + 1]! * combined[vector + q]!
    }
    const at = 2 * (to * channels + channel)
    steered[at] = re / antennas
    steered[at + 1] = im / antennas
  }
}

/** Steers the rows of a window that ends at `endS`, averaged where the spectrum says so; answers how many there are. */
const steerWindow = (
  series: EchoSeries,
  { averageS, windowS }: Spectrum,
  endS: number,
  steered: Steered,
  scratch: SpectrumScratch,
): number => {
  const { first, next, rows, timesS, width } = series
  const { mean } = scratch
  let count = 0
  let row = next - 1
  while (row >= first && timesS[slotOf(row)]! > endS) row--
  while (row >= first && timesS[slotOf(row)]! > endS - windowS && count < windowRowsMax) {
    const latestS = timesS[slotOf(row)]!
    let together = 0
    let sumS = 0
    mean.fill(0, 0, 2 * width)
    do {
      const from = 2 * slotOf(row) * width
      for (let i = 0; i < 2 * width; i++) mean[i]! += rows[from + i]!
      sumS += timesS[slotOf(row)]!
      together++
      row--
    } while (row >= first && timesS[slotOf(row)]! > Math.max(latestS - averageS, endS - windowS))
    for (let i = 0; i < 2 * width; i++) mean[i]! /= together
    steerRow(series, mean, 0, steered, scratch, count)
    scratch.timesS[count] = sumS / together - endS
    count++
  }
  return count
}

/** Share of a window that one row may stand for, in mean distances of rows: beyond it, a gap is a gap. */
const gapMax = 3

/** Time that a row stands for: half the way to its neighbours, which loss and jitter make uneven. */
const spanOf = (timesS: Float64Array, row: number, rows: number, windowS: number): number => {
  const later = row === 0 ? 0 : timesS[row - 1]!
  const earlier = row === rows - 1 ? -windowS : timesS[row + 1]!
  return Math.min((later - earlier) / 2, (gapMax * windowS) / rows)
}

/** Doppler bins of the steered rows, Hann weighted; 1 for a tone of amplitude 1. */
const transform = (
  { reach, stepMps, windowS }: Spectrum,
  rows: number,
  wavelengthM: number,
  { bins, steered, timesS }: SpectrumScratch,
): void => {
  const count = 2 * reach + 1
  bins.fill(0, 0, 2 * channels * count)
  const stepRadPerS = (-2 * Math.PI * stepMps) / wavelengthM
  let sum = 0
  for (let row = 0; row < rows; row++) {
    const timeS = timesS[row]!
    const weight = spanOf(timesS, row, rows, windowS) *
      (0.5 - 0.5 * Math.cos((2 * Math.PI * (timeS + windowS)) / windowS))
    sum += weight
    const stepRe = Math.cos(stepRadPerS * timeS)
    const stepIm = Math.sin(stepRadPerS * timeS)
    let wRe = weight * Math.cos(-reach * stepRadPerS * timeS)
    let wIm = weight * Math.sin(-reach * stepRadPerS * timeS)
    const from = 2 * channels * row
    for (let bin = 0; bin < count; bin++) {
      const to = 2 * channels * bin
      for (let c = 0; c < 2 * channels; c += 2) {
        bins[to + c]! += wRe * steered[from + c]! - wIm * steered[from + c + 1]!
        bins[to + c + 1]! += wRe * steered[from + c + 1]! + wIm * steered[from + c]!
      }
      const next = wRe * stepRe - wIm * stepIm
      wIm = wRe * stepIm + wIm * stepRe
      wRe = next
    }
  }
  if (sum > 0) { for (let i = 0; i < 2 * channels * count; i++) bins[i]! /= sum }
}

/** Writes the powers and cross terms of the bins to `out` from `at`; `range` is the range law of the echo's amplitude. */
const writeSpectrum = (spectrum: Spectrum, bins: Float64Array, range: number, out: Float32Array, at: number): void => {
  const { crossReach, crossStep, reach } = spectrum
  const count = binsOf(spectrum)
  for (let bin = 0; bin < count; bin++) {
    const i = 2 * channels * bin
    const power = (bins[i]! ** 2 + bins[i + 1]! ** 2) * range * range
    out[at + bin] = Math.log(power + powerFloor) / 4 + 1
  }
  const crossAt = at + count
  let strongest = 1e-20
  let to = crossAt
  for (let b = -crossReach; b <= crossReach; b += crossStep) {
    const i = 2 * channels * (b + reach)
    const mRe = bins[i]!
    const mIm = bins[i + 1]!
    for (let c = 2; c < 2 * channels; c += 2) {
      const re = bins[i + c]! * mRe + bins[i + c + 1]! * mIm
      const im = bins[i + c + 1]! * mRe - bins[i + c]! * mIm
      strongest = Math.max(strongest, re * re + im * im)
      out[to++] = re
      out[to++] = im
    }
  }
  // Square roots keep weak bins, which limbs have, readable beside the torso's.
  const scale = 1 / Math.sqrt(Math.sqrt(strongest))
  for (let i = crossAt; i < to; i += 2) {
    const size = Math.sqrt(Math.sqrt(out[i]! ** 2 + out[i + 1]! ** 2))
    const factor = size > 0 ? scale / size : 0
    out[i]! *= factor
    out[i + 1]! *= factor
  }
}

/**
 * Writes a spectrum of a link at the end of a hop (`endS`), steered to a place, to `out` from `at`.
 *
 * @param range law of the echo's amplitude, by which powers are multiplied twice
 * @returns how many rows its window had
 */
export const writeSteeredSpectrum = (
  series: EchoSeries,
  spectrum: Spectrum,
  steered: Steered,
  endS: number,
  range: number,
  scratch: SpectrumScratch,
  out: Float32Array,
  at: number,
): number => {
  const rows = steerWindow(series, spectrum, endS, steered, scratch)
  transform(spectrum, rows, series.wavelengthM, scratch)
  writeSpectrum(spectrum, scratch.bins, range, out, at)
  return rows
}
