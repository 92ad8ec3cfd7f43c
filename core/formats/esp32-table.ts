/**
 * Csv tables of CSI, whose first line names the columns, and lines of JSON, of which each names its fields.
 *
 * Owns the reading of a line. Boundary: `line-records.ts` splits lines, `table-columns.ts` knows the names of the columns, `table-time.ts` the
 * units of times, `table-values.ts` the values. Each sender, by its address or its name, is a link; without a column of senders it is unnamed.
 *
 * A capture has one receiver and one clock, those of the first row that gives a frame. The rows of other receivers are not read: they have
 * clocks and orders of bins of their own, and together they would look like one link that moves. Nor are rows without the column of this clock.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import { DeviceClock, unsignedReading } from "./device-clock.ts"
import type { PacketMode } from "./esp32-lltf.ts"
import { rowOfJson } from "./json-rows.ts"
import { type LineReader, linesOf } from "./line-records.ts"
import { macNameOf } from "./mac-address.ts"
import type { Refusal } from "./record-stream.ts"
import { columnsOfNames, type TableColumns, tableColumnsOf, valueColumnsMin } from "./table-columns.ts"
import { complexNumbersOf, fieldsOf, hexBytesOf, isPacked, listOf, numberOf, packedBytesOf } from "./table-fields.ts"
import { type TimeUnit, timeUsOf, unitOfValue } from "./table-time.ts"
import { TableValues, type ValueKind } from "./table-values.ts"

/** 384 numbers of a dozen letters, and a few more columns. */
const lineBytesMax = 16_384
/** Range of a clock: 64 bits, of which numbers are exact below this. A 32-bit counter that wraps counts as restarted. */
const clockUsMax = 2 ** 52
const packetClockUsMax = 2 ** 32
/** Letters of a receiver's name that a message shows. */
const receiverLettersMax = 32
/** What the name of a sender that is no address does not have, and the letters that it has at most. */
const foreignLetter = /[^\p{L}\p{N} _.:-]/gu
const senderLettersMax = 64
/** Lines before the names of the columns: comments and blank ones. */
const isRemark = (line: string): boolean => line.trim() === "" || line.startsWith("#")

const isJson = (line: string): boolean => line.startsWith("{")

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field ${name} is not a number in its range`,
})

/** The clock of a capture: the column of its times, and their unit. */
interface Timing {
  readonly name: string
  readonly unit: TimeUnit
  readonly clock: DeviceClock
}

/** Reads the lines of one table. */
export class Esp32TableReader implements LineReader {
  readonly lineBytesMax = lineBytesMax
  readonly #text = new TextDecoder()
  readonly #values = new TableValues()
  /** Of the last line that names columns. */
  #columns: TableColumns | null = null
  /** Of the last line of JSON with CSI, by its names. */
  #fields: { readonly names: string; readonly columns: TableColumns } | null = null
  /** Of the first row that gave a frame. */
  #timing: Timing | null = null
  #receiver: string | null = null

  get hardware(): string | null {
    return this.#values.hardware
  }

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const line = this.#text.decode(bytes.subarray(from, to)).trim()
    if (isRemark(line)) return null
    if (isJson(line)) return this.#readJson(line, add)
    // A file of several tables repeats the names.
    const named = tableColumnsOf(line, this.#timing?.name)
    if (named !== null) {
      this.#columns = named
      return null
    }
    if (this.#columns === null) return { reason: "not-a-record", message: "no names of columns before the line" }
    return this.#readRow(fieldsOf(line, this.#columns.separator), this.#columns, add)
  }

  /** Reads a line of JSON. One without CSI is of another kind. */
  #readJson(line: string, add: (frame: CsiFrame) => void): Refusal | null {
    const row = rowOfJson(line)
    if (row === null) return { reason: "not-a-record", message: "the line is no JSON object" }
    const names = row.names.join()
    if (names !== this.#fields?.names) {
      const columns = columnsOfNames(row.names, "", this.#timing?.name)
      if (columns === null) return null
      this.#fields = { names, columns }
    }
    return this.#readRow(row.fields, this.#fields.columns, add)
  }

  #readRow(fields: ReadonlyArray<string>, columns: TableColumns, add: (frame: CsiFrame) => void): Refusal | null {
    const frame = this.#frameOf(fields, columns)
    if ("reason" in frame) return frame
    add(frame)
    return frame.doubt
  }

  #frameOf(
    fields: ReadonlyArray<string>,
    columns: TableColumns,
  ): (CsiFrame & { readonly doubt: Refusal | null }) | Refusal {
    const other = this.#otherReceiver(fields, columns)
    if (other !== null) return other
    const values = valuesIn(fields, columns)
    if ("reason" in values) return values
    const number = (column: number | null, least: number, most: number): number => {
      if (column === null) return 0
      const value = numberOf(fields[column])
      return value >= least && value <= most ? Math.round(value) : NaN
    }
    const rssiDbm = number(columns.rssi, -128, 127)
    const noiseFloorDbm = number(columns.noiseFloor, -128, 255)
    const channel = number(columns.channel, 0, 255)
    if (Number.isNaN(rssiDbm)) return badField("rssi")
    if (Number.isNaN(channel)) return badField("channel")
    const time = fields[columns.time] ?? ""
    const timing = this.#timing ?? timingOf(time, columns)
    if (timing === null) return unknownUnit(columns)
    if (timing.name !== columns.timeName) return otherTime(timing, columns)
    const clockUs = clockUsOf(time, timing, columns)
    if (!(clockUs >= 0 && clockUs < clockUsMax)) return badField(columns.timeName)
    const mode = modeOf(columns, (column) => number(column, 0, 3))
    const packet = this.#values.read(values.numbers, values.kind, mode, channel)
    if ("reason" in packet) return packet
    this.#timing = timing
    this.#receiver ??= receiverOf(fields, columns)
    return {
      ...packet,
      timestampUs: timing.clock.at(clockUs),
      sequence: 0,
      rssiDbm,
      // Some loggers write the 8-bit number without its sign.
      noiseFloorDbm: Number.isNaN(noiseFloorDbm) ? 0 : (noiseFloorDbm << 24) >> 24,
      transmitterId: senderOf(fields, columns),
    }
  }

  /** Why a line of another receiver than the first is not read; null for one of the first. */
  #otherReceiver(fields: ReadonlyArray<string>, columns: TableColumns): Refusal | null {
    const name = receiverOf(fields, columns)
    if (name === null || this.#receiver === null || name === this.#receiver) return null
    const shown = [name, this.#receiver].map((one) => one.replace(/[^\w:.-]/g, "?").slice(0, receiverLettersMax))
    return {
      reason: "unsupported-layout",
      message: `the row is of receiver ${shown[0]}, and only those of the first, ${shown[1]}, are read. ` +
        "Write the rows of each receiver to a file of its own",
    }
  }
}

/** The sender of a row. */
const senderOf = (fields: ReadonlyArray<string>, { sender }: TableColumns): string => {
  const name = sender === null ? "" : fields[sender] ?? ""
  if (name === "") return unknownTransmitterId
  return macNameOf(name) ?? Array.from(name.replace(foreignLetter, "_")).slice(0, senderLettersMax).join("")
}

/** The receiver that a row names; null if none. */
const receiverOf = (fields: ReadonlyArray<string>, { receiver }: TableColumns): string | null =>
  receiver === null ? null : fields[receiver] ?? null

/** The clock of a capture that begins with this time; null if nothing shows its unit. */
const timingOf = (text: string, { isPacketTime, timeName, timeUnit }: TableColumns): Timing | null => {
  const unit = timeUnit ?? unitOfValue(text)
  if (unit === null) return null
  return { name: timeName, unit, clock: new DeviceClock(isPacketTime ? packetClockUsMax : clockUsMax) }
}

/** The time of a line; NaN if it is invalid. */
const clockUsOf = (text: string, { unit }: Timing, { isPacketTime }: TableColumns): number => {
  const us = timeUsOf(text, unit)
  if (!isPacketTime) return us
  // A clock in another unit, which a logger has converted, has fractions.
  return Number.isInteger(Number(text)) ? unsignedReading(us) : NaN
}

const unknownUnit = ({ timeName }: TableColumns): Refusal => ({
  reason: "bad-field",
  message: `the unit of the times in column ${timeName} is unknown. Name it with its unit, such as timestamp_us`,
})

const otherTime = ({ name }: Timing, { timeName }: TableColumns): Refusal => ({
  reason: "bad-field",
  message: `the row has its time in ${timeName}, and not in ${name} as the first rows, so the time between them is ` +
    "unknown. Write rows with another clock to a file of their own",
})

/** The values of a row, and what they are. */
interface RowValues {
  readonly numbers: ReadonlyArray<number>
  readonly kind: ValueKind
}

const valuesIn = (fields: ReadonlyArray<string>, columns: TableColumns): RowValues | Refusal => {
  const { count, values } = columns
  if (typeof values !== "number" && fields.length <= Math.max(...values)) {
    return {
      reason: "value-count",
      message: `${fields.length} fields, but values up to field ${Math.max(...values) + 1}`,
    }
  }
  const found = numbersIn(fields, columns)
  if (count !== null && numberOf(fields[count]) !== found.numbers.length) {
    return {
      reason: "value-count",
      message: `${found.numbers.length} CSI values, but their number is stated as "${fields[count]}"`,
    }
  }
  return found
}

const numbersIn = (fields: ReadonlyArray<string>, { count, kind, values }: TableColumns): RowValues => {
  if (typeof values !== "number") {
    const texts = values.map((column) => fields[column] ?? "")
    return { kind, numbers: kind === "complex" ? complexNumbersOf(texts) : texts.map(numberOf) }
  }
  const text = fields[values] ?? ""
  if (kind === "buffer") return { kind, numbers: hexBytesOf(text) }
  if (!isPacked(text)) return { kind, numbers: listOf(text) }
  // As many numbers as bytes are 8-bit numbers.
  return { kind: count === null ? "bytes" : "buffer", numbers: packedBytesOf(text) }
}

/** The packet's mode, if the columns state its secondary channel. */
const modeOf = (
  { bandwidth, secondaryChannel, signalMode, stbc }: TableColumns,
  number: (column: number) => number,
): PacketMode | null =>
  secondaryChannel === null || signalMode === null || bandwidth === null ? null : {
    secondaryChannel: number(secondaryChannel),
    signalMode: number(signalMode),
    bandwidth: number(bandwidth),
    stbc: stbc === null ? 0 : number(stbc),
  }

/** Whether a row has CSI in the columns of its values. */
const hasValues = (line: string, columns: TableColumns): boolean => {
  const values = valuesIn(fieldsOf(line, columns.separator), columns)
  return !("reason" in values) && values.numbers.length >= valueColumnsMin && values.numbers.every(Number.isFinite)
}

/**
 * Whether the first line of a capture names the columns of a table with CSI, or one of the first is JSON with the fields of such. The logs of ESP32
 * tools may name other columns than their records have, and numbers alone are no names, so such names count only with a row that has CSI in them.
 */
export const looksLikeEsp32Table = (head: Uint8Array): boolean => {
  let named: TableColumns | null = null
  for (const text of linesOf(head)) {
    const line = text.trim()
    if (isRemark(line)) continue
    if (named !== null) {
      if (hasValues(line, named)) return true
    } else if (isJson(line)) {
      const row = rowOfJson(line)
      if (row === null) return false
      if (columnsOfNames(row.names, "") !== null) return true
    } else {
      named = tableColumnsOf(line)
      if (named === null) return false
      if (named.kind !== "complex" && !line.startsWith("type,")) return true
    }
  }
  return false
}
