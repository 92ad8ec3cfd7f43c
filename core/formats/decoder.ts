/**
 * The decoder interface: bytes of a capture in, CSI batches and faults out.
 *
 * Owns the interface of capture decoders, and faults as data. Boundary: a decoder reads no file and no socket.
 *
 * Invariants:
 * 1. A decoder never throws on foreign bytes. Bytes that it cannot use become a fault, and decoding continues.
 * 2. Between two calls it holds at most one incomplete record of bounded length, and the frames of one packet.
 * 3. The `push` that completes a record delivers it. A frame of several records is delivered by the first `push` that shows it to be
 *    complete, at the latest by `end`. The first packet after a silence of ten seconds is delivered with the next one, which shows whether
 *    its time is right.
 */
import type { CsiBatch } from "./csi-batch.ts"

/** Why a part of a capture was not used. */
export type FaultReason =
  /** The capture ends within a record. */
  | "truncated"
  /** Not a record of this format. */
  | "not-a-record"
  /** A header field is missing or out of its range. */
  | "bad-field"
  /** The number of values does not fit any layout of this format. */
  | "value-count"
  /** A value is not a number or out of range. */
  | "bad-value"
  /** Longer than any record of this format. */
  | "too-long"
  /** A valid record of a kind that this decoder does not map to subcarriers. */
  | "unsupported-layout"
  /** The guard subcarriers contradict the order in which the sender's values were read so far. */
  | "bin-order"
  /** A warning: the guard subcarriers show no order, so the sender's values are read in an assumed one. */
  | "assumed-order"

/** A part of the input that was not used, or a warning about one that was. */
export interface Fault {
  /** Byte offset of the part in the capture or the datagram. */
  readonly offset: number
  readonly reason: FaultReason
  /** Message for the operator. */
  readonly message: string
}

/** Whether the part was used all the same. */
export const isWarning = ({ reason }: Fault): boolean => reason === "assumed-order"

/** A fault, or a warning, of these data for the log. */
export const faultText = (fault: Fault, data: string): string =>
  `${isWarning(fault) ? "warning" : "fault"} in ${data}: ${fault.message}`

/** The end of a message about a capture without frames: its first fault. */
export const firstFaultText = (fault: Fault | undefined): string =>
  fault === undefined ? "" : ` At byte ${fault.offset} (${fault.reason}): ${fault.message}.`

/** The result of one call of a decoder, in the order of the capture. */
export interface DecodeResult {
  readonly batches: ReadonlyArray<CsiBatch>
  readonly faults: ReadonlyArray<Fault>
  /** Faults beyond `faultsMax` of one call: counted, not described. */
  readonly faultsOmitted: number
}

/** Maximum number of described faults per call, so that a capture of noise has bounded memory. */
const faultsMax = 256

/**
 * A streaming decoder of one capture.
 *
 * Timestamps of its batches are microseconds since the first accepted record, on the device's own clock, with unwrapped
 * 32-bit counters. Where the clock was set back, they continue (`device-clock.ts`). A replay adds its own start time.
 */
export interface CaptureDecoder {
  /** Decodes the next bytes, of any length. The array may be reused afterwards. */
  push(bytes: Uint8Array): DecodeResult
  /** Ends the capture. An incomplete record becomes a fault. */
  end(): DecodeResult
  /**
   * Returns the memory of a batch for later batches. Call it when no part of the batch is used any more. Optional: decoders without it
   * do not reuse memory.
   */
  recycle?(batch: CsiBatch): void
  /** The hardware of the records so far, for the operator; null if they do not name it. */
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

  /** Returns the collected faults and clears them. */
  take(): { readonly faults: ReadonlyArray<Fault>; readonly faultsOmitted: number } {
    const taken = { faults: this.#faults, faultsOmitted: this.#omitted }
    this.#faults = []
    this.#omitted = 0
    return taken
  }
}
