/**
 * The service's estimator as the tracker of training scenes: the network learns from the inputs that it will get in the service.
 *
 * Boundary: the network does not run. Its output is assumed to be certain, so that no person of the scene is rejected.
 */
import { Estimator } from "../../actors/environment/estimator.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { memorySize, outputLayout, type PoseOutputs } from "../../core/pose/network.ts"
import type { Tracker } from "../../sim/training/scenes.ts"
import { readPoseNetwork } from "./pose-models.ts"

const environmentId = "training"
const shipped = readPoseNetwork("wavepose")
/** The assumed uncertainty of the joints of a single walker: standard deviation per axis, metres. */
const sureSigmaM = 0.13

/** The output of a network that is certain of this number of persons. */
const sureOf = (persons: number): PoseOutputs => {
  const { logSigmas, size, visibility } = outputLayout
  const values = new Float32Array(persons * size)
  for (let at = 0; at < values.length; at += size) values.fill(Math.log(sureSigmaM), at + logSigmas, at + visibility)
  return { values, memory: new Float32Array(persons * memorySize) }
}

/** A tracker of one scene, in a room of this geometry. */
export const serviceTracker = (geometry: SiteGeometry): Tracker => {
  let ids = 0
  const estimator = new Estimator({ environmentId, name: environmentId, geometry }, shipped, () => ++ids)
  return {
    ask: function* (hop, observations) {
      const inputs = yield* estimator.observe(hop, observations)
      const asked = estimator.asked
      estimator.estimate(inputs === null ? null : sureOf(asked.length))
      return inputs === null ? null : { inputs, asked }
    },
  }
}
