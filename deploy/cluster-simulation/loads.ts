/**
 * The loads of a simulated cluster: what each environment costs, as a seed decides it, and the reports and moves on the simulated tables.
 *
 * Time in actors does not pass in a simulation, so a node's load is that of the environments whose actors worked since the last report.
 */
import { Effect, Layer } from "effect"
import { type BalanceTiming, CurrentBalanceTiming } from "../../actors/runtime/balancer.ts"
import { CurrentLoadMeter, type LoadMeter } from "../../actors/runtime/load-meter.ts"
import { Placements } from "../../actors/runtime/placements.ts"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import type { SimulatedDatabase } from "../../sim/cluster/database.ts"
import type { PlacementTable } from "../../sim/cluster/placement-table.ts"
import type { ClusterPlan } from "../../sim/cluster/plan.ts"
import type { SimulatedProcess } from "../../sim/cluster/process.ts"
import { createRandom, uniformIn } from "../../sim/randomness/random.ts"

/** A run has seconds where a cluster has minutes. */
export const simulatedTiming: BalanceTiming = {
  reportMs: 500,
  roundMs: 2_000,
  steadyRoundsMin: 2,
  freshMsMax: 1_500,
  restMs: 15_000,
}

const coresMin = 0.1
const coresMax = 0.6
/** Load of a node without environments. */
const idleCores = 0.05

/** What an environment costs, cores. */
export const coresOf = ({ seed }: Pick<ClusterPlan, "seed">, environmentId: string): number =>
  uniformIn(createRandom(seed, `load of ${environmentId}`), coresMin, coresMax)

const meterOf = (plan: ClusterPlan): LoadMeter => {
  const worked = new Set<string>()
  return {
    add: (environmentId) => void worked.add(environmentId),
    take: Effect.sync(() => {
      const groups = new Map<string, number>()
      for (const environmentId of [...worked].toSorted()) {
        const group = sensingGroup(environmentId)
        groups.set(group, (groups.get(group) ?? 0) + coresOf(plan, environmentId))
      }
      worked.clear()
      return { cores: idleCores + [...groups.values()].reduce((sum, cores) => sum + cores, 0), groups }
    }),
  }
}

/** The placement of a process on the simulated tables. */
export const layerSimulatedPlacement = (
  plan: ClusterPlan,
  database: SimulatedDatabase,
  table: PlacementTable,
  process: SimulatedProcess,
): Layer.Layer<Placements> => {
  const call = <A>(name: string, statement: () => A, other: () => A) =>
    Effect.catch(database.call(process, name, statement), () => Effect.sync(other))
  let known: PlacementTable["pins"] = []
  const placements = Placements.of({
    pins: call("pins", () => known = table.pins, () => known),
    loads: call("loads", () => table.loads, () => []),
    report: (address, load) => call("report", () => table.report(address, load), () => undefined),
    pin: (moves) =>
      call("pin", () => {
        for (const { address, group } of moves) table.pin(group, address)
      }, () => undefined),
  })
  return Layer.mergeAll(
    Layer.succeed(Placements, placements),
    Layer.succeed(CurrentLoadMeter, meterOf(plan)),
    Layer.succeed(CurrentBalanceTiming, simulatedTiming),
  )
}
