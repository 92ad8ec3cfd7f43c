/**
 * The decoder of recordings (`recording.ts`), in pieces of any length.
 *
 * Two views of one file: `RecordingReader` keeps the routers separate, as a replay needs them; `RecordingDecoder` is a capture
 * decoder like those of `core/formats` and presents the whole file as one receiver with a link for each pair of nodes.
 *
 * Invariants: those of a capture decoder. An invalid length ends the reading: the data after it cannot be interpreted.
 */
import { Option, Result, Schema } from "effect"
import type { StreamIdentity } from "../../core/formats/batch-builder.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { type CaptureDecoder, type DecodeResult, FaultLog } from "../../core/formats/decoder.ts"
import { decodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { csiBatchLimits } from "../../protocols/grpc/csi-batch-checks.ts"
import { headerBytesMax, RecordingHeader, recordingMagic } from "./recording.ts"
import { TimeOrder } from "./time-order.ts"

const magic = new TextEncoder().encode(recordingMagic)
const newline = 0x0a
/** Longest length prefix, bytes. */
const varintBytesMax = 5

/** Whether a capture begins as a recording. */
export const looksLikeRecording = (head: Uint8Array): boolean =>
  head.length >= magic.length && magic.every((byte, i) => head[i] === byte)

const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(RecordingHeader))

/** Offset of the end of the second line; -1 when it is beyond the bytes. */
const headerEnd = (bytes: Uint8Array): number => bytes.indexOf(newline, magic.length)

/** The header of a recording that begins with these bytes; null when it is missing or malformed. */
export const readRecordingHeader = (head: Uint8Array): RecordingHeader | null => {
  const end = headerEnd(head)
  if (!looksLikeRecording(head) || end < 0) return null
  return Option.getOrNull(decodeHeader(new TextDecoder().decode(head.subarray(magic.length, end))))
}

/** The length at `at` and its width in bytes; null when the bytes end within it. An invalid length is `NaN`. */
const readVarint = (bytes: Uint8Array, at: number): { readonly value: number; readonly width: number } | null => {
  let value = 0
  for (let i = 0; i < varintBytesMax; i++) {
    if (at + i >= bytes.length) return null
    const byte = bytes[at + i]!
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, width: i + 1 }
  }
  return { value: NaN, width: varintBytesMax }
}

/** Reads a recording, router by router. */
export class RecordingReader implements CaptureDecoder {
  readonly #faults = new FaultLog()
  /** Bytes of an incomplete header or batch. */
  #held: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  /** Offset of the held bytes in the file. */
  #offset = 0
  #broken = false
  #header: RecordingHeader | null = null

  get hardware(): string | null {
    const header = this.#header
    if (header === null) return null
    return header.capture === undefined
      ? `simulation of scenario ${header.scenarioId}, seed ${header.seed}`
      : `recorded at ${header.capture.recordedAt}`
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): DecodeResult {
    const batches: Array<CsiBatch> = []
    if (!this.#broken) {
      const joined = new Uint8Array(this.#held.length + bytes.length)
      joined.set(this.#held)
      joined.set(bytes, this.#held.length)
      const used = this.#read(joined, batches)
      this.#held = this.#broken ? new Uint8Array(0) : joined.slice(used)
      this.#offset += used
    }
    return { batches, ...this.#faults.take() }
  }

  end(): DecodeResult {
    if (this.#held.length > 0) {
      const what = this.#header === null ? "header" : "batch"
      this.#faults.add(this.#offset, "truncated", `the recording ends within a ${what}`)
      this.#held = new Uint8Array(0)
    }
    return { batches: [], ...this.#faults.take() }
  }

  /** Reads all complete messages; returns the number of bytes used. */
  #read(bytes: Uint8Array, batches: Array<CsiBatch>): number {
    let at = this.#header === null ? this.#readHeader(bytes) : 0
    while (this.#header !== null && !this.#broken && at < bytes.length) {
      const length = readVarint(bytes, at)
      if (length === null) break
      if (!(length.value > 0 && length.value <= csiBatchLimits.bytes)) {
        this.#break(at, "bad-field", "this is no valid length of a batch; the rest of the file is skipped")
        break
      }
      const begin = at + length.width
      if (begin + length.value > bytes.length) break
      // Columns of a decoded batch are views, so it needs its own copy of the bytes.
      const decoded = decodeCsiBatch(bytes.slice(begin, begin + length.value))
      if (Result.isSuccess(decoded)) batches.push(decoded.success)
      else this.#faults.add(this.#offset + at, "bad-field", decoded.failure.message)
      at = begin + length.value
    }
    return at
  }

  #readHeader(bytes: Uint8Array): number {
    const end = headerEnd(bytes)
    if (end < 0) {
      if (bytes.length > headerBytesMax) this.#break(0, "too-long", "the second line is longer than any header")
      return 0
    }
    this.#header = readRecordingHeader(bytes)
    if (this.#header !== null) return end + 1
    this.#break(0, "bad-field", "the second line is not the header of a recording")
    return 0
  }

  #break(at: number, reason: "bad-field" | "too-long", message: string): void {
    this.#faults.add(this.#offset + at, reason, message)
    this.#broken = true
  }
}

/** Name of the link from a transmitter to a router. */
const linkId = (transmitterId: string, routerId: string): string => `${transmitterId}>${routerId}`

/** Reads a recording as the capture of one receiver, in the order of time. */
export class RecordingDecoder implements CaptureDecoder {
  readonly #reader = new RecordingReader()
  readonly #order: TimeOrder

  constructor(identity: StreamIdentity) {
    this.#order = new TimeOrder(identity)
  }

  get hardware(): string | null {
    return this.#reader.hardware
  }

  push(bytes: Uint8Array): DecodeResult {
    const { batches, ...faults } = this.#reader.push(bytes)
    for (const batch of batches) this.#order.add(batch, batch.transmitterIds.map((id) => linkId(id, batch.routerId)))
    return { batches: this.#order.take(), ...faults }
  }

  end(): DecodeResult {
    return { ...this.#reader.end(), batches: this.#order.end() }
  }
}
