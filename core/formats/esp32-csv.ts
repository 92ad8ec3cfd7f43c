/**
 * ESP32 text captures: the csv of ESP32-CSI-Tool and the console csv of esp-csi.
 *
 * Owns the line format, the order of the bins, and the choice of the training field. Boundary: one line is one CSI
 * frame; cutting into batches is the batch builder's.
 *
 * Every accepted buffer begins with the legacy long training field (LLTF, 64 bins); an HT packet adds the HT-LTF, and
 * with STBC a second one. The LLTF is what all packets of a station have in common, whatever rate it chose, so it alone
 * is used: one link stays one series with one layout. The price is bandwidth: 16.6 MHz even where an HT-LTF of 36 MHz
 * is present.
 *
 * Order of the LLTF bins (ESP-IDF, "Wi-Fi Channel State Information"): without a secondary channel 0..31, -32..-1; with
 * one above or below -32..31 relative to the primary channel's centre. The first four bytes of the buffer may be invalid
 * on the ESP32; without a secondary channel they hold the centre and subcarrier 1, so subcarrier 1 is left out there.
 */
import { BatchBuilder, type StreamIdentity } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { type CaptureDecoder, type DecodeResult, FaultLog, type FaultReason } from "./decoder.ts"
import { DeviceClock } from "./device-clock.ts"
import { channelCenterHz, legacySubcarriers, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** Longest line: 612 values of up to 5 characters and the header fields. */
const lineBytesMax = 8192

const valuesMax = 612
const headerBytesMax = 512
const lltfBins = 64

/** Columns that both dialects share. */
const column = {
  mac: 2,
  rssi: 3,
  signalMode: 5,
  bandwidth: 7,
  stbc: 11,
  noiseFloor: 14,
  channel: 16,
  secondaryChannel: 17,
  timestamp: 18,
}

/** Fields before the values: ESP32-CSI-Tool has 25, the esp-csi console 24. */
const fieldCounts = [24, 25]

const macPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i

/** A line read into fields; `csi` is reused by the next line. */
interface Esp32Record {
  readonly layout: RadioLayout
  readonly clock: number
  readonly rssiDbm: number
  readonly noiseFloorDbm: number
  readonly mac: string
}

interface Refusal {
  readonly reason: FaultReason
  readonly message: string
}

const isRefusal = (x: Esp32Record | Refusal | number): x is Refusal => typeof x === "object" && "reason" in x

/** Subcarriers without a secondary channel. */
const subcarriersAlone = legacySubcarriers.filter((k) => k !== 1)

const layoutOf = (channel: number, secondary: number): RadioLayout => ({
  format: "esp32-csi-tool",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: secondary === 0 ? subcarriersAlone : legacySubcarriers,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz: channelCenterHz(channel),
  bandwidthHz: 20e6,
})

/** Numbers in a buffer that starts with an LLTF, given the header (ESP-IDF's table of CSI lengths). */
const startsWithLltf = (values: number, signalMode: number, bandwidth: number, stbc: number): boolean => {
  if (values === 128) return true
  if (signalMode === 0) return false
  if (bandwidth === 0) return stbc === 0 ? values === 256 : values === 384 || values === 380
  return stbc === 0 ? values === 384 : values === 612
}

/** Streaming decoder of ESP32 csv captures. The transmitter is the MAC address of each line, in lower case. */
export class Esp32CsvDecoder implements CaptureDecoder {
  readonly #builder: BatchBuilder
  readonly #faults = new FaultLog()
  readonly #clock = new DeviceClock()
  readonly #values = new Int16Array(valuesMax)
  readonly #carry = new Uint8Array(lineBytesMax)
  #carried = 0
  #skipping = false
  #consumed = 0
  /** Offset in the capture of the line that is being gathered. */
  #lineOffset = 0
  readonly hardware = "ESP32"

  constructor(identity: StreamIdentity) {
    this.#builder = new BatchBuilder(identity)
  }

  push(bytes: Uint8Array): DecodeResult {
    let position = 0
    while (position < bytes.length) {
      const newline = bytes.indexOf(10, position)
      const end = newline < 0 ? bytes.length : newline
      this.#gather(bytes.subarray(position, end), newline >= 0)
      position = end + 1
    }
    return this.#result()
  }

  end(): DecodeResult {
    if (this.#carried > 0 && !this.#skipping) this.#line(this.#carry.subarray(0, this.#carried), true)
    this.#carried = 0
    return this.#result()
  }

  /** Takes a piece of a line; `complete` when the newline followed it. */
  #gather(piece: Uint8Array, complete: boolean): void {
    if (!this.#skipping && this.#carried + piece.length > lineBytesMax) {
      this.#faults.add(this.#lineOffset, "too-long", `the line is longer than ${lineBytesMax} bytes`)
      this.#skipping = true
    }
    if (!this.#skipping && complete && this.#carried === 0) this.#line(piece, false)
    else if (!this.#skipping) {
      this.#carry.set(piece, this.#carried)
      if (complete) this.#line(this.#carry.subarray(0, this.#carried + piece.length), false)
    }
    this.#carried = complete ? 0 : Math.min(lineBytesMax, this.#carried + piece.length)
    this.#consumed += piece.length + (complete ? 1 : 0)
    if (!complete) return
    this.#skipping = false
    this.#lineOffset = this.#consumed
  }

  #line(line: Uint8Array, unfinished: boolean): void {
    const record = this.#read(line)
    if (record === null) return
    if (isRefusal(record)) {
      const truncated = unfinished && record.reason !== "unsupported-layout"
      const message = truncated ? `the capture ends within a line: ${record.message}` : record.message
      this.#faults.add(this.#lineOffset, truncated ? "truncated" : record.reason, message)
      return
    }
    this.#builder.add({
      layout: record.layout,
      timestampUs: this.#clock.at(record.clock),
      sequence: 0,
      rssiDbm: record.rssiDbm,
      noiseFloorDbm: record.noiseFloorDbm,
      transmitterId: record.mac,
      csi: this.#csi(record.layout),
    })
  }

  /** Reads a line; null for a blank line and for the line of column names. */
  #read(line: Uint8Array): Esp32Record | Refusal | null {
    const bracket = line.indexOf(91)
    const text = ascii(line.subarray(0, Math.min(bracket < 0 ? line.length : bracket, headerBytesMax)))
    if (bracket < 0) {
      if (text.trim() === "" || text.startsWith("type,")) return null
      return { reason: "not-a-record", message: "the line has no [ that begins CSI values" }
    }
    const fields = text.split(",")
    if (!fieldCounts.includes(fields.length - 1) || bracket > headerBytesMax) {
      return { reason: "not-a-record", message: `${fields.length - 1} fields before the CSI values, not 24 or 25` }
    }
    const count = readValues(line, bracket + 1, this.#values)
    return isRefusal(count) ? count : this.#header(fields, count)
  }

  #header(fields: ReadonlyArray<string>, values: number): Esp32Record | Refusal {
    const number = (name: Exclude<keyof typeof column, "mac">): number => integer(fields[column[name]]!)
    const mac = fields[column.mac]!.trim().toLowerCase()
    const clock = number("timestamp")
    const rssiDbm = number("rssi")
    const noiseFloorDbm = number("noiseFloor")
    const channel = number("channel")
    const secondary = number("secondaryChannel")
    if (!macPattern.test(mac)) return { reason: "bad-field", message: "field mac is no MAC address" }
    if (!(clock >= 0 && clock < 2 ** 32)) return badField("local_timestamp")
    if (!(rssiDbm >= -128 && rssiDbm <= 127)) return badField("rssi")
    if (!(noiseFloorDbm >= -128 && noiseFloorDbm <= 127)) return badField("noise_floor")
    if (!(channel >= 0 && channel <= 255)) return badField("channel")
    if (!(secondary >= 0 && secondary <= 2)) return badField("secondary_channel")
    if (values !== 128 && values !== 256 && values !== 380 && values !== 384 && values !== 612) {
      return { reason: "value-count", message: `${values} CSI values, not 128, 256, 380, 384 or 612` }
    }
    if (!startsWithLltf(values, number("signalMode"), number("bandwidth"), number("stbc"))) {
      return {
        reason: "unsupported-layout",
        message: `${values} CSI values do not begin with a legacy training field for this sig_mode, bandwidth and stbc`,
      }
    }
    return { layout: layoutOf(channel, secondary), clock, rssiDbm, noiseFloorDbm, mac }
  }

  /** The LLTF of the line just read. The device writes the imaginary part first. */
  #csi(layout: RadioLayout): Float32Array {
    const subcarriers = layout.subcarrierIndices
    const csi = new Float32Array(subcarriers.length * 2)
    for (let i = 0; i < subcarriers.length; i++) {
      const k = subcarriers[i]!
      const bin = subcarriers === subcarriersAlone ? (k + lltfBins) % lltfBins : k + lltfBins / 2
      csi[2 * i] = this.#values[2 * bin + 1]!
      csi[2 * i + 1] = this.#values[2 * bin]!
    }
    return csi
  }

  #result(): DecodeResult {
    return { batches: this.#builder.take(), ...this.#faults.take() }
  }
}

/** Whether a line among these first bytes of a capture is the line of column names or has the shape of a record. */
export const looksLikeEsp32Csv = (head: Uint8Array): boolean => {
  if (head.includes(0)) return false
  let position = 0
  while (position < head.length) {
    const newline = head.indexOf(10, position)
    const end = newline < 0 ? head.length : newline
    const text = ascii(head.subarray(position, Math.min(end, position + headerBytesMax)))
    const fields = text.split("[", 1)[0]!.split(",")
    if (text.startsWith("type,") && text.includes("CSI_DATA")) return true
    if (text.startsWith("type,") && text.includes("first_word")) return true
    if (text.includes("[") && fieldCounts.includes(fields.length - 1) && macPattern.test(fields[column.mac]!)) {
      return true
    }
    position = end + 1
  }
  return false
}

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field ${name} is no number in its range`,
})

const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

const integer = (text: string): number => /^\s*-?\d+\s*$/.test(text) ? Number(text) : NaN

/** Reads integers between `start` and the closing bracket, separated by spaces or commas. Returns how many. */
const readValues = (line: Uint8Array, start: number, into: Int16Array): number | Refusal => {
  let count = 0
  let position = start
  while (position < line.length) {
    const byte = line[position]!
    if (byte === 93) return count
    if (byte === 32 || byte === 44) {
      position++
      continue
    }
    const negative = byte === 45
    if (negative) position++
    let value = 0
    let digits = 0
    while (position < line.length && digits < 4) {
      const digit = line[position]! - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
      digits++
      position++
    }
    if (negative) value = -value
    if (digits === 0 || value < -128 || value > 127) {
      return { reason: "bad-value", message: `CSI value ${count + 1} is no integer of 8 bits` }
    }
    if (count === into.length) return { reason: "value-count", message: `more than ${into.length} CSI values` }
    into[count++] = value
  }
  return { reason: "not-a-record", message: "the line has no ] that ends its CSI values" }
}
