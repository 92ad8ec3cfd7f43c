/**
 * The tone map: which subcarriers of a layout carry a channel.
 *
 * Decoders deliver every tone of a record. The centre, the guards, and what a device is known to leave invalid are taken out here,
 * by the table of the transmission (IEEE 802.11-2020: 17.3.5.10, 19.3.7, 21.3.7; 802.11ax-2021: 27.3.10) and of the format.
 */
import { type RadioLayout, valuesPerFrame } from "../formats/csi-batch.ts"
import { subcarrierSpacing11nHz } from "../formats/wifi-channel.ts"

/** A run of indices that carry a channel; the same below the centre. */
type Range = readonly [first: number, last: number]

/** Tones of 802.11n and 802.11ac, by bandwidth in MHz. */
const ranges11n: Readonly<Record<number, ReadonlyArray<Range>>> = {
  20: [[1, 28]],
  40: [[2, 58]],
  80: [[2, 122]],
  160: [[6, 126], [130, 250]],
}

/** Tones of 802.11ax with one user on the whole channel. */
const ranges11ax: Readonly<Record<number, ReadonlyArray<Range>>> = {
  20: [[2, 122]],
  40: [[3, 244]],
  80: [[3, 500]],
  160: [[12, 509], [515, 1012]],
}

/** The legacy long training field. */
const legacy: ReadonlyArray<Range> = [[1, 26]]

/**
 * Formats that measure the legacy field alone. Subcarrier 1 is left out with them: on the ESP32 the first four bytes of a buffer,
 * which hold the centre and subcarrier 1, may be invalid (ESP-IDF, "Wi-Fi Channel State Information").
 */
const legacyFormats: ReadonlySet<string> = new Set(["esp32-csi-tool", "ruview"])

/** Formats that deliver the transform of a whole training field, guards and centre included, in an order of their own. */
const wholeFieldFormats: ReadonlySet<string> = new Set(["nexmon"])

/** Pilots of 802.11n and 802.11ac, which FeitCSI leaves without a channel (its documentation of the format). */
const pilots11n: Readonly<Record<number, ReadonlyArray<number>>> = {
  20: [7, 21],
  40: [11, 25, 53],
  80: [11, 39, 75, 103],
  160: [25, 53, 89, 117, 139, 167, 203, 231],
}

const within = (ranges: ReadonlyArray<Range>, index: number): boolean =>
  ranges.some(([first, last]) => Math.abs(index) >= first && Math.abs(index) <= last)

const isUsable = ({ bandwidthHz, format, subcarrierSpacingHz }: RadioLayout, index: number): boolean => {
  const megahertz = Math.round(bandwidthHz / 1e6)
  if (legacyFormats.has(format)) return within(legacy, index) && index !== 1
  if (wholeFieldFormats.has(format)) {
    const ranges = (subcarrierSpacingHz === subcarrierSpacing11nHz ? ranges11n : ranges11ax)[megahertz]
    return ranges === undefined || within(ranges, index)
  }
  if (format === "feitcsi" && subcarrierSpacingHz === subcarrierSpacing11nHz) {
    return !(pilots11n[megahertz]?.includes(Math.abs(index)) ?? false)
  }
  return true
}

/** How the tones of a record become those that are used. */
export interface ToneMap {
  /** The layout with the tones that are used. */
  readonly layout: RadioLayout
  /** Position in the record's row of each tone that is used; null when all of them are. */
  readonly positions: Uint16Array | null
}

/** The map of a layout. A layout of which nothing would be left keeps all its tones. */
export const createToneMap = (layout: RadioLayout): ToneMap => {
  const positions: Array<number> = []
  for (const [i, index] of layout.subcarrierIndices.entries()) if (isUsable(layout, index)) positions.push(i)
  if (positions.length === 0 || positions.length === layout.subcarrierIndices.length) return { layout, positions: null }
  const subcarrierIndices = Int16Array.from(positions, (i) => layout.subcarrierIndices[i]!)
  return { layout: { ...layout, subcarrierIndices }, positions: Uint16Array.from(positions) }
}

/**
 * Copies the tones that are used of `frames` frames, from the frame at value `at` of `csi` (interleaved [frame][rx][tx][tone]),
 * to the front of `out`.
 */
export const mapTones = (
  { layout, positions }: ToneMap,
  tonesBefore: number,
  csi: Float32Array,
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
