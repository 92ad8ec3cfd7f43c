/**
 * Breathing rate of one link from its trailing window, or the reason for its absence.
 *
 * There are three windows, because four cycles are needed to distinguish a line from drift. 30 s hold them for rates
 * from 8/min, 45 s from 5.3/min and 60 s from 4/min. Once the window of 45 s is filled, it must confirm the other two.
 * The rate is that of a line (`line.ts`) too strong for chance: tenfold its background, which has probability e^-10 a
 * cell where the background is known. The background is an estimate: in synthetic noise 0 to 0.7 % of windows passed,
 * and 4 % where a single random series filled the breathing band.
 *
 * The line may be a harmonic, so its possible fundamentals are checked, those below 4/min too. A walking person has no line, but one who paces
 * to and fro has; then faster motion carries more power than the line. Limit: a chest and a machine with the same
 * period look alike.
 */
import type { ValueBlock } from "../signal/csi-ratio.ts"
import { gapSMax, halved, type UniformWindow, type WindowRefusal } from "../signal/resample.ts"
import { findLine, hasLine, type Line } from "./line.ts"
import { type Band, detrend, powerWithin, type Spectrum, spectrumOf, stepsMax } from "./periodicity.ts"

/** Length of the windows, and the rates that each is searched for. */
export const fastWindowS = 30
export const slowWindowS = 45
export const slowestWindowS = 60
const fastBand: Band = { fromHz: 8 / 60, toHz: 40 / 60 }
const slowBand: Band = { fromHz: 5.3 / 60, toHz: 9 / 60 }
/** From 4/min, less the error of a rate, to above where the band of 45 s begins. */
const slowestBand: Band = { fromHz: 3.8 / 60, toHz: 6 / 60 }
/** Two cycles in 45 s: the slowest line whose harmonics may be mistaken for a rate. */
const tooSlowHz = 2.6 / 60
/** Band without breathing, where noise is measured. */
const noiseBand: Band = { fromHz: 1, toHz: Infinity }
/** Band whose cells give the background of a line. */
const surroundings: Band = { fromHz: 0, toHz: 1 }

/** Minimum strength of a reported line. */
const strengthMin = 10
/** The same for the slowest window: the slower a line is, the more it resembles a drift. */
const slowestStrengthMin = 20
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
  /** Read only where a rate below 6/min is possible. */
  readonly slowest: () => UniformWindow | WindowRefusal
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
const fundamentalOf = (line: Line, spectrum: Spectrum, { fromHz, toHz }: Band): Line | null => {
  for (let h = harmonics; h > 1; h--) {
    if (line.frequencyHz / h < fromHz || line.frequencyHz / h > toHz) continue
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
const lineOf = (view: View | null, band: Band, atLeast = strengthMin): Line | null => {
  const line = view === null ? null : findLine(view.spectrum, band, surroundings)
  return line === null || line.strength < atLeast ? null : line
}

/** @param atLeast minimum strength that the line had to have */
const readingOf = (line: Line, view: View, blocks: Blocks, atLeast = strengthMin): BreathingReading => {
  if (isOutweighed(line, view, blocks)) return withoutRate(whileMoving)
  const ratio = line.strength / atLeast
  return { rateBpm: 60 * line.frequencyHz, confidence: ratio * ratio / (1 + ratio * ratio), reason: null }
}

/** A band with the next steps of a spectrum: the maximum of a line lies up to half a step from its frequency. */
const widened = ({ fromHz, toHz }: Band, { stepHz }: Spectrum): Band => ({
  fromHz: fromHz - stepHz,
  toHz: toHz + stepHz,
})

/** The reading of the slowest window, if its line is that of the slow one; null for no rate below the slow band. */
const slowestReadingOf = (slow: View, { blocks, slowest }: BreathingWindows): BreathingReading | null => {
  // The slow window holds three cycles of such a line. Most windows have none, which saves a spectrum.
  if (!hasLine(slow.spectrum, widened(slowestBand, slow.spectrum), surroundings, expectedStrengthMin)) return null
  const window = slowest()
  if (typeof window === "string") return withoutRate(onlySlowestLeft)
  const view = viewOf(window.steps > stepsMax ? halved(window) : window, blocks)
  const line = view === null ? null : lineOf(view, widened(slowestBand, view.spectrum), slowestStrengthMin)
  if (line === null || line.frequencyHz < slowestBand.fromHz || line.frequencyHz > slowestBand.toHz) return null
  if (lineAt(line.frequencyHz, slow.spectrum, slow.spectrum.lobeHz / 4) === null) return null
  return readingOf(line, slow, blocks, slowestStrengthMin)
}

/** The reading of a line of the two faster windows, unless it is a harmonic of a line below the slow band. */
const checkedReadingOf = (line: Line, view: View, slow: View | null, windows: BreathingWindows): BreathingReading => {
  const reading = readingOf(line, view, windows.blocks)
  if (slow === null || reading.rateBpm === null) return reading
  const fundamental = fundamentalOf(line, slow.spectrum, { fromHz: tooSlowHz, toHz: slowBand.fromHz })
  if (fundamental === null) return reading
  return slowestReadingOf(slow, windows) ??
    withoutRate(`the rate is ambiguous, ${bpm(line)}/min or a harmonic of ${bpm(fundamental)}/min`)
}

/** The breathing rate of one link from its windows. */
export const estimateBreathing = (windows: BreathingWindows): BreathingReading => {
  const { blocks, fast, slow } = windows
  const long = viewOf(slow, blocks)
  const none = (reason: string): BreathingReading =>
    (long === null ? null : slowestReadingOf(long, windows)) ?? withoutRate(reason)
  const slowLine = lineOf(long, slowBand)
  // A line of the fast window must be in the slow one too. Most windows have none, which saves the other spectrum.
  if (
    long !== null && slowLine === null && !hasLine(long.spectrum, confirmBand(fast), surroundings, expectedStrengthMin)
  ) {
    return none(noPeriod)
  }
  const short = viewOf(fast, blocks)
  const fastLine = lineOf(short, fastBand)
  if (long !== null && slowLine !== null && slowLine.strength > (fastLine?.strength ?? 0)) {
    return checkedReadingOf(slowLine, long, long, windows)
  }
  if (short === null || fastLine === null) {
    return none(long === null ? onlySlowLeft : noPeriod)
  }
  if (long !== null && lineAt(fastLine.frequencyHz, long.spectrum, short.spectrum.lobeHz / 2) === null) {
    return none("no period has lasted long enough to exceed the noise floor")
  }
  const fundamental = fundamentalOf(fastLine, (long ?? short).spectrum, { fromHz: slowBand.fromHz, toHz: Infinity })
  if (fundamental === null) return checkedReadingOf(fastLine, short, long, windows)
  if (long !== null || fundamental.frequencyHz >= fastBand.fromHz) {
    return checkedReadingOf({ ...fundamental, strength: fastLine.strength }, long ?? short, long, windows)
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

const onlySlowestLeft =
  `not enough data yet for rates below 6/min, which take ${slowestWindowS} s; no faster one is above the noise floor`

const bpm = ({ frequencyHz }: Line): string => (60 * frequencyHz).toFixed(0)
