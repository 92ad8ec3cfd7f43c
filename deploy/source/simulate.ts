/**
 * Simulation as a source of CSI: every room of a scenario is an environment, every node and monitor in it a router.
 */
import { Effect } from "effect"
import { geometryOf, type Scenario } from "../../sim/scenario/scenario.ts"
import { createSimulation } from "../../sim/simulation/simulation.ts"
import type { HopSource } from "./play.ts"
import type { EmptyAtFirst, Enrolment } from "./replay.ts"

/** The enrolments of a scenario: its rooms with the geometry that their operator surveyed. */
export const scenarioEnrolments = (scenario: Scenario): ReadonlyArray<Enrolment> =>
  scenario.rooms.map(({ environmentId, feedbackMonitor, name, nodes }) => ({
    environment: { environmentId, name: `Simulation of ${name}`, geometry: geometryOf(scenario, environmentId) },
    routerIds: [...nodes, ...feedbackMonitor === undefined ? [] : [feedbackMonitor]].map(({ nodeId }) => nodeId),
  }))

/** The routers that can calibrate while the rooms are still empty. */
export const emptyAtFirst = (scenario: Scenario): ReadonlyArray<EmptyAtFirst> =>
  scenario.emptySeconds === 0
    ? []
    : [{ seconds: scenario.emptySeconds, routerIds: scenarioEnrolments(scenario).flatMap((site) => site.routerIds) }]

interface SimulationSourceOptions {
  /** Start of the simulation, milliseconds since the Unix epoch. */
  readonly startMs: number
  /** Replaces the scenario's own seed; null keeps it. */
  readonly seed: number | null
  /** Hops to simulate; null: no end. */
  readonly hops: number | null
}

/** A simulation. The same scenario, seed and start give the same hops. */
export const openSimulation = (
  scenario: Scenario,
  { hops, seed, startMs }: SimulationSourceOptions,
): HopSource<never> => {
  const simulation = createSimulation(scenario, { startUs: startMs * 1000, ...(seed === null ? {} : { seed }) })
  let left = hops ?? Infinity
  /** Hops that come as one, usually and the next time. */
  let together = 1
  let length = 1
  return {
    next: Effect.sync(() => {
      if (left <= 0) return null
      length = Math.min(length, left)
      const { batches, endUs } = simulation.next(length)
      left -= length
      length = together
      return { batches, endUs }
    }),
    skip: (skipped) => {
      left -= skipped
      simulation.skip(skipped)
      length = Math.max(2, together)
    },
    ease: ({ hopsTogether, oneIn }) => {
      simulation.thin(oneIn)
      length = together = hopsTogether
    },
  }
}
