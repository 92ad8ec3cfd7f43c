/**
 * Simulation as a source of CSI: every receiving node of a scenario is a router, the scenario is its environment.
 */
import { Effect } from "effect"
import { geometryOf, type Scenario } from "../../sim/scenario.ts"
import { createSimulation } from "../../sim/simulation.ts"
import type { HopSource } from "./play.ts"
import type { Enrolment } from "./replay.ts"

/** Who has to be enrolled before this scenario is simulated. */
export const scenarioEnrolment = (scenario: Scenario): Enrolment => ({
  environment: {
    environmentId: scenario.scenarioId,
    name: `Simulation of ${scenario.scenarioId}`,
    geometry: geometryOf(scenario),
  },
  routerIds: scenario.nodes.map(({ nodeId }) => nodeId),
})

export interface SimulationSourceOptions {
  /** When the simulation begins, milliseconds since the Unix epoch. */
  readonly startMs: number
  /** Replaces the scenario's own seed; null keeps it. */
  readonly seed: number | null
  /** Hops to simulate; null goes on for ever. */
  readonly hops: number | null
}

/** A simulation; the same scenario, seed and start give the same hops. */
export const openSimulation = (
  scenario: Scenario,
  { hops, seed, startMs }: SimulationSourceOptions,
): HopSource<never> => {
  const simulation = createSimulation(scenario, { startUs: startMs * 1000, ...(seed === null ? {} : { seed }) })
  let left = hops ?? Infinity
  return {
    next: Effect.sync(() => {
      if (left-- <= 0) return null
      const { batches, endUs } = simulation.next()
      return { batches, endUs }
    }),
  }
}
