/**
 * Csv tables with the buffers of an ESP32, whose first line names the columns: those of two loggers.
 *
 * Owns the columns and what is known of the values. Boundary: `line-records.ts` splits lines, `bin-order.ts` decides the order of the
 * bins, which no column states, from the guards. As for the other csv, only the legacy training field is used. The sender is unnamed.
 *
 * With a column `csi_data` (muzaffer2/ESP32-CSI-Backscattering), a line has the whole buffer as a JSON list. The firmware prints
 * `wifi_csi_info_t.buf` with all training fields enabled, so the legacy one is first, and the imaginary part of a value too. Its time
 * is `esp_timer_get_time`.
 *
 * With columns `i0,q0,i1,q1,…` (esp-csi-tui), a line has 64 pairs in the order of the serial line. The logger takes the first number of
 * a pair for the real part, but the chips write the imaginary part first, and the firmware is not named. So only amplitudes are read,
 * as the real part of values without a phase.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import {
  binOf,
  type BinOrder,
  BinOrderDecision,
  binOrderOfPairs,
  contradictedOrder,
  unknownOrder,
} from "./bin-order.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import { type LineReader, linesOf } from "./line-records.ts"
import type { Refusal } from "./record-stream.ts"
import { channelCenterHz, legacyBins, subcarrierSpacing11nHz } from "./wifi-channel.ts"

interface Dialect {
  /** The first line of the file begins with it. */
  readonly header: string
  /** Columns before the values. */
  readonly columns: number
  readonly clock: number
  /** Null if no column has it. */
  readonly channel: number | null
  /** Column of the number of values; null if none has it. */
  readonly count: number | null
  readonly valueCounts: ReadonlyArray<number>
  readonly amplitudesOnly: boolean
}

const rssi = 1

const dialects: ReadonlyArray<Dialect> = [
  {
    header: "timestamp,rssi,rate,channel,bandwidth,data_length,esp_timestamp,csi_data",
    columns: 7,
    clock: 6,
    channel: 3,
    count: 5,
    valueCounts: [128, 256, 384],
    amplitudesOnly: false,
  },
  {
    header: "esp_timestamp_us,rssi,i0,q0,i1,q1,",
    columns: 2,
    clock: 0,
    channel: null,
    count: null,
    valueCounts: [128],
    amplitudesOnly: true,
  },
]

const bins = legacyBins.length
const lineBytesMax = 8192
/** Range of the clock: 64 bits, of which numbers are exact below this. A 32-bit counter that wraps counts as restarted. */
const clockUsMax = 2 ** 52
const sender = "the receiver"

const layoutOf = (channel: number | null): RadioLayout => ({
  format: "esp32-csi-tool",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: legacyBins,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz: channel === null ? 0 : channelCenterHz(channel),
  bandwidthHz: 20e6,
})

const withoutMark = (line: string): string => line.replace(/^\ufeff/, "")

const dialectOf = (line: string): Dialect | null =>
  dialects.find(({ header }) => withoutMark(line).startsWith(header)) ?? null

/** The integer of a field within a range; NaN if it is none. */
const integerOf = (text: string | undefined, least: number, most: number): number => {
  const value = text !== undefined && /^\s*-?\d+\s*$/.test(text) ? Number(text) : NaN
  return value >= least && value <= most ? value : NaN
}

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field ${name} is not a number in its range`,
})

/** Reads the lines of one table. */
export class Esp32TableReader implements LineReader {
  readonly lineBytesMax = lineBytesMax
  readonly hardware = "ESP32"
  readonly #text = new TextDecoder()
  readonly #clock = new DeviceClock(clockUsMax)
  readonly #order = new BinOrderDecision()
  readonly #layouts = new Map<number | null, RadioLayout>()
  readonly #csi = new Int8Array(2 * bins)
  readonly #amplitudes = new Float32Array(2 * bins)
  #dialect: Dialect | null = null
  #isReported = false

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const line = this.#text.decode(bytes.subarray(from, to)).trim()
    const named = dialectOf(line)
    if (named !== null) this.#dialect = named
    if (named !== null || line === "") return null
    const dialect = this.#dialect
    if (dialect === null) return { reason: "not-a-record", message: "no names of columns before the line" }
    const fields = line.split(",")
    const values = this.#valuesOf(fields, dialect)
    if (!(values instanceof Int8Array)) return values
    const clock = integerOf(fields[dialect.clock], 0, clockUsMax - 1)
    const rssiDbm = integerOf(fields[rssi], -128, 127)
    const channel = dialect.channel === null ? null : integerOf(fields[dialect.channel], 0, 255)
    if (Number.isNaN(clock)) return badField(dialect.header.split(",")[dialect.clock]!)
    if (Number.isNaN(rssiDbm)) return badField("rssi")
    if (Number.isNaN(channel)) return badField("channel")
    const order = this.#order.next(binOrderOfPairs(values, 0), false)
    if (order === null) return contradictedOrder(sender)
    const layout = this.#layouts.get(channel) ?? layoutOf(channel)
    this.#layouts.set(channel, layout)
    add({
      layout,
      timestampUs: this.#clock.at(clock),
      sequence: 0,
      rssiDbm,
      noiseFloorDbm: 0,
      transmitterId: unknownTransmitterId,
      csi: dialect.amplitudesOnly ? this.#readAmplitudes(values, order) : this.#readPairs(values, order),
    })
    if (this.#isReported || this.#order.finding !== "unknown") return null
    this.#isReported = true
    return unknownOrder(sender)
  }

  /** The values of a line, or why they are invalid. */
  #valuesOf(fields: ReadonlyArray<string>, { columns, count, valueCounts }: Dialect): Int8Array | Refusal {
    const found = fields.length - columns
    if (!valueCounts.includes(found)) {
      return { reason: "value-count", message: `${found} CSI values, not ${valueCounts.join(", ")}` }
    }
    if (count !== null && integerOf(fields[count], 0, lineBytesMax) !== found) {
      return { reason: "value-count", message: `${found} CSI values, but data_length is "${fields[count]}"` }
    }
    const values = new Int8Array(2 * bins)
    for (let i = 0; i < found; i++) {
      let text = fields[columns + i]!
      if (count !== null && i === 0) text = text.replace(/^"?\[/, "")
      if (count !== null && i === found - 1) text = text.replace(/\]"?$/, "")
      const value = integerOf(text, -128, 127)
      if (Number.isNaN(value)) return { reason: "bad-value", message: `CSI value ${i + 1} is not an 8-bit integer` }
      if (i < values.length) values[i] = value
    }
    return values
  }

  #readPairs(values: Int8Array, order: BinOrder): Int8Array {
    for (let i = 0; i < bins; i++) {
      const at = 2 * binOf(legacyBins[i]!, order)
      this.#csi[2 * i] = values[at + 1]!
      this.#csi[2 * i + 1] = values[at]!
    }
    return this.#csi
  }

  #readAmplitudes(values: Int8Array, order: BinOrder): Float32Array {
    for (let i = 0; i < bins; i++) {
      const at = 2 * binOf(legacyBins[i]!, order)
      this.#amplitudes[2 * i] = Math.hypot(values[at]!, values[at + 1]!)
    }
    return this.#amplitudes
  }
}

/** Whether the first line of a capture names the columns of a known table. */
export const looksLikeEsp32Table = (head: Uint8Array): boolean => {
  for (const line of linesOf(head)) if (line.trim() !== "") return dialectOf(line) !== null
  return false
}
