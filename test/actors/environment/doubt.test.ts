/** What the pose network makes of persons has a say in whether they are there. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { createEstimator } from "../../../actors/environment/estimator.ts"
import { memorySize, outputLayout, type PoseOutputs } from "../../../core/pose/network.ts"
import { hopOf, type Observation } from "../../../core/signal/observation.ts"
import { createReception } from "../../../sim/reception.ts"
import { decodeScenario, geometryOf } from "../../../sim/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { createSimulation } from "../../../sim/simulation.ts"
import { randomNetwork } from "../../core/pose/random-network.ts"
import { compute } from "../../harness/compute.ts"

const [person] = smallRoom.persons
const weights = { ...person!.behaviour.weights, walk: 0, stand: 1 }
const scenario = Effect.runSync(decodeScenario({
  ...smallRoom,
  persons: [{ ...person, behaviour: { ...person!.behaviour, weights } }],
}))
const { environmentId, name, nodes } = scenario.rooms[0]!

/** The hops of a person who comes in and stands, in a room that was not calibrated, so that nothing is heard of who keeps still. */
const heard = (): ReadonlyArray<readonly [hop: number, observations: ReadonlyArray<Observation>]> => {
  const simulation = createSimulation(scenario, { startUs: 1_700_000_000_000_000, seed: 1 })
  const reception = createReception(nodes.map(({ nodeId }) => nodeId), 0)
  return Array.from({ length: 10 * (scenario.emptySeconds + 18) }, () => {
    const { batches, endUs } = simulation.next()
    return [hopOf(endUs) - 1, reception.take(batches, endUs)] as const
  })
}

/** A network that sees the hips of everybody this surely, metres. */
const answers = (persons: number, sigmaM: number): PoseOutputs => ({
  values: new Float32Array(persons * outputLayout.size).fill(Math.log(sigmaM)),
  memory: new Float32Array(persons * memorySize),
})

describe("a person of whom the pose network", () => {
  const hops = heard()
  const confidencesBy = (sigmaM: number): ReadonlyArray<number> => {
    let id = 0
    const geometry = geometryOf({ ...scenario, seed: 1 }, environmentId)
    const room = createEstimator({ environmentId, name, geometry }, randomNetwork(1), () => ++id)
    return hops.flatMap(([hop, observations]) => {
      const asked = compute(room.observe(hop, observations))
      const { persons } = room.estimate(asked === null ? null : answers(asked.persons, sigmaM))
      return persons.map(({ confidence }) => confidence)
    })
  }

  it("is unsure where they stand is soon shown no more", { timeout: 60_000 }, () => {
    const [sure, unsure] = [confidencesBy(0.13), confidencesBy(0.4)]
    expect(sure.at(-1)).toBeGreaterThan(0.9)
    expect(unsure.at(-1)).toBeLessThan(0.5)
    expect(unsure.length).toBeLessThan(sure.length / 2)
  })
})
