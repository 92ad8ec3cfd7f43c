import { describe, expect, it } from "vitest"
import {
  baselinesNotAsked,
  type EstimatorFactory,
  type Estimators,
  estimatorsOf,
  withoutBaselines,
} from "../../../deploy/estimation/estimators.ts"
import { createMatchedField } from "../../../core/imaging/matched-field.ts"
import { openKernels } from "../../../deploy/estimation/kernels.ts"
import { judgeScene, playScene } from "../../../deploy/estimation/sequence.ts"
import type { MeanPoses } from "../../../sim/evaluation/mean-pose.ts"
import meanPoses from "../../../sim/evaluation/mean-poses.json" with { type: "json" }
import type { EstimatedPerson, HopEstimate } from "../../../sim/evaluation/record.ts"
import { openScene, openSceneIn, type Scene } from "../../../sim/evaluation/scene.ts"
import { sceneOf, suiteOf, usual } from "../../../sim/evaluation/suites.ts"
import type { NotJudged } from "../../../sim/evaluation/scoreboard.ts"
import { figuresOf } from "../../../sim/evaluation/tally.ts"

const compute = await openKernels("wasm")
const options = { ...usual, emptySeconds: 4 }
/** The same with few packets, for tests that do not depend on them. */
const quiet = { ...options, antennas: 1, packetRateHz: 5 }
const seconds = 8

/** An estimator that returns the truth of a scene in each hop. */
const oracle = (scene: Scene): { readonly scene: Scene; readonly factory: EstimatorFactory } => {
  let persons: ReadonlyArray<EstimatedPerson> = []
  return {
    scene: {
      ...scene,
      next: () => {
        const hop = scene.next()
        persons = hop.truth.map(({ activity, id, keypoints }) => ({
          id,
          activity,
          keypoints,
          certainty: null,
          score: 1,
        }))
        return hop
      },
    },
    factory: () => ({
      // deno-lint-ignore require-yield
      estimate: function* (): Generator<never, HopEstimate> {
        return { persons, fallAlarms: 0, present: persons.length > 0, breathingBpm: null }
      },
    }),
  }
}

describe("a scene", () => {
  it("is equal for equal seeds, and different for different ones", () => {
    const play = (seed: number): ReadonlyArray<number> => {
      const scene = openScene(quiet, seed)
      return Array.from({ length: 60 }, () => scene.next()).flatMap(({ batches, truth }) => [
        ...batches.slice(0, 1).flatMap(({ csi }) => [...csi.slice(0, 4)]),
        ...truth.flatMap(({ keypoints }) => Array.from(keypoints).slice(0, 3)),
      ])
    }
    expect(play(20_000)).toEqual(play(20_000))
    expect(play(20_000)).not.toEqual(play(20_001))
  })
})

describe("a scene with an old calibration", () => {
  it("lets the time pass between the calibration and the first person", () => {
    const scene = openScene({ ...quiet, agedSeconds: 600 }, 20_000)
    expect([scene.calibrationSeconds, scene.emptySeconds]).toEqual([options.emptySeconds, options.emptySeconds + 20])
    const hops = Array.from({ length: 10 * (scene.emptySeconds + seconds) }, () => scene.next())
    const steps = hops.slice(1).map(({ endUs }, i) => endUs - hops[i]!.endUs)
    expect(steps.filter((us) => us !== 100_000)).toEqual([580_100_000])
    expect(steps.indexOf(580_100_000)).toBe(10 * options.emptySeconds - 1)
    expect(hops[10 * scene.emptySeconds]!.truth).toEqual([])
    expect(hops.some(({ truth }) => truth.length > 0)).toBe(true)
  })
})

describe("a scene with a mistake in its survey", () => {
  it("gives the estimator exchanged or moved nodes, and the same packets", () => {
    const right = openScene(quiet, 20_000)
    const nodesOf = (scene: Scene) => scene.geometry.nodes.map(({ nodeId, position }) => [nodeId, ...position])
    const wrong = (["permuted", "moved"] as const).map((mistake) => openScene(quiet, 20_000, mistake))
    const differing = wrong.map((scene) =>
      nodesOf(scene).filter((node, i) => node.join() !== nodesOf(right)[i]!.join()).length
    )
    expect(differing).toEqual([2, 1])
    const first = right.next()
    for (const scene of wrong) expect(scene.next()).toEqual(first)
  })
})

describe("a scene in another seed's room", () => {
  it("has that room and hardware, and its own bodies", () => {
    const [room, other] = [openScene(quiet, 5), openScene(quiet, 20_000)]
    const scene = openSceneIn(quiet, 5, 20_000)
    expect(scene.geometry).toEqual(room.geometry)
    expect(scene.geometry).not.toEqual(other.geometry)
    const truthAfter = ({ next }: Scene): ReadonlyArray<number> => {
      for (let hop = 0; hop < 10 * (options.emptySeconds + seconds) - 1; hop++) next()
      return next().truth.flatMap(({ keypoints }) => Array.from(keypoints))
    }
    const [own, theirs] = [truthAfter(scene), truthAfter(room)]
    expect(own).toHaveLength(51)
    expect(own).not.toEqual(theirs)
  })
})

/** Without a network, so that the assertions do not depend on the weights. */
const estimators = estimatorsOf(null, null)

describe("a sequence", () => {
  it("is evaluated from the end of its empty phase, with a perfect score for the truth", async () => {
    const { factory, scene } = oracle(openScene(quiet, 20_000))
    const [record] = await playScene(scene, seconds, [factory], compute)
    expect(record!.hops).toHaveLength(10 * seconds)
    expect(record!.hops[0]!.timeS).toBeCloseTo(options.emptySeconds + 0.1, 9)
    expect(record!.hops.some(({ truth }) => truth.length > 0)).toBe(true)

    const again = oracle(openScene(quiet, 20_000))
    const judged = { ...estimators, estimator: again.factory, physics_only: again.factory }
    const { estimator } = await judgeScene(20_000, again.scene, seconds, judged, meanPoses, compute)
    const figures = figuresOf(estimator, "estimator")
    for (const name of ["mota", "idf1", "hota", "oks_ap", "activity_macro_f1"]) {
      expect(figures[name]!.value, name).toBeCloseTo(1, 9)
    }
    expect(figures["mpjpe_absolute_mm"]!.value).toBe(0)
    expect(figures["count_exact_percent"]!.value).toBe(100)
  })

  it("has no person if only a ceiling fan moves", async () => {
    const scene = sceneOf(suiteOf("empty"), 10_021)
    let detections = 0
    const factory: EstimatorFactory = (environment) => {
      const field = createMatchedField(environment.geometry!)
      const service = estimatorsOf(null, null).estimator(environment)
      return {
        estimate: function* (hop, observations) {
          detections += (yield* field.image(hop, observations)).detections.length
          return yield* service.estimate(hop, observations)
        },
      }
    }
    const [record] = await playScene(scene, 12, [factory], compute)
    expect(detections).toBeGreaterThan(100)
    expect(record!.hops.flatMap(({ estimate: { persons } }) => persons)).toEqual([])
  })

  it("runs through the reducers and the service's estimator, which detects a person near the truth", async () => {
    const result = await judgeScene(20_000, openScene(options, 20_000), seconds, estimators, meanPoses, compute)
    const figures = figuresOf(result.estimator, "estimator")
    expect(figures["matched_percent"]!.value).toBeGreaterThan(20)
    expect(figures["location_error_median_m"]!.value).toBeLessThan(0.6)
    // The mean pose stands where the estimator says, so it is matched as often, and knows nothing of the body.
    const { mean_pose, no_geometry, physics_only } = result.baselines
    if ("reason" in mean_pose) throw new Error(mean_pose.reason)
    expect(figuresOf(mean_pose, "pose")["matched_percent"]).toEqual(figures["matched_percent"])
    expect(physics_only).toEqual(result.estimator)
    expect(no_geometry).toHaveProperty("reason")
  })

  it("has the same tally of the estimator without baselines, which have a reason", async () => {
    const judge = async (judged: Estimators, poses: MeanPoses | NotJudged) =>
      await judgeScene(20_000, openScene(quiet, 20_000), seconds, judged, poses, compute)
    const whole = await judge(estimators, meanPoses)
    const alone = await judge(withoutBaselines(estimators), baselinesNotAsked)
    expect(alone.estimator).toEqual(whole.estimator)
    for (const baseline of Object.values(alone.baselines)) expect(baseline).toEqual(baselinesNotAsked)
  })
})
