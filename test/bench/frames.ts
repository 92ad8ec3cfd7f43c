/**
 * What a pose frame costs: a room of six routers with four persons (`busy-room.ts`), from encoded CSI batches to a frame's bytes and
 * the text of its update, in CPU time of the whole process.
 *
 *     npm run bench:frames -- [seconds] [backend]
 *
 * Counted: "routers" is the Router actors' work (decoding of batches, sanitisation, motion, vitals, dynamic responses), "environment" the
 * Environment actor's (observations, the room's image, presence, tracks), "network" the poses of all persons, "encoding" the frame for
 * the store and as JSON for a WebSocket. Not counted: transport, storage, what persons do over time. A frame is a hop of 100 ms, so
 * there are ten a second, and a share of one core is the cost of a second. For 20 frames/s the hop would have to be halved; that
 * figure is computed, not measured: a router's work goes with the packets and stays, the rest doubles. The spread is over parts of the
 * run of `partSeconds`. Writes `results/frames.json`.
 */
import { Effect, Layer } from "effect"
import { Estimator } from "../../actors/environment/estimator.ts"
import { backendSources } from "../../actors/runtime/kernels/kernel-sources.ts"
import type { KernelChoice } from "../../actors/runtime/kernels/kernel-choice.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { PoseInference } from "../../actors/runtime/pose/pose-inference.ts"
import { hopOf, hopUs } from "../../core/observation/observation.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { readPoseNetwork } from "../../deploy/composition/pose-models.ts"
import { createBatchDecoder, encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodeObservation, encodeObservation } from "../../protocols/grpc/observation.ts"
import { encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { updateText } from "../../protocols/pose-api/pose-frame.ts"
import { poseFilterOf } from "../../protocols/pose-api/socket-messages.ts"
import { geometryOf } from "../../sim/scenario/scenario.ts"
import { share } from "../gateways/pose/frames.ts"
import { busyRoom, simulateHops } from "./busy-room.ts"
import { machine, rounded, roundedSpread, spreadOf, writeResults } from "./harness.ts"

const seconds = Number(process.argv[2] ?? 10)
const choice = (process.argv[3] ?? "wasm") as KernelChoice
const partSeconds = 2
const persons = 4
const emptySeconds = 6
/** The first seconds calibrate and fill windows, the longest of which take 45 s; they are run but not counted. */
const warmUpSeconds = 50
const target = 0.5
const stages = ["routers", "environment", "network", "encoding"] as const

/** CPU microseconds by stage. */
type Cost = Record<typeof stages[number], number>

interface Part {
  readonly cost: Cost
  frames: number
  packets: number
  persons: number
}

if (!(seconds >= partSeconds)) throw new Error(`measure at least ${partSeconds} seconds`)
const scenario = await busyRoom(persons, emptySeconds)
const { environmentId, nodes } = scenario.rooms[0]!
const hops = simulateHops(scenario, 1e15, warmUpSeconds + seconds)
  .map(({ batches, endUs }) => ({
    endUs,
    packets: batches.reduce((sum, { frameCount }) => sum + frameCount, 0),
    batches: batches.map((batch) => ({ routerId: batch.routerId, bytes: encodeCsiBatch(batch) })),
  }))

const cpuUs = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

const network = readPoseNetwork("wavepose")

/** The room's actors' work, without the actors; answers what each part of the run cost. */
const run = Effect.gen(function* () {
  const kernels = yield* Kernels
  const infer = yield* (yield* PoseInference).join
  let trackId = 0
  const site = { environmentId, name: "Bench", geometry: geometryOf(scenario, environmentId) }
  const estimator = new Estimator(site, network, () => ++trackId)
  const reducers = new Map(nodes.map(({ nodeId }) => [nodeId, new Reducer(nodeId)]))
  const decoders = new Map(nodes.map(({ nodeId }) => [nodeId, createBatchDecoder()]))
  for (const reducer of reducers.values()) reducer.startCalibration("empty", (emptySeconds - 1) * 1e6)
  const filter = poseFilterOf({})
  const parts: Array<Part> = []
  for (const [i, { batches, endUs, packets }] of hops.entries()) {
    const counted = i - warmUpSeconds * 10
    if (counted >= 0 && counted % (partSeconds * 10) === 0) {
      parts.push({ cost: { routers: 0, environment: 0, network: 0, encoding: 0 }, frames: 0, packets: 0, persons: 0 })
    }
    const startUs = cpuUs()
    const observations = []
    for (const { bytes, routerId } of batches) {
      const batch = yield* Effect.fromResult(decoders.get(routerId)!(bytes))
      observations.push(...reducers.get(routerId)!.push(batch))
    }
    for (const reducer of reducers.values()) observations.push(...reducer.flush(endUs))
    const sent = observations.map(encodeObservation)
    const reducedUs = cpuUs()
    const asked = yield* kernels.compute(estimator.observe(hopOf(endUs) - 1, sent.map(decodeObservation)))
    const observedUs = cpuUs()
    const poses = asked === null ? null : yield* infer(network!, asked)
    const inferredUs = cpuUs()
    const estimate = estimator.estimate(poses)
    const estimatedUs = cpuUs()
    const frame = { environmentId, frameId: i + 1, timestampMs: endUs / 1000, processingTimeMs: 0, ...estimate }
    encodePoseFrame(frame)
    Buffer.from(updateText(share(frame), "bare", filter, frame.timestampMs))
    const part = parts.at(-1)
    if (part === undefined) continue
    part.cost.routers += reducedUs - startUs
    part.cost.environment += observedUs - reducedUs + (estimatedUs - inferredUs)
    part.cost.network += inferredUs - observedUs
    part.cost.encoding += cpuUs() - estimatedUs
    part.frames++
    part.packets += packets
    part.persons += estimate.persons.length
  }
  return parts
})

const kernels = Kernels.layer(choice, backendSources)
const inference = PoseInference.layer.pipe(Layer.provideMerge(kernels))
const parts = await Effect.scoped(run).pipe(Effect.provide(inference), Effect.runPromise)

const mean = (of: (part: Part) => number): number =>
  parts.reduce((sum, part) => sum + of(part), 0) / parts.reduce((sum, { frames }) => sum + frames, 0)
if (mean((part) => part.persons) === 0) throw new Error("nobody was found: what was measured is not the whole work")
const total = ({ cost }: Part): number => stages.reduce((sum, stage) => sum + cost[stage], 0)
const framesPerSecond = 1e6 / hopUs
const spread = (of: (part: Part) => number) => roundedSpread(spreadOf(parts.map((part) => of(part) / part.frames)))
const result = {
  what: "CPU milliseconds of a frame, and the share of one core that a second of frames takes",
  machine,
  kernels: choice,
  model: network?.modelVersion ?? null,
  packetsPerSecond: Math.round(mean(({ packets }) => packets) * framesPerSecond),
  personsInFrame: rounded(mean((part) => part.persons)),
  cpuMs: {
    ...Object.fromEntries(stages.map((stage) => [stage, spread(({ cost }) => cost[stage] / 1000)])),
    total: spread((part) => total(part) / 1000),
  },
  share: { framesPerSecond, target, ...spread((part) => total(part) / hopUs) },
  computedShare: {
    framesPerSecond: 2 * framesPerSecond,
    ...spread((part) => (2 * total(part) - part.cost.routers) / hopUs),
  },
}
writeResults("frames", result)
console.log(JSON.stringify(result, null, 2))
