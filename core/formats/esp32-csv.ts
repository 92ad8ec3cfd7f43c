/**
 * ESP32 text captures: the csv of ESP32-CSI-Tool and the console csv of esp-csi, as a file or as the log of a serial line.
 *
 * Owns the line format, the order of the bins, and the choice of the training field. Boundary: `line-records.ts` splits lines,
 * `serial-text.ts` repairs the effects of serial lines and shells, and the batch builder makes batches. A line is one
 * CSI frame, or several if newlines were lost.
 *
 * Every accepted buffer begins with the legacy long training field (LLTF, 64 bins); an HT packet adds the HT-LTF, and with STBC a
 * second one. All packets of a station have the LLTF, at any rate, so only the LLTF is used: a link is
 * one series with one layout. The cost is bandwidth: 16.6 MHz even if there is an HT-LTF of 36 MHz.
 *
 * Subcarriers of a buffer, and its numbers (ESP-IDF, "Wi-Fi Channel State Information"). With a secondary channel above or below, indices
 * are relative to the centre of the 40 MHz, so that -64..-1 and 0..63 both are -32..31 of the primary channel, ascending:
 *
 * | secondary | packet      | LLTF        | HT-LTF       | STBC-HT-LTF  | numbers |
 * |-----------|-------------|-------------|--------------|--------------|---------|
 * | none      | non-HT      | 0..31, -32..-1 |           |              | 128     |
 * | none      | HT20        | 0..31, -32..-1 | as LLTF   |              | 256     |
 * | none      | HT20, STBC  | 0..31, -32..-1 | as LLTF   | as LLTF      | 384     |
 * | below     | non-HT      | 0..63       |              |              | 128     |
 * | below     | HT20        | 0..63       | 0..63        |              | 256     |
 * | below     | HT20, STBC  | 0..63       | 0..62        | 0..62        | 380     |
 * | above     | non-HT      | -64..-1     |              |              | 128     |
 * | above     | HT20        | -64..-1     | -64..-1      |              | 256     |
 * | above     | HT20, STBC  | -64..-1     | -62..-1      | -62..-1      | 376     |
 * | either    | HT40        | as above    | 0..63, -64..-1 |            | 384     |
 * | either    | HT40, STBC  | as above    | 0..60, -60..-1 | as HT-LTF  | 612     |
 *
 * The device writes the imaginary part of a value first.
 */
import type { CsiFrame } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import type { LineReader } from "./line-records.ts"
import { MacNames } from "./mac-address.ts"
import type { Refusal } from "./record-stream.ts"
import { carriesNoRecord, endsRecord, headerBytesMax, nextRecord, ZeroBytes } from "./serial-text.ts"
import { channelCenterHz, legacyBins, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** Numbers of a buffer. */
const valueCounts: ReadonlyArray<number> = [128, 256, 376, 380, 384, 612]
const valuesMax = 612
const lineBytesMax = 8192
const bins = legacyBins.length

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

/** ESP32-CSI-Tool has 25 fields before the values, the esp-csi console 24. */
const fieldsMax = 26

const space = 32
const comma = 44
const minus = 45
const zero = 48
const colon = 58
const openBracket = 91
const closeBracket = 93

/** Numbers in a buffer that starts with an LLTF, given the header (ESP-IDF's table of CSI lengths). */
const startsWithLltf = (values: number, signalMode: number, bandwidth: number, stbc: number): boolean => {
  if (values === 128) return true
  if (signalMode === 0) return false
  if (bandwidth === 0) return stbc === 0 ? values === 256 : values >= 376 && values <= 384
  return stbc === 0 ? values === 384 : values === 612
}

const layoutOf = (channel: number): RadioLayout => ({
  format: "esp32-csi-tool",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: legacyBins,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz: channelCenterHz(channel),
  bandwidthHz: 20e6,
})

/** Reads the lines of one ESP32. The transmitter is the MAC address of each line. */
export class Esp32CsvReader implements LineReader {
  /** 612 values of up to 5 characters and the header fields, twice. */
  readonly lineBytesMax = lineBytesMax
  readonly hardware = "ESP32"
  readonly #clock = new DeviceClock()
  readonly #names = new MacNames()
  readonly #layouts = new Map<number, RadioLayout>()
  /** Starts of the fields of the line, and the end of the last one. */
  readonly #fields = new Int32Array(fieldsMax + 1)
  readonly #mac = new Uint8Array(6)
  readonly #values = new Int8Array(valuesMax)
  readonly #csi = new Int8Array(2 * bins)
  readonly #zeroBytes = new ZeroBytes(lineBytesMax)
  /** Fields before the first bracket. */
  #fieldCount = 0
  /** Positions after the brackets of the values. */
  #valuesStart = 0
  #valuesEnd = 0

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    return this.#readWhole(bytes, from, to, add) ? null : this.#readPieces(bytes, from, to, add)
  }

  /** Reads a line that is exactly one record, as nearly all are. Returns false, and adds nothing, if it is not. */
  #readWhole(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): boolean {
    const count = this.#findFields(bytes, from, to) ? this.#readValues(bytes, this.#valuesStart, to) : null
    if (typeof count !== "number" || !endsRecord(bytes, this.#valuesEnd, to)) return false
    return nextRecord(bytes, this.#valuesEnd - 1, to) === to && this.#frame(bytes, count, add) === null
  }

  /** Reads a line of several records, of text, or with zero bytes. */
  #readPieces(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const line = this.#zeroBytes.without(bytes, from, to)
    let refusal: Refusal | null = null
    let at = line.from
    do {
      const end = nextRecord(line.bytes, at, line.to)
      refusal = this.#readPiece(line.bytes, at, end, add) ?? refusal
      at = end
    } while (at < line.to)
    return refusal
  }

  #readPiece(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    if (!this.#findFields(bytes, from, to)) {
      if (carriesNoRecord(bytes, from, to, this.#fieldCount)) return null
      return { reason: "not-a-record", message: `${this.#fieldCount} fields before the [ of CSI values, not 24 or 25` }
    }
    const count = this.#readValues(bytes, this.#valuesStart, to)
    if (typeof count !== "number") return count
    return this.#frame(bytes, count, add) ?? (endsRecord(bytes, this.#valuesEnd, to) ? null : runTogether)
  }

  /** Finds the fields before the first bracket. Returns false if they are not those of a record. */
  #findFields(bytes: Uint8Array, from: number, to: number): boolean {
    const starts = this.#fields
    const end = Math.min(to, from + headerBytesMax)
    let fields = 0
    starts[0] = from
    let at = from
    for (; at < end && bytes[at] !== openBracket; at++) {
      if (bytes[at] === comma && ++fields < fieldsMax) starts[fields] = at + 1
    }
    // There may be a quote between the last comma and the bracket.
    if (fields < fieldsMax && at < end) starts[fields] = at
    this.#fieldCount = fields
    this.#valuesStart = at + 1
    return (fields === 24 || fields === 25) && at < end
  }

  #frame(bytes: Uint8Array, values: number, add: (frame: CsiFrame) => void): Refusal | null {
    const clock = this.#integer(bytes, column.timestamp)
    const rssiDbm = this.#integer(bytes, column.rssi)
    const noiseFloorDbm = this.#integer(bytes, column.noiseFloor)
    const channel = this.#integer(bytes, column.channel)
    const secondary = this.#integer(bytes, column.secondaryChannel)
    if (!this.#readMac(bytes)) return { reason: "bad-field", message: "field mac is not a MAC address" }
    if (!(clock >= 0 && clock < 2 ** 32)) return badField("local_timestamp")
    if (!(rssiDbm >= -128 && rssiDbm <= 127)) return badField("rssi")
    if (!(noiseFloorDbm >= -128 && noiseFloorDbm <= 127)) return badField("noise_floor")
    if (!(channel >= 0 && channel <= 255)) return badField("channel")
    if (!(secondary >= 0 && secondary <= 2)) return badField("secondary_channel")
    if (!valueCounts.includes(values)) {
      return { reason: "value-count", message: `${values} CSI values, not ${valueCounts.join(", ")}` }
    }
    const signalMode = this.#integer(bytes, column.signalMode)
    const bandwidth = this.#integer(bytes, column.bandwidth)
    if (!startsWithLltf(values, signalMode, bandwidth, this.#integer(bytes, column.stbc))) {
      return {
        reason: "unsupported-layout",
        message: `${values} CSI values do not begin with a legacy training field for this sig_mode, bandwidth and stbc`,
      }
    }
    add({
      layout: this.#layoutOf(channel),
      timestampUs: this.#clock.at(clock),
      sequence: 0,
      rssiDbm,
      noiseFloorDbm,
      transmitterId: this.#names.nameAt(this.#mac, 0),
      csi: this.#lltf(secondary),
    })
    return null
  }

  #layoutOf(channel: number): RadioLayout {
    const known = this.#layouts.get(channel)
    if (known !== undefined) return known
    const layout = layoutOf(channel)
    this.#layouts.set(channel, layout)
    return layout
  }

  /** The LLTF of the last values, by ascending subcarrier. */
  #lltf(secondary: number): Int8Array {
    const values = this.#values
    const csi = this.#csi
    const first = secondary === 0 ? bins : 0
    for (let i = 0; i < 2 * bins; i += 2) {
      const at = (i + first) % (2 * bins)
      csi[i] = values[at + 1]!
      csi[i + 1] = values[at]!
    }
    return csi
  }

  /** The integer of a field; NaN if invalid. */
  #integer(bytes: Uint8Array, field: number): number {
    const end = this.#fields[field + 1]! - 1
    let at = this.#fields[field]!
    while (at < end && bytes[at] === space) at++
    const negative = bytes[at] === minus
    if (negative) at++
    const first = at
    let value = 0
    for (; at < end && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - zero
    if (at === first) return NaN
    while (at < end && bytes[at] === space) at++
    return at === end ? (negative ? -value : value) : NaN
  }

  /** Reads the field of the MAC address. Returns false if invalid. */
  #readMac(bytes: Uint8Array): boolean {
    const end = this.#fields[column.mac + 1]! - 1
    let at = this.#fields[column.mac]!
    while (at < end && bytes[at] === space) at++
    if (end - at < 17) return false
    for (let i = 0; i < 6; i++, at += 3) {
      const high = hexDigit(bytes[at]!)
      const low = hexDigit(bytes[at + 1]!)
      if (high < 0 || low < 0 || (i < 5 && bytes[at + 2] !== colon)) return false
      this.#mac[i] = 16 * high + low
    }
    for (at--; at < end; at++) if (bytes[at] !== space) return false
    return true
  }

  /** Reads integers up to the closing bracket, separated by spaces or commas. Returns their number. */
  #readValues(bytes: Uint8Array, from: number, to: number): number | Refusal {
    const values = this.#values
    let count = 0
    for (let at = from; at < to;) {
      let byte = bytes[at++]!
      if (byte === space || byte === comma) continue
      if (byte === closeBracket) {
        this.#valuesEnd = at
        return count
      }
      const negative = byte === minus
      if (negative) byte = at < to ? bytes[at++]! : 0
      let value = byte - zero
      if (!isDigit(byte)) return badValue(count)
      for (; at < to && value < 1000 && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - zero
      if (value > (negative ? 128 : 127)) return badValue(count)
      if (count === valuesMax) return { reason: "value-count", message: `more than ${valuesMax} CSI values` }
      values[count++] = negative ? -value : value
    }
    return { reason: "not-a-record", message: "the line has no ] that ends its CSI values" }
  }
}

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

const hexDigit = (byte: number): number => {
  if (isDigit(byte)) return byte - zero
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field ${name} is not a number in its range`,
})

const badValue = (before: number): Refusal => ({
  reason: "bad-value",
  message: `CSI value ${before + 1} is not an 8-bit integer`,
})

const runTogether: Refusal = {
  reason: "not-a-record",
  message: "joined lines: a second [ follows the CSI values",
}
