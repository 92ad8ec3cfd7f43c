/**
 * The report of an Atheros ath9k card, as the ath9k CSI tool and PicoScenes record it.
 *
 * Owns its tones and the order of its antennas: receive antennas run faster than streams (the tool's own reader).
 */
import { int10Bytes, unpackInt10 } from "./bit-packed.ts"
import { subcarriersOf, tonePlanOf } from "./ofdm-tones.ts"

export const ath9kAntennasMax = 3
export const ath9kTonesMax = 114

/** The bandwidth of a report with this number of tones. The cards measure packets of 802.11n. */
interface Ath9kTones {
  readonly megahertz: number
  readonly subcarrierIndices: Int16Array
}

const tonesOf = (megahertz: number): Ath9kTones => ({
  megahertz,
  subcarrierIndices: subcarriersOf(tonePlanOf("ht", megahertz)!),
})

/** By the number of tones. */
export const ath9kTones: ReadonlyMap<number, Ath9kTones> = new Map([[56, tonesOf(20)], [114, tonesOf(40)]])

/** Bytes of a report of `streams` pairs of antennas. */
export const ath9kReportBytes = (tones: number, streams: number): number => int10Bytes(tones * streams)

/** Rows of the streams (rx = j % receive, tx = j / receive), by antennas. */
const knownRows = new Map<number, Uint8Array>()

const rowsOf = (receive: number, transmit: number): Uint8Array => {
  const key = receive * (ath9kAntennasMax + 1) + transmit
  const known = knownRows.get(key)
  if (known !== undefined) return known
  const rows = Uint8Array.from(
    { length: receive * transmit },
    (_, j) => (j % receive) * transmit + Math.floor(j / receive),
  )
  knownRows.set(key, rows)
  return rows
}

/** Reads the report at `start`, of at most three antennas on each side, to interleaved (re, im) [rx][tx][tone]. */
export const readAth9kReport = (
  bytes: Uint8Array,
  start: number,
  tones: number,
  receive: number,
  transmit: number,
  out: Int16Array,
): void => unpackInt10(bytes, start, tones, rowsOf(receive, transmit), out)
