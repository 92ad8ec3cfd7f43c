/**
 * `wavepose sim run` simulates a scenario into a running service or into a file. `wavepose sim site` prints the sites that the service
 * must have enrolled for it.
 */
import { Console, Effect } from "effect"
import type { Scenario } from "../../sim/scenario/scenario.ts"
import { truthFileOf } from "../../sim/recording/recording.ts"
import { type Destination, serviceAddress } from "../settings/destination.ts"
import { InvalidArguments } from "../settings/invalid-command.ts"
import { loadScenario } from "../source/load-scenario.ts"
import { nextHopMs, sendAll } from "./replay-command.ts"
import { printResult } from "./output.ts"
import { progressBar } from "./progress-bar.ts"
import type { HopSource } from "../source/play.ts"
import { recordSimulation } from "../source/record.ts"
import { openSimulation, scenarioEnrolments } from "../source/simulate.ts"

/** Event seconds per second, or as fast as possible. */
export type SimulationSpeed = number | "max"

export interface SimulationCommand extends Destination {
  /** A file, or a name in `sim/scenarios`. */
  readonly scenario: string
  readonly seed: number | null
  /** Null: 1 into a service, and as fast as possible into a file. */
  readonly speed: SimulationSpeed | null
  /** Length of the simulation; null: no end, which is invalid for a file. */
  readonly seconds: number | null
  readonly json: boolean
}

const hopsPerSecond = 10

/** Reports the progress of a source after every hop. */
const watched = <E>(source: HopSource<E>, show: (hops: number) => void): HopSource<E> => {
  let hops = 0
  return { ...source, next: Effect.tap(source.next, (hop) => Effect.sync(() => hop !== null && show(++hops))) }
}

const record = Effect.fnUntraced(function* (scenario: Scenario, { json, seconds, speed, to }: SimulationCommand) {
  if (seconds === null) {
    return yield* new InvalidArguments({
      message: `--to is the file "${to}", which needs a length: add --seconds. A service is grpc://host:port.`,
    })
  }
  const bar = progressBar(`simulating ${scenario.scenarioId}`, { lines: true })
  const pace = speed === null || speed === "max" ? null : speed
  const hops = Math.round(seconds * hopsPerSecond)
  const { bytes, frames } = yield* recordSimulation(scenario, { file: to, hops, speed: pace, progressed: bar.show })
  bar.clear()
  yield* printResult(
    json,
    { file: to, truth_file: truthFileOf(to), frames, seconds, bytes },
    `${frames} CSI frames of ${seconds} s in ${to} (${(bytes / 1e6).toFixed(1)} MB), ground truth in ${
      truthFileOf(to)
    }`,
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

/** Prints the sites of a scenario in the form that `start --site` reads. */
export const printSites = Effect.fnUntraced(function* (nameOrFile: string, seed: number | null) {
  const scenario = yield* loadScenario(nameOrFile, seed)
  const sites = scenarioEnrolments(scenario).map(({ environment, routerIds }) => ({
    ...environment,
    routers: routerIds,
  }))
  yield* Console.log(JSON.stringify(sites, null, 2))
})
