/**
 * The tones of a radio: the subcarriers of a channel for which the response is simulated.
 *
 * Owns bands, bandwidths and standards, and grouping: a device may report the mean of neighbouring tones. Only the middle tone of
 * a group is simulated, because neighbours differ by less than 1 % within the delays of a room; the receiver lowers the noise
 * instead. Boundary: the tone tables are those of `core/formats/ofdm-tones.ts`.
 *
 * Invariant: neighbours in `indices` are a whole multiple of `step` apart, so phases can be computed by recurrence.
 */
import { subcarriersOf, tonePlanOf, toneSpacingHz, type TransmissionFormat } from "../../core/formats/ofdm-tones.ts"

const formats = { "802.11n": "ht", "802.11ac": "vht", "802.11ax": "he" } as const satisfies Record<
  string,
  TransmissionFormat
>
type WifiStandard = keyof typeof formats
export const wifiStandards = Object.keys(formats) as ReadonlyArray<WifiStandard>

/** The channel that the nodes of a site share, and the resolution of their reports. */
export interface RadioSettings {
  readonly centerFrequencyHz: number
  readonly bandwidthMhz: number
  readonly standard: WifiStandard
  /** Number of reported tones: all tones of the standard, or the means of this many groups of neighbours. */
  readonly subcarriers: "all" | number
}

/** Tones at equal distances, ordered by index. */
interface ToneRun {
  /** Position of the first tone in `indices`, and the number of tones. */
  readonly start: number
  readonly length: number
  /** Steps from the last tone of the previous run; 0 in the first run. */
  readonly stepsBefore: number
}

export interface Tones {
  /** Subcarriers relative to the channel's centre, ascending. */
  readonly indices: Int16Array
  readonly spacingHz: number
  readonly centerFrequencyHz: number
  readonly bandwidthHz: number
  /** Number of tones averaged in each value, which divides the power of the noise. */
  readonly grouping: number
  /** Distance of neighbours within a run, in subcarriers. */
  readonly step: number
  readonly runs: ReadonlyArray<ToneRun>
}

/** Bands in Hz (ETSI and FCC combined) and the standards that may use them. */
const bands: ReadonlyArray<
  { readonly fromHz: number; readonly toHz: number; readonly mhzMax: number; readonly of: ReadonlyArray<WifiStandard> }
> = [
  { fromHz: 2.4e9, toHz: 2.495e9, mhzMax: 40, of: ["802.11n", "802.11ax"] },
  { fromHz: 5.15e9, toHz: 5.895e9, mhzMax: 160, of: ["802.11n", "802.11ac", "802.11ax"] },
  { fromHz: 5.925e9, toHz: 7.125e9, mhzMax: 160, of: ["802.11ax"] },
]

/** The mistake in the settings of a radio and its remedy; null when the settings can be simulated. */
export const radioMistake = (radio: RadioSettings): string | null => {
  const { bandwidthMhz, centerFrequencyHz, standard, subcarriers } = radio
  const plan = tonePlanOf(formats[standard], bandwidthMhz)
  if (plan === null) return `${standard} has no channels of ${bandwidthMhz} MHz; use 20, 40, 80 or 160 as it allows.`
  const band = bands.find(({ fromHz, toHz }) => centerFrequencyHz >= fromHz && centerFrequencyHz <= toHz)
  if (band === undefined) return `No Wi-Fi band holds ${centerFrequencyHz} Hz; use a centre at 2.4, 5 or 6 GHz.`
  if (bandwidthMhz > band.mhzMax) return `The 2.4 GHz band has no channels of ${bandwidthMhz} MHz; use 20 or 40.`
  if (!band.of.includes(standard)) {
    return `${standard} is not used at ${centerFrequencyHz} Hz; use ${band.of.join(" or ")}.`
  }
  const half = (bandwidthMhz * 1e6) / 2
  if (centerFrequencyHz - half < band.fromHz || centerFrequencyHz + half > band.toHz) {
    return `${bandwidthMhz} MHz around ${centerFrequencyHz} Hz exceed the band of ${band.fromHz} to ${band.toHz} Hz; move the centre.`
  }
  if (subcarriers === "all") return null
  const count = subcarriersOf(plan).length
  return Number.isInteger(subcarriers) && subcarriers >= 2 && subcarriers <= count
    ? null
    : `subcarriers is ${subcarriers}; use "all" or a whole number from 2 to ${count}.`
}

/** The middle `count` tones of the most centred grid with distance `step` that has at least `count` of the tones in `all`. */
const gridOf = (all: Int16Array, step: number, count: number): Int16Array => {
  let best = all.subarray(0, 0)
  let unevenness = Infinity
  for (let residue = 0; residue < step; residue++) {
    const found = all.filter((index) => (((index - residue) % step) + step) % step === 0)
    if (found.length < count) continue
    const from = (found.length - count) >> 1
    const kept = found.subarray(from, from + count)
    const sum = Math.abs(kept.reduce((total, index) => total + index, 0))
    if (sum >= unevenness) continue
    unevenness = sum
    best = kept
  }
  return best.slice()
}

/** The tones of a radio. Throws a RangeError with the text of `radioMistake` for invalid settings. */
export const createTones = (radio: RadioSettings): Tones => {
  const mistake = radioMistake(radio)
  if (mistake !== null) throw new RangeError(mistake)
  const format = formats[radio.standard]
  const all = subcarriersOf(tonePlanOf(format, radio.bandwidthMhz)!)
  const grouping = radio.subcarriers === "all" ? 1 : Math.floor(all.length / radio.subcarriers)
  const indices = radio.subcarriers === "all" ? all : gridOf(all, grouping, radio.subcarriers)
  const runs: Array<{ start: number; length: number; stepsBefore: number }> = []
  for (let i = 0; i < indices.length; i++) {
    const distance = i === 0 ? 0 : indices[i]! - indices[i - 1]!
    if (i > 0 && distance === grouping) runs.at(-1)!.length++
    else runs.push({ start: i, length: 1, stepsBefore: distance / grouping })
  }
  return {
    indices,
    spacingHz: toneSpacingHz(format),
    centerFrequencyHz: radio.centerFrequencyHz,
    bandwidthHz: radio.bandwidthMhz * 1e6,
    grouping,
    step: grouping,
    runs,
  }
}
