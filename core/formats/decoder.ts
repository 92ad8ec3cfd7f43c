/**
 * The decoder interface: bytes of a capture in, CSI batches and faults out.
 *
 * Owns the shape every capture decoder has, and the faults as data. Boundary: a decoder reads no file and no socket.
 *
 * Invariants:
 * 1. A decoder never throws on foreign bytes; what it cannot use becomes a fault and the rest goes on.
 * 2. Between two calls it holds at most one incomplete record, whose length has a maximum.
 * 3. A record whose bytes have all arrived is delivered by the `push` that completed it; a frame of several records, by the
 *    first that shows it to be complete, and at the latest by `end`.
 */
import type { CsiBatch } from "./csi-batch.ts"

/** Why a stretch of a capture was not used. */
export type FaultReason =
  /** The capture ends within a record. */
  | "truncated"
  /** No record of this format. */
  | "not-a-record"
  /** A header field is missing or out of its range. */
  | "bad-field"
  /** The number of values fits no layout of this format. */
  | "value-count"
  /** A value is no number or out of its range. */
  | "bad-value"
  /** Longer than any record of this format. */
  | "too-long"
  /** A right record of a kind that this decoder does not map to subcarriers. */
  | "unsupported-layout"
  /** The guard subcarriers contradict the order in which the sender's values were read so far, or show none. */
  | "bin-order"

/** A stretch of foreign input that was left out. */
export interface Fault {
  /** Byte offset in the capture (or the datagram) at which the stretch begins. */
  readonly offset: number
  readonly reason: FaultReason
  /** What is wrong, in words for the operator. */
  readonly message: string
}

/** What one call of a decoder yields, in the order of the capture. */
export interface DecodeResult {
  readonly batches: ReadonlyArray<CsiBatch>
  readonly faults: ReadonlyArray<Fault>
  /** Faults beyond `faultsMax` of one call: counted, not described. */
  readonly faultsOmitted: number
}

/** Faults described per call; a capture of noise must not cost memory without bound. */
const faultsMax = 256

/**
 * A streaming decoder of one capture.
 *
 * Timestamps of its batches are microseconds since the first record that was accepted, on the device's own clock, with
 * the wraps of a 32-bit counter undone. A feeder that replays adds its own start.
 */
export interface CaptureDecoder {
  /** Takes the next bytes, of any length; the array may be reused afterwards. */
  push(bytes: Uint8Array): DecodeResult
  /** Says that the capture ends here, which makes an incomplete record a fault. */
  end(): DecodeResult
  /**
   * Gives the memory of a batch back, for those to come. A batch is its reader's own; who is done with it, and has handed no part of it
   * on, saves the decoder fresh memory for as many values. A decoder without it takes none back.
   */
  recycle?(batch: CsiBatch): void
  /** What made the records so far, in words for the operator; null when they do not say. */
  readonly hardware: string | null
}

/** Collects the faults of one call within `faultsMax`. */
export class FaultLog {
  #faults: Array<Fault> = []
  #omitted = 0

  add(offset: number, reason: FaultReason, message: string): void {
    if (this.#faults.length < faultsMax) this.#faults.push({ offset, reason, message })
    else this.#omitted++
  }

  /** Hands out what was collected and starts anew. */
  take(): { readonly faults: ReadonlyArray<Fault>; readonly faultsOmitted: number } {
    const taken = { faults: this.#faults, faultsOmitted: this.#omitted }
    this.#faults = []
    this.#omitted = 0
    return taken
  }
}
