/**
 * Lines as records: a capture of text with one record per line, read by the record stream.
 *
 * Owns the end of a line: its newline, the end of the capture, or none within the maximum length. Boundary: a `LineReader` per format
 * reads the content of a line.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { frame, needMore, type RecordReader, type Refusal, skip, type Step } from "./record-stream.ts"

/** Reads the lines of one format. A reader may keep state over a capture, such as clocks. */
export interface LineReader {
  /** Maximum length of a line, bytes. */
  readonly lineBytesMax: number
  /**
   * Reads the line `bytes[from..to)`, which has no newline, and passes its CSI frames to `add`, which copies `csi`. Returns why the line, or a
   * part of it, is invalid or doubtful, or null. Returns null also for a line of another kind without CSI.
   */
  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null
  /** The hardware of the lines so far; null if they do not name it. */
  readonly hardware: string | null
}

const newline = 10

/** Reads the lines of one capture. */
export class LineRecords implements RecordReader {
  readonly recordBytesMax: number
  readonly #reader: LineReader
  /** Whether the position is within a line that is too long. */
  #skipping = false

  constructor(reader: LineReader) {
    this.#reader = reader
    this.recordBytesMax = reader.lineBytesMax + 1
  }

  get hardware(): string | null {
    return this.#reader.hardware
  }

  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    const { lineBytesMax } = this.#reader
    const found = bytes.indexOf(newline, at)
    const whole = found >= 0 && found < end
    const used = (whole ? found + 1 : end) - at
    if (this.#skipping) {
      this.#skipping = !whole
      return skip(used)
    }
    if ((whole ? used - 1 : used) > lineBytesMax) {
      this.#skipping = !whole
      return frame(used, { reason: "too-long", message: `the line is longer than ${lineBytesMax} bytes` })
    }
    return whole ? frame(used, this.#reader.read(bytes, at, found, add)) : needMore
  }

  takeLast(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Refusal | null {
    const refusal = this.#reader.read(bytes, at, end, add)
    if (refusal === null || refusal.reason === "unsupported-layout") return refusal
    return { reason: "truncated", message: `the capture ends within a line: ${refusal.message}` }
  }
}

/** Each line of the first bytes of a capture, as text. The last one may be incomplete. */
export function* linesOf(head: Uint8Array): Generator<string> {
  const text = new TextDecoder()
  for (let position = 0; position < head.length;) {
    const found = head.indexOf(newline, position)
    const end = found < 0 ? head.length : found
    yield text.decode(head.subarray(position, end))
    position = end + 1
  }
}
