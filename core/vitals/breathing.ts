/**
 * Breathing rate of one link from its trailing window, or the reason for its absence.
 *
 * There are two windows. 30 s hold at least four cycles of rates from 8/min, enough to distinguish a line from drift.
 * Slower rates, down to 5.3/min, need 45 s; once that window is filled, it must confirm the faster ones too. The rate
 * is that of a line (`line.ts`) too strong for chance: tenfold its background, which has probability e^-10 a cell where
 * the background is known. The background is an estimate: in synthetic noise 0 to 0.7 % of windows passed, and 4 %
 * where a single random series filled the breathing band.
 *
 * The line may be a harmonic, so its possible fundamentals are checked. A walking person has no line, but one who paces
 * to and fro has; then faster motion carries more power than the line. Limit: a chest and a machine with the same
 * period look alike.
 */
import type { ValueBlock } from "../signal/csi-ratio.ts"
import { gapSMax, type UniformWindow, type WindowRefusal } from "../signal/resample.ts"
import { findLine, hasLine, type Line } from "./line.ts"
import { type Band, detrend, powerWithin, type Spectrum, spectrumOf } from "./periodicity.ts"

/** Length of the windows, and the rates that each is searched for. */
export const fastWindowS = 30
export const slowWindowS = 45
const fastBand: Band = { fromHz: 8 / 60, toHz: 40 / 60 }
const slowBand: Band = { fromHz: 5.3 / 60, toHz: 9 / 60 }
/** Band without breathing, where noise is measured. */
const noiseBand: Band = { fromHz: 1, toHz: Infinity }
/** Band whose cells give the background of a line. */
const surroundings: Band = { fromHz: 0, toHz: 1 }

/** Minimum strength of a reported line. */
const strengthMin = 10
/** Minimum strength of a line that another line predicts: only one cell is checked. */
const expectedStrengthMin = 5
/** A weaker excess of a fundamental, relative to the line's, is drift. */
const fundamentalShareMin = 0.03
/** Number of breath harmonics that are considered. */
const harmonics = 4

/** The reading of a window. Exactly one of `rateBpm` and `reason` is null. */
export interface BreathingReading {
  readonly rateBpm: number | null
  /** 0..1; one half at the weakest line that is reported, 0 without a rate. */
  readonly confidence: number
  readonly reason: string | null
}

type Blocks = ReadonlyArray<ValueBlock>

/** A link's trailing windows on the uniform grid. */
interface BreathingWindows {
  readonly fast: UniformWindow
  readonly slow: UniformWindow | WindowRefusal
  readonly blocks: Blocks
}

export const whileMoving = "motion is too strong: breathing can be measured only while everyone keeps still"

export const withoutRate = (reason: string): BreathingReading => ({ rateBpm: null, confidence: 0, reason })

/** The reason for a missing window, in words. */
export const whyNoWindow = (refusal: WindowRefusal, lengthS: number): string =>
  ({
    "not-filled": `not enough data yet: ${lengthS} s are needed`,
    gap: `packets were missing for more than ${gapSMax} s within the last ${lengthS} s`,
    sparse: "packets are too few or come in bursts: at least 5 packets/s, evenly spread, are needed",
  })[refusal]

/** The window's series of the live blocks. */
export const seriesOf = (
  window: UniformWindow,
  blocks: Blocks,
): ReadonlyArray<ReadonlyArray<Float64Array>> =>
  blocks.map(({ at, length }) => Array.from({ length }, (_, i) => detrend(window.series(at + i))))

/** A window and its spectrum. */
interface View {
  readonly window: UniformWindow
  readonly spectrum: Spectrum
}

const around = (frequencyHz: number, halfWidthHz: number): Band => ({
  fromHz: frequencyHz - halfWidthHz,
  toHz: frequencyHz + halfWidthHz,
})

/** A line at an expected frequency, within `toleranceHz`. */
const lineAt = (frequencyHz: number, spectrum: Spectrum, toleranceHz: number): Line | null => {
  const found = findLine(spectrum, around(frequencyHz, Math.max(toleranceHz, spectrum.stepHz)), surroundings)
  if (found === null || Math.abs(found.frequencyHz - frequencyHz) > toleranceHz) return null
  return found.strength < expectedStrengthMin ? null : found
}

/**
 * The slowest line that has this one among its harmonics. A chest that shifts the phase far, or moves around a point of
 * the fringe where the channel responds to the square of the displacement, is strongest at a multiple of its rate.
 */
const fundamentalOf = (line: Line, spectrum: Spectrum): Line | null => {
  for (let h = harmonics; h > 1; h--) {
    if (line.frequencyHz / h < slowBand.fromHz) continue
    const found = lineAt(line.frequencyHz / h, spectrum, spectrum.lobeHz / 4)
    if (found !== null && found.power - 1 >= fundamentalShareMin * (line.power - 1)) return found
  }
  return null
}

/** Whether motion faster than breathing carries more power than the line, and is not noise. */
const isOutweighed = (line: Line, { spectrum, window: { passHz, scatter } }: View, blocks: Blocks): boolean => {
  if (scatter === null) return false
  let noise = 0
  let faster = 0
  for (const { at, length } of blocks) {
    for (let value = at; value < at + length; value++) {
      const { fast, noisePerHz } = scatter(value)
      noise += noisePerHz * (passHz - noiseBand.fromHz)
      faster += fast
    }
  }
  const fast = faster + powerWithin(spectrum, noiseBand) - noise
  let own = 0
  for (let h = 1; h <= harmonics; h++) own += powerWithin(spectrum, around(h * line.frequencyHz, spectrum.lobeHz))
  return fast > own && fast > noise
}

const viewOf = (window: UniformWindow | WindowRefusal, blocks: Blocks): View | null => {
  if (typeof window === "string") return null
  const spectrum = spectrumOf(window, seriesOf(window, blocks), noiseBand)
  return spectrum === null ? null : { window, spectrum }
}

/** The line of a view within a band, if it is too strong for chance. */
const lineOf = (view: View | null, band: Band): Line | null => {
  const line = view === null ? null : findLine(view.spectrum, band, surroundings)
  return line === null || line.strength < strengthMin ? null : line
}

const readingOf = (line: Line, view: View, blocks: Blocks): BreathingReading => {
  if (isOutweighed(line, view, blocks)) return withoutRate(whileMoving)
  const ratio = line.strength / strengthMin
  return { rateBpm: 60 * line.frequencyHz, confidence: ratio * ratio / (1 + ratio * ratio), reason: null }
}

/** The breathing rate of one link from its windows. */
export const estimateBreathing = ({ blocks, fast, slow }: BreathingWindows): BreathingReading => {
  const long = viewOf(slow, blocks)
  const slowLine = lineOf(long, slowBand)
  // A line of the fast window must be in the slow one too. Most windows have none, which saves the other spectrum.
  if (
    long !== null && slowLine === null && !hasLine(long.spectrum, confirmBand(fast), surroundings, expectedStrengthMin)
  ) {
    return withoutRate(noPeriod)
  }
  const short = viewOf(fast, blocks)
  const fastLine = lineOf(short, fastBand)
  if (long !== null && slowLine !== null && slowLine.strength > (fastLine?.strength ?? 0)) {
    return readingOf(slowLine, long, blocks)
  }
  if (short === null || fastLine === null) {
    return withoutRate(long === null ? onlySlowLeft : noPeriod)
  }
  if (long !== null && lineAt(fastLine.frequencyHz, long.spectrum, short.spectrum.lobeHz / 2) === null) {
    return withoutRate("no period has lasted long enough to exceed the noise floor")
  }
  const fundamental = fundamentalOf(fastLine, (long ?? short).spectrum)
  if (fundamental === null) return readingOf(fastLine, short, blocks)
  if (long !== null || fundamental.frequencyHz >= fastBand.fromHz) {
    return readingOf({ ...fundamental, strength: fastLine.strength }, long ?? short, blocks)
  }
  return withoutRate(
    `the rate is ambiguous, ${bpm(fundamental)} or ${bpm(fastLine)}/min: ${slowWindowS} s of data are needed`,
  )
}

/** The band of the slow window that can confirm a line of the fast one: `lineAt` with half a lobe's tolerance. */
const confirmBand = ({ rateHz, steps }: UniformWindow): Band => {
  const toleranceHz = rateHz / steps
  return { fromHz: fastBand.fromHz - toleranceHz, toHz: fastBand.toHz + toleranceHz }
}

const noPeriod = "no period is above the noise floor"

const onlySlowLeft =
  `not enough data yet for rates below 8/min, which take ${slowWindowS} s; no faster one is above the noise floor`

const bpm = ({ frequencyHz }: Line): string => (60 * frequencyHz).toFixed(0)
