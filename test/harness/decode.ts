/** Decodes captures as the service does: the format is detected, and the bytes arrive in pieces. */
import { type CsiBatch, valuesPerFrame } from "../../core/formats/csi-batch.ts"
import type { Fault } from "../../core/formats/decoder.ts"
import { type CaptureFormat, createCaptureDecoder, detectFormat } from "../../core/formats/detect-format.ts"
import { recording } from "./recordings.ts"

interface Decoded {
  readonly format: CaptureFormat
  readonly hardware: string | null
  readonly batches: ReadonlyArray<CsiBatch>
  readonly faults: ReadonlyArray<Fault>
}

/** Odd, so that records are cut anywhere. */
const pieceBytes = 10_007

export const decodeBytes = (bytes: Uint8Array, rateHz: number | null = null): Decoded => {
  const format = detectFormat(bytes)
  if (format === null) throw new Error("the capture is of no known format")
  const decoder = createCaptureDecoder(format, { routerId: "r", source: "replay" }, rateHz)
  const results = []
  for (let at = 0; at < bytes.length; at += pieceBytes) results.push(decoder.push(bytes.subarray(at, at + pieceBytes)))
  results.push(decoder.end())
  return {
    format,
    hardware: decoder.hardware,
    batches: results.flatMap(({ batches }) => batches),
    faults: results.flatMap(({ faults }) => faults),
  }
}

export const decodeRecording = (name: string): Decoded => decodeBytes(recording(name))

/** A frame of a batch: where it is, and its values, interleaved [rx][tx][subcarrier]. */
export interface DecodedFrame {
  readonly batch: CsiBatch
  readonly i: number
  readonly csi: Float32Array
}

export const framesOf = (batches: ReadonlyArray<CsiBatch>): ReadonlyArray<DecodedFrame> =>
  batches.flatMap((batch) => {
    const numbers = 2 * valuesPerFrame(batch.layout)
    return Array.from({ length: batch.frameCount }, (_, i) => ({
      batch,
      i,
      csi: new Float32Array(batch.csi.subarray(i * numbers, (i + 1) * numbers)),
    }))
  })
