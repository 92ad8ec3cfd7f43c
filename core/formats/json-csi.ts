/**
 * CSI as plain numbers: converts one packet in JSON from a client to a frame of a batch.
 *
 * Owns the mapping of the numbers to subcarriers. Indices from the client are used as given. Else the count decides: the number of tones of a
 * transmission, or a whole transform of 64, 128, 256 or 512 in the order of frequency, without its guards and centre.
 * Otherwise the numbers are adjacent subcarriers around the centre.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { frameLimits, type RadioLayout } from "./csi-batch.ts"
import { channelTonesOf } from "./npz-tones.ts"
import { subcarriersOf, type TonePlan, tonePlanOf } from "./ofdm-tones.ts"
import type { Refusal } from "./record-stream.ts"
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** Format of the batches. */
const jsonCsiFormat = "json"

export interface ComplexNumber {
  readonly real: number
  readonly imag: number
}

/** One packet; rows of equal length, finite numbers. */
export interface JsonCsi {
  readonly timestampUs: number
  /** [receive antenna][subcarrier]. */
  readonly antennas: ReadonlyArray<ReadonlyArray<ComplexNumber>>
  /** Index of each column, in any order; null if not given. */
  readonly subcarrierIndices: ReadonlyArray<number> | null
  /** Null if not given. */
  readonly bandwidthHz: number | null
  /** 0 if not given. */
  readonly centerFrequencyHz: number
  readonly transmitterId: string
  readonly sequence: number
  readonly rssiDbm: number
}

/** The tones with a channel in a whole transform of this size; for 64, those of all transmissions. */
const carrying: Readonly<Record<number, { readonly plan: TonePlan | null; readonly bandwidthHz: number }>> = {
  64: { plan: tonePlanOf("legacy", 20), bandwidthHz: 20e6 },
  128: { plan: tonePlanOf("vht", 40), bandwidthHz: 40e6 },
  256: { plan: tonePlanOf("vht", 80), bandwidthHz: 80e6 },
  512: { plan: tonePlanOf("vht", 160), bandwidthHz: 160e6 },
}

/** Subcarriers and the column of each. */
interface Tones {
  readonly layout: Pick<RadioLayout, "subcarrierIndices" | "subcarrierSpacingHz" | "bandwidthHz">
  readonly columns: ReadonlyArray<number>
}

const tonesOf = (count: number, { bandwidthHz, subcarrierIndices }: JsonCsi): Tones | Refusal => {
  const whole = subcarrierIndices === null ? carrying[count] : undefined
  if (whole?.plan != null && (bandwidthHz === null || bandwidthHz === whole.bandwidthHz)) {
    const indices = subcarriersOf(whole.plan)
    return {
      layout: {
        subcarrierIndices: indices,
        subcarrierSpacingHz: subcarrierSpacing11nHz,
        bandwidthHz: whole.bandwidthHz,
      },
      columns: Array.from(indices, (index) => index + count / 2),
    }
  }
  const tones = channelTonesOf(count, subcarrierIndices, bandwidthHz)
  if ("reason" in tones) return tones
  const { positions, ...layout } = tones
  return { layout, columns: positions }
}

/** The frame of a packet, or why it is invalid. */
export const jsonCsiFrame = (packet: JsonCsi): CsiFrame | Refusal => {
  const { antennas } = packet
  const tones = tonesOf(antennas[0]?.length ?? 0, packet)
  if ("reason" in tones) return tones
  const { columns, layout } = tones
  const values = antennas.length * columns.length
  if (antennas.length > frameLimits.antennas || values > frameLimits.values) {
    return {
      reason: "value-count",
      message: `${antennas.length} antennas of ${columns.length} subcarriers are too many`,
    }
  }
  const csi = new Float32Array(2 * values)
  let at = 0
  for (const row of antennas) {
    for (const column of columns) {
      csi[at++] = row[column]!.real
      csi[at++] = row[column]!.imag
    }
  }
  return {
    layout: {
      ...layout,
      format: jsonCsiFormat,
      receiveAntennas: antennas.length,
      transmitAntennas: 1,
      centerFrequencyHz: packet.centerFrequencyHz,
    },
    timestampUs: packet.timestampUs,
    sequence: packet.sequence,
    rssiDbm: packet.rssiDbm,
    noiseFloorDbm: 0,
    transmitterId: packet.transmitterId,
    csi,
  }
}
