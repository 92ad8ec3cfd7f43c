/**
 * `wavepose sim run` and `sim site`: simulates a scenario, into a running service or into a file, and says which sites a service
 * has to know for that.
 */
import { Console, Effect } from "effect"
import type { Scenario } from "../../sim/scenario/scenario.ts"
import { truthFileOf } from "../../sim/recording/recording.ts"
import { type Destination, serviceAddress } from "../settings/destination.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { loadScenario, nextHopMs, sendAll } from "./replay-command.ts"
import { progressBar } from "./progress-bar.ts"
import type { HopSource } from "../source/play.ts"
import { recordSimulation } from "../source/record.ts"
import { openSimulation, scenarioEnrolments } from "../source/simulate.ts"

/** Event seconds per second, or as fast as it goes. */
export type SimulationSpeed = number | "max"

export interface SimulationCommand extends Destination {
  /** A file, or a name in `sim/scenarios`. */
  readonly scenario: string
  readonly seed: number | null
  /** Null: the pace of a clock into a service, as fast as it goes into a file. */
  readonly speed: SimulationSpeed | null
  /** Null goes on for ever, which a file cannot. */
  readonly seconds: number | null
}

const hopsPerSecond = 10

/** Tells how far a source is after every hop. */
const watched = <E>(source: HopSource<E>, show: (hops: number) => void): HopSource<E> => {
  let hops = 0
  return { ...source, next: Effect.tap(source.next, (hop) => Effect.sync(() => hop !== null && show(++hops))) }
}

const record = Effect.fnUntraced(function* (scenario: Scenario, { seconds, speed, to }: SimulationCommand) {
  if (seconds === null) {
    return yield* new InvalidCommand({
      message: `--to is the file "${to}": say how much goes into it with --seconds. A service is grpc://host:port.`,
    })
  }
  const bar = progressBar(`simulating ${scenario.scenarioId}`, { lines: true })
  const pace = speed === null || speed === "max" ? null : speed
  const hops = Math.round(seconds * hopsPerSecond)
  const { bytes, frames } = yield* recordSimulation(scenario, { file: to, hops, speed: pace, progressed: bar.show })
  bar.clear()
  yield* Console.log(
    `${frames} CSI frames of ${seconds} s in ${to} (${(bytes / 1e6).toFixed(1)} MB), the truth in ${truthFileOf(to)}`,
  )
})

const drive = Effect.fnUntraced(function* (scenario: Scenario, options: SimulationCommand) {
  const { seconds, speed } = options
  const startMs = yield* nextHopMs
  const hops = seconds === null ? null : Math.round(seconds * hopsPerSecond)
  const bar = progressBar(`simulating ${scenario.scenarioId}`, { lines: true })
  const source = watched(
    openSimulation(scenario, { startMs, seed: null, hops }),
    (done) => bar.show(hops === null ? null : done / hops),
  )
  yield* sendAll(source, startMs, { ...options, speed: speed === "max" ? null : speed ?? 1 })
  bar.clear()
})

/** Simulates a scenario to its destination. */
export const runSimulation = Effect.fnUntraced(function* (options: SimulationCommand) {
  const scenario = yield* loadScenario(options.scenario, options.seed)
  yield* serviceAddress(options.to) === null ? record(scenario, options) : drive(scenario, options)
}, Effect.scoped)

/** Prints the sites of a scenario, as `start --site` reads them. */
export const printSites = Effect.fnUntraced(function* (nameOrFile: string, seed: number | null) {
  const scenario = yield* loadScenario(nameOrFile, seed)
  const sites = scenarioEnrolments(scenario).map(({ environment, routerIds }) => ({
    ...environment,
    routers: routerIds,
  }))
  yield* Console.log(JSON.stringify(sites, null, 2))
})
