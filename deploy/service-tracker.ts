/**
 * The service's estimator as the tracker of training scenes: the network learns from the questions that it will be asked.
 *
 * Boundary: the network's answers are not computed; it is taken to be sure of everybody, so that nobody whom it will learn is doubted.
 */
import { createEstimator } from "../actors/environment/estimator.ts"
import type { SiteGeometry } from "../core/imaging/geometry.ts"
import { memorySize, outputLayout, type PoseOutputs } from "../core/pose/network.ts"
import { keypointNames } from "../core/pose/skeleton.ts"
import type { Tracker } from "../sim/training/scenes.ts"
import { readPoseNetwork } from "./pose-models.ts"

const environmentId = "training"
const shipped = readPoseNetwork("wavepose")
/** What it sees of a walker who is alone, metres. */
const sureSigmaM = 0.13

const sureOf = (persons: number): PoseOutputs => {
  const { logSigmas, size } = outputLayout
  const values = new Float32Array(persons * size)
  for (let from = logSigmas; from < values.length; from += size) {
    values.fill(Math.log(sureSigmaM), from, from + keypointNames.length)
  }
  return { values, memory: new Float32Array(persons * memorySize) }
}

/** A tracker of one scene, in a room of this geometry. */
export const serviceTracker = (geometry: SiteGeometry): Tracker => {
  let ids = 0
  const estimator = createEstimator({ environmentId, name: environmentId, geometry }, shipped, () => ++ids)
  return {
    ask: function* (hop, observations) {
      const inputs = yield* estimator.observe(hop, observations)
      const asked = estimator.asked()
      estimator.estimate(inputs === null ? null : sureOf(asked.length))
      return inputs === null ? null : { inputs, asked }
    },
  }
}
