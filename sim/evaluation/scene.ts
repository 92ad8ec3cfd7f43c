/**
 * A scene: one sequence of a suite, simulated.
 *
 * Owns how a seed becomes a scene, and the truth of a scene in the form that is judged. Boundary: rooms, bodies and waves are the
 * simulator's.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { randomScenario, type SuiteOptions } from "../random-scenario/random-scenario.ts"
import { geometryOf, type Scenario } from "../scenario/scenario.ts"
import { createSimulation, type PersonTruth } from "../simulation/simulation.ts"
import type { TruePerson } from "./record.ts"

/** The truth at the end of a hop, and what the routers heard in it. */
interface SceneHop {
  /** Microseconds since the Unix epoch. */
  readonly endUs: number
  readonly batches: ReadonlyArray<CsiBatch>
  /** Who is in the room. */
  readonly truth: ReadonlyArray<TruePerson>
  /** When the falls of whoever is in the room ended on the floor, of all hops so far, or soon will; as `endUs`. */
  readonly fallImpactsUs: ReadonlyArray<number>
}

export interface Scene {
  readonly environmentId: string
  /** The geometry as it was surveyed: what an estimator is told. */
  readonly geometry: SiteGeometry
  /** For how long the room is empty at first. */
  readonly emptySeconds: number
  readonly startUs: number
  /** Simulates the next hop of 100 ms. */
  readonly next: () => SceneHop
}

/** Any time would do; this one is a whole number of hops. */
const startUs = 1_700_000_000_000_000

/** A person who is in; none of one who is out. */
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
 * A scene in the room of another seed: its walls, nodes and hardware with the persons of `seed`. For bodies that are new in a room
 * that is not.
 */
export const openSceneIn = (options: SuiteOptions, roomSeed: number, seed: number): Scene => {
  const { persons } = randomScenario(options, seed)
  const scenario = randomScenario(options, roomSeed)
  return playScenario({
    ...scenario,
    persons: scenario.persons.map((person, i) => ({ ...person, ...persons[i]!, behaviour: person.behaviour })),
  })
}
