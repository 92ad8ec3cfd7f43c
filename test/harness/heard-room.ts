/** A simulated room without actors: what its routers report, and its estimator. */
import { Estimator } from "../../actors/environment/estimator.ts"
import type { PoseNetwork } from "../../core/pose/network.ts"
import { hopOf } from "../../core/observation/observation.ts"
import { createReception } from "../../sim/simulation/reception.ts"
import { geometryOf, type Scenario } from "../../sim/scenario/scenario.ts"
import { createSimulation } from "../../sim/simulation/simulation.ts"

/** A scenario's hops from its start, as the routers of its one room report them. */
export const heardOf = (scenario: Scenario, calibrationUs: number, seconds: number) => {
  const simulation = createSimulation(scenario, { startUs: 1_700_000_000_000_000, seed: 1 })
  const reception = createReception(scenario.rooms[0]!.nodes.map(({ nodeId }) => nodeId), calibrationUs)
  return Array.from({ length: 10 * seconds }, () => {
    const { batches, endUs } = simulation.next()
    return { hop: hopOf(endUs) - 1, endMs: endUs / 1000, observations: reception.take(batches, endUs) }
  })
}

/** The estimator of its one room. @param firstId of its tracks */
export const roomOf = (scenario: Scenario, network: PoseNetwork | null, firstId = 1): Estimator => {
  const { environmentId, name } = scenario.rooms[0]!
  let id = firstId
  return new Estimator(
    { environmentId, name, geometry: geometryOf({ ...scenario, seed: 1 }, environmentId) },
    network,
    () => id++,
  )
}
