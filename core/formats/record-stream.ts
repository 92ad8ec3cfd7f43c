/**
 * The record stream: a streaming decoder of any capture that is a row of records.
 *
 * Owns what all such formats share: records that are cut by the pieces they arrive in, records that are passed over, and the
 * search for the next record when a boundary is lost. Boundary: what a record says is a `RecordReader`'s, one a format; lines of
 * text are records by `line-records.ts`.
 *
 * A record that is not plausible loses the boundary of the next one, because only its length says where that begins. The
 * stream then searches byte by byte for the next plausible record and reports the gap as one fault.
 *
 * Invariant: at most two records of the longest length seen are held between two calls.
 */
import { BatchBuilder, type CsiFrame, type StreamIdentity } from "./batch-builder.ts"
import type { CsiBatch } from "./csi-batch.ts"
import type { CaptureDecoder, DecodeResult, FaultReason } from "./decoder.ts"
import { FaultLog } from "./decoder.ts"

/** Why a whole record was not used. */
export interface Refusal {
  readonly reason: FaultReason
  readonly message: string
}

/** What stood at a place of a capture. */
export interface Step {
  readonly kind:
    /** A record may begin here, but more bytes are needed to tell, or to take it whole. */
    | "need-more"
    /** No record begins here. */
    | "lost"
    /** A record without CSI, or one that is not wanted; it may reach past the bytes at hand. */
    | "skip"
    /** A whole record that says how those after it are read. */
    | "head"
    /** A whole record with CSI. */
    | "frame"
  /** From its place on; at least one but for "need-more" and "lost". */
  readonly bytes: number
  /** Why a whole record was not used, or null. */
  readonly refusal: Refusal | null
}

export const needMore: Step = { kind: "need-more", bytes: 0, refusal: null }
export const lost: Step = { kind: "lost", bytes: 0, refusal: null }
export const skip = (bytes: number): Step => ({ kind: "skip", bytes, refusal: null })
export const head = (bytes: number, refusal: Refusal | null = null): Step => ({ kind: "head", bytes, refusal })
export const frame = (bytes: number, refusal: Refusal | null): Step => ({ kind: "frame", bytes, refusal })

/** What one format says of its bytes. A reader may keep state over a capture, such as clocks. */
export interface RecordReader {
  /** Bytes of the longest record that is taken, and of what is needed to see before that is decided. */
  readonly recordBytesMax: number
  /**
   * Says what stands at `at` without reading past `end`, and reads it when it is a whole head or record of CSI: each of its CSI
   * frames is handed to `add`, which copies `csi`. For what is neither it changes nothing.
   */
  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step
  /** Reads `bytes[at..end)`, with which the capture ends within a record, where that may be all of it. */
  takeLast?(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Refusal | null
  /** Hands out the frame that waits for more records, where a format spreads one over several: no more will come. */
  finish?(add: (frame: CsiFrame) => void): Refusal | null
  /** What made the records so far, in words; null when they do not say. */
  readonly hardware: string | null
}

/** Bytes that are first added to a record that was cut; then it is as many again as there are. */
const topUpBytes = 2048

const cutOff: Refusal = { reason: "truncated", message: "the capture ends within a record" }

/** Streaming decoder of captures of one record format. */
export class RecordStream implements CaptureDecoder {
  readonly #reader: RecordReader
  readonly #builder: BatchBuilder
  readonly #faults = new FaultLog()
  readonly #add: (frame: CsiFrame) => void
  #carry = new Uint8Array(0)
  #carried = 0
  /** Offset in the capture of the first byte not yet consumed, and of the last record that was read. */
  #offset = 0
  #readFrom = 0
  /** Bytes of a record that is passed over which have yet to come. */
  #toSkip = 0
  /** Offset of the record that is passed over. */
  #skippedFrom = 0
  /** Where the boundary of the records was lost; null when it is known. */
  #lostAt: number | null = null

  constructor(reader: RecordReader, identity: StreamIdentity) {
    this.#reader = reader
    this.#builder = new BatchBuilder(identity)
    this.#add = (frame) => this.#builder.add(frame)
  }

  get hardware(): string | null {
    return this.#reader.hardware
  }

  push(bytes: Uint8Array): DecodeResult {
    let position = 0
    while (this.#carried > 0 && position < bytes.length) {
      const before = this.#carried
      // No more than completes the record that was cut, so that the others are read where they are.
      const wanted = Math.min(bytes.length - position, Math.max(topUpBytes, before))
      const room = Math.min(this.#roomFor(wanted), wanted)
      this.#carry.set(bytes.subarray(position, position + room), before)
      const used = this.#consume(this.#carry, before + room)
      if (used >= before) {
        this.#carried = 0
        position += used - before
      } else {
        this.#carry.copyWithin(0, used, before + room)
        this.#carried = before + room - used
        position += room
      }
    }
    if (this.#carried === 0) {
      const rest = bytes.subarray(position)
      const left = rest.subarray(this.#consume(rest, rest.length))
      this.#roomFor(left.length)
      this.#carry.set(left)
      this.#carried = left.length
    }
    return this.#result()
  }

  end(): DecodeResult {
    const waiting = this.#reader.finish?.(this.#add) ?? null
    if (waiting !== null) this.#faults.add(this.#readFrom, waiting.reason, waiting.message)
    if (this.#lostAt !== null) this.#reportGap(this.#offset + this.#carried)
    else if (this.#toSkip > 0) this.#faults.add(this.#skippedFrom, cutOff.reason, cutOff.message)
    else if (this.#carried > 0) {
      const last = this.#reader.takeLast === undefined
        ? cutOff
        : this.#reader.takeLast(this.#carry, 0, this.#carried, this.#add)
      if (last !== null) this.#faults.add(this.#offset, last.reason, last.message)
    }
    this.#carried = 0
    this.#toSkip = 0
    return this.#result()
  }

  recycle(batch: CsiBatch): void {
    this.#builder.recycle(batch)
  }

  /** Makes room behind what is carried for up to `bytes`, within twice the longest record; returns the room there is. */
  #roomFor(bytes: number): number {
    const wanted = Math.min(this.#carried + bytes, 2 * this.#reader.recordBytesMax)
    if (this.#carry.length < wanted) {
      const grown = new Uint8Array(Math.min(2 * this.#reader.recordBytesMax, Math.max(wanted, 2 * this.#carry.length)))
      grown.set(this.#carry.subarray(0, this.#carried))
      this.#carry = grown
    }
    return this.#carry.length - this.#carried
  }

  /** Decodes what is whole in `bytes[0..end)`; returns how many bytes are done with. */
  #consume(bytes: Uint8Array, end: number): number {
    let at = Math.min(this.#toSkip, end)
    this.#toSkip -= at
    this.#offset += at
    while (at < end) {
      const { bytes: length, kind, refusal } = this.#reader.take(bytes, at, end, this.#add)
      // A reader that waits for more than it says its records have would hold the stream for ever.
      if (kind === "need-more" && end - at < this.#reader.recordBytesMax) break
      let used = 1
      if (kind === "frame" || kind === "head") {
        if (this.#lostAt !== null) this.#reportGap(this.#offset)
        this.#readFrom = this.#offset
        if (refusal !== null) this.#faults.add(this.#offset, refusal.reason, refusal.message)
        used = length
      } else if (kind === "skip" && this.#lostAt === null) {
        used = Math.min(length, end - at)
        this.#toSkip = length - used
        this.#skippedFrom = this.#offset
      } else this.#lostAt ??= this.#offset
      at += used
      this.#offset += used
    }
    return at
  }

  #reportGap(until: number): void {
    const from = this.#lostAt!
    this.#lostAt = null
    this.#faults.add(from, "not-a-record", `${until - from} bytes are no record of this format`)
  }

  #result(): DecodeResult {
    return { batches: this.#builder.take(), ...this.#faults.take() }
  }
}

/** Whether the first records of a capture are of this format, with one of CSI among them. */
export const beginsWithRecords = (reader: RecordReader, bytes: Uint8Array): boolean => {
  for (let at = 0; at < bytes.length;) {
    const step = reader.take(bytes, at, bytes.length, () => {})
    if (step.kind === "need-more" || step.kind === "lost") return false
    if (step.kind === "frame" && step.refusal === null) return true
    at += step.bytes
  }
  return false
}
