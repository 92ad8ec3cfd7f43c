/**
 * The delay of the strongest path of a response: the peak of its impulse response, summed over rows.
 *
 * Delays count from it, because within a room it is the direct path. The mean delay is biased by late echoes: in
 * simulated rooms (40 MHz) its error is 2.2 +-2.0 m, against 0.2 +-0.5 m for the peak.
 */
import { createTransform, transformSizeMax, transformSizeMin } from "../math/fourier.ts"

/** Points of the impulse response per resolved delay: a parabola through three points interpolates the peak. */
const oversampling = 4

/**
 * The phase slope of the strongest path of `response` (interleaved complex [row][tone]), radians per subcarrier: -2 pi
 * df delay.
 *
 * @param subcarrierIndices ascending; tones at a common distance d leave the slope ambiguous by 2 pi / d
 */
export const strongestSlope = (response: Float32Array, rows: number, subcarrierIndices: Int16Array): number => {
  const tones = subcarrierIndices.length
  const first = subcarrierIndices[0]!
  const span = subcarrierIndices[tones - 1]! - first + 1
  const pitch = Math.ceil((2 * span) / transformSizeMax)
  const wanted = 2 ** Math.ceil(Math.log2((oversampling * span) / pitch))
  const size = Math.max(transformSizeMin, Math.min(transformSizeMax, wanted))
  const transform = createTransform(size)
  const powers = new Float64Array(size)
  const values = new Float64Array(2 * size)
  for (let row = 0; row < rows; row++) {
    values.fill(0)
    for (let i = 0; i < tones; i++) {
      const at = 2 * Math.floor((subcarrierIndices[i]! - first) / pitch)
      values[at]! += response[2 * (row * tones + i)]!
      values[at + 1]! += response[2 * (row * tones + i) + 1]!
    }
    transform(values)
    for (let i = 0; i < size; i++) powers[i]! += values[2 * i]! ** 2 + values[2 * i + 1]! ** 2
  }
  let peak = 0
  for (let i = 1; i < size; i++) if (powers[i]! > powers[peak]!) peak = i
  const before = powers[(peak + size - 1) % size]!
  const after = powers[(peak + 1) % size]!
  const bend = before + after - 2 * powers[peak]!
  const turns = (peak + (bend < 0 ? (before - after) / (2 * bend) : 0)) / size
  return (2 * Math.PI * (turns > 0.5 ? turns - 1 : turns)) / pitch
}
