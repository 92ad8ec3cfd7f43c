/**
 * The spectrum of a window's values in units of their own noise.
 *
 * The values of a link share the motion, and much of their noise as well (a receiver's gain, its phase between
 * antennas). So the noise is measured in a band without vital signs, as the covariance C of the values' spectra X, and
 * whitened: S(f) = sum over blocks of X(f)^H C^-1 X(f), scaled to 1 over the noise band. This weights every direction
 * of the values by its signal-to-noise ratio: maximum ratio combining, with the principal axis of the motion included.
 * `line.ts` decides which line in it is a period.
 */
import { createTransform, type Transform } from "../math/fourier.ts"
import type { UniformWindow } from "../signal/resample.ts"

/**
 * Holds the longest window, 45 s at 10 Hz; the line of the Hann window is wide enough to be interpolated on this grid.
 */
const transformSize = 512
/** Maximum number of steps of a window. */
export const stepsMax = transformSize
const transform: Transform = createTransform(transformSize)
const bins = transformSize / 2 + 1

/** Minimum noise of every direction as a share of the mean noise: the covariance comes from a finite window. */
const loading = 0.02

export interface Band {
  readonly fromHz: number
  readonly toHz: number
}

/** Spectrum of a window, by frequency from 0 in steps of `stepHz`. */
export interface Spectrum {
  readonly stepHz: number
  /** Power over noise, all values together. */
  readonly power: Float64Array
  /** Plain power density of all values together, per Hz. */
  readonly density: Float64Array
  /** Half the width of a line's main lobe: two cells of the Hann window. */
  readonly lobeHz: number
}

/** Complex spectra of some series, [series][frequency]. */
interface Spectra {
  readonly count: number
  readonly re: Float64Array
  readonly im: Float64Array
}

/** A series without its mean and its trend, in place. */
export const detrend = (series: Float64Array): Float64Array => {
  const n = series.length
  let mean = 0
  let slope = 0
  let norm = 0
  for (let i = 0; i < n; i++) {
    const t = i - (n - 1) / 2
    mean += series[i]! / n
    slope += t * series[i]!
    norm += t * t
  }
  for (let i = 0; i < n; i++) series[i]! -= mean + slope / norm * (i - (n - 1) / 2)
  return series
}

/** Hann windows by length: at most `transformSize` of them. */
const hanns = new Map<number, Float64Array>()

const hann = (n: number): Float64Array => {
  const known = hanns.get(n)
  if (known !== undefined) return known
  const window = Float64Array.from({ length: n }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / n))
  hanns.set(n, window)
  return window
}

/** Spectra of real series, two at a time in one complex transform. */
const spectraOf = (series: ReadonlyArray<Float64Array>): Spectra => {
  const re = new Float64Array(series.length * bins)
  const im = new Float64Array(series.length * bins)
  const window = hann(series[0]!.length)
  const values = new Float64Array(2 * transformSize)
  for (let first = 0; first < series.length; first += 2) {
    const a = series[first]!
    const b = series[first + 1]
    values.fill(0)
    for (let i = 0; i < window.length; i++) {
      values[2 * i] = window[i]! * a[i]!
      if (b !== undefined) values[2 * i + 1] = window[i]! * b[i]!
    }
    transform(values)
    for (let k = 0; k < bins; k++) {
      const mirror = 2 * ((transformSize - k) % transformSize)
      re[first * bins + k] = (values[2 * k]! + values[mirror]!) / 2
      im[first * bins + k] = (values[2 * k + 1]! - values[mirror + 1]!) / 2
      if (b === undefined) continue
      re[(first + 1) * bins + k] = (values[2 * k + 1]! + values[mirror + 1]!) / 2
      im[(first + 1) * bins + k] = (values[mirror]! - values[2 * k]!) / 2
    }
  }
  return { count: series.length, re, im }
}

const deviationsOf = ({ count, im, re }: Spectra, from: number, to: number): Float64Array => {
  const deviations = new Float64Array(count)
  for (let r = 0; r < count; r++) {
    let sum = 0
    for (let k = from; k < to; k++) sum += re[r * bins + k]! ** 2 + im[r * bins + k]! ** 2
    deviations[r] = Math.sqrt(sum / (to - from))
  }
  return deviations
}

/** Lower triangle L, row by row, of the correlation L L^T of the series over the frequencies [from, to). */
const noiseFactor = ({ count, im, re }: Spectra, deviations: Float64Array, from: number, to: number): Float64Array => {
  const factor = new Float64Array(count * count)
  for (let r = 0; r < count; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = 0
      for (let k = from; k < to; k++) {
        sum += re[r * bins + k]! * re[c * bins + k]! + im[r * bins + k]! * im[c * bins + k]!
      }
      const correlation = sum / ((to - from) * deviations[r]! * deviations[c]!)
      factor[r * count + c] = r === c ? 1 : (1 - loading) * correlation
    }
  }
  for (let r = 0; r < count; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = factor[r * count + c]!
      for (let k = 0; k < c; k++) sum -= factor[r * count + k]! * factor[c * count + k]!
      factor[r * count + c] = r === c ? Math.sqrt(Math.max(sum, loading / 2)) : sum / factor[c * count + c]!
    }
  }
  return factor
}

/**
 * Adds a block's power over noise to `power`, and its plain power to `density`. Returns the number of values with
 * noise.
 */
const addBlock = (
  block: ReadonlyArray<Float64Array>,
  from: number,
  to: number,
  power: Float64Array,
  density: Float64Array,
): number => {
  // Constant values (no phase, an empty tone) have no noise to scale by.
  const series = block.filter((values) => values.some((value) => value * value > 1e-12))
  if (series.length === 0) return 0
  const spectra = spectraOf(series)
  const { count, im, re } = spectra
  const deviations = deviationsOf(spectra, from, to)
  const factor = noiseFactor(spectra, deviations, from, to)
  const yRe = new Float64Array(count)
  const yIm = new Float64Array(count)
  for (let k = 0; k < power.length; k++) {
    for (let r = 0; r < count; r++) {
      const row = r * count
      density[k]! += re[r * bins + k]! ** 2 + im[r * bins + k]! ** 2
      let sumRe = re[r * bins + k]! / deviations[r]!
      let sumIm = im[r * bins + k]! / deviations[r]!
      for (let c = 0; c < r; c++) {
        sumRe -= factor[row + c]! * yRe[c]!
        sumIm -= factor[row + c]! * yIm[c]!
      }
      yRe[r] = sumRe / factor[row + r]!
      yIm[r] = sumIm / factor[row + r]!
      power[k]! += yRe[r]! ** 2 + yIm[r]! ** 2
    }
  }
  return count
}

/** The spectrum of blocks of series of `window`, without their trends; null when all are constant. */
export const spectrumOf = (
  window: UniformWindow,
  blocks: ReadonlyArray<ReadonlyArray<Float64Array>>,
  noiseBand: Band,
): Spectrum | null => {
  const stepHz = window.rateHz / transformSize
  const from = Math.ceil(noiseBand.fromHz / stepHz)
  const to = Math.floor(Math.min(noiseBand.toHz, window.passHz) / stepHz)
  const power = new Float64Array(to)
  const density = new Float64Array(to)
  let values = 0
  for (const block of blocks) values += addBlock(block, from, to, power, density)
  if (values === 0) return null
  let floor = 0
  for (let k = from; k < to; k++) floor += power[k]! / (to - from)
  // Mean square of a Hann window: 3/8. One-sided.
  const scale = 2 / (window.rateHz * window.steps * 3 / 8)
  return {
    stepHz,
    power: power.map((value) => value / floor),
    density: density.map((value) => value * scale),
    lobeHz: 2 * window.rateHz / window.steps,
  }
}

/** Power of all values together within a band, in their own units squared. */
export const powerWithin = ({ density, stepHz }: Spectrum, { fromHz, toHz }: Band): number => {
  let sum = 0
  for (let k = Math.max(0, Math.ceil(fromHz / stepHz)); k < Math.min(density.length, toHz / stepHz); k++) {
    sum += density[k]!
  }
  return sum * stepHz
}
