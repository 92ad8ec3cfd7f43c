/**
 * The report of an Intel 5300, as the Linux 802.11n CSI Tool and PicoScenes record it.
 *
 * Owns its tones, its packed values, the order of its antennas, and its power and noise.
 */
import { int8Skip3Bytes, unpackInt8Skip3 } from "./bit-packed.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { totalDecibels, wholeDbm } from "./signal-strength.ts"
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

export const intel5300Tones = 30
export const intel5300AntennasMax = 3

const ascending = (first: number, step: number, count: number): Array<number> =>
  Array.from({ length: count }, (_, i) => first + step * i)

/** Subcarriers reported with grouping 2 (20 MHz) and 4 (40 MHz), IEEE 802.11-2020 table 9-72. */
const subcarriers20MHz = Int16Array.from([...ascending(-28, 2, 14), -1, ...ascending(1, 2, 14), 28])
const subcarriers40MHz = Int16Array.from([...ascending(-58, 4, 15), ...ascending(2, 4, 15)])

/** Subcarriers of a report, ascending. */
export const intel5300Subcarriers = (wide: boolean): Int16Array => wide ? subcarriers40MHz : subcarriers20MHz

const rate40MHz = 0x800
/** Layouts of the tool's reports by antennas and width: at most 18. */
const knownLayouts = new Map<number, RadioLayout>()

/** The layout of a report of the tool with these rate flags. The tool does not state the channel. */
export const intel5300Layout = (receiveAntennas: number, transmitAntennas: number, rate: number): RadioLayout => {
  const wide = (rate & rate40MHz) !== 0
  const key = (receiveAntennas << 4) | (transmitAntennas << 1) | (wide ? 1 : 0)
  const known = knownLayouts.get(key)
  if (known !== undefined) return known
  const layout: RadioLayout = {
    format: "intel5300",
    receiveAntennas,
    transmitAntennas,
    subcarrierIndices: intel5300Subcarriers(wide),
    subcarrierSpacingHz: subcarrierSpacing11nHz,
    centerFrequencyHz: 0,
    bandwidthHz: wide ? 40e6 : 20e6,
  }
  knownLayouts.set(key, layout)
  return layout
}

/** Received power of all antennas: the device reports each in dB above -44 dBm - AGC; 0 if it reports none. */
export const intel5300RssiDbm = (a: number, b: number, c: number, agc: number): number => {
  const total = totalDecibels(a, b, c)
  return total === null ? 0 : wholeDbm(total - 44 - agc)
}

const noiseUnknownDbm = -127

/** The noise floor that the device reports; 0 if it reports none. */
export const intel5300NoiseDbm = (reported: number): number => reported === noiseUnknownDbm ? 0 : reported

/** Bytes of a report of `streams` pairs of antennas. */
export const intel5300ReportBytes = (streams: number): number => int8Skip3Bytes(intel5300Tones, streams)

/**
 * Row of each receive chain: its antenna, from the 2-bit fields of the selection if they name each
 * antenna of the report once, else the order of the chains.
 */
const antennaOrder = (receive: number, selection: number): ReadonlyArray<number> => {
  const used = [selection & 3, (selection >> 2) & 3, (selection >> 4) & 3].slice(0, receive)
  const complete = used.every((antenna) => antenna < receive) && new Set(used).size === receive
  return complete ? used : used.map((_, chain) => chain)
}

/** Rows of the streams (tx = j % transmit, rx = j / transmit), by antennas and selection: at most 9 x 64. */
const knownRows = new Map<number, Uint8Array>()

const rowsOf = (receive: number, transmit: number, selection: number): Uint8Array => {
  const key = ((selection & 63) << 4) | (receive << 2) | transmit
  const known = knownRows.get(key)
  if (known !== undefined) return known
  const order = antennaOrder(receive, selection)
  const rows = Uint8Array.from(
    { length: receive * transmit },
    (_, j) => order[Math.floor(j / transmit)]! * transmit + j % transmit,
  )
  knownRows.set(key, rows)
  return rows
}

/** Reads the report at `start` to interleaved (re, im) [rx][tx][subcarrier]. */
export const readIntel5300Report = (
  bytes: Uint8Array,
  start: number,
  receive: number,
  transmit: number,
  antennaSelection: number,
  out: Int8Array,
): void => unpackInt8Skip3(bytes, start, intel5300Tones, rowsOf(receive, transmit, antennaSelection), out)
