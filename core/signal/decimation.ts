/**
 * Decimation: means of neighbouring subcarriers, about 14 per antenna.
 *
 * After alignment a response contains delays of echoes relative to the direct path only. An echo that is 10 m longer
 * rotates by 0.26 rad over four subcarriers of 312.5 kHz, so their mean keeps 99.7 % of its amplitude. A tone distance
 * of 1.25 MHz is unambiguous to 240 m, so a 20 MHz channel loses no delay resolution. Independent noise power falls by
 * the number of subcarriers in a mean.
 */
import type { RadioLayout } from "../formats/csi-batch.ts"

const tonesWanted = 14

export interface Decimation {
  /** First subcarrier of each group; one element more than there are groups. */
  readonly bounds: Uint16Array
  /** Mean frequency offset of each group from the channel centre. */
  readonly tonesHz: Float32Array
}

export const createDecimation = (layout: RadioLayout): Decimation => {
  const subcarriers = layout.subcarrierIndices
  const groups = Math.round(subcarriers.length / Math.max(1, Math.round(subcarriers.length / tonesWanted)))
  const bounds = Uint16Array.from({ length: groups + 1 }, (_, i) => Math.round(i * subcarriers.length / groups))
  const tonesHz = Float32Array.from({ length: groups }, (_, i) => {
    let sum = 0
    for (let k = bounds[i]!; k < bounds[i + 1]!; k++) sum += subcarriers[k]!
    return sum / (bounds[i + 1]! - bounds[i]!) * layout.subcarrierSpacingHz
  })
  return { bounds, tonesHz }
}

/** Writes the group means of one row of subcarriers (interleaved complex, from `at`) to `out` from `to`. */
export const decimateRow = (
  decimation: Decimation,
  row: Float32Array,
  at: number,
  out: Float32Array,
  to: number,
): void => {
  const { bounds } = decimation
  for (let group = 0; group + 1 < bounds.length; group++) {
    const first = bounds[group]!
    const end = bounds[group + 1]!
    let re = 0
    let im = 0
    for (let k = first; k < end; k++) {
      re += row[at + 2 * k]!
      im += row[at + 2 * k + 1]!
    }
    out[to + 2 * group] = re / (end - first)
    out[to + 2 * group + 1] = im / (end - first)
  }
}
