/**
 * A running simulation: hop by hop, CSI batches of every router and the truth about the bodies.
 *
 * Owns simulated time and the order of transmissions. Boundary: physics is in `sim/radio`, hardware in
 * `sim/impairments`, walking in `sim/bodies`.
 *
 * Invariants: the same scenario, seed and start give the same bytes; frames of a batch are in the order of time.
 */
import type { CsiBatch, RadioLayout } from "../core/formats/csi-batch.ts"
import type { Vector3 } from "../core/imaging/geometry.ts"
import { hopUs } from "../core/signal/observation.ts"
import { chestIndex, computePosture, createPosture, type Posture } from "./bodies/gait.ts"
import { createWalker, type Walker } from "./bodies/walker.ts"
import { createReceiver, type Receiver } from "./impairments/receiver.ts"
import { createLoss, createSchedule, type Transmission } from "./impairments/traffic.ts"
import { createField, createTones, type Field, type Tones } from "./radio/field.ts"
import { addBody, createLink, drawPair, type Link, type PairDraws, shadowing } from "./radio/link.ts"
import { createRandom } from "./random.ts"
import { furnish } from "./rooms/room.ts"
import type { Scenario } from "./scenario.ts"

/** The truth about one body at one moment. */
export interface BodyTruth {
  /** Index of the body in the scenario. */
  readonly body: number
  readonly activity: "walking" | "standing"
  /** Floor point below the middle of the hips, metres. */
  readonly position: readonly [x: number, y: number]
  readonly headingRad: number
  readonly speedMps: number
  /** The 17 keypoints in COCO's order, metres in the world frame. */
  readonly keypoints: ReadonlyArray<Vector3>
}

export interface SimulatedHop {
  /** End of the hop: the moment that `bodies` describes. */
  readonly endUs: number
  /** One batch a router, in the scenario's order of nodes; a router that heard nothing has none. */
  readonly batches: ReadonlyArray<CsiBatch>
  /** Empty during the scenario's empty phase. */
  readonly bodies: ReadonlyArray<BodyTruth>
}

export interface Simulation {
  /** Simulates the next hop of 100 ms. */
  readonly next: () => SimulatedHop
}

export interface SimulationOptions {
  /** Microseconds since the Unix epoch at which the simulation starts; a multiple of 100,000 aligns its hops. */
  readonly startUs: number
  /** Replaces the scenario's own seed. */
  readonly seed?: number
}

/** A body that is in the room: who walks, and its joints at the moment last asked for. */
interface Actor {
  readonly heightM: number
  readonly walker: Walker
  readonly posture: Posture
}

/** Everything that one router needs to make frames. */
interface RouterModel {
  readonly nodeId: string
  /** Indexed by transmitting node; null for the router itself. */
  readonly links: ReadonlyArray<{ readonly link: Link; readonly power: number } | null>
  readonly transmitterIds: ReadonlyArray<string>
  readonly receiver: Receiver
  readonly isLost: () => boolean
  batchSequence: number
  /** Packets sent to this router so far, lost ones included: its gaps are the losses. */
  packetSequence: number
}

interface Frame {
  readonly timestampUs: number
  readonly transmitterIndex: number
  readonly sequence: number
  readonly rssiDbm: number
  readonly csi: Float32Array
}

const meanPower = (field: Field): number => {
  let sum = 0
  for (let i = 0; i < field.re.length; i++) sum += field.re[i]! ** 2 + field.im[i]! ** 2
  return sum / field.re.length
}

const createRouters = (scenario: Scenario, seed: number, tones: Tones): ReadonlyArray<RouterModel> => {
  const { nodes, radio, room, impairments } = scenario
  const furniture = furnish(room, createRandom(seed, "furniture"))
  const pairs = new Map<string, PairDraws>()
  const drawsOf = (i: number, j: number): PairDraws => {
    const key = `pair ${Math.min(i, j)} ${Math.max(i, j)}`
    const known = pairs.get(key) ?? drawPair(createRandom(seed, key), furniture.length, scenario.bodies.length)
    pairs.set(key, known)
    return known
  }
  return nodes.map((receiver, j) => ({
    nodeId: receiver.nodeId,
    links: nodes.map((transmitter, i) => {
      if (i === j) return null
      const link = createLink(room, furniture, tones, radio.receiveAntennas, { transmitter, receiver }, drawsOf(i, j))
      return { link, power: meanPower(link.fixed) }
    }),
    transmitterIds: nodes.filter((_, i) => i !== j).map(({ nodeId }) => nodeId),
    receiver: createReceiver(
      tones,
      radio.receiveAntennas,
      impairments,
      createRandom(seed, `hardware ${j}`),
      createRandom(seed, `noise ${j}`),
    ),
    isLost: createLoss(impairments.lossRate, impairments.burstPackets, createRandom(seed, `loss ${j}`)),
    batchSequence: 0,
    packetSequence: 0,
  }))
}

const assemble = (
  router: RouterModel,
  layout: RadioLayout,
  frames: ReadonlyArray<Frame>,
  noiseFloorDbm: number,
): CsiBatch => {
  const csi = new Float32Array(frames.reduce((length, frame) => length + frame.csi.length, 0))
  let offset = 0
  for (const frame of frames) {
    csi.set(frame.csi, offset)
    offset += frame.csi.length
  }
  router.batchSequence++
  return {
    routerId: router.nodeId,
    batchSequence: router.batchSequence,
    source: "simulated",
    layout,
    frameCount: frames.length,
    timestampsUs: Float64Array.from(frames, ({ timestampUs }) => timestampUs),
    sequences: Uint32Array.from(frames, ({ sequence }) => sequence),
    rssiDbm: Int8Array.from(frames, ({ rssiDbm }) => rssiDbm),
    noiseFloorDbm: new Int8Array(frames.length).fill(noiseFloorDbm),
    transmitterIndex: Uint16Array.from(frames, ({ transmitterIndex }) => transmitterIndex),
    transmitterIds: router.transmitterIds,
    csi,
  }
}

const truthOf = ({ heightM, walker, posture }: Actor, body: number, timeS: number): BodyTruth => {
  const state = walker.at(timeS)
  computePosture(heightM, state, posture)
  const points = posture.keypoints
  return {
    body,
    activity: state.speedMps > 0.1 ? "walking" : "standing",
    position: [state.x, state.y],
    headingRad: state.headingRad,
    speedMps: state.speedMps,
    keypoints: Array.from(
      { length: points.length / 3 },
      (_, i) => [points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!],
    ),
  }
}

/** Starts a simulation of a decoded scenario. */
export const createSimulation = (scenario: Scenario, options: SimulationOptions): Simulation => {
  const seed = options.seed ?? scenario.seed
  const { radio, room, impairments, emptySeconds } = scenario
  const tones = createTones(radio.centerFrequencyHz, radio.bandwidthMhz)
  const layout: RadioLayout = {
    format: "simulated",
    receiveAntennas: radio.receiveAntennas,
    transmitAntennas: 1,
    subcarrierIndices: tones.indices,
    subcarrierSpacingHz: tones.spacingHz,
    centerFrequencyHz: radio.centerFrequencyHz,
    bandwidthHz: radio.bandwidthMhz * 1e6,
  }
  const routers = createRouters(scenario, seed, tones)
  const actors = scenario.bodies.map((body, i): Actor => ({
    heightM: body.heightM,
    walker: createWalker(room.size, body, createRandom(seed, `walk ${i}`)),
    posture: createPosture(),
  }))
  const nextTransmission = createSchedule(
    scenario.nodes.length,
    radio.packetRateHz,
    impairments.jitterMs,
    createRandom(seed, "schedule"),
  )
  const field = createField(tones, radio.receiveAntennas)

  const frameAt = (router: RouterModel, sent: Transmission, occupied: boolean): Frame => {
    const { link, power } = router.links[sent.transmitter]!
    field.re.set(link.fixed.re)
    field.im.set(link.fixed.im)
    for (const [body, { posture }] of occupied ? actors.entries() : []) {
      const points = posture.scatterers
      const chest = chestIndex * 3
      const lost = 1 - shadowing(link, tones, [points[chest]!, points[chest + 1]!, points[chest + 2]!])
      if (lost > 0) {
        for (let i = 0; i < field.re.length; i++) {
          field.re[i] = field.re[i]! - lost * link.lineOfSight.re[i]!
          field.im[i] = field.im[i]! - lost * link.lineOfSight.im[i]!
        }
      }
      addBody(field, tones, link, body, points)
    }
    const csi = new Float32Array(2 * field.re.length)
    const rssiDbm = Math.round(radio.transmitPowerDbm + 10 * Math.log10(meanPower(field)))
    router.receiver.receive(field, power, sent.timeS, csi, 0)
    return {
      timestampUs: options.startUs + Math.round(sent.timeS * 1e6),
      transmitterIndex: router.transmitterIds.indexOf(scenario.nodes[sent.transmitter]!.nodeId),
      sequence: router.packetSequence,
      rssiDbm: Math.max(-127, rssiDbm),
      csi,
    }
  }

  let pending = nextTransmission()
  let hop = 0
  const next = (): SimulatedHop => {
    hop++
    const endS = (hop * hopUs) / 1e6
    const heard: Array<Array<Frame>> = routers.map(() => [])
    for (; Math.round(pending.timeS * 1e6) < hop * hopUs; pending = nextTransmission()) {
      const occupied = pending.timeS >= emptySeconds
      if (occupied) {
        for (const { heightM, walker, posture } of actors) {
          computePosture(heightM, walker.at(pending.timeS - emptySeconds), posture)
        }
      }
      for (const [j, router] of routers.entries()) {
        if (j === pending.transmitter) continue
        router.packetSequence++
        if (!router.isLost()) heard[j]!.push(frameAt(router, pending, occupied))
      }
    }
    const noiseFloorDbm = Math.max(-127, Math.round(radio.transmitPowerDbm - 60 - impairments.snrDb))
    return {
      endUs: options.startUs + hop * hopUs,
      batches: routers.flatMap((router, j) =>
        heard[j]!.length === 0 ? [] : [assemble(router, layout, heard[j]!, noiseFloorDbm)]
      ),
      bodies: endS < emptySeconds ? [] : actors.map((actor, body) => truthOf(actor, body, endS - emptySeconds)),
    }
  }
  return { next }
}
