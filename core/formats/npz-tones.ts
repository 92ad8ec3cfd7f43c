/**
 * Tones of a `.npz` file: maps its columns to subcarriers.
 */
import { frameLimits } from "./csi-batch.ts"
import {
  subcarriersOf,
  subcarrierSpacing11axHz,
  tonePlanOf,
  toneSpacingHz,
  type TransmissionFormat,
} from "./ofdm-tones.ts"
import type { Refusal } from "./record-stream.ts"
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** The subcarriers of a file. */
interface ChannelTones {
  readonly subcarrierIndices: Int16Array
  /** Column of the file of each subcarrier. */
  readonly positions: ReadonlyArray<number>
  readonly subcarrierSpacingHz: number
  /** 0 if the file does not name it and no channel has this width. */
  readonly bandwidthHz: number
}

const spacingsHz = [subcarrierSpacing11nHz, subcarrierSpacing11axHz]
const bandwidthsHz = [20e6, 40e6, 80e6, 160e6, 320e6]

/**
 * The tones of `count` columns.
 *
 * @param indices subcarrier indices of the columns from the file, or null
 * @param bandwidthHz bandwidth from the file, or null
 */
export const channelTonesOf = (
  count: number,
  indices: ArrayLike<number> | null,
  bandwidthHz: number | null,
): ChannelTones | Refusal => {
  if (count < 2 || count > frameLimits.subcarriers) {
    return { reason: "value-count", message: `${count} subcarriers, not 2 to ${frameLimits.subcarriers}` }
  }
  if (indices === null) {
    const known = transmissionTonesOf(count, bandwidthHz)
    if (known !== null) return { ...known, positions: range(count, 0) }
  } else if (indices.length !== count) {
    return { reason: "value-count", message: `subcarrier_index has ${indices.length} values, csi ${count} subcarriers` }
  }
  const columns = indices === null ? range(count, -Math.floor(count / 2)) : Array.from(indices)
  const positions = range(count, 0).sort((a, b) => columns[a]! - columns[b]!)
  const ascending = positions.map((position) => columns[position]!)
  const areIndices = ascending.every((k, i) => Number.isInteger(k) && Math.abs(k) < 2 ** 15 && k !== ascending[i - 1])
  if (!areIndices) {
    return { reason: "bad-field", message: "subcarrier_index does not have each subcarrier once, in 16 bits" }
  }
  const outermost = Math.max(-ascending[0]!, ascending[count - 1]!)
  const fits = (spacingHz: number, channelHz: number): boolean => 2 * outermost * spacingHz <= channelHz
  const subcarrierSpacingHz = bandwidthHz === null ? spacingsHz[0]! : spacingsHz.find((hz) => fits(hz, bandwidthHz))
  if (subcarrierSpacingHz === undefined) {
    return {
      reason: "bad-field",
      message: `subcarrier ${outermost} is outside of a channel of ${bandwidthHz! / 1e6} MHz`,
    }
  }
  return {
    subcarrierIndices: Int16Array.from(ascending),
    positions,
    subcarrierSpacingHz,
    bandwidthHz: bandwidthHz ?? bandwidthsHz.find((hz) => fits(subcarrierSpacingHz, hz)) ?? 0,
  }
}

/** The transmission with this number of tones; null if there is none. Without a bandwidth, 802.11ax is excluded. */
const transmissionTonesOf = (count: number, bandwidthHz: number | null): Omit<ChannelTones, "positions"> | null => {
  const formats: ReadonlyArray<TransmissionFormat> = ["legacy", "ht", "vht", "he"]
  for (const format of bandwidthHz === null ? formats.slice(0, 3) : formats) {
    for (const hz of bandwidthHz === null ? bandwidthsHz : [bandwidthHz]) {
      const plan = tonePlanOf(format, hz / 1e6)
      const subcarrierIndices = plan === null ? null : subcarriersOf(plan)
      if (subcarrierIndices?.length === count) {
        return { subcarrierIndices, subcarrierSpacingHz: toneSpacingHz(format), bandwidthHz: hz }
      }
    }
  }
  return null
}

const range = (count: number, from: number): Array<number> => Array.from({ length: count }, (_, i) => from + i)
