/**
 * The serial output of esp-csi-rs (esp-csi-cli-rs, esp-csi-tui), in its two forms of text.
 *
 * Owns the fields of both. Boundary: `table-values.ts` reads the buffer.
 *
 * - The array list: `[sequence, rssi, rate, noise floor, channel, timestamp, sig_len, rx_state, …, sig_len, length, [values]]`, with 22 fields
 *   before the values, or 24 of an ESP32-C6, which states no secondary channel. It names no sender.
 * - The text: a line per field, `rssi: -83`, and the values after `csi raw data:`, in that line or the next. In the form `[[…]]` they are
 *   hexadecimal.
 *
 * The noise floor may be the 8-bit number without its sign. The sequence is not known to count the packets of one sender.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import { DeviceClock } from "./device-clock.ts"
import type { PacketMode } from "./esp32-lltf.ts"
import { type LineReader, linesOf } from "./line-records.ts"
import { macNameOf } from "./mac-address.ts"
import type { Refusal } from "./record-stream.ts"
import { fieldsOf, listOf, numberOf } from "./table-fields.ts"
import { TableValues } from "./table-values.ts"

const lineBytesMax = 8192
const clockUsMax = 2 ** 32
/** Fields of a text record, so that other lines of the device are not collected without a bound. */
const fieldsMax = 40
const valuesKey = "csi raw data"

/** Names of the fields of an array list, as in the text; those that are not used are empty. */
const common = ["", "rssi", "", "noise floor", "channel", "timestamp", "", ""]
const packet = ["secondary channel", "", "", "", "sig_mode", "", "cwb", "", "", "", "stbc", ""]
const arrayFields: ReadonlyMap<number, ReadonlyArray<string>> = new Map([
  [22, [...common, ...packet, "", "data length"]],
  [24, [...common, ...Array.from({ length: 14 }, () => ""), "", "data length"]],
])

/** One packet: fields by name, and values. */
interface Packet {
  readonly fields: ReadonlyMap<string, string>
  readonly values: ReadonlyArray<number>
}

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field "${name}" is not a number in its range`,
})

/** The packet of a line of the array list; null for other lines. */
const arrayPacketOf = (line: string): Packet | null => {
  const parts = /^\[((?:-?\d+,)+)\[([-\d,\s]*)\]\]$/.exec(line)
  if (parts === null) return null
  const fields = parts[1]!.slice(0, -1).split(",")
  const names = arrayFields.get(fields.length)
  if (names === undefined) return null
  return { fields: new Map(names.map((name, i) => [name, fields[i]!])), values: listOf(parts[2]!) }
}

/** The values of a text: 8-bit integers, in hexadecimal digits of two's complement after two brackets. */
const textValuesOf = (text: string): ReadonlyArray<number> =>
  text.startsWith("[[")
    ? fieldsOf(text.slice(2).replace(/\]+$/, ""), ",").map((digits) =>
      /^[\da-f]{1,2}$/i.test(digits) ? (parseInt(digits, 16) << 24) >> 24 : NaN
    )
    : listOf(text)

/** Reads the lines of one receiver. */
export class EspCsiRsReader implements LineReader {
  readonly lineBytesMax = lineBytesMax
  readonly hardware = "ESP32"
  readonly #text = new TextDecoder()
  readonly #clock = new DeviceClock()
  readonly #values = new TableValues()
  #fields = new Map<string, string>()
  /** Whether the values are in the next line. */
  #awaitsValues = false

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const line = this.#text.decode(bytes.subarray(from, to)).trim()
    const found = arrayPacketOf(line) ?? this.#textPacketOf(line)
    if (found === null) return null
    const frame = this.#frameOf(found)
    if ("reason" in frame) return frame
    add(frame)
    return frame.doubt
  }

  /** The packet that a line of the text completes. */
  #textPacketOf(line: string): Packet | null {
    const isList = line.startsWith("[")
    const text = this.#awaitsValues && isList ? line : this.#textOfField(line)
    if (text === null) return null
    this.#awaitsValues = text === ""
    if (text === "") return null
    const fields = this.#fields
    this.#fields = new Map()
    return { fields, values: textValuesOf(text) }
  }

  /** Keeps the field of a line. Returns the text of the values if it is theirs, else null. */
  #textOfField(line: string): string | null {
    const colon = line.indexOf(":")
    const key = line.slice(0, colon).trim()
    if (colon < 0) return null
    const text = line.slice(colon + 1).trim()
    if (key === valuesKey) return this.#fields.size === 0 ? null : text
    if (key === "mac") this.#fields = new Map()
    if (this.#fields.size < fieldsMax) this.#fields.set(key, text)
    return null
  }

  #frameOf({ fields, values }: Packet): (CsiFrame & { readonly doubt: Refusal | null }) | Refusal {
    const number = (name: string, least: number, most: number): number => {
      const value = numberOf(fields.get(name))
      return Number.isInteger(value) && value >= least && value <= most ? value : NaN
    }
    const clock = number("timestamp", 0, clockUsMax - 1)
    const rssiDbm = number("rssi", -128, 255)
    const channel = number("channel", 0, 255)
    const mac = fields.get("mac")
    const transmitterId = mac === undefined ? unknownTransmitterId : macNameOf(mac)
    if (transmitterId === null) return { reason: "bad-field", message: `field "mac" is not a MAC address` }
    if (Number.isNaN(clock)) return badField("timestamp")
    if (Number.isNaN(rssiDbm)) return badField("rssi")
    if (Number.isNaN(channel)) return badField("channel")
    if (number("data length", 0, lineBytesMax) !== values.length) {
      const message = `${values.length} CSI values, but their number is stated as "${fields.get("data length")}"`
      return { reason: "value-count", message }
    }
    const buffer = this.#values.read(values, "buffer", modeOf(fields, number), channel)
    if ("reason" in buffer) return buffer
    return {
      ...buffer,
      timestampUs: this.#clock.at(clock),
      sequence: 0,
      rssiDbm: signed(rssiDbm),
      noiseFloorDbm: signed(number("noise floor", -128, 255)),
      transmitterId,
    }
  }
}

const signed = (value: number): number => (value << 24) >> 24

const modeOf = (
  fields: ReadonlyMap<string, string>,
  number: (name: string, least: number, most: number) => number,
): PacketMode | null =>
  !fields.has("secondary channel") ? null : {
    secondaryChannel: number("secondary channel", 0, 2),
    signalMode: number("sig_mode", 0, 3),
    bandwidth: number("cwb", 0, 1),
    stbc: number("stbc", 0, 3),
  }

/** Whether the first lines of a capture have a packet of the array list, or the fields of the text and its values. */
export const looksLikeEspCsiRs = (head: Uint8Array): boolean => {
  let fields = 0
  for (const text of linesOf(head)) {
    const line = text.trim()
    if (arrayPacketOf(line) !== null) return true
    if (/^(rssi|timestamp|data length): -?\d+$/.test(line)) fields++
    if (fields >= 3 && line.startsWith(`${valuesKey}:`)) return true
  }
  return false
}
