/**
 * OFDM tones: the subcarriers of a transmission, by its format and bandwidth.
 *
 * IEEE 802.11-2020: 17.3.5.10 (legacy), 19.3.11.10 (HT), 21.3.10.10 (VHT); 802.11ax-2021: 27.3.2.4 and 27.3.2.5 (HE, one user on
 * the whole channel). Tables have the indices above the centre; those below are their mirror image.
 */
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** Spacing of the subcarriers of 802.11ax. */
export const subcarrierSpacing11axHz = 78_125

/** The generations of OFDM that differ in their tones. VHT has those of HT at 20 and 40 MHz. */
export type TransmissionFormat = "legacy" | "ht" | "vht" | "he"

/** A run of indices above the centre. */
type Range = readonly [first: number, last: number]

/** The tones of a transmission above the centre. The ranges include the pilots. */
export interface TonePlan {
  readonly ranges: ReadonlyArray<Range>
  readonly pilots: ReadonlyArray<number>
}

const legacy20: TonePlan = { ranges: [[1, 26]], pilots: [7, 21] }

/** 802.11n and 802.11ac, by MHz. */
const tones11n: Readonly<Record<number, TonePlan>> = {
  20: { ranges: [[1, 28]], pilots: [7, 21] },
  40: { ranges: [[2, 58]], pilots: [11, 25, 53] },
  80: { ranges: [[2, 122]], pilots: [11, 39, 75, 103] },
  160: { ranges: [[6, 126], [130, 250]], pilots: [25, 53, 89, 117, 139, 167, 203, 231] },
}

/** 802.11ax, by MHz. */
const tones11ax: Readonly<Record<number, TonePlan>> = {
  20: { ranges: [[2, 122]], pilots: [22, 48, 90, 116] },
  40: { ranges: [[3, 244]], pilots: [10, 36, 78, 104, 144, 170, 212, 238] },
  80: { ranges: [[3, 500]], pilots: [24, 92, 158, 226, 266, 334, 400, 468] },
  160: {
    ranges: [[12, 509], [515, 1012]],
    pilots: [44, 112, 178, 246, 286, 354, 420, 488, 536, 604, 670, 738, 778, 846, 912, 980],
  },
}

/** The tones of a transmission; null for a bandwidth that the format does not have. */
export const tonePlanOf = (format: TransmissionFormat, megahertz: number): TonePlan | null => {
  if (format === "legacy") return megahertz === 20 ? legacy20 : null
  if (format === "ht" && megahertz > 40) return null
  return (format === "he" ? tones11ax : tones11n)[megahertz] ?? null
}

/** Spacing of the tones of a transmission. */
export const toneSpacingHz = (format: TransmissionFormat): number =>
  format === "he" ? subcarrierSpacing11axHz : subcarrierSpacing11nHz

/** Indices of a plan's tones, ascending. */
export const subcarriersOf = ({ pilots, ranges }: TonePlan, withPilots = true): Int16Array => {
  const above = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i))
    .filter((index) => withPilots || !pilots.includes(index))
  return Int16Array.from([...above.toReversed().map((index) => -index), ...above])
}
