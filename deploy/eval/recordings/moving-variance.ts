/**
 * Moving variance segmentation (MVS), the published detector of ESPectre, as a baseline.
 *
 * Written from its description (github.com/francescopace/espectre, ALGORITHMS.md): the spatial turbulence of a packet is
 * the standard deviation of the amplitudes of 12 subcarriers over their mean; its variance over the last 50 packets is
 * compared with 1.4 times the 95th percentile of that variance while the site is quiet. Here the subcarriers are spread
 * evenly over the used tones. It knows motion and no motion, and always answers once its window is filled.
 */
import { type CsiBatch, valuesPerFrame } from "../../../core/formats/csi-batch.ts"
import { hopOf } from "../../../core/observation/observation.ts"
import { createLayoutPlan, readFrame } from "../../../core/signal/layout-plan.ts"

const subcarriers = 12
const windowPackets = 50
const quantile = 0.95
const factor = 1.4

/** Moving variances of a capture's busiest link at the end of each hop with packets, from hop 0 at its first packet. */
export type Variances = ReadonlyMap<number, number>

const busiestOf = (batches: ReadonlyArray<CsiBatch>): string => {
  const counts = new Map<string, number>()
  for (const { transmitterIds, transmitterIndex } of batches) {
    for (const index of transmitterIndex) {
      counts.set(transmitterIds[index]!, (counts.get(transmitterIds[index]!) ?? 0) + 1)
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0]
}

const varianceOf = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
}

const turbulenceOf = (powers: Float32Array): number => {
  const amplitudes = Array.from(
    { length: subcarriers },
    (_, i) => Math.sqrt(Math.max(0, powers[Math.floor((i + 0.5) * powers.length / subcarriers)]!)),
  )
  const mean = amplitudes.reduce((sum, amplitude) => sum + amplitude, 0) / subcarriers
  return mean > 0 ? Math.sqrt(varianceOf(amplitudes)) / mean : 0
}

export const movingVariances = (batches: ReadonlyArray<CsiBatch>): Variances => {
  const busiest = busiestOf(batches)
  const firstHop = hopOf(batches[0]!.timestampsUs[0]!)
  const variances = new Map<number, number>()
  const layout = batches[0]!.layout
  const plan = createLayoutPlan(layout)
  const window: Array<number> = []
  for (const batch of batches) {
    if (valuesPerFrame(batch.layout) !== valuesPerFrame(layout)) continue
    for (let frame = 0; frame < batch.frameCount; frame++) {
      if (batch.transmitterIds[batch.transmitterIndex[frame]!] !== busiest) continue
      const power = readFrame(plan, batch.csi, frame * 2 * valuesPerFrame(layout))
      if (!(power > 0 && power < Infinity)) continue
      window.push(turbulenceOf(plan.powers))
      if (window.length > windowPackets) window.shift()
      if (window.length === windowPackets) {
        variances.set(hopOf(batch.timestampsUs[frame]!) - firstHop, varianceOf(window))
      }
    }
  }
  return variances
}

/** The threshold that a quiet site gives; null without a variance. */
export const movingVarianceThreshold = (quiet: Iterable<number>): number | null => {
  const sorted = [...quiet].sort((a, b) => a - b)
  return sorted.length === 0
    ? null
    : factor * sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))]!
}
