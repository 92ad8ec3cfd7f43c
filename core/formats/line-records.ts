/**
 * Lines as records: a capture that is text with one record a line, read by the record stream.
 *
 * Owns where a line ends: at its newline, at the end of the capture, or nowhere within the longest that is taken. Boundary: what a line
 * says is a `LineReader`'s, one a format.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { frame, needMore, type RecordReader, type Refusal, skip, type Step } from "./record-stream.ts"

/** What one format says of its lines. A reader may keep state over a capture, such as clocks. */
export interface LineReader {
  /** Bytes of the longest line. */
  readonly lineBytesMax: number
  /**
   * Reads the line `bytes[from..to)`, which has no newline, and hands its CSI frames to `add`; returns why the line, or a part of it,
   * cannot be used or is doubtful, or null. A line that carries no CSI by its nature is null as well. A frame's `csi` is copied by `add`.
   */
  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null
  /** What made the lines so far, in words; null when they do not say. */
  readonly hardware: string | null
}

const newline = 10

/** Reads the lines of one capture. */
export class LineRecords implements RecordReader {
  readonly recordBytesMax: number
  readonly #reader: LineReader
  /** Within a line that is too long. */
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

/** Each whole line of the first bytes of a capture, as text; the last one whether or not it is whole. */
export function* linesOf(head: Uint8Array): Generator<string> {
  const text = new TextDecoder()
  for (let position = 0; position < head.length;) {
    const found = head.indexOf(newline, position)
    const end = found < 0 ? head.length : found
    yield text.decode(head.subarray(position, end))
    position = end + 1
  }
}
