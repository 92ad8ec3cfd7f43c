/**
 * The record stream: a streaming decoder of any capture that is a sequence of records.
 *
 * Owns the common parts of such formats: records split over input pieces, skipped records, and the
 * search for the next record when a boundary is lost. Boundary: a `RecordReader` per format reads a record; `line-records.ts` makes
 * records of text lines.
 *
 * An implausible record loses the boundary of the next one, because only its length gives the start of the next. The
 * stream then searches byte by byte for the next plausible record and reports the gap as one fault.
 *
 * Invariant: between two calls it holds at most two records of the longest length so far, and the frames of one packet.
 */
import { BatchBuilder, type CsiFrame, type StreamIdentity } from "./batch-builder.ts"
import type { CsiBatch } from "./csi-batch.ts"
import type { CaptureDecoder, DecodeResult, FaultReason } from "./decoder.ts"
import { FaultLog } from "./decoder.ts"
import { LeapGuard } from "./leap-guard.ts"

/** Why a record was not used. */
export interface Refusal {
  readonly reason: FaultReason
  readonly message: string
}

/** The content at a position of a capture. */
export interface Step {
  readonly kind:
    /** A record may begin here, but more bytes are needed to decide, or to read it. */
    | "need-more"
    /** No record begins here. */
    | "lost"
    /** A record to skip. It may exceed the available bytes. */
    | "skip"
    /** A record that determines how later ones are read. */
    | "head"
    /** A record with CSI. */
    | "frame"
  /** Length from its start; at least one, except for "need-more" and "lost". */
  readonly bytes: number
  /** Why a record was not used, or null. */
  readonly refusal: Refusal | null
}

export const needMore: Step = { kind: "need-more", bytes: 0, refusal: null }
export const lost: Step = { kind: "lost", bytes: 0, refusal: null }
export const skip = (bytes: number): Step => ({ kind: "skip", bytes, refusal: null })
export const head = (bytes: number, refusal: Refusal | null = null): Step => ({ kind: "head", bytes, refusal })
export const frame = (bytes: number, refusal: Refusal | null): Step => ({ kind: "frame", bytes, refusal })

/** Reads the records of one format. A reader may keep state over a capture, such as clocks. */
export interface RecordReader {
  /** Maximum length of a record, and of the bytes needed to decide, bytes. */
  readonly recordBytesMax: number
  /**
   * Returns the content at `at` without reading past `end`. Reads a complete head or record of CSI, and passes each of its CSI
   * frames to `add`, which copies `csi`. Other content does not change the state.
   */
  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step
  /** Reads `bytes[at..end)`, the incomplete record at the end of a capture, if it may be complete after all. */
  takeLast?(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Refusal | null
  /** Delivers the frame that waits for more records, in formats with several records per frame, at the end of a capture. */
  finish?(add: (frame: CsiFrame) => void): Refusal | null
  /** The hardware of the records so far; null if they do not name it. */
  readonly hardware: string | null
}

/** Bytes first added to a split record; later additions double its length. */
const topUpBytes = 2048

const cutOff: Refusal = { reason: "truncated", message: "the capture ends within a record" }

/** Streaming decoder of captures of one record format. */
export class RecordStream implements CaptureDecoder {
  readonly #reader: RecordReader
  readonly #builder: BatchBuilder
  readonly #guard: LeapGuard
  readonly #faults = new FaultLog()
  readonly #add: (frame: CsiFrame) => void
  #carry = new Uint8Array(0)
  #carried = 0
  /** Offsets in the capture of the first unconsumed byte, and of the last record. */
  #offset = 0
  #readFrom = 0
  /** Remaining bytes of a skipped record. */
  #toSkip = 0
  /** Offset of the skipped record. */
  #skippedFrom = 0
  /** Offset at which the boundary of records was lost; null if it is known. */
  #lostAt: number | null = null

  constructor(reader: RecordReader, identity: StreamIdentity) {
    this.#reader = reader
    this.#builder = new BatchBuilder(identity)
    this.#guard = new LeapGuard((frame) => this.#builder.add(frame))
    this.#add = (frame) => this.#guard.add(frame)
  }

  get hardware(): string | null {
    return this.#reader.hardware
  }

  push(bytes: Uint8Array): DecodeResult {
    let position = 0
    while (this.#carried > 0 && position < bytes.length) {
      const before = this.#carried
      // Adds only the bytes that complete the split record, so that the others are read in place.
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
    this.#guard.finish()
    this.#carried = 0
    this.#toSkip = 0
    return this.#result()
  }

  recycle(batch: CsiBatch): void {
    this.#builder.recycle(batch)
  }

  /** Makes room for up to `bytes` after the carried bytes, within twice the longest record. Returns the available room. */
  #roomFor(bytes: number): number {
    const wanted = Math.min(this.#carried + bytes, 2 * this.#reader.recordBytesMax)
    if (this.#carry.length < wanted) {
      const grown = new Uint8Array(Math.min(2 * this.#reader.recordBytesMax, Math.max(wanted, 2 * this.#carry.length)))
      grown.set(this.#carry.subarray(0, this.#carried))
      this.#carry = grown
    }
    return this.#carry.length - this.#carried
  }

  /** Decodes the complete records in `bytes[0..end)`. Returns the number of consumed bytes. */
  #consume(bytes: Uint8Array, end: number): number {
    let at = Math.min(this.#toSkip, end)
    this.#toSkip -= at
    this.#offset += at
    while (at < end) {
      const { bytes: length, kind, refusal } = this.#reader.take(bytes, at, end, this.#add)
      // A reader that waits for more bytes than its maximum would block the stream for ever.
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
    this.#faults.add(from, "not-a-record", `${until - from} bytes are not a record of this format`)
  }

  #result(): DecodeResult {
    return { batches: this.#builder.take(), ...this.#faults.take() }
  }
}

/** Whether the first records of a capture have this format, and one of them has CSI. */
export const beginsWithRecords = (reader: RecordReader, bytes: Uint8Array): boolean => {
  for (let at = 0; at < bytes.length;) {
    const step = reader.take(bytes, at, bytes.length, () => {})
    if (step.kind === "need-more" || step.kind === "lost") return false
    if (step.kind === "frame" && step.refusal === null) return true
    at += step.bytes
  }
  return false
}
