/**
 * The line stream: a streaming decoder of any capture that is text with one record a line.
 *
 * Owns what all such formats share: lines that are cut by the pieces they arrive in, lines without end, and the last line, which
 * may be cut off. Boundary: what a line says is a `LineReader`'s, one a format.
 *
 * Invariant: at most one line is held between two calls, and no more of it than `lineBytesMax`.
 */
import { BatchBuilder, type CsiFrame, type StreamIdentity } from "./batch-builder.ts"
import { type CaptureDecoder, type DecodeResult, FaultLog } from "./decoder.ts"
import type { Refusal } from "./record-stream.ts"

/** What one format says of its lines. A reader may keep state over a capture, such as clocks. */
export interface LineReader {
  /** Bytes of the longest line. */
  readonly lineBytesMax: number
  /**
   * Reads the line `bytes[from..to)`, which has no newline, and hands its CSI frame to `add`; returns why the line cannot be used,
   * or null. A line that carries no CSI by its nature is null as well. A frame's `csi` is copied by `add`.
   */
  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void): Refusal | null
  /** What made the lines so far, in words; null when they do not say. */
  readonly hardware: string | null
}

const newline = 10

/** Streaming decoder of captures of one text format. */
export class LineStream implements CaptureDecoder {
  readonly #reader: LineReader
  readonly #builder: BatchBuilder
  readonly #faults = new FaultLog()
  readonly #add: (frame: CsiFrame) => void
  /** The beginning of a line whose end has yet to come. */
  #carry = new Uint8Array(0)
  #carried = 0
  /** Within a line that is too long. */
  #skipping = false
  /** Offset in the capture of the line that is being gathered, and of the next byte. */
  #lineOffset = 0
  #offset = 0

  constructor(reader: LineReader, identity: StreamIdentity) {
    this.#reader = reader
    this.#builder = new BatchBuilder(identity)
    this.#add = (frame) => this.#builder.add(frame)
  }

  get hardware(): string | null {
    return this.#reader.hardware
  }

  push(bytes: Uint8Array): DecodeResult {
    let position = 0
    while (position < bytes.length) {
      const found = bytes.indexOf(newline, position)
      const end = found < 0 ? bytes.length : found
      if (found >= 0 && this.#carried === 0 && !this.#skipping && end - position <= this.#reader.lineBytesMax) {
        this.#line(bytes, position, end, false)
      } else this.#gather(bytes.subarray(position, end), found >= 0)
      this.#offset += end - position
      position = end + 1
      if (found < 0) break
      this.#carried = 0
      this.#skipping = false
      this.#lineOffset = ++this.#offset
    }
    return this.#result()
  }

  end(): DecodeResult {
    if (!this.#skipping && this.#carried > 0) this.#line(this.#carry, 0, this.#carried, true)
    this.#carried = 0
    return this.#result()
  }

  /** Takes a piece of a line; `complete` when the newline followed it. */
  #gather(piece: Uint8Array, complete: boolean): void {
    if (this.#skipping) return
    const { lineBytesMax } = this.#reader
    const length = this.#carried + piece.length
    if (length > lineBytesMax) {
      this.#faults.add(this.#lineOffset, "too-long", `the line is longer than ${lineBytesMax} bytes`)
      this.#skipping = true
      return
    }
    if (length > this.#carry.length) {
      const grown = new Uint8Array(Math.min(lineBytesMax, 2 * length))
      grown.set(this.#carry.subarray(0, this.#carried))
      this.#carry = grown
    }
    this.#carry.set(piece, this.#carried)
    this.#carried = length
    if (complete) this.#line(this.#carry, 0, length, false)
  }

  #line(bytes: Uint8Array, from: number, to: number, unfinished: boolean): void {
    const refusal = this.#reader.read(bytes, from, to, this.#add)
    if (refusal === null) return
    const { message, reason } = refusal
    if (!unfinished || reason === "unsupported-layout") this.#faults.add(this.#lineOffset, reason, message)
    else this.#faults.add(this.#lineOffset, "truncated", `the capture ends within a line: ${message}`)
  }

  #result(): DecodeResult {
    return { batches: this.#builder.take(), ...this.#faults.take() }
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
