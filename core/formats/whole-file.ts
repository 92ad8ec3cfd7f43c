/**
 * The decoder of formats that can only be read as whole files, such as archives whose directory is at the end.
 *
 * Owns the bytes of the file and their bound. Boundary: a `FileReader` per format reads the file. It delivers with `end`.
 */
import { BatchBuilder, type CsiFrame, type StreamIdentity } from "./batch-builder.ts"
import type { CsiBatch } from "./csi-batch.ts"
import { type CaptureDecoder, type DecodeResult, FaultLog } from "./decoder.ts"
import { LeapGuard } from "./leap-guard.ts"
import type { Refusal } from "./record-stream.ts"

/** Maximum size of a file, and of its unpacked arrays together, bytes. */
export const fileBytesMax = 2 ** 28

/** Takes the content of a file, in its order. */
export interface FileContent {
  /** Takes a frame, and copies `csi`. */
  readonly frame: (frame: CsiFrame) => void
  /** Takes a part at this offset of the file that cannot be used, or a warning. */
  readonly fault: (offset: number, refusal: Refusal) => void
}

/** The packets in a second of a file without times, as the user knows it; null if unknown. A reader asks only where the file has no times. */
export type GivenRate = () => number | null

/** Reads the whole file. Returns its hardware; null if the file does not name it. */
export type FileReader = (file: Uint8Array, content: FileContent, rate: GivenRate) => string | null

/** Decoder of one file. */
export class WholeFileDecoder implements CaptureDecoder {
  readonly #read: FileReader
  readonly #rateHz: number | null
  readonly #builder: BatchBuilder
  readonly #faults = new FaultLog()
  #pieces: Array<Uint8Array> = []
  #bytes = 0
  #hardware: string | null = null
  #isRateUsed = false

  constructor(read: FileReader, identity: StreamIdentity, rateHz: number | null) {
    this.#read = read
    this.#rateHz = rateHz
    this.#builder = new BatchBuilder(identity)
  }

  /** Known when the file has ended. */
  get hardware(): string | null {
    return this.#hardware
  }

  push(bytes: Uint8Array): DecodeResult {
    this.#bytes += bytes.length
    if (this.#bytes <= fileBytesMax) this.#pieces.push(bytes.slice())
    else this.#pieces = []
    return { batches: [], faults: [], faultsOmitted: 0 }
  }

  end(): DecodeResult {
    const bytes = this.#bytes
    if (bytes > fileBytesMax) {
      this.#faults.add(
        0,
        "too-long",
        `the file has more than ${fileBytesMax} bytes. Split the recording into several files`,
      )
    } else if (bytes > 0) {
      const file = joined(this.#pieces, bytes)
      this.#pieces = []
      const guard = new LeapGuard((frame) => this.#builder.add(frame))
      this.#hardware = this.#read(file, {
        frame: (frame) => guard.add(frame),
        fault: (offset, { message, reason }) => this.#faults.add(offset, reason, message),
      }, () => {
        this.#isRateUsed = true
        return this.#rateHz
      })
      guard.finish()
    }
    this.#bytes = 0
    return { batches: this.#batches(), ...this.#faults.take() }
  }

  /** The batches of the file; none if the user's rate contradicts it. */
  #batches(): ReadonlyArray<CsiBatch> {
    const batches = this.#builder.take()
    if (batches.length === 0 || this.#rateHz === null || this.#isRateUsed) return batches
    this.#faults.take()
    this.#faults.add(0, "bad-field", "the file has times, so --rate has no effect. Leave it out")
    return []
  }

  recycle(batch: CsiBatch): void {
    this.#builder.recycle(batch)
  }
}

const joined = (pieces: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array => {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
