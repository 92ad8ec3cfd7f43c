/**
 * The falls of a scenario that a service simulates in real time, from the same simulation without packets.
 */
import { Effect } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { loadScenario } from "../../deploy/source/load-scenario.ts"
import { createSimulation } from "../../sim/simulation/simulation.ts"

/** The times of the impacts. @param startMs the beginning of the simulation, which falls are relative to */
export const trueFallsMs = async (name: string, startMs: number, untilMs: number): Promise<ReadonlyArray<number>> => {
  const scenario = await Effect.runPromise(loadScenario(name, null).pipe(Effect.provide(NodeServices.layer)))
  const simulation = createSimulation(scenario, { startUs: startMs * 1000, receiverIds: new Set() })
  const impactsUs = new Set<number>()
  for (let endUs = 0; endUs < untilMs * 1000;) {
    const hop = simulation.next()
    endUs = hop.endUs
    for (const { fallImpactUs } of hop.truth) if (fallImpactUs !== null) impactsUs.add(fallImpactUs)
  }
  return [...impactsUs].map((us) => us / 1000).filter((ms) => ms < untilMs)
}
