/**
 * ESP32 text captures: the csv of ESP32-CSI-Tool and the console csv of esp-csi, as a file or as the log of a serial line.
 *
 * Owns the dialects. Boundary: `line-records.ts` splits lines, `serial-text.ts` repairs the effects of serial lines and shells,
 * `esp32-fields.ts` reads the fields of a line, `esp32-lltf.ts` the buffers, `esp32-he-buffer.ts` those of chips with Wi-Fi 6, and the batch builder makes batches. A line is one
 * CSI frame, or several if newlines were lost.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { DeviceClock, unsignedReading } from "./device-clock.ts"
import { LineFields } from "./esp32-fields.ts"
import { HeBufferReader } from "./esp32-he-buffer.ts"
import { ChannelLayouts, type Esp32Buffer, LltfReader, type PacketMode } from "./esp32-lltf.ts"
import type { LineReader } from "./line-records.ts"
import { MacNames } from "./mac-address.ts"
import type { Refusal } from "./record-stream.ts"
import {
  afterBrackets,
  beginsRecord,
  carriesNoRecord,
  endsRecord,
  isLoggerPrefix,
  namesColumns,
  nextRecord,
  ZeroBytes,
} from "./serial-text.ts"
import { legacyBins } from "./wifi-channel.ts"

const lineBytesMax = 8192

/** Columns of a dialect. Only those with whole buffers describe the packet. */
interface Columns {
  readonly mac: number
  readonly rssi: number
  readonly noiseFloor: number
  readonly channel: number
  readonly timestamp: number
  /** What the values are: whole buffers, those of chips with Wi-Fi 6, or the subcarriers that the esp-radar component selected. */
  readonly buffer: PacketColumns | "wifi6" | "selected"
  /** Whether a record must begin with its mark. */
  readonly isMarked?: true
}

/** Columns of the fields of a `PacketMode`, and of the number of values in the chip's buffer. */
interface PacketColumns extends PacketMode {
  readonly length: number
}

const classic: Columns = {
  mac: 2,
  rssi: 3,
  noiseFloor: 14,
  channel: 16,
  timestamp: 18,
  buffer: { signalMode: 5, bandwidth: 7, stbc: 11, secondaryChannel: 17, length: 22 },
}
/** The csv of ESP32-CSI-Tool has two more columns before the length. */
const tool: Columns = {
  ...classic,
  buffer: { signalMode: 5, bandwidth: 7, stbc: 11, secondaryChannel: 17, length: 24 },
}
const consoleTest: Columns = { mac: 5, rssi: 6, noiseFloor: 17, channel: 19, timestamp: 21, buffer: "selected" }

/** Dialects by the number of fields before the values. */
const dialects: ReadonlyMap<number, Columns> = new Map<number, Columns>([
  // The esp-csi console of the ESP32-C5, C6 and C61: type, seq, mac, rssi, rate, noise_floor, fft_gain, agc_gain, channel,
  // local_timestamp, sig_len, rx_state, len, first_word.
  [14, { mac: 2, rssi: 3, noiseFloor: 5, channel: 8, timestamp: 9, buffer: "wifi6" }],
  // The esp-csi console of the other chips.
  [24, classic],
  [25, tool],
  // The csv of earlier versions of esp-csi's console_test, without the gains of the next one. A record of the console behind three columns of
  // a logger has its fields in the same places.
  [27, { ...consoleTest, isMarked: true }],
  // The csv of esp-csi's console_test: type, seq, timestamp, taget_seq, taget, mac, rssi, rate, sig_mode to rx_state as in the console,
  // agc_gain, fft_gain, len, first_word_invalid.
  [29, consoleTest],
])

/**
 * Subcarriers of the legacy field that the esp-radar component selects, without guards and centre. They begin every buffer of
 * console_test, in ascending order: seen with the secondary channel below, which console_test sets.
 */
const selectedBins = legacyBins.filter((k) => k !== 0 && Math.abs(k) <= 26)

/** Reads the lines of one ESP32. The transmitter is the MAC address of each line. */
export class Esp32CsvReader implements LineReader {
  /** 612 values of up to 5 characters and the header fields, twice. */
  readonly lineBytesMax = lineBytesMax
  readonly hardware = "ESP32"
  readonly #clock = new DeviceClock()
  readonly #names = new MacNames()
  readonly #selected = new ChannelLayouts(selectedBins)
  readonly #lltf = new LltfReader()
  readonly #heBuffers = new HeBufferReader()
  readonly #fields = new LineFields()
  readonly #mac = new Uint8Array(6)
  readonly #csi = new Int8Array(2 * selectedBins.length)
  readonly #zeroBytes = new ZeroBytes(lineBytesMax)

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const whole = this.#readWhole(bytes, afterBrackets(bytes, from, to), to, add)
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
    const start = afterBrackets(line.bytes, line.from, line.to)
    let at = start
    do {
      const end = nextRecord(line.bytes, at, line.to)
      const isPrefix = at === start && end < line.to && isLoggerPrefix(line.bytes, at, end)
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
    const columns = this.#fields.hasBracket ? dialects.get(this.#fields.count) ?? null : null
    return columns?.isMarked && !beginsRecord(bytes, from, to) ? null : columns
  }

  /** The frame of the last values, and a warning about it. */
  #frame(columns: Columns, count: number): (CsiFrame & { readonly doubt: Refusal | null }) | Refusal {
    const fields = this.#fields
    const clock = unsignedReading(fields.integer(columns.timestamp))
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

  #readSelected(count: number, channel: number): Refusal | Esp32Buffer {
    const numbers = 2 * selectedBins.length
    if (count < numbers) {
      return { reason: "value-count", message: `${count} CSI values, not ${numbers} or more` }
    }
    const { values } = this.#fields
    const csi = this.#csi
    for (let i = 0; i < numbers; i += 2) {
      csi[i] = values[i + 1]!
      csi[i + 1] = values[i]!
    }
    return { layout: this.#selected.of(channel), csi, doubt: null }
  }

  #readLltf(packet: PacketColumns, count: number, channel: number): Refusal | Esp32Buffer {
    const fields = this.#fields
    const secondaryChannel = fields.integer(packet.secondaryChannel)
    if (!(secondaryChannel >= 0 && secondaryChannel <= 2)) return badField("secondary_channel")
    const mode = {
      signalMode: fields.integer(packet.signalMode),
      bandwidth: fields.integer(packet.bandwidth),
      stbc: fields.integer(packet.stbc),
      secondaryChannel,
    }
    return this.#lltf.read(fields.values, count, fields.integer(packet.length), mode, channel)
  }
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
