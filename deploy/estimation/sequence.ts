/**
 * Evaluates one sequence: runs a scene through the routers' reducers and every estimator, and compares with the ground truth.
 *
 * The routers calibrate in the empty phase, which is not evaluated. Then every hop is. All estimators get the same observations.
 */
import { hopOf, hopUs } from "../../core/observation/observation.ts"
import { withMannequin, withTrueMannequin } from "../../sim/evaluation/mannequin.ts"
import { type MeanPoses, withClassMean, withMeanPose } from "../../sim/evaluation/mean-pose.ts"
import type { HopRecord, SequenceRecord } from "../../sim/evaluation/record.ts"
import type { Scene } from "../../sim/evaluation/scene.ts"
import { createReception } from "../../sim/simulation/reception.ts"
import type { NotJudged, SequenceTallies } from "../../sim/evaluation/scoreboard.ts"
import { type Tally, tallyOf } from "../../sim/evaluation/tally.ts"
import type { EstimatorFactory, Estimators } from "./estimators.ts"
import type { Compute } from "./kernels.ts"

/** Calibration leaves out the last part of the empty phase, which the reducers' windows still contain. */
const settleSeconds = 1

/** Plays a scene to its end. Returns one record per estimator. */
export const playScene = async (
  scene: Scene,
  seconds: number,
  factories: ReadonlyArray<EstimatorFactory>,
  compute: Compute,
): Promise<ReadonlyArray<SequenceRecord>> => {
  const { calibrationSeconds, emptySeconds, environmentId, geometry, startUs } = scene
  const estimators = factories.map((create) => create({ environmentId, name: environmentId, geometry }))
  const reception = createReception(
    geometry.nodes.map(({ nodeId }) => nodeId),
    (calibrationSeconds - settleSeconds) * 1e6,
  )
  const hops = estimators.map(() => [] as Array<HopRecord>)
  const hopsPerSecond = 1e6 / hopUs
  let impactsUs: ReadonlyArray<number> = []
  for (let hop = 0; hop < (emptySeconds + seconds) * hopsPerSecond; hop++) {
    const { batches, endUs, fallImpactsUs, truth } = scene.next()
    const observations = reception.take(batches, endUs)
    impactsUs = fallImpactsUs
    for (const [i, estimator] of estimators.entries()) {
      const estimate = await compute(estimator.estimate(hopOf(endUs) - 1, observations))
      if (hop >= emptySeconds * hopsPerSecond) hops[i]!.push({ timeS: (endUs - startUs) / 1e6, truth, estimate })
    }
  }
  const fallImpactsS = impactsUs.map((impactUs) => (impactUs - startUs) / 1e6).sort((a, b) => a - b)
  return hops.map((records) => ({ hops: records, fallImpactsS }))
}

/** Evaluates an estimator and its baselines on one scene. */
export const judgeScene = async (
  seed: number,
  scene: Scene,
  seconds: number,
  { estimator, no_geometry, physics_only }: Estimators,
  meanPoses: MeanPoses | NotJudged,
  compute: Compute,
): Promise<SequenceTallies> => {
  const able = [estimator, physics_only, no_geometry].filter((entry) => typeof entry === "function")
  const factories = [...new Set(able)]
  const records = await playScene(scene, seconds, factories, compute)
  const tallies = new Map<EstimatorFactory, Tally>(factories.map((factory, i) => [factory, tallyOf(records[i]!)]))
  const own = records[factories.indexOf(estimator)]!
  const tallied = (entry: EstimatorFactory | NotJudged) => typeof entry === "function" ? tallies.get(entry)! : entry
  const constant = (pose: (own: SequenceRecord, poses: MeanPoses) => SequenceRecord) =>
    "reason" in meanPoses ? meanPoses : tallyOf(pose(own, meanPoses))
  return {
    seed,
    estimator: tallies.get(estimator)!,
    baselines: {
      mean_pose: constant(withMeanPose),
      class_mean: constant(withClassMean),
      mannequin: constant(withMannequin),
      mannequin_true_facing: constant(withTrueMannequin),
      physics_only: tallied(physics_only),
      no_geometry: tallied(no_geometry),
    },
  }
}
