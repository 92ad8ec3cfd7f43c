/**
 * Doppler spectra of a link's echoes, steered to a place: what moves there how fast, and how it leans over the array and the band.
 *
 * Owns the windows and the transform. Boundary: the series is `echo-series.ts`, its rows are steered in `steered-rows.ts`; how a
 * spectrum and the geometry make a token is `link-token.ts`.
 *
 * Doppler bins are rates of the path's length in m/s, not hertz, so that bands share their meaning. The cross terms tell echoes from
 * beside, above or behind the place from those of the place itself, as a monopulse radar does.
 */
import type { EchoSeries } from "./echo-series.ts"
import {
  channels,
  createSteeredRows,
  type Steered,
  type SteeredRows,
  steerWindow,
  windowRowsMax,
} from "./steered-rows.ts"

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

const crossChannels = channels - 1

/** Values of a spectrum: powers, then (re, im) of the cross terms. */
export const spectrumSize = (spectrum: Spectrum): number => binsOf(spectrum) + 2 * crossChannels * crossBinsOf(spectrum)

const powerFloor = 1e-7

/** Memory of the transforms of one caller, so that spectra allocate nothing. */
export interface SpectrumScratch {
  readonly rows: SteeredRows
  /** [row]: cosine and sine of what a row turns by in a bin, and in one bin more. */
  readonly cos: Float64Array
  readonly sin: Float64Array
  readonly stepCos: Float64Array
  readonly stepSin: Float64Array
  /** [bin][channel], interleaved complex. */
  readonly bins: Float64Array
}

export const createSpectrumScratch = (): SpectrumScratch => ({
  rows: createSteeredRows(),
  cos: new Float64Array(windowRowsMax),
  sin: new Float64Array(windowRowsMax),
  stepCos: new Float64Array(windowRowsMax),
  stepSin: new Float64Array(windowRowsMax),
  bins: new Float64Array(2 * channels * Math.max(...spectra.map(binsOf))),
})

/** Share of a window that one row may stand for, in mean distances of rows: beyond it, a gap is a gap. */
const gapMax = 3

/** Time that a row stands for: half the way to its neighbours, which loss and jitter make uneven. */
const spanOf = (timesS: Float64Array, row: number, rows: number, windowS: number): number => {
  const later = row === 0 ? 0 : timesS[row - 1]!
  const earlier = row === rows - 1 ? -windowS : timesS[row + 1]!
  return Math.min((later - earlier) / 2, (gapMax * windowS) / rows)
}

/** Weighs the steered rows by their time and a Hann window, and begins their turning at bin 0. */
const weighRows = (
  { stepMps, windowS }: Spectrum,
  rows: number,
  wavelengthM: number,
  scratch: SpectrumScratch,
): void => {
  const { cos, rows: { timesS, values }, sin, stepCos, stepSin } = scratch
  const stepRadPerS = (-2 * Math.PI * stepMps) / wavelengthM
  const weights = Float64Array.from({ length: rows }, (_, row) =>
    spanOf(timesS, row, rows, windowS) *
    (0.5 - 0.5 * Math.cos((2 * Math.PI * (timesS[row]! + windowS)) / windowS)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  for (let row = 0; row < rows; row++) {
    const weight = sum > 0 ? weights[row]! / sum : 0
    for (let at = row; at < values.length; at += windowRowsMax) values[at]! *= weight
    cos[row] = 1
    sin[row] = 0
    stepCos[row] = Math.cos(stepRadPerS * timesS[row]!)
    stepSin[row] = Math.sin(stepRadPerS * timesS[row]!)
  }
}

/** Doppler bins of the steered rows, Hann weighted; 1 for a tone of amplitude 1. Bins of either sign share their products. */
const transform = (spectrum: Spectrum, rows: number, wavelengthM: number, scratch: SpectrumScratch): void => {
  const { bins, cos, rows: { values }, sin, stepCos, stepSin } = scratch
  const { reach } = spectrum
  weighRows(spectrum, rows, wavelengthM, scratch)
  for (let k = 0; k <= reach; k++) {
    for (let channel = 0; channel < channels; channel++) {
      const re = 2 * channel * windowRowsMax
      const im = re + windowRowsMax
      let [reCos, imCos, reSin, imSin] = [0, 0, 0, 0]
      for (let row = 0; row < rows; row++) {
        reCos += values[re + row]! * cos[row]!
        imCos += values[im + row]! * cos[row]!
        reSin += values[re + row]! * sin[row]!
        imSin += values[im + row]! * sin[row]!
      }
      const above = 2 * ((reach + k) * channels + channel)
      const below = 2 * ((reach - k) * channels + channel)
      bins[above] = reCos - imSin
      bins[above + 1] = imCos + reSin
      bins[below] = reCos + imSin
      bins[below + 1] = imCos - reSin
    }
    for (let row = 0; row < rows; row++) {
      const next = cos[row]! * stepCos[row]! - sin[row]! * stepSin[row]!
      sin[row] = cos[row]! * stepSin[row]! + sin[row]! * stepCos[row]!
      cos[row] = next
    }
  }
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
  const rows = steerWindow(series, spectrum, endS, steered, scratch.rows)
  transform(spectrum, rows, series.wavelengthM, scratch)
  writeSpectrum(spectrum, scratch.bins, range, out, at)
  return rows
}
