/**
 * The samples of a CSI batch as a column of bytes, in the narrowest type that holds them.
 */
import type { Samples } from "../../core/formats/csi-batch.ts"
import { bytesOf, columnOf } from "./wire.ts"

/** Bytes per real value by the number of proto `SampleType`; 0 for an invalid number. */
export const sampleWidths: ReadonlyArray<number> = [0, 1, 2, 4]
const int8 = 1
const int16 = 2
const float32 = 3

/** The samples as bytes: integers in their own type, floats in the narrowest type that holds all of them exactly (except -0). */
export const narrowestSamples = (csi: Samples): { readonly sampleType: number; readonly bytes: Uint8Array } => {
  if (csi instanceof Int8Array) return { sampleType: int8, bytes: bytesOf(csi) }
  if (csi instanceof Int16Array) return { sampleType: int16, bytes: bytesOf(csi) }
  const bytes = asInt8(csi)
  if (bytes !== null) return { sampleType: int8, bytes: bytesOf(bytes) }
  const words = asInt16(csi)
  return words !== null ? { sampleType: int16, bytes: bytesOf(words) } : { sampleType: float32, bytes: bytesOf(csi) }
}

// One pass that stops at the first sample that does not fit. Two functions, because one for both array types is compiled to much
// slower code.

const asInt8 = (csi: Float32Array): Int8Array | null => {
  const samples = new Int8Array(csi.length)
  for (let i = 0; i < csi.length; i++) {
    const value = csi[i]!
    const whole = value | 0
    if (value !== whole || whole << 24 >> 24 !== whole) return null
    samples[i] = whole
  }
  return samples
}

const asInt16 = (csi: Float32Array): Int16Array | null => {
  const samples = new Int16Array(csi.length)
  for (let i = 0; i < csi.length; i++) {
    const value = csi[i]!
    const whole = value | 0
    if (value !== whole || whole << 16 >> 16 !== whole) return null
    samples[i] = whole
  }
  return samples
}

/** Whether every value is a finite number. x - x is 0 for such a number, else NaN, and the sum keeps a NaN. */
export const allFinite = (values: Float32Array): boolean => {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! - values[i]!
  return sum === 0
}

/** The samples of a column of that type, a view if possible; null if a sample is not finite. */
export const samplesOf = (sampleType: number, bytes: Uint8Array): Float32Array | null => {
  if (sampleType === int8) return new Float32Array(columnOf(bytes, 1, Int8Array))
  if (sampleType === int16) return new Float32Array(columnOf(bytes, 2, Int16Array))
  const samples = columnOf(bytes, 4, Float32Array)
  return allFinite(samples) ? samples : null
}
