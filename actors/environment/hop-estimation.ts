/**
 * The estimation of a hop: runs the estimator's computations on the node's kernels, and its poses on the node's shared network. Its time,
 * without that of the network, counts for the load of the environment.
 */
import { Clock, Effect } from "effect"
import type { Effort } from "../../core/pace/effort.ts"
import type { PoseOutputs } from "../../core/pose/network.ts"
import { Kernels } from "../runtime/kernels/kernels.ts"
import { CurrentLoadMeter } from "../runtime/load-meter.ts"
import { PoseInference } from "../runtime/pose/pose-inference.ts"
import type { Estimator } from "./estimator.ts"
import type { Hop } from "./hop-assembler.ts"
import type { Estimate } from "./seen-site.ts"

interface HopEstimation {
  readonly estimate: Estimate
  /** Time that the pose network needed; null when it was not asked. */
  readonly inferenceTimeMs: number | null
}

/** Makes the estimation of one environment's hops, for as long as the scope in context. */
export const makeHopEstimation = Effect.fnUntraced(function* (environmentId: string) {
  const kernels = yield* Kernels
  const meter = yield* CurrentLoadMeter
  const infer = yield* (yield* PoseInference).join
  return Effect.fnUntraced(
    function* (estimator: Estimator, { hop, observations }: Hop, effort: Effort): Effect.fn.Return<HopEstimation> {
      const computeNs = yield* Clock.currentTimeNanos
      const inputs = yield* kernels.compute(estimator.observe(hop, observations, effort))
      meter.add(environmentId, Number((yield* Clock.currentTimeNanos) - computeNs) / 1e6)
      const { network } = estimator
      if (inputs === null) return { estimate: estimator.estimate(null), inferenceTimeMs: null }
      const startNs = yield* Clock.currentTimeNanos
      const poses: PoseOutputs | null = network === null ? null : yield* infer(network, inputs)
      const inferenceTimeMs = Number((yield* Clock.currentTimeNanos) - startNs) / 1e6
      return { estimate: estimator.estimate(poses), inferenceTimeMs }
    },
  )
})
