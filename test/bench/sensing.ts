/**
 * What it costs to sense: six routers of three antennas and 56 tones, each hearing five others at 100 packets/s (3,000 CSI frames/s),
 * from CSI batches to pose estimates, in CPU seconds per second of event time.
 *
 *     npm run bench:sensing -- [seconds] [backend]
 *
 * Counted: sanitisation, motion, vitals and dynamic responses of every link (the Router actors' work), the room's image, presence,
 * tracks and skeletons (the Environment actor's), each as the actors do them. Not counted: transport, storage, encoding of frames.
 * The figure is a share of one core. Writes `results/sensing.json`.
 */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createEstimator } from "../../actors/environment/estimator.ts"
import { backendSources } from "../../actors/runtime/kernel-sources.ts"
import { type KernelChoice, Kernels } from "../../actors/runtime/kernels.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { hopOf } from "../../core/signal/observation.ts"
import { Reducer } from "../../core/signal/reduce.ts"
import { decodeScenario, geometryOf } from "../../sim/scenario.ts"
import { createSimulation } from "../../sim/simulation.ts"
import { median, writeResults } from "./harness.ts"

const seconds = Number(process.argv[2] ?? 20)
const choice = (process.argv[3] ?? "wasm") as KernelChoice
const rounds = 5
/** The first seconds calibrate and fill windows, the longest of which take 45 s; they are run but not counted. */
const warmUpSeconds = 50

interface Hop {
  readonly batches: ReadonlyArray<CsiBatch>
  readonly endUs: number
}

interface Cost {
  readonly routers: number
  readonly environment: number
}

const file = fileURLToPath(new URL("../../sim/scenarios/small-room.json", import.meta.url))
const scenario = await Effect.runPromise(decodeScenario(JSON.parse(readFileSync(file, "utf8"))))
const busy = {
  ...scenario,
  rooms: scenario.rooms.map((room) => ({ ...room, radio: { ...room.radio, packetRateHz: 100 } })),
  persons: [...scenario.persons, ...scenario.persons],
}
const { environmentId, nodes } = busy.rooms[0]!

/** All hops of the run, made before anything is measured. */
const simulate = (): ReadonlyArray<Hop> => {
  const simulation = createSimulation(busy, { startUs: 1e15, seed: busy.seed })
  return Array.from({ length: (warmUpSeconds + seconds) * 10 }, () => simulation.next())
}

const cpuUs = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** One pass over the hops. CPU time is that of the whole process, helpers of a backend included. */
const pass = (hops: ReadonlyArray<Hop>) =>
  Effect.gen(function* () {
    const kernels = yield* Kernels
    let trackId = 0
    const site = { environmentId: "bench", name: "Bench", geometry: geometryOf(busy, environmentId) }
    const estimator = createEstimator(site, null, () => ++trackId)
    const reducers = new Map(nodes.map(({ nodeId }) => [nodeId, new Reducer(nodeId)]))
    for (const reducer of reducers.values()) reducer.startCalibration("empty", 5e6)
    let routersUs = 0
    let environmentUs = 0
    let persons = 0
    let packets = 0
    for (const [i, { batches, endUs }] of hops.entries()) {
      const startUs = cpuUs()
      const observations = batches.flatMap((batch) => reducers.get(batch.routerId)!.push(batch))
      for (const reducer of reducers.values()) observations.push(...reducer.flush(endUs))
      const reducedUs = cpuUs()
      yield* kernels.compute(estimator.observe(hopOf(endUs) - 1, observations))
      const estimate = estimator.estimate(null)
      if (i < warmUpSeconds * 10) continue
      routersUs += reducedUs - startUs
      environmentUs += cpuUs() - reducedUs
      persons += estimate.persons.length
      packets += batches.reduce((sum, { frameCount }) => sum + frameCount, 0)
    }
    if (persons === 0) throw new Error("nobody was found: what was measured is not the whole work")
    const cost: Cost = { routers: routersUs / (seconds * 1e6), environment: environmentUs / (seconds * 1e6) }
    return { cost, packetsPerSecond: packets / seconds }
  })

const hops = simulate()
const results = await Effect.gen(function* () {
  yield* pass(hops)
  return yield* Effect.forEach(Array.from({ length: rounds }), () => pass(hops))
}).pipe(Effect.provide(Kernels.layer(choice, backendSources)), Effect.runPromise)

const share = (of: (cost: Cost) => number) => Math.round(1000 * median(results.map(({ cost }) => of(cost)))) / 1000
const totals = results.map(({ cost }) => cost.routers + cost.environment)
const result = {
  what: "CPU seconds per second of event time, share of one core",
  kernels: choice,
  runtime: "Deno" in globalThis ? "deno" : `node ${process.version}`,
  packetsPerSecond: Math.round(results[0]!.packetsPerSecond),
  routers: share((cost) => cost.routers),
  environment: share((cost) => cost.environment),
  total: share((cost) => cost.routers + cost.environment),
  spread: [Math.min(...totals), Math.max(...totals)].map((value) => Math.round(1000 * value) / 1000),
  limit: 0.25,
}
writeResults("sensing", result)
console.log(JSON.stringify(result))
