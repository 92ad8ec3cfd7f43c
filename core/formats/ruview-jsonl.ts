/**
 * RuView recordings: JSON lines that the project's recorders write from datagrams of ESP32 nodes.
 *
 * Owns the fields of a line. Two kinds of lines have CSI: a node's buffer, as `iq_hex`, and amplitudes only, which become the real
 * part of values without a phase. The server's recorder keeps the amplitudes of the first 56 bins only, which are read in the order
 * 0..31, -32..-1. Lines of other kinds, such as the nodes' vitals, are skipped. As for datagrams, only the legacy training field
 * is used, and `bin-order.ts` decides the order of its bins.
 *
 * A recording has several receivers of one access point, which no line names. It becomes one router at the access
 * point, and each node is the other end of a link, because the channel is the same in both directions. So the frames'
 * `transmitterId` names the node.
 *
 * A strength that is not negative is unknown: one recorder reads `rssi` from the wrong byte of the header and always writes 1,
 * another writes 0. Lines do not name the channel. Times are the recorder's clock.
 */
import {
  binOf,
  type BinOrder,
  type BinOrderDecision,
  binOrderOf,
  binOrderOfPairs,
  BinOrders,
  contradictedOrder,
  unknownOrder,
} from "./bin-order.ts"
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import { type LineReader, linesOf } from "./line-records.ts"
import type { Refusal } from "./record-stream.ts"
import { readLegacyBins, ruviewBinCounts, ruviewLayout, ruviewRouterId } from "./ruview-datagram.ts"
import { wholeDbm } from "./signal-strength.ts"
import { legacyBins } from "./wifi-channel.ts"

/** Amplitudes in a line of the server's recorder. */
const serverAmplitudes = 56
const half = legacyBins.length / 2
/** The node of lines that name none. */
const unnamedNode = -1

const wholeLayout = ruviewLayout(1, 0)
/** Without the bins -8..-1, which are last in a buffer. */
const serverLayout: RadioLayout = {
  ...wholeLayout,
  subcarrierIndices: legacyBins.filter((k) => (k + 2 * half) % (2 * half) < serverAmplitudes),
}

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The amplitudes of a line without a buffer; null if it has none. */
const amplitudesOf = (line: Readonly<Record<string, unknown>>): ReadonlyArray<unknown> | null => {
  const { amplitudes, subcarriers } = line
  return Array.isArray(amplitudes) ? amplitudes : Array.isArray(subcarriers) ? subcarriers : null
}

/** The time of a line in seconds; NaN without one. */
const timeOf = ({ timestamp, ts_ns }: Readonly<Record<string, unknown>>): number =>
  typeof ts_ns === "number" ? ts_ns / 1e9 : typeof timestamp === "number" ? timestamp : NaN

/** A strength in dBm; 0 if unknown. */
const strengthOf = (dbm: unknown): number => typeof dbm === "number" && dbm < 0 ? wholeDbm(dbm) : 0

/** Reads the lines of one recording. */
export class RuviewJsonReader implements LineReader {
  /** More than 306 amplitudes of 20 characters and a buffer of as many bins in hexadecimal. */
  readonly lineBytesMax = 16_384
  readonly hardware = "ESP32 (RuView node)"
  readonly #text = new TextDecoder()
  readonly #bytes = new Uint8Array(2 * Math.max(...ruviewBinCounts))
  /** The values of a line with a buffer, and of one with amplitudes. */
  readonly #values = new Int8Array(2 * legacyBins.length)
  readonly #amplitudes = new Float32Array(2 * legacyBins.length)
  readonly #orders = new BinOrders()
  /** Nodes already reported for their unknown order. */
  readonly #reported = new Set<number>()
  readonly #clock = new DeviceClock(Infinity)
  #firstS: number | null = null

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const text = this.#text.decode(bytes.subarray(from, to)).trim()
    if (text === "") return null
    const line = parsed(text)
    if (!isObject(line)) return { reason: "not-a-record", message: "the line is not a JSON object" }
    const amplitudes = amplitudesOf(line)
    const { iq_hex: buffer, node_id: node } = line
    if (typeof buffer !== "string" && amplitudes === null) return null
    const timeS = timeOf(line)
    if (!(Math.abs(timeS) < 1e10)) return { reason: "bad-field", message: "timestamp is not a time in seconds" }
    const isNode = typeof node === "number" && Number.isInteger(node) && node >= 0 && node <= 255
    if (node !== undefined && !isNode) return { reason: "bad-field", message: "node_id is not an 8-bit number" }
    const whole = typeof buffer === "string"
    const sender = isNode ? node : unnamedNode
    const name = isNode ? ruviewRouterId(node) : "the node"
    const decision = this.#orders.of(sender)
    const layout = whole ? this.#readBuffer(buffer, decision) : this.#readAmplitudes(amplitudes!, decision)
    if (layout === null) return contradictedOrder(name)
    if ("reason" in layout) return layout
    this.#firstS ??= timeS
    add({
      layout,
      timestampUs: this.#clock.at(Math.round((timeS - this.#firstS) * 1e6)),
      sequence: 0,
      rssiDbm: strengthOf(line.rssi),
      noiseFloorDbm: strengthOf(line.noise_floor),
      transmitterId: isNode ? ruviewRouterId(node) : unknownTransmitterId,
      csi: whole ? this.#values : this.#amplitudes.subarray(0, 2 * layout.subcarrierIndices.length),
    })
    if (decision.finding !== "unknown" || this.#reported.has(sender)) return null
    this.#reported.add(sender)
    return unknownOrder(name)
  }

  /** Reads a node's buffer in hexadecimal; null if it contradicts the node's order. */
  #readBuffer(hex: string, decision: BinOrderDecision): RadioLayout | Refusal | null {
    if (hex.length % 4 !== 0 || !ruviewBinCounts.includes(hex.length / 4)) {
      const message = `${hex.length / 4} bins of 2 bytes in hexadecimal, not ${ruviewBinCounts.join(", ")}`
      return { reason: "value-count", message }
    }
    for (let i = 0; i < 2 * legacyBins.length; i++) {
      const byte = 16 * hexDigit(hex.charCodeAt(2 * i)) + hexDigit(hex.charCodeAt(2 * i + 1))
      if (!(byte >= 0)) return { reason: "bad-value", message: `byte ${i + 1} of iq_hex is not a hexadecimal number` }
      this.#bytes[i] = byte
    }
    const order = decision.next(binOrderOfPairs(this.#bytes, 0), false)
    if (order === null) return null
    readLegacyBins(this.#bytes, 0, order, this.#values)
    return wholeLayout
  }

  /** Reads amplitudes in the order of a node's buffer; null if they contradict the node's order. */
  #readAmplitudes(amplitudes: ReadonlyArray<unknown>, decision: BinOrderDecision): RadioLayout | Refusal | null {
    const { length } = amplitudes
    if (length !== serverAmplitudes && !ruviewBinCounts.includes(length)) {
      const message = `${length} amplitudes, not ${serverAmplitudes}, ${ruviewBinCounts.join(", ")}`
      return { reason: "value-count", message }
    }
    const isCut = length === serverAmplitudes
    const layout = isCut ? serverLayout : wholeLayout
    const shown = isCut ? null : binOrderOf((bin) => Number(amplitudes[bin]))
    const order: BinOrder | null = isCut ? "centre-first" : decision.next(shown, false)
    if (order === null) return null
    for (const [i, k] of layout.subcarrierIndices.entries()) {
      const amplitude = amplitudes[binOf(k, order)]
      if (typeof amplitude !== "number" || !(amplitude >= 0 && amplitude < 1e6)) {
        return { reason: "bad-value", message: `the amplitude of subcarrier ${k} is not a number` }
      }
      this.#amplitudes[2 * i] = amplitude
    }
    return layout
  }
}

/** The value of a hexadecimal digit's character code; NaN for others. */
const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : NaN
}

/** Whether the first line of a capture, or its available part, is one of a RuView recording. */
export const looksLikeRuviewJson = (head: Uint8Array): boolean => {
  for (const text of linesOf(head)) {
    if (text.trim() === "") continue
    if (!text.startsWith("{")) return false
    const line = parsed(text)
    if (!isObject(line)) return false
    if (typeof line.iq_hex === "string" || amplitudesOf(line) !== null) return Number.isFinite(timeOf(line))
  }
  return false
}
