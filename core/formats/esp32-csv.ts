/**
 * ESP32 text captures: the csv of ESP32-CSI-Tool and the console csv of esp-csi, as a file or as the log of a serial line.
 *
 * Owns the dialects, the order of the bins, and the choice of the training field. Boundary: `line-records.ts` splits lines,
 * `serial-text.ts` repairs the effects of serial lines and shells, `esp32-fields.ts` reads the fields of a line,
 * `esp32-he-buffer.ts` the buffers of chips with Wi-Fi 6, and the batch builder makes batches. A line is one
 * CSI frame, or several if newlines were lost.
 *
 * Of the other chips, every accepted buffer begins with the legacy long training field (LLTF, 64 bins); an HT packet adds the HT-LTF, and with STBC a
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
import { LineFields } from "./esp32-fields.ts"
import { HeBufferReader } from "./esp32-he-buffer.ts"
import type { LineReader } from "./line-records.ts"
import { MacNames } from "./mac-address.ts"
import type { Refusal } from "./record-stream.ts"
import { carriesNoRecord, endsRecord, isLoggerPrefix, namesColumns, nextRecord, ZeroBytes } from "./serial-text.ts"
import { channelCenterHz, legacyBins, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** Numbers of a buffer that begins with a legacy training field. */
const valueCounts: ReadonlyArray<number> = [128, 256, 376, 380, 384, 612]
const lineBytesMax = 8192
const bins = legacyBins.length

/** Columns of a dialect. Only those with whole buffers describe the packet. */
interface Columns {
  readonly mac: number
  readonly rssi: number
  readonly noiseFloor: number
  readonly channel: number
  readonly timestamp: number
  /** What the values are: whole buffers, those of chips with Wi-Fi 6, or the subcarriers that the esp-radar component selected. */
  readonly buffer: PacketColumns | "wifi6" | "selected"
}

interface PacketColumns {
  readonly signalMode: number
  readonly bandwidth: number
  readonly stbc: number
  readonly secondaryChannel: number
}

const classic: Columns = {
  mac: 2,
  rssi: 3,
  noiseFloor: 14,
  channel: 16,
  timestamp: 18,
  buffer: { signalMode: 5, bandwidth: 7, stbc: 11, secondaryChannel: 17 },
}

/** Dialects by the number of fields before the values. */
const dialects: ReadonlyMap<number, Columns> = new Map<number, Columns>([
  // The esp-csi console of the ESP32-C5, C6 and C61: type, seq, mac, rssi, rate, noise_floor, fft_gain, agc_gain, channel,
  // local_timestamp, sig_len, rx_state, len, first_word.
  [14, { mac: 2, rssi: 3, noiseFloor: 5, channel: 8, timestamp: 9, buffer: "wifi6" }],
  // The esp-csi console of the other chips.
  [24, classic],
  // ESP32-CSI-Tool.
  [25, classic],
  // The csv of esp-csi's console_test: type, seq, timestamp, taget_seq, taget, mac, rssi, rate, sig_mode to rx_state as in the console,
  // agc_gain, fft_gain, len, first_word_invalid.
  [29, { mac: 5, rssi: 6, noiseFloor: 17, channel: 19, timestamp: 21, buffer: "selected" }],
])

/**
 * Subcarriers of the legacy field that the esp-radar component selects, without guards and centre. They begin every buffer of
 * console_test, in ascending order: seen with the secondary channel below, which console_test sets.
 */
const selectedBins = legacyBins.filter((k) => k !== 0 && Math.abs(k) <= 26)

/** Numbers in a buffer that starts with an LLTF, given the header (ESP-IDF's table of CSI lengths). */
const startsWithLltf = (values: number, signalMode: number, bandwidth: number, stbc: number): boolean => {
  if (values === 128) return true
  if (signalMode === 0) return false
  if (bandwidth === 0) return stbc === 0 ? values === 256 : values >= 376 && values <= 384
  return stbc === 0 ? values === 384 : values === 612
}

const layoutOf = (channel: number, subcarrierIndices: Int16Array): RadioLayout => ({
  format: "esp32-csi-tool",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz: channelCenterHz(channel),
  bandwidthHz: 20e6,
})

/** Values by ascending subcarrier, interleaved (re, im). */
interface Buffer {
  readonly layout: RadioLayout
  readonly csi: Int8Array
  readonly doubt: null
}

/** Reads the lines of one ESP32. The transmitter is the MAC address of each line. */
export class Esp32CsvReader implements LineReader {
  /** 612 values of up to 5 characters and the header fields, twice. */
  readonly lineBytesMax = lineBytesMax
  readonly hardware = "ESP32"
  readonly #clock = new DeviceClock()
  readonly #names = new MacNames()
  readonly #layouts = new Map<number, RadioLayout>()
  readonly #selectedLayouts = new Map<number, RadioLayout>()
  readonly #heBuffers = new HeBufferReader()
  readonly #fields = new LineFields()
  readonly #mac = new Uint8Array(6)
  readonly #csi = new Int8Array(2 * bins)
  readonly #zeroBytes = new ZeroBytes(lineBytesMax)

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const whole = this.#readWhole(bytes, from, to, add)
    return whole === undefined ? this.#readPieces(bytes, from, to, add) : whole
  }

  /**
   * Reads a line that is exactly one record, as nearly all are. Returns undefined, and adds nothing, if it is not, else a warning or
   * null.
   */
  #readWhole(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null | undefined {
    const columns = this.#find(bytes, from, to)
    const count = columns === null ? null : this.#fields.readValues(to)
    if (columns === null || typeof count !== "number") return undefined
    const { valuesEnd } = this.#fields
    if (!endsRecord(bytes, valuesEnd, to) || nextRecord(bytes, valuesEnd - 1, to) !== to) return undefined
    const frame = this.#frame(columns, count)
    // A contradicted order must count once.
    if ("reason" in frame) return frame.reason === "bin-order" ? frame : undefined
    add(frame)
    return frame.doubt
  }

  /** Reads a line of several records, of text, or with zero bytes. */
  #readPieces(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const line = this.#zeroBytes.without(bytes, from, to)
    if (namesColumns(line.bytes, line.from, line.to)) return null
    let refusal: Refusal | null = null
    let at = line.from
    do {
      const end = nextRecord(line.bytes, at, line.to)
      const isPrefix = at === line.from && end < line.to && isLoggerPrefix(line.bytes, at, end)
      if (!isPrefix) refusal = this.#readPiece(line.bytes, at, end, add) ?? refusal
      at = end
    } while (at < line.to)
    return refusal
  }

  #readPiece(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const columns = this.#find(bytes, from, to)
    if (columns === null) return carriesNoRecord(bytes, from, to, this.#fields.count) ? null : notARecord(this.#fields)
    const count = this.#fields.readValues(to)
    if (typeof count !== "number") return count
    const frame = this.#frame(columns, count)
    if ("reason" in frame) return frame
    add(frame)
    return frame.doubt ?? (endsRecord(bytes, this.#fields.valuesEnd, to) ? null : runTogether)
  }

  /** The columns of the record in `bytes[from..to)`; null if there is none. */
  #find(bytes: Uint8Array, from: number, to: number): Columns | null {
    this.#fields.find(bytes, from, to)
    return this.#fields.hasBracket ? dialects.get(this.#fields.count) ?? null : null
  }

  /** The frame of the last values, and a warning about it. */
  #frame(columns: Columns, count: number): (CsiFrame & { readonly doubt: Refusal | null }) | Refusal {
    const fields = this.#fields
    const clock = fields.integer(columns.timestamp)
    const rssiDbm = fields.integer(columns.rssi)
    const noiseFloorDbm = fields.integer(columns.noiseFloor)
    const channel = fields.integer(columns.channel)
    if (!fields.readMac(columns.mac, this.#mac)) {
      return { reason: "bad-field", message: "field mac is not a MAC address" }
    }
    if (!(clock >= 0 && clock < 2 ** 32)) return badField("local_timestamp")
    if (!(rssiDbm >= -128 && rssiDbm <= 127)) return badField("rssi")
    if (!(noiseFloorDbm >= -128 && noiseFloorDbm <= 127)) return badField("noise_floor")
    if (!(channel >= 0 && channel <= 255)) return badField("channel")
    const buffer = columns.buffer === "wifi6"
      ? this.#heBuffers.read(fields.values, count, channel)
      : columns.buffer === "selected"
      ? this.#readSelected(count, channel)
      : this.#readLltf(columns.buffer, count, channel)
    if ("reason" in buffer) return buffer
    return {
      ...buffer,
      timestampUs: this.#clock.at(clock),
      sequence: 0,
      rssiDbm,
      noiseFloorDbm,
      transmitterId: this.#names.nameAt(this.#mac, 0),
    }
  }

  #readSelected(count: number, channel: number): Refusal | Buffer {
    const numbers = 2 * selectedBins.length
    if (count < numbers) {
      return { reason: "value-count", message: `${count} CSI values, not ${numbers} or more` }
    }
    const { values } = this.#fields
    const csi = this.#csi.subarray(0, numbers)
    for (let i = 0; i < numbers; i += 2) {
      csi[i] = values[i + 1]!
      csi[i + 1] = values[i]!
    }
    return { layout: layoutIn(this.#selectedLayouts, channel, selectedBins), csi, doubt: null }
  }

  #readLltf(packet: PacketColumns, count: number, channel: number): Refusal | Buffer {
    const fields = this.#fields
    const secondary = fields.integer(packet.secondaryChannel)
    if (!(secondary >= 0 && secondary <= 2)) return badField("secondary_channel")
    if (!valueCounts.includes(count)) {
      return { reason: "value-count", message: `${count} CSI values, not ${valueCounts.join(", ")}` }
    }
    const signalMode = fields.integer(packet.signalMode)
    const bandwidth = fields.integer(packet.bandwidth)
    if (!startsWithLltf(count, signalMode, bandwidth, fields.integer(packet.stbc))) {
      return {
        reason: "unsupported-layout",
        message: `${count} CSI values do not begin with a legacy training field for this sig_mode, bandwidth and stbc`,
      }
    }
    return { layout: layoutIn(this.#layouts, channel, legacyBins), csi: this.#lltf(secondary), doubt: null }
  }

  /** The LLTF of the last values, by ascending subcarrier. */
  #lltf(secondary: number): Int8Array {
    const { values } = this.#fields
    const csi = this.#csi
    const first = secondary === 0 ? bins : 0
    for (let i = 0; i < 2 * bins; i += 2) {
      const at = (i + first) % (2 * bins)
      csi[i] = values[at + 1]!
      csi[i + 1] = values[at]!
    }
    return csi
  }
}

/** The layout of a channel, which is made if there is none. */
const layoutIn = (known: Map<number, RadioLayout>, channel: number, subcarrierIndices: Int16Array): RadioLayout => {
  const layout = known.get(channel) ?? layoutOf(channel, subcarrierIndices)
  known.set(channel, layout)
  return layout
}

const notARecord = ({ count, hasBracket }: LineFields): Refusal => ({
  reason: "not-a-record",
  message: hasBracket
    ? `${count} fields before the [ of CSI values, not ${[...dialects.keys()].join(", ")}`
    : "the line has no [ before CSI values",
})

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field ${name} is not a number in its range`,
})

const runTogether: Refusal = {
  reason: "not-a-record",
  message: "joined lines: a second [ follows the CSI values",
}
