/**
 * A scene: one simulated sequence of a suite.
 *
 * Owns the way from a seed to a scene, and the conversion of the truth to the form of the metrics. Boundary: the simulator has
 * rooms, bodies and waves.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
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
  /** How long the room is empty at the beginning. */
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

/** Plays the first room of a scenario. */
const playScenario = (scenario: Scenario): Scene => {
  const { environmentId } = scenario.rooms[0]!
  const simulation = createSimulation(scenario, { startUs })
  const impactsUs = new Map<string, number>()
  return {
    environmentId,
    geometry: geometryOf(scenario, environmentId),
    emptySeconds: scenario.emptySeconds,
    startUs,
    next: () => {
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
export const openScene = (options: SuiteOptions, seed: number): Scene => playScenario(randomScenario(options, seed))

/**
 * A scene in the room of another seed: walls, nodes and hardware of `roomSeed`, persons of `seed`. For new bodies in a known room.
 */
export const openSceneIn = (options: SuiteOptions, roomSeed: number, seed: number): Scene => {
  const { persons } = randomScenario(options, seed)
  const scenario = randomScenario(options, roomSeed)
  return playScenario({
    ...scenario,
    persons: scenario.persons.map((person, i) => ({ ...person, ...persons[i]!, behaviour: person.behaviour })),
  })
}
