/**
 * The fields of one line of an ESP32 csv capture, read in place: no text is copied.
 *
 * Owns the positions of the fields before the first bracket, and the numbers between the brackets. Boundary: the csv reader knows what
 * each field means.
 */
import type { Refusal } from "./record-stream.ts"
import { headerBytesMax } from "./serial-text.ts"

/** Numbers of the longest buffer. */
const valuesMax = 612
/** Amplitudes of the longest list of them, and the largest: that of two 8-bit integers. */
const amplitudesMax = 64
const amplitudeMax = 181
/** The dialects have at most 29 fields before the values. */
const fieldsMax = 30

const space = 32
const comma = 44
const minus = 45
const zero = 48
const colon = 58
const openBracket = 91
const closeBracket = 93

export class LineFields {
  /** The values between the brackets, as many as `readValues` returned: 8-bit integers, or amplitudes of such up to 181. */
  readonly values = new Int16Array(valuesMax)
  /** Fields before the first bracket, or before the end of a line without one. */
  count = 0
  /** Whether the line has a bracket after its fields. */
  hasBracket = false
  /** Position after the closing bracket. */
  valuesEnd = 0
  #bytes: Uint8Array = new Uint8Array(0)
  /** Starts of the fields, and the end of the last one. */
  readonly #starts = new Int32Array(fieldsMax + 1)
  #valuesStart = 0

  /** Finds the fields of `bytes[from..to)`. */
  find(bytes: Uint8Array, from: number, to: number): void {
    const starts = this.#starts
    const end = Math.min(to, from + headerBytesMax)
    let fields = 0
    starts[0] = from
    let at = from
    for (; at < end && bytes[at] !== openBracket; at++) {
      if (bytes[at] === comma && ++fields < fieldsMax) starts[fields] = at + 1
    }
    // There may be a quote between the last comma and the bracket.
    if (fields < fieldsMax && at < end) starts[fields] = at
    this.#bytes = bytes
    this.count = fields
    this.hasBracket = at < end
    this.#valuesStart = at + 1
  }

  /** The integer of a field; NaN if invalid. */
  integer(field: number): number {
    const bytes = this.#bytes
    const end = this.#starts[field + 1]! - 1
    let at = this.#starts[field]!
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

  /** Reads the field of a MAC address. Returns false if invalid. */
  readMac(field: number, mac: Uint8Array): boolean {
    const bytes = this.#bytes
    const end = this.#starts[field + 1]! - 1
    let at = this.#starts[field]!
    while (at < end && bytes[at] === space) at++
    if (end - at < 17) return false
    for (let i = 0; i < 6; i++, at += 3) {
      const high = hexDigit(bytes[at]!)
      const low = hexDigit(bytes[at + 1]!)
      if (high < 0 || low < 0 || (i < 5 && bytes[at + 2] !== colon)) return false
      mac[i] = 16 * high + low
    }
    for (at--; at < end; at++) if (bytes[at] !== space) return false
    return true
  }

  /** Reads integers up to the closing bracket, separated by spaces or commas. Returns their number. */
  readValues(to: number): number | Refusal {
    const bytes = this.#bytes
    const values = this.values
    let count = 0
    /** The first value that is an amplitude, if it is right. */
    let firstAbove = -1
    for (let at = this.#valuesStart; at < to;) {
      let byte = bytes[at++]!
      if (byte === space || byte === comma) continue
      if (byte === closeBracket) {
        this.valuesEnd = at
        return firstAbove < 0 || count === amplitudesMax ? count : badValue(firstAbove)
      }
      const negative = byte === minus
      if (negative) byte = at < to ? bytes[at++]! : 0
      let value = byte - zero
      if (!isDigit(byte)) return badValue(count)
      for (; at < to && value < 1000 && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - zero
      if (value > (negative ? 128 : amplitudeMax)) return badValue(count)
      if (value > 127 && !negative && firstAbove < 0) firstAbove = count
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

const badValue = (before: number): Refusal => ({
  reason: "bad-value",
  message: `CSI value ${before + 1} is not an 8-bit integer`,
})
