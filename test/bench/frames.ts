/**
 * What a pose frame costs: a room of six routers with four persons (`busy-room.ts`), from the bytes of the routers' datagrams to a
 * frame's bytes and the text of its update, in CPU time of the whole process.
 *
 *     npm run bench:frames -- [seconds] [backend]
 *
 * Counted: "datagrams" is the work of the listener (decoding of Nexmon datagrams, batches), "handOver" what a batch and an observation
 * cost between a listener, a router and an environment of one node, "routers" the Router actors' work (sanitisation, motion, vitals,
 * dynamic responses), "environment" the Environment actor's (the room's image, presence, tracks), "network" the poses of all persons,
 * "encoding" the frame for the store and as JSON for a WebSocket. Not counted: sockets, messages of the cluster, storage, activities of
 * persons over time.
 *
 * Two chains take the same datagrams, hop by hop in alternating order: one hands over objects, as actors of one node do; the other encodes
 * and decodes batches and observations, as actors of two nodes do, and as those of one node did before. `cpuMs` is of the first;
 * `encoded` is of the second, and `gain` compares their totals. Their frames must be the same bytes.
 *
 * A frame is a hop of 100 ms, so there are ten a second, and a share of one core is the cost of a second. For 20 frames/s the hop would
 * have to be halved; that figure is computed, not measured: the listener's and a router's work goes with the packets and stays, the rest
 * doubles. What the readings of the CPU time cost is subtracted. The spread is over parts of the run of `partSeconds`. Writes `results/frames.json`.
 */
import { Effect, Layer, Result } from "effect"
import { loadavg } from "node:os"
import { Estimator } from "../../actors/environment/estimator.ts"
import { backendSources } from "../../actors/runtime/kernels/kernel-sources.ts"
import type { KernelChoice } from "../../actors/runtime/kernels/kernel-choice.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { PoseInference } from "../../actors/runtime/pose/pose-inference.ts"
import { BatchBuilder } from "../../core/formats/batch-builder.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation } from "../../core/observation/observation.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { readPoseNetwork } from "../../deploy/composition/pose-models.ts"
import { nexmonDecoder } from "../../gateways/datagrams/decoders.ts"
import { createBatchDecoder, encodeCsiBatch, readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import { checkCsiBatch } from "../../protocols/grpc/csi-batch-checks.ts"
import { decodeObservation, encodeObservation } from "../../protocols/grpc/observation.ts"
import { encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { updateText } from "../../protocols/pose-api/pose-frame.ts"
import { poseFilterOf } from "../../protocols/pose-api/socket-messages.ts"
import { geometryOf } from "../../sim/scenario/scenario.ts"
import { share } from "../gateways/pose/frames.ts"
import { busyRoom, simulateHops } from "./busy-room.ts"
import { machine, rounded, roundedSpread, spreadOf, writeResults } from "./harness.ts"
import { datagramsOf, type ReceivedDatagram, scaleFor, withStationNames } from "./nexmon-datagrams.ts"

const seconds = Number(process.argv[2] ?? 10)
const choice = (process.argv[3] ?? "wasm") as KernelChoice
const partSeconds = 2
const persons = 4
const emptySeconds = 6
/** The first seconds calibrate and fill windows, the longest of which take 45 s; they are run but not counted. */
const warmUpSeconds = 50
const target = 0.5
/** The listener's (`gateways/datagrams/listener.ts`): a batch leaves at this size or age. */
const batchFrames = 64
const batchUs = 50_000
const stages = ["datagrams", "handOver", "routers", "environment", "network", "encoding"] as const

/** CPU microseconds by stage. */
type Cost = Record<typeof stages[number], number>

interface Part {
  readonly cost: Cost
  frames: number
  packets: number
  persons: number
}

if (!(seconds >= partSeconds)) throw new Error(`measure at least ${partSeconds} seconds`)
const load = loadavg().map((value) => Math.round(value * 100) / 100)
const scenario = withStationNames(await busyRoom(persons, emptySeconds))
const { environmentId, nodes } = scenario.rooms[0]!
const simulated = simulateHops(scenario, 1e15, warmUpSeconds + seconds)
const scale = scaleFor(simulated.slice(0, 10).flatMap(({ batches }) => batches))
const hops = simulated.map(({ batches, endUs }) => ({
  endUs,
  packets: batches.reduce((sum, { frameCount }) => sum + frameCount, 0),
  datagrams: batches.map((batch) => datagramsOf(batch, scale)),
}))

const cpuUs = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** CPU time of one reading of the meter, which every stage has. */
const meterUs = (() => {
  const readings = 2_000
  for (let i = 0; i < readings; i++) cpuUs()
  const before = cpuUs()
  for (let i = 0; i < readings; i++) cpuUs()
  return (cpuUs() - before) / readings
})()

const network = readPoseNetwork("wavepose")
const filter = poseFilterOf({})

/** How a batch and an observation get from one actor to the next. */
interface HandOver {
  readonly batches: (batches: ReadonlyArray<CsiBatch>) => ReadonlyArray<CsiBatch>
  readonly observations: (observations: ReadonlyArray<Observation>) => ReadonlyArray<Observation>
}

const asObjects: HandOver = {
  batches: (batches) => batches.map((batch) => Result.getOrThrow(checkCsiBatch(batch))),
  observations: (observations) => observations,
}

const encoded = (): HandOver => {
  const decoders = new Map(nodes.map(({ nodeId }) => [nodeId, createBatchDecoder()]))
  return {
    batches: (batches) =>
      batches.map(encodeCsiBatch).map((bytes) => {
        const { routerId } = Result.getOrThrow(readCsiBatchEnvelope(bytes))
        return Result.getOrThrow(decoders.get(routerId)!(bytes))
      }),
    observations: (observations) => observations.map(encodeObservation).map(decodeObservation),
  }
}

/** A listener, which makes batches of datagrams. */
const makeListener = () => {
  const decode = nexmonDecoder()
  const builders = new Map(nodes.map(({ nodeId }) => [nodeId, new BatchBuilder({ routerId: nodeId, source: "live" })]))
  return (datagrams: ReadonlyArray<ReceivedDatagram>): ReadonlyArray<CsiBatch> => {
    const batches: Array<CsiBatch> = []
    let flushUs = datagrams.length === 0 ? 0 : datagrams[0]!.receivedUs + batchUs
    for (const { bytes, receivedUs, routerId } of datagrams) {
      const builder = builders.get(routerId)!
      if (receivedUs >= flushUs) {
        batches.push(...builder.take())
        flushUs += batchUs
      }
      const decoded = decode({ bytes, receivedUs, sender: routerId, signedBy: routerId })
      if (!("frames" in decoded)) throw new Error(`a datagram of ${routerId} was not decoded`)
      for (const frame of decoded.frames) builder.add(frame)
      if (builder.frameCount >= batchFrames) batches.push(...builder.take())
    }
    const last = datagrams.at(-1)
    return last === undefined ? batches : [...batches, ...builders.get(last.routerId)!.take()]
  }
}

/** The work of a room's actors, without the actors; returns the cost of each hop, and its frame as it is stored. */
const makeChain = Effect.fnUntraced(function* (handOver: HandOver) {
  const kernels = yield* Kernels
  const infer = yield* (yield* PoseInference).join
  let trackId = 0
  const site = { environmentId, name: "Bench", geometry: geometryOf(scenario, environmentId) }
  const estimator = new Estimator(site, network, () => ++trackId)
  const listen = makeListener()
  const reducers = new Map(nodes.map(({ nodeId }) => [nodeId, new Reducer(nodeId)]))
  for (const reducer of reducers.values()) reducer.startCalibration("empty", (emptySeconds - 1) * 1e6)
  return Effect.fnUntraced(function* ({ datagrams, endUs }: typeof hops[number]) {
    const times = [cpuUs()]
    const lap = () => void times.push(cpuUs())
    const batches = datagrams.flatMap(listen)
    lap()
    const taken = handOver.batches(batches)
    lap()
    const reduced = taken.flatMap((batch) => reducers.get(batch.routerId)!.push(batch))
    for (const reducer of reducers.values()) reduced.push(...reducer.flush(endUs))
    lap()
    const observations = handOver.observations(reduced)
    lap()
    const asked = yield* kernels.compute(estimator.observe(hopOf(endUs) - 1, observations))
    lap()
    const poses = asked === null ? null : yield* infer(network!, asked)
    lap()
    const estimate = estimator.estimate(poses)
    lap()
    const frame = { environmentId, frameId: hopOf(endUs), timestampMs: endUs / 1000, processingTimeMs: 0, ...estimate }
    const stored = encodePoseFrame(frame)
    Buffer.from(updateText(share(frame), "bare", filter, frame.timestampMs))
    lap()
    const took = times.slice(1).map((time, i) => time - times[i]! - meterUs)
    const cost: Cost = {
      datagrams: took[0]!,
      handOver: took[1]! + took[3]!,
      routers: took[2]!,
      environment: took[4]! + took[6]!,
      network: took[5]!,
      encoding: took[7]!,
    }
    return { cost, persons: estimate.persons.length, stored }
  })
})

const noCost = (): Cost => ({ datagrams: 0, handOver: 0, routers: 0, environment: 0, network: 0, encoding: 0 })
const noPart = (): Part => ({ cost: noCost(), frames: 0, packets: 0, persons: 0 })

/** Runs both chains; returns what each part of the run cost in each. */
const run = Effect.gen(function* () {
  const chains = [yield* makeChain(asObjects), yield* makeChain(encoded())]
  const parts: ReadonlyArray<Array<Part>> = chains.map(() => [])
  for (const [i, hop] of hops.entries()) {
    const counted = i - warmUpSeconds * 10
    const frames: Array<Uint8Array> = []
    for (let turn = 0; turn < chains.length; turn++) {
      const which = (i + turn) % chains.length
      const { cost, persons, stored } = yield* chains[which]!(hop)
      frames.push(stored)
      if (counted < 0) continue
      if (counted % (partSeconds * 10) === 0) parts[which]!.push(noPart())
      const part = parts[which]!.at(-1)!
      for (const stage of stages) part.cost[stage] += cost[stage]
      part.frames++
      part.packets += hop.packets
      part.persons += persons
    }
    if (Buffer.compare(frames[0]!, frames[1]!) !== 0) throw new Error(`the frames of hop ${i} differ`)
  }
  return parts
})

const kernels = Kernels.layer(choice, backendSources)
const inference = PoseInference.layer.pipe(Layer.provideMerge(kernels))
const [objects, bytes] = await Effect.scoped(run).pipe(Effect.provide(inference), Effect.runPromise)

const mean = (of: (part: Part) => number): number =>
  objects!.reduce((sum, part) => sum + of(part), 0) / objects!.reduce((sum, { frames }) => sum + frames, 0)
if (mean((part) => part.persons) === 0) throw new Error("no person was found: the measured work is not the whole work")
const total = ({ cost }: Part): number => stages.reduce((sum, stage) => sum + cost[stage], 0)
const framesPerSecond = 1e6 / hopUs
const spread = (parts: ReadonlyArray<Part>, of: (part: Part) => number) =>
  roundedSpread(spreadOf(parts.map((part) => of(part) / part.frames)))
const cpuMsOf = (parts: ReadonlyArray<Part>) => ({
  ...Object.fromEntries(stages.map((stage) => [stage, spread(parts, ({ cost }) => cost[stage] / 1000)])),
  total: spread(parts, (part) => total(part) / 1000),
})
const result = {
  what: "CPU milliseconds of a frame, and the share of one core that a second of frames takes",
  machine,
  load: { what: "load averages of the machine before the run", minutes1: load[0], minutes5: load[1] },
  kernels: choice,
  model: network?.modelVersion ?? null,
  packetsPerSecond: Math.round(mean(({ packets }) => packets) * framesPerSecond),
  personsInFrame: rounded(mean((part) => part.persons)),
  cpuMs: cpuMsOf(objects!),
  encoded: {
    what: "the same with batches and observations encoded and decoded between the actors",
    cpuMs: cpuMsOf(bytes!),
  },
  gain: {
    what: "the total without these conversions, over the total with them, part by part",
    ...roundedSpread(spreadOf(objects!.map((part, i) => total(part) / total(bytes![i]!)))),
  },
  share: { framesPerSecond, target, ...spread(objects!, (part) => total(part) / hopUs) },
  computedShare: {
    framesPerSecond: 2 * framesPerSecond,
    ...spread(objects!, (part) => (2 * total(part) - part.cost.routers - part.cost.datagrams) / hopUs),
  },
}
writeResults("frames", result)
console.log(JSON.stringify(result, null, 2))
