/**
 * Breathing rate of one link from its trailing window, or why there is none.
 *
 * Two windows: 30 s hold four cycles or more of rates from 8/min, which is what a line needs to be told from drift; slower ones, down
 * to 5.3/min, take 45 s, and after 45 s that window must hold the faster ones too. The rate is that of a line (`line.ts`) so strong
 * that chance hardly makes it: tenfold its background, which is e^-10 a cell where the background is known. It is estimated; in made-up
 * noise a window passed in 0 to 0.7 % of trials, 4 % where one random series alone fills the band of a breath.
 *
 * The line may be a harmonic, so the frequencies that it would be a harmonic of are looked at. A person who walks has no line, but who
 * walks to and fro has; then faster motion carries more power than the line. What it cannot tell: whether a chest or a machine moves
 * with that period.
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
/** Where nothing breathes, and noise is measured. */
const noiseBand: Band = { fromHz: 1, toHz: Infinity }
/** Cells that a line's background is taken from. */
const surroundings: Band = { fromHz: 0, toHz: 1 }

/** Strength of a line that is reported. */
const strengthMin = 10
/** The same where a line is expected, by another one: a single cell is looked at. */
const expectedStrengthMin = 5
/** Excess of a fundamental, relative to the line's, below which it is drift. */
const fundamentalShareMin = 0.03
/** Harmonics of a breath that are thought of. */
const harmonics = 4

/** What a window says. Exactly one of `rateBpm` and `reason` is null. */
export interface BreathingReading {
  readonly rateBpm: number | null
  /** 0..1; one half at the weakest line that is reported, 0 without a rate. */
  readonly confidence: number
  readonly reason: string | null
}

type Blocks = ReadonlyArray<ValueBlock>

/** A link's trailing windows on the uniform grid. */
export interface BreathingWindows {
  readonly fast: UniformWindow
  readonly slow: UniformWindow | WindowRefusal
  readonly blocks: Blocks
}

export const whileMoving = "somebody moves: a breath can be heard only while all are still"

export const withoutRate = (reason: string): BreathingReading => ({ rateBpm: null, confidence: 0, reason })

/** Why a window could not be had, in words. */
export const whyNoWindow = (refusal: WindowRefusal, lengthS: number): string =>
  ({
    "not-filled": `not enough data yet: ${lengthS} s are needed`,
    gap: `packets were missing for more than ${gapSMax} s within the last ${lengthS} s`,
    sparse: "the packet rate is too low: at least 5 packets/s, evenly spread, are needed",
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

/** A line where one is expected, within `toleranceHz`. */
const lineAt = (frequencyHz: number, spectrum: Spectrum, toleranceHz: number): Line | null => {
  const found = findLine(spectrum, around(frequencyHz, Math.max(toleranceHz, spectrum.stepHz)), surroundings)
  if (found === null || Math.abs(found.frequencyHz - frequencyHz) > toleranceHz) return null
  return found.strength < expectedStrengthMin ? null : found
}

/**
 * The slowest line that has this one among its harmonics: a chest that moves the phase far, or about a point of the fringe where the
 * channel answers to its square, is heard best at a multiple of its rate.
 */
const fundamentalOf = (line: Line, spectrum: Spectrum): Line | null => {
  for (let h = harmonics; h > 1; h--) {
    if (line.frequencyHz / h < slowBand.fromHz) continue
    const found = lineAt(line.frequencyHz / h, spectrum, spectrum.lobeHz / 4)
    if (found !== null && found.power - 1 >= fundamentalShareMin * (line.power - 1)) return found
  }
  return null
}

/** Whether what moves faster than breathing carries more power than the line, and is not noise. */
const outdone = (line: Line, { spectrum, window: { passHz, scatter } }: View, blocks: Blocks): boolean => {
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

/** The line of a view within a band, when chance does not make it. */
const lineOf = (view: View | null, band: Band): Line | null => {
  const line = view === null ? null : findLine(view.spectrum, band, surroundings)
  return line === null || line.strength < strengthMin ? null : line
}

const readingOf = (line: Line, view: View, blocks: Blocks): BreathingReading => {
  if (outdone(line, view, blocks)) return withoutRate(whileMoving)
  const ratio = line.strength / strengthMin
  return { rateBpm: 60 * line.frequencyHz, confidence: ratio * ratio / (1 + ratio * ratio), reason: null }
}

/** The breathing rate that the windows of one link show. */
export const estimateBreathing = ({ blocks, fast, slow }: BreathingWindows): BreathingReading => {
  const long = viewOf(slow, blocks)
  const slowLine = lineOf(long, slowBand)
  // A line of the fast window must be in the slow one too: mostly nothing is there, and that saves the other spectrum.
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
    return withoutRate("no period has held long enough to stand out of the noise")
  }
  const fundamental = fundamentalOf(fastLine, (long ?? short).spectrum)
  if (fundamental === null) return readingOf(fastLine, short, blocks)
  if (long !== null || fundamental.frequencyHz >= fastBand.fromHz) {
    return readingOf({ ...fundamental, strength: fastLine.strength }, long ?? short, blocks)
  }
  return withoutRate(`the rate may be ${bpm(fundamental)} or ${bpm(fastLine)}/min: ${slowWindowS} s of data would tell`)
}

/** Where a line of the fast window would be in the slow one: `lineAt` with half a lobe's tolerance. */
const confirmBand = ({ rateHz, steps }: UniformWindow): Band => {
  const toleranceHz = rateHz / steps
  return { fromHz: fastBand.fromHz - toleranceHz, toHz: fastBand.toHz + toleranceHz }
}

const noPeriod = "no period stands out of the noise"

const onlySlowLeft =
  `not enough data yet for rates below 8/min, which take ${slowWindowS} s; no faster one stands out of the noise`

const bpm = ({ frequencyHz }: Line): string => (60 * frequencyHz).toFixed(0)
