/**
 * Console output of ESP32 firmware whose records have neither `CSI_DATA` nor names, between the lines of its log.
 *
 * Owns the records of two forms. Boundary: `table-values.ts` reads the buffer.
 *
 * - `CSIRAW sequence ms rssi length hex`: the time of the board in milliseconds, and the bytes of the buffer.
 * - A line with the time in seconds, and one with 256 numbers, which tabs separate: those of the buffer of an HT packet without a secondary
 *   channel, from the fifth on, and four that follow it in the memory. The first four may be invalid (`esp32-lltf.ts`). As nothing names these
 *   lines, only the null bins tell them.
 *
 * Neither names the sender or the channel. The sequence is not known to count the packets of one sender.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import { DeviceClock } from "./device-clock.ts"
import { type LineReader, linesOf } from "./line-records.ts"
import type { Refusal } from "./record-stream.ts"
import { hexBytesOf, numberOf } from "./table-fields.ts"
import { TableValues } from "./table-values.ts"
import { legacyBins } from "./wifi-channel.ts"

const lineBytesMax = 8192
/** Range of a clock: 64 bits, of which numbers are exact below this. */
const clockUsMax = 2 ** 52

/** Numbers of a line of the second form, and those that it lacks at the start of the buffer. */
const numberCount = 256
const skipped = 4
/** Records of the second form that show it. */
const shownRecords = 2

const rawMark = "CSIRAW "
/** Lost newlines join records, and a record with the log. */
const textsOf = (line: string): ReadonlyArray<string> => line.split(/(?=CSIRAW )/)
/** The digits end where text of the log follows without a newline, whose level (E, D) may look like a digit. */
const rawRecord = /^CSIRAW (\d{1,10}) (\d{1,13}) (-?\d{1,3}) (\d{1,4}) ([\da-f]*?)(?:[DEIVW] \(.*|[^\da-f].*)?$/i
const time = /^\d{1,9}\.\d{6,}$/
const numbers = /^-?\d{1,3}(\t-?\d{1,3}){29,}$/
/** What is left of a damaged record, and no text of a log: many digits, more of them than those of a hash, or bytes that are no text. */
const remains = /^(?=.*\d)[\da-f\s.-]{16,}$|[\da-f]{72}|(-?\d{1,3}\t){16}|[\ufffd\0]/i

const badField = (name: string): Refusal => ({
  reason: "bad-field",
  message: `field ${name} is not a number in its range`,
})

/** Bins without a signal in the training fields of an HT packet: those of the legacy field, then those of the other. */
const nullBins: ReadonlyArray<number> = [
  ...Array.from({ length: 11 }, (_, i) => 27 + i),
  64,
  ...Array.from({ length: 7 }, (_, i) => 64 + 29 + i),
]

const notARecord = (message: string): Refusal => ({ reason: "not-a-record", message })

/** One packet. */
interface Packet {
  readonly clockUs: number
  readonly rssiDbm: number
  readonly values: ReadonlyArray<number>
}

/** The packet of a text that begins with the mark of the first form. */
const rawPacketOf = (text: string): Packet | Refusal => {
  const fields = rawRecord.exec(text)
  if (fields === null) return notARecord("no sequence, time, strength, length and bytes after CSIRAW")
  const [ms, rssi, length] = fields.slice(2, 5).map(Number) as [number, number, number]
  const values = hexBytesOf(fields[5]!)
  if (fields[5]!.length !== 2 * length) {
    return {
      reason: "value-count",
      message: `${fields[5]!.length} digits of CSI, but the number of bytes is stated as ${length}`,
    }
  }
  if (!(rssi >= -128 && rssi <= 127)) return badField("rssi")
  return ms * 1e3 < clockUsMax ? { clockUs: ms * 1e3, rssiDbm: rssi, values } : badField("ms")
}

/** The numbers of a line of the second form; null for other lines. */
const numbersOf = (line: string): ReadonlyArray<number> | null =>
  numbers.test(line) ? line.split("\t").map(numberOf) : null

/** The legacy field of a buffer whose first numbers are missing. */
const legacyFieldOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => [
  ...new Array(skipped).fill(0),
  ...values.slice(0, 2 * legacyBins.length - skipped),
]

/** Whether a line has the numbers of the second form: only the null bins have no signal. */
const areNumbers = (values: ReadonlyArray<number>): boolean => {
  if (values.length !== numberCount) return false
  const isNull = (bin: number): boolean => values[2 * bin - skipped] === 0 && values[2 * bin - skipped + 1] === 0
  return nullBins.every(isNull) && nullBins.every((bin) => nullBins.includes(bin + 1) || !isNull(bin + 1))
}

/** Reads the lines of one receiver. */
export class Esp32ConsoleReader implements LineReader {
  readonly lineBytesMax = lineBytesMax
  readonly hardware = "ESP32"
  readonly #text = new TextDecoder()
  readonly #clock = new DeviceClock(clockUsMax)
  readonly #values = new TableValues()
  /** The time of the next line of numbers. */
  #timeUs: number | null = null

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null {
    const line = this.#text.decode(bytes.subarray(from, to)).trim()
    const values = numbersOf(line)
    if (values !== null) return this.#readNumbers(values, add)
    if (time.test(line)) return this.#readTime(line)
    let refusal: Refusal | null = null
    for (const text of textsOf(line)) refusal = this.#readText(text, add) ?? refusal
    return refusal
  }

  #readText(text: string, add: (frame: CsiFrame) => void): Refusal | null {
    if (text.startsWith(rawMark)) return this.#readPacket(rawPacketOf(text), add)
    if (!remains.test(text)) return null
    this.#timeUs = null
    return notARecord("the line is neither a record nor text of a log")
  }

  #readTime(line: string): Refusal | null {
    const waiting = this.#timeUs
    this.#timeUs = Math.round(Number(line) * 1e6)
    return waiting === null ? null : notARecord("a time without the CSI values of its packet")
  }

  #readNumbers(values: ReadonlyArray<number>, add: (frame: CsiFrame) => void): Refusal | null {
    const clockUs = this.#timeUs
    this.#timeUs = null
    if (clockUs === null) return notARecord("CSI values without the time of their packet")
    if (values.length !== numberCount) {
      return { reason: "value-count", message: `${values.length} CSI values, not ${numberCount}` }
    }
    return this.#readPacket({ clockUs, rssiDbm: 0, values: legacyFieldOf(values) }, add)
  }

  #readPacket(packet: Packet | Refusal, add: (frame: CsiFrame) => void): Refusal | null {
    if ("reason" in packet) return packet
    const buffer = this.#values.read(packet.values, "buffer", null, 0)
    if ("reason" in buffer) return buffer
    add({
      ...buffer,
      timestampUs: this.#clock.at(packet.clockUs),
      sequence: 0,
      rssiDbm: packet.rssiDbm,
      noiseFloorDbm: 0,
      transmitterId: unknownTransmitterId,
    })
    return buffer.doubt
  }
}

/** Whether the first lines of a capture have a record of the first form, or records of the second. As nothing names these, their null bins must show them. */
export const looksLikeEsp32Console = (head: Uint8Array): boolean => {
  let isAfterTime = false
  let records = 0
  for (const text of linesOf(head)) {
    const line = text.trim()
    if (textsOf(line).some((piece) => !("reason" in rawPacketOf(piece)))) return true
    if (isAfterTime && areNumbers(numbersOf(line) ?? [])) records++
    if (records === shownRecords) return true
    isAfterTime = time.test(line)
  }
  return false
}
