/**
 * The tone map: which subcarriers of a layout carry a channel.
 *
 * Decoders deliver every tone of a record. This map removes the centre, the guards, and the tones that a device is
 * known to leave invalid, by the tables of the transmission (`core/formats/ofdm-tones.ts`) and of the format.
 */
import { type RadioLayout, type Samples, valuesPerFrame } from "../formats/csi-batch.ts"
import { tonePlanOf } from "../formats/ofdm-tones.ts"
import { subcarrierSpacing11nHz } from "../formats/wifi-channel.ts"

/**
 * Formats that measure the legacy field only, or do not say which field they measure, so that only its subcarriers are
 * certain. They also lose subcarrier 1: on the ESP32 the first four bytes of a buffer, which hold the centre and
 * subcarrier 1, may be invalid (ESP-IDF, "Wi-Fi Channel State Information").
 */
const legacyFormats: ReadonlySet<string> = new Set(["esp32-csi-tool", "ruview", "espectre"])

/** Formats that deliver the transform of a whole training field, with guards and centre, in an order of their own. */
const wholeFieldFormats: ReadonlySet<string> = new Set(["nexmon", "esp32-ht40"])

/**
 * Formats of the Intel AX200 and AX210, which have no channel on the pilots (FeitCSI's documentation, "CSI format").
 */
const pilotlessFormats: ReadonlySet<string> = new Set(["feitcsi", "picoscenes-iwlmvm"])

const isUsable = ({ bandwidthHz, format, subcarrierSpacingHz }: RadioLayout, index: number): boolean => {
  const above = Math.abs(index)
  const plan = legacyFormats.has(format)
    ? tonePlanOf("legacy", 20)
    : tonePlanOf(subcarrierSpacingHz === subcarrierSpacing11nHz ? "vht" : "he", Math.round(bandwidthHz / 1e6))
  if (plan === null) return true
  const carries = plan.ranges.some(([first, last]) => above >= first && above <= last)
  if (legacyFormats.has(format)) return carries && index !== 1
  if (wholeFieldFormats.has(format)) return carries
  return !(pilotlessFormats.has(format) && plan.pilots.includes(above))
}

/** Mapping from the tones of a record to the used tones. */
export interface ToneMap {
  /** The layout reduced to the used tones. */
  readonly layout: RadioLayout
  /** Position in the record's row of each used tone; null when all are used. */
  readonly positions: Uint16Array | null
}

/** The map of a layout. A layout without any usable tone keeps all of them. */
export const createToneMap = (layout: RadioLayout): ToneMap => {
  const positions: Array<number> = []
  for (const [i, index] of layout.subcarrierIndices.entries()) if (isUsable(layout, index)) positions.push(i)
  if (positions.length === 0 || positions.length === layout.subcarrierIndices.length) return { layout, positions: null }
  const subcarrierIndices = Int16Array.from(positions, (i) => layout.subcarrierIndices[i]!)
  return { layout: { ...layout, subcarrierIndices }, positions: Uint16Array.from(positions) }
}

/** Copies the used tones of the frame at value `at` of `csi` (interleaved [rx][tx][tone]) to the front of `out`. */
export const mapTones = (
  { layout, positions }: ToneMap,
  tonesBefore: number,
  csi: Samples,
  at: number,
  out: Float32Array,
): void => {
  const rows = layout.receiveAntennas * layout.transmitAntennas
  if (positions === null) return out.set(csi.subarray(at, at + 2 * valuesPerFrame(layout)))
  for (let row = 0, to = 0; row < rows; row++) {
    const from = at + 2 * row * tonesBefore
    for (let i = 0; i < positions.length; i++, to += 2) {
      const v = from + 2 * positions[i]!
      out[to] = csi[v]!
      out[to + 1] = csi[v + 1]!
    }
  }
}
