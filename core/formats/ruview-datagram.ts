/**
 * RuView ESP32 node datagrams: one datagram is one CSI frame (magic 0xC5110001) or one of the node's own reports.
 *
 * Owns the header of a CSI frame and the order of its bins. Boundary: no socket. The receive time is an argument, because the
 * datagram has none. It does not name the transmitter of the measured packet either, so every frame has the transmitter "ap".
 * `ruview-report.ts` reads reports.
 *
 * A frame begins with the 64 bins of the legacy training field, in HT packets followed by further training fields. As for the ESP32
 * csv, only the legacy field is used. Its order depends on the secondary channel, which a datagram does not name, so it is decided by
 * `bin-order.ts` from the frames of each node. Newer firmware sets bit 0 of byte 19 for a packet of 40 MHz. The service's own firmware
 * (`deploy/firmware`) states the secondary channel in byte 18 as 0xB0 + 0 (none), 1 (above) or 2 (below), and with it the order.
 */
import {
  binOf,
  type BinOrder,
  type BinOrderFinding,
  binOrderOfPairs,
  BinOrders,
  contradictedOrder,
} from "./bin-order.ts"
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import type { Fault } from "./decoder.ts"
import { i8, u16, u32 } from "./little-endian.ts"
import { type DeviceReport, readRuviewReport } from "./ruview-report.ts"
import { legacyBins, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** A datagram with a CSI frame, and its node. */
export interface RuviewFrame {
  readonly routerId: string
  readonly frame: CsiFrame
  /** The order of the node's bins; null until there were enough frames. */
  readonly binOrder: BinOrderFinding | null
}

/** A datagram with the node's own results from the CSI. */
interface RuviewReport {
  readonly routerId: string
  readonly report: DeviceReport
}

const magic = 0xc5110001
const headerBytes = 20
const antennasMax = 4
const bins = legacyBins.length
/**
 * Bins per antenna: legacy alone, with an HT field of 20 MHz, with two of them (188 and 190 with a secondary channel) or one of
 * 40 MHz, with two of 40 MHz.
 */
export const ruviewBinCounts: ReadonlyArray<number> = [64, 128, 188, 190, 192, 306]

/** Router id of a node. */
export const ruviewRouterId = (node: number): string => `node-${node}`

/** The first bytes of all datagrams of nodes, CSI and reports, as a number. */
const family = 0xc511

/** The node number of a datagram; null if it is not from a node. */
export const ruviewNodeOf = (bytes: Uint8Array): number | null =>
  bytes.length > 4 && u16(bytes, 2) === family ? bytes[4]! : null

const refuse = (reason: Fault["reason"], message: string): Fault => ({ offset: 0, reason, message })

/**
 * Decodes one datagram.
 *
 * @param receivedUs receive time in microseconds since the Unix epoch, which becomes the frame's timestamp
 * @param orders the orders of the nodes so far; without it, the datagram's own guard bins decide
 */
export const decodeRuviewDatagram = (
  bytes: Uint8Array,
  receivedUs: number,
  orders: BinOrders = new BinOrders(),
): RuviewFrame | RuviewReport | Fault => {
  if (bytes.length < headerBytes) {
    return refuse("truncated", `${bytes.length} bytes, the header alone has ${headerBytes}`)
  }
  if (u32(bytes, 0) !== magic) {
    const report = readRuviewReport(bytes)
    return "kind" in report ? { routerId: ruviewRouterId(bytes[4]!), report } : { offset: 0, ...report }
  }
  const antennas = bytes[5]!
  const binCount = u16(bytes, 6)
  const frequencyMHz = u32(bytes, 8)
  if (antennas < 1 || antennas > antennasMax) {
    return refuse("bad-field", `${antennas} antennas, not 1 to ${antennasMax}`)
  }
  if (!ruviewBinCounts.includes(binCount)) {
    return refuse("unsupported-layout", `${binCount} subcarriers, not ${ruviewBinCounts.join(", ")}`)
  }
  const expected = headerBytes + 2 * antennas * binCount
  if (bytes.length < expected) return refuse("truncated", `${bytes.length} bytes, the header announces ${expected}`)
  if (bytes.length > expected) return refuse("value-count", `${bytes.length} bytes, the header announces ${expected}`)
  if (frequencyMHz < 2400 || frequencyMHz > 7200) {
    return refuse("bad-field", `${frequencyMHz} MHz is not a Wi-Fi channel`)
  }
  const routerId = ruviewRouterId(bytes[4]!)
  const shown = shownOrder(bytes, antennas, binCount)
  const stated = statedOrder(bytes[18]!)
  const decision = orders.of(bytes[4]!)
  const order = stated === null
    ? decision.next(shown, (bytes[19]! & 1) === 1)
    : shown === null || shown === stated
    ? stated
    : null
  if (order === null) return { offset: 0, ...contradictedOrder(routerId) }
  const csi = new Int8Array(2 * bins * antennas)
  for (let antenna = 0; antenna < antennas; antenna++) {
    readLegacyBins(bytes, headerBytes + 2 * antenna * binCount, order, csi.subarray(2 * bins * antenna))
  }
  return {
    routerId,
    binOrder: stated ?? decision.finding,
    frame: {
      layout: ruviewLayout(antennas, frequencyMHz * 1e6),
      timestampUs: receivedUs,
      sequence: u32(bytes, 12),
      rssiDbm: i8(bytes, 16),
      noiseFloorDbm: i8(bytes, 17),
      transmitterId: unknownTransmitterId,
      csi,
    },
  }
}

/** The order that a datagram states by its secondary channel; null if it states none. */
const statedOrder = (channel: number): BinOrder | null =>
  channel === 0xb0 ? "centre-first" : channel === 0xb1 || channel === 0xb2 ? "ascending" : null

/** The layout of a node's frames. */
export const ruviewLayout = (antennas: number, centerFrequencyHz: number): RadioLayout => ({
  format: "ruview",
  receiveAntennas: antennas,
  transmitAntennas: 1,
  subcarrierIndices: legacyBins,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz,
  bandwidthHz: 20e6,
})

/** The order that the first decisive antenna of a datagram shows; null without one. */
const shownOrder = (bytes: Uint8Array, antennas: number, binCount: number): BinOrder | null => {
  for (let antenna = 0; antenna < antennas; antenna++) {
    const shown = binOrderOfPairs(bytes, headerBytes + 2 * antenna * binCount)
    if (shown !== null) return shown
  }
  return null
}

/** Reads the legacy field of one antenna from `at`, by ascending subcarrier. The node writes the imaginary part first. */
export const readLegacyBins = (bytes: Uint8Array, at: number, order: BinOrder, out: Int8Array): void => {
  for (let i = 0; i < bins; i++) {
    const from = at + 2 * binOf(i - bins / 2, order)
    out[2 * i] = i8(bytes, from + 1)
    out[2 * i + 1] = i8(bytes, from)
  }
}
