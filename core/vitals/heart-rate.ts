/**
 * Heart rate of one link from its trailing window, or the reason for its absence.
 *
 * A heartbeat moves the chest by 0.3 mm, 0.03 rad at 2.4 GHz and 0.07 rad at 5.5 GHz, a twentieth of the motion of
 * breathing, and the harmonics of a breath fall into its band. So the breath's first eight harmonics, each with a
 * slowly changing amplitude, are removed by least squares, and the rest must show a line as strong as that of a breath.
 * The rate is estimated only while a breathing rate is measured and nothing else moves. Most links cannot measure it
 * and report a reason.
 */
import type { ValueBlock } from "../signal/csi-ratio.ts"
import type { UniformWindow } from "../signal/resample.ts"
import { seriesOf } from "./breathing.ts"
import { findLine } from "./line.ts"
import { type Band, spectrumOf } from "./periodicity.ts"

const heartBand: Band = { fromHz: 0.8, toHz: 2.2 }
const surroundings: Band = { fromHz: 0.6, toHz: 2.4 }
/** Above the fastest heart. */
const noiseBand: Band = { fromHz: 2.4, toHz: Infinity }
const rateHzMin = 10
const breathHarmonics = 8
/** Three times as many cells are searched as for a breath, which takes ln 3 more strength, and one as a margin. */
const strengthMin = 12

/** Exactly one of `rateBpm` and `reason` is null. */
export interface HeartReading {
  readonly rateBpm: number | null
  readonly reason: string | null
}

export const withoutHeart = (reason: string): HeartReading => ({ rateBpm: null, reason })

/** Orthonormal series that span the harmonics of a breath, each with a linearly changing amplitude. */
const breathBasis = (steps: number, rateHz: number, breathHz: number): ReadonlyArray<Float64Array> => {
  const basis: Array<Float64Array> = []
  const add = (series: Float64Array): void => {
    // Gram-Schmidt, twice for accuracy.
    for (let pass = 0; pass < 2; pass++) for (const known of basis) removeFrom(series, known)
    const norm = Math.sqrt(dot(series, series))
    if (!(norm > 1e-6)) return
    for (let i = 0; i < steps; i++) series[i]! /= norm
    basis.push(series)
  }
  for (let h = 1; h <= breathHarmonics; h++) {
    // Harmonics outside do not reach the band through the window's side lobes.
    if (h * breathHz < surroundings.fromHz || h * breathHz > surroundings.toHz) continue
    for (const turn of [0, Math.PI / 2]) {
      const steady = new Float64Array(steps)
      const growing = new Float64Array(steps)
      for (let i = 0; i < steps; i++) {
        steady[i] = Math.cos(2 * Math.PI * h * breathHz * i / rateHz + turn)
        growing[i] = (2 * i / (steps - 1) - 1) * steady[i]!
      }
      add(steady)
      add(growing)
    }
  }
  return basis
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

const removeFrom = (series: Float64Array, unit: Float64Array): void => {
  const part = dot(series, unit)
  for (let i = 0; i < series.length; i++) series[i]! -= part * unit[i]!
}

/** The heart rate of a window beside the breath of `breathingRateBpm`. */
export const estimateHeartRate = (
  window: UniformWindow,
  blocks: ReadonlyArray<ValueBlock>,
  breathingRateBpm: number,
): HeartReading => {
  if (window.rateHz < rateHzMin) {
    return withoutHeart(`the packet rate is too low: at least ${rateHzMin} packets/s are needed`)
  }
  const series = seriesOf(window, blocks)
  const basis = breathBasis(window.steps, window.rateHz, breathingRateBpm / 60)
  for (const block of series) for (const values of block) for (const unit of basis) removeFrom(values, unit)
  const spectrum = spectrumOf(window, series, noiseBand)
  const line = spectrum === null ? null : findLine(spectrum, heartBand, surroundings)
  if (line === null || line.strength < strengthMin) return withoutHeart("no heartbeat is above the noise floor")
  return { rateBpm: 60 * line.frequencyHz, reason: null }
}
