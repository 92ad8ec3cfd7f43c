/**
 * A line in a spectrum: a frequency whose power only a period can explain.
 *
 * Noise is not entirely white: receivers drift and rooms settle, so its power rises smoothly towards 0 Hz. Within one
 * resolution cell it fluctuates at worst like a single random series, which exceeds its mean x times with probability
 * e^-x. The mean is estimated from the spectrum's other cells: a power law A f^-a through their excess over the noise,
 * by least squares on logarithms (whose mean is Euler's constant below the logarithm of the mean). A power law cannot
 * follow every noise, so the mean is at least the excess just above the line's lobe, and at least the leakage of a
 * drift just below it. Strength is the line's excess over that mean.
 */
import type { Band, Spectrum } from "./periodicity.ts"

/** Excess of a white-noise cell by chance: the sum of many values scatters about 1 by this much. */
const floorScatter = 0.1
/** Harmonics of a line that are excluded from the background. */
const harmonics = 4
/** Expectation of the logarithm of an exponential variable of mean 1, negative. */
const euler = 0.5772

export interface Line {
  readonly frequencyHz: number
  /** Power over noise. */
  readonly power: number
  /** Excess power over that of the background: x in the e^-x above. */
  readonly strength: number
}

/** Top of the parabola through three logarithms of power, relative to the middle one, in steps. */
const vertex = (before: number, at: number, after: number): number => {
  const curvature = before - 2 * at + after
  return curvature < 0 ? (before - after) / (2 * curvature) : 0
}

/** The local maxima of the power within a band. */
const peaksWithin = ({ power, stepHz }: Spectrum, { fromHz, toHz }: Band): ReadonlyArray<number> => {
  const peaks: Array<number> = []
  for (let k = Math.max(1, Math.ceil(fromHz / stepHz)); k <= toHz / stepHz && k + 1 < power.length; k++) {
    if (power[k]! >= power[k - 1]! && power[k]! >= power[k + 1]!) peaks.push(k)
  }
  return peaks
}

/** Background at `frequencyHz`: a power law through the cells of `band` outside the line and its harmonics. */
const backgroundAt = ({ lobeHz, power, stepHz }: Spectrum, frequencyHz: number, band: Band): number => {
  const cellHz = lobeHz / 2
  let n = 0
  let x = 0
  let y = 0
  let xx = 0
  let xy = 0
  for (let f = Math.max(band.fromHz, cellHz); f < band.toHz; f += cellHz) {
    if (isWithin(f, frequencyHz, lobeHz)) continue
    const logF = Math.log(f / frequencyHz)
    const logP = Math.log(Math.max(0, power[Math.round(f / stepHz)]! - 1) + floorScatter)
    n++
    x += logF
    y += logP
    xx += logF * logF
    xy += logF * logP
  }
  if (n < 3) return Infinity
  const slope = Math.min(0, (n * xy - x * y) / (n * xx - x * x))
  return Math.exp((y - slope * x) / n + euler)
}

/** Whether a frequency belongs to a line or to one of its harmonics. */
const isWithin = (frequencyHz: number, lineHz: number, lobeHz: number): boolean => {
  const nearest = Math.max(1, Math.min(harmonics, Math.round(frequencyHz / lineHz)))
  return Math.abs(frequencyHz - nearest * lineHz) < lobeHz
}

/** Excess of the lobe below the line, extrapolated to the line with the flattest slope of a drift: 1/f. */
const below = ({ lobeHz, power, stepHz }: Spectrum, frequencyHz: number): number => {
  let largest = 0
  const from = Math.max(1, Math.ceil((frequencyHz - 2 * lobeHz) / stepHz))
  for (let k = from; k * stepHz < frequencyHz - lobeHz; k++) {
    largest = Math.max(largest, (power[k]! - 1) * k * stepHz / frequencyHz)
  }
  return largest
}

/** Mean excess within two lobes above the line's own. */
const above = ({ lobeHz, power, stepHz }: Spectrum, frequencyHz: number): number => {
  let sum = 0
  let n = 0
  for (let k = Math.ceil((frequencyHz + lobeHz) / stepHz); k * stepHz < frequencyHz + 3 * lobeHz; k++) {
    if (isWithin(k * stepHz, frequencyHz, lobeHz)) continue
    sum += power[k]! - 1
    n++
  }
  return n === 0 ? 0 : sum / n
}

/** The line with its maximum at step `k`, relative to the cells of `surroundings`. */
const lineAtPeak = (spectrum: Spectrum, k: number, surroundings: Band): Line => {
  const { power, stepHz } = spectrum
  const frequencyHz = stepHz * (k + vertex(Math.log(power[k - 1]!), Math.log(power[k]!), Math.log(power[k + 1]!)))
  const background = Math.max(
    backgroundAt(spectrum, frequencyHz, surroundings),
    below(spectrum, frequencyHz),
    above(spectrum, frequencyHz),
  )
  return { frequencyHz, power: power[k]!, strength: (power[k]! - 1) / background }
}

/**
 * The strongest line within `search`, relative to the cells of `surroundings`; null when the power has no maximum
 * there.
 */
export const findLine = (spectrum: Spectrum, search: Band, surroundings: Band): Line | null => {
  const { power } = spectrum
  const peaks = peaksWithin(spectrum, search)
  if (peaks.length === 0) return null
  return lineAtPeak(spectrum, peaks.reduce((best, k) => power[k]! > power[best]! ? k : best), surroundings)
}

/** Whether any maximum within `search` is a line of at least that strength. */
export const hasLine = (spectrum: Spectrum, search: Band, surroundings: Band, strengthMin: number): boolean =>
  peaksWithin(spectrum, search).some((k) => lineAtPeak(spectrum, k, surroundings).strength >= strengthMin)
