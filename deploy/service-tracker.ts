/**
 * The service's estimator as the tracker of training scenes: the network learns from the questions that it will be asked.
 *
 * Boundary: the network's answers are not computed, because who is tracked where does not depend on them.
 */
import { createEstimator } from "../actors/environment/estimator.ts"
import type { SiteGeometry } from "../core/imaging/geometry.ts"
import { memorySize, outputLayout } from "../core/pose/network.ts"
import type { Tracker } from "../sim/training/scenes.ts"
import { readPoseNetwork } from "./pose-models.ts"

const environmentId = "training"
const shipped = readPoseNetwork("wavepose")

/** A tracker of one scene, in a room of this geometry. */
export const serviceTracker = (geometry: SiteGeometry): Tracker => {
  let ids = 0
  const estimator = createEstimator({ environmentId, name: environmentId, geometry }, shipped, () => ++ids)
  return {
    ask: function* (hop, observations) {
      const inputs = yield* estimator.observe(hop, observations)
      const asked = estimator.asked()
      const count = asked.length
      estimator.estimate(
        inputs === null
          ? null
          : { values: new Float32Array(count * outputLayout.size), memory: new Float32Array(count * memorySize) },
      )
      return inputs === null ? null : { inputs, asked }
    },
  }
}
