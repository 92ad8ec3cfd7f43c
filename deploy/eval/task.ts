/**
 * The tasks of a worker. A task is one sequence.
 */
import meanPoses from "../../sim/evaluation/mean-poses.json" with { type: "json" }
import { addTruePose, emptyPoseSums, type PoseSums } from "../../sim/evaluation/mean-pose.ts"
import type { SequenceTallies } from "../../sim/evaluation/scoreboard.ts"
import { trainingSeeds } from "../../sim/evaluation/seed-ranges.ts"
import { openScene } from "../../sim/evaluation/scene.ts"
import { sceneOf, type SuiteName, suiteOf, usual } from "../../sim/evaluation/suites.ts"
import { baselinesNotAsked, estimatorsOf, withoutBaselines } from "../estimation/estimators.ts"
import { readPoseNetwork } from "../composition/pose-models.ts"
import type { Compute } from "../estimation/kernels.ts"
import { judgeScene } from "../estimation/sequence.ts"

/** `judge`: evaluates all estimators on a sequence of a suite; `poses`: sums the true poses of a training sequence. */
export type Task =
  | {
    readonly kind: "judge"
    readonly suite: SuiteName
    readonly seed: number
    readonly seconds: number
    readonly baselines: boolean
  }
  | { readonly kind: "poses"; readonly seed: number; readonly seconds: number }

/** The estimators with the service's own weights, if there are any. */
const estimators = estimatorsOf(readPoseNetwork("wavepose"), readPoseNetwork("wavepose-no-geometry"))

export type TaskKind = Task["kind"]
export type TaskOf<K extends TaskKind> = Extract<Task, { readonly kind: K }>

export interface Results {
  readonly judge: SequenceTallies
  readonly poses: PoseSums
}

const sumPoses = (seed: number, seconds: number): PoseSums => {
  trainingSeeds({ first: seed, last: seed })
  // Only the truth is used, so the radio is as small as possible.
  const scene = openScene({ ...usual, antennas: 1, subcarriers: 2, packetRateHz: 1, emptySeconds: 0 }, seed)
  const sums = emptyPoseSums()
  for (let hop = 0; hop < 10 * seconds; hop++) {
    for (const person of scene.next().truth) addTruePose(sums, person)
  }
  return sums
}

export const runTask = async (task: Task, compute: Compute): Promise<Results[TaskKind]> => {
  if (task.kind === "poses") return sumPoses(task.seed, task.seconds)
  const { baselines, seconds, seed, suite } = task
  const scene = sceneOf(suiteOf(suite), seed)
  if (baselines) return await judgeScene(seed, scene, seconds, estimators, meanPoses, compute)
  return await judgeScene(seed, scene, seconds, withoutBaselines(estimators), baselinesNotAsked, compute)
}
