/**
 * A scene: one simulated sequence of a suite.
 *
 * Owns the way from a seed to a scene, and the conversion of the truth to the form of the metrics. Boundary: the simulator has
 * rooms, bodies and waves.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { SiteGeometry, Vector3 } from "../../core/imaging/geometry.ts"
import { hopUs } from "../../core/observation/observation.ts"
import { createRandom, type Random, uniformIn } from "../randomness/random.ts"
import { randomScenario, type SuiteOptions } from "../random-scenario/random-scenario.ts"
import { geometryOf, type Scenario } from "../scenario/scenario.ts"
import { createSimulation, type PersonTruth } from "../simulation/simulation.ts"
import type { TruePerson } from "./record.ts"

/** The truth at the end of a hop, and the batches of the routers. */
interface SceneHop {
  /** Microseconds since the Unix epoch. */
  readonly endUs: number
  readonly batches: ReadonlyArray<CsiBatch>
  /** The persons in the room. */
  readonly truth: ReadonlyArray<TruePerson>
  /** Impact times of the falls of all persons seen in the room so far, also impacts just ahead; as `endUs`. */
  readonly fallImpactsUs: ReadonlyArray<number>
}

export interface Scene {
  readonly environmentId: string
  /** The surveyed geometry, which the estimator gets. */
  readonly geometry: SiteGeometry
  /** How long routers calibrate at the beginning. */
  readonly calibrationSeconds: number
  /** How long the room is empty at the beginning; time that is skipped does not count. */
  readonly emptySeconds: number
  readonly startUs: number
  /** Simulates the next hop of 100 ms. */
  readonly next: () => SceneHop
}

/** An arbitrary time, a whole number of hops. */
const startUs = 1_700_000_000_000_000

/** The truth about a present person; empty for a person who is out. */
const trueForm = ({ activity, breathingBpm, keypoints, person }: PersonTruth): ReadonlyArray<TruePerson> =>
  activity === null ? [] : [{ id: person, activity, keypoints: Float64Array.from(keypoints.flat()), breathingBpm }]

/** Mistakes of a survey: two nodes exchanged, or one node moved since it was measured. */
export type SurveyMistake = "permuted" | "moved"

const movedM = 1.5

/** A geometry with a mistake, which the estimator gets instead of the true one. */
const mistaken = (geometry: SiteGeometry, mistake: SurveyMistake, random: Random): SiteGeometry => {
  const { nodes, size } = geometry
  const first = Math.floor(random.uniform() * nodes.length)
  const other = (first + 1 + Math.floor(random.uniform() * (nodes.length - 1))) % nodes.length
  const angle = uniformIn(random, 0, 2 * Math.PI)
  const moved = ([x, y, z]: Vector3): Vector3 => [
    Math.min(size[0], Math.max(0, x + movedM * Math.cos(angle))),
    Math.min(size[1], Math.max(0, y + movedM * Math.sin(angle))),
    z,
  ]
  const exchanged = (i: number): number => i === first ? other : i === other ? first : i
  return {
    ...geometry,
    nodes: nodes.map((node, i) =>
      mistake === "permuted"
        ? { ...nodes[exchanged(i)]!, nodeId: node.nodeId }
        : i === first
        ? { ...node, position: moved(node.position) }
        : node
    ),
  }
}

/** The end of the time since the calibration, which the estimator watches as it would watch all of it. */
const watchedSecondsMax = 20

/** How a scene differs from what routers and estimator know. */
interface SceneOptions {
  /** Time between calibration and the first person, which is skipped. */
  readonly agedSeconds: number
  readonly mistake: SurveyMistake | null
}

/** Plays the first room of a scenario. */
export const playScenario = (
  scenario: Scenario,
  { agedSeconds, mistake }: SceneOptions = { agedSeconds: 0, mistake: null },
): Scene => {
  const { environmentId } = scenario.rooms[0]!
  const surveyed = geometryOf(scenario, environmentId)
  const calibrationSeconds = scenario.emptySeconds - agedSeconds
  const watchedSeconds = Math.min(watchedSecondsMax, agedSeconds)
  const skippedSeconds = agedSeconds - watchedSeconds
  const hopsPerSecond = 1e6 / hopUs
  let hops = 0
  const simulation = createSimulation(scenario, { startUs })
  const impactsUs = new Map<string, number>()
  return {
    environmentId,
    geometry: mistake === null ? surveyed : mistaken(surveyed, mistake, createRandom(scenario.seed, "survey mistake")),
    calibrationSeconds,
    emptySeconds: calibrationSeconds + watchedSeconds,
    startUs,
    next: () => {
      if (hops++ === calibrationSeconds * hopsPerSecond && skippedSeconds > 0) {
        simulation.skip(skippedSeconds * hopsPerSecond)
      }
      const { batches, endUs, truth } = simulation.next()
      const here = truth.filter((person) => person.environmentId === environmentId)
      for (const { fallImpactUs, person } of here) {
        if (fallImpactUs !== null) impactsUs.set(`${person} ${fallImpactUs}`, fallImpactUs)
      }
      return { endUs, batches, truth: here.flatMap(trueForm), fallImpactsUs: [...impactsUs.values()] }
    },
  }
}

/** The scene of a seed. The same options and seed give the same scene. */
export const openScene = (options: SuiteOptions, seed: number, mistake: SurveyMistake | null = null): Scene =>
  playScenario(randomScenario(options, seed), { agedSeconds: options.agedSeconds, mistake })

/**
 * A scene in the room of another seed: walls, nodes and hardware of `roomSeed`, persons of `seed`. For new bodies in a known room.
 */
export const openSceneIn = (options: SuiteOptions, roomSeed: number, seed: number): Scene => {
  const { persons } = randomScenario(options, seed)
  const scenario = randomScenario(options, roomSeed)
  return playScenario(
    {
      ...scenario,
      persons: scenario.persons.map((person, i) => ({ ...person, ...persons[i]!, behaviour: person.behaviour })),
    },
    { agedSeconds: options.agedSeconds, mistake: null },
  )
}
