/**
 * Text of a saved serial line: joined lines, and the zero bytes of UTF-16.
 *
 * Owns the detection of ESP32 captures, the start of a record within a line, the detection of lines without records, and the removal of zero
 * bytes. A serial line that drops bytes also drops newlines, so a line may have the end of one record and the whole of the next. Windows
 * PowerShell writes redirected output as UTF-16, which for ASCII text is the same text with a zero byte in every second position. Boundary:
 * the csv reader reads the record.
 */
import { linesOf } from "./line-records.ts"

/** Longest header of a record, bytes. */
export const headerBytesMax = 512
/** Every record begins with it, unless its first bytes were lost. */
const recordMark = "CSI_DATA,"
/** What is left of the mark of a record that was cut early. */
const recordStart = "CSI_D"
/** A line of text with fewer commas, and without the mark of a record, is other output of the device. */
const recordCommasMin = 10
/** Byte order marks of UTF-8 and of both byte orders of UTF-16. */
const byteOrderMarks = ["\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"]

const escape = 27
const space = 32
const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const closeBracket = 93
/** Tab, comma and semicolon. */
const separators: ReadonlyArray<number> = [9, comma, 59]
/** Colons of a time of day with its zone; a MAC address has more. */
const timeColonsMax = 3

const startsWith = (bytes: Uint8Array, from: number, to: number, text: string): boolean => {
  if (to - from < text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false
  return true
}

/** Whether `bytes[from..to)` begins with the mark of a record. */
export const beginsRecord = (bytes: Uint8Array, from: number, to: number): boolean =>
  startsWith(bytes, from, to, recordMark)

/** Start of the next record after `from`; `to` if there is none. */
export const nextRecord = (bytes: Uint8Array, from: number, to: number): number => {
  const line = bytes.subarray(0, to)
  for (let at = from + 1; at < to;) {
    const found = line.indexOf(recordMark.charCodeAt(0), at)
    if (found < 0) return to
    if (beginsRecord(bytes, found, to)) return found
    at = found + 1
  }
  return to
}

/** Whether no other record may follow a record. The brackets of terminal colours do not count. */
export const endsRecord = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (bytes[at] === openBracket && bytes[at - 1] !== escape) return false
  return true
}

/** Longest text of a logger in brackets. */
const bracketBytesMax = 64
/** Text of a logger in brackets, such as a time. The values of a record have no letters, colons and points, and are more than one. */
const bracketed = new RegExp(`^\\s*\\[(?=[^[\\]]*[A-Za-z:.]|\\s*\\d+\\s*\\])[^[\\]]{1,${bracketBytesMax}}\\]`)

/** The text of a line after what a logger wrote in brackets at its start. */
const withoutBrackets = (text: string): string => {
  let rest = text
  for (let found = bracketed.exec(rest); found !== null; found = bracketed.exec(rest)) {
    rest = rest.slice(found[0].length)
  }
  return rest
}

/** Start of the text of a line after what a logger wrote in brackets at its start. */
export const afterBrackets = (bytes: Uint8Array, from: number, to: number): number => {
  let first = from
  while (first < to && bytes[first] === space) first++
  // Nearly all lines begin with the mark of a record.
  if (bytes[first] !== openBracket) return from
  const start = String.fromCharCode(...bytes.subarray(from, Math.min(to, from + headerBytesMax)))
  return from + start.length - withoutBrackets(start).length
}

/** Whether a line is the names of the columns, one of which may be `CSI_DATA` itself. */
export const namesColumns = (bytes: Uint8Array, from: number, to: number): boolean => {
  from += byteOrderMarks.find((mark) => startsWith(bytes, from, to, mark))?.length ?? 0
  return startsWith(bytes, from, to, "type,") && !bytes.subarray(from, to).includes(openBracket)
}

/** Whether a byte is no text in any encoding. */
const isControl = (byte: number): boolean => byte === 127 || (byte < space && byte !== separators[0])

/**
 * Whether the text before the first record of a line is what a logger writes before it, such as a time or columns of its own, and
 * not the end of a cut record: it has no bracket and few commas, and it ends with a separator or has a time of day. A csv writer
 * quotes a record, because it has commas, and doubles the quotes within.
 */
export const isLoggerPrefix = (bytes: Uint8Array, from: number, to: number): boolean => {
  if (startsWith(bytes, from, to, recordStart)) return false
  let commas = 0
  let colons = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    if (byte === openBracket || byte === closeBracket || isControl(byte)) return false
    if (byte === comma) commas++
    if (byte === colon) colons++
  }
  if (commas >= recordCommasMin || colons > timeColonsMax) return false
  const end = bytes[to - 1] === quote ? to - 1 : to
  return colons > 0 || end === from || separators.includes(bytes[end - 1]!)
}

/**
 * Whether a line is blank, the names of the columns, or other console output of the device: text with a word
 * that is not part of a record. Parts of a record have its mark, or many commas, or no word.
 */
export const carriesNoRecord = (bytes: Uint8Array, from: number, to: number, commas: number): boolean => {
  if (startsWith(bytes, from, to, recordStart)) return false
  from += byteOrderMarks.find((mark) => startsWith(bytes, from, to, mark))?.length ?? 0
  if (startsWith(bytes, from, to, "type,")) return true
  let blank = true
  let word = false
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    const isText = (byte >= space && byte < 127) || byte === 0 || byte === 9 || byte === 13 || byte === escape
    if (!isText) return false
    if (byte > space) blank = false
    if ((byte | 32) >= 97 && (byte | 32) <= 122) word = true
  }
  return blank || (word && commas < recordCommasMin)
}

/** A range of bytes. */
interface Stretch {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

/** Removes the zero bytes that UTF-16 and a serial line without a sender add to ASCII text. */
export class ZeroBytes {
  readonly #text: Uint8Array

  constructor(lineBytesMax: number) {
    this.#text = new Uint8Array(lineBytesMax)
  }

  /**
   * The line `bytes[from..to)` without its zero bytes if it is UTF-16, else without those at its ends. A zero byte within other text
   * is kept, because it marks lost bytes. The result is valid until the next call.
   */
  without(bytes: Uint8Array, from: number, to: number): Stretch {
    const line = bytes.subarray(from, to)
    if (!line.includes(0)) return { bytes, from, to }
    let text = 0
    for (const byte of line) if (byte !== 0) this.#text[text++] = byte
    // Half of the bytes, but for a byte order mark and the halves of the newlines around the line.
    if (Math.abs(line.length - 2 * text) <= 3) return { bytes: this.#text, from: 0, to: text }
    while (from < to && bytes[from] === 0) from++
    while (to > from && bytes[to - 1] === 0) to--
    return { bytes, from, to }
  }
}

/** A first field, a field in the column of the MAC address, and as many fields before the values as a dialect has. */
const dialectPatterns = (first: string, mac: string, values: string): ReadonlyArray<RegExp> => [
  new RegExp(`^(?:[^,[]*,){2}${mac},(?:[^,[]*,){11}(?:(?:[^,[]*,){10,11})?${values}`, "i"),
  new RegExp(`^(?:[^,[]*,){5}${mac},(?:[^,[]*,){23}${values}`, "i"),
  // With any first field, this could also be a record of the first pattern behind three columns of a logger.
  new RegExp(`^${first},(?:[^,[]*,){4}${mac},(?:[^,[]*,){21}${values}`, "i"),
]
/** The quote before the values may be doubled. */
const recordPatterns = dialectPatterns("CSI_DATA", "\\s*[0-9a-f]{2}(?::[0-9a-f]{2}){5}\\s*", '\\s*"{0,2}\\[')
const isRecord = (text: string): boolean => recordPatterns.some((pattern) => pattern.test(text))
const namesPatterns = dialectPatterns("type", "mac", "(?:CSI_)?DATA(?=,|\\s*$)")
/** Whether a line is the names of the columns of a dialect. */
const namesDialect = (text: string): boolean => {
  const names = text.replace(/^[\ufffd\ufeff]+/, "")
  return names.startsWith("type,") && namesPatterns.some((pattern) => pattern.test(names))
}

/** Whether one of the first lines of a capture has the form of a record, or the names of its columns. Names of other columns may be those of a table. */
export const looksLikeEsp32Csv = (head: Uint8Array): boolean => {
  for (const text of linesOf(head)) {
    const line = withoutBrackets(text.replaceAll("\0", ""))
    if (namesDialect(line) || line.split(/(?=CSI_DATA,)/).some((piece) => isRecord(piece.slice(0, headerBytesMax)))) {
      return true
    }
  }
  return false
}
