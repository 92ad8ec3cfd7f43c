/**
 * The radio of one room of a simulation: its nodes' channels, hardware and traffic.
 *
 * Owns the order of transmissions. In a round every node transmits once, in turn, and every other node of the room receives the
 * packet. Bodies keep their positions of the round's beginning, because the movement between two turns is below the noise.
 * Boundary: physics is in `sim/radio`, hardware in `sim/impairments`; the caller supplies the movers.
 *
 * Invariant: a round allocates only the records of its packets.
 */
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import { type Clock, clockErrorUs, createClock } from "../impairments/clock.ts"
import { createReceiver, type Receiver, signalStrengthDbm } from "../impairments/receiver.ts"
import { createGaps, createLoss, createSchedule } from "../impairments/traffic.ts"
import { createField, meanPower } from "../radio/field.ts"
import type { Mover } from "../radio/mover.ts"
import type { RadioScene } from "../radio/radio-scene.ts"
import { createTones, type Tones } from "../radio/tones.ts"
import { createRandom, type Random } from "../randomness/random.ts"
import type { Room } from "../scenario/rooms.ts"
import type { Scenario } from "../scenario/scenario.ts"
import { roomDescriptionOf } from "./home.ts"
import { radioModels } from "./radio-models.ts"
import { createPacketLog, type PacketLog } from "./packet-log.ts"

export interface RoomRadio {
  /** Beginning of the next round, seconds of the simulation. */
  readonly nextRoundS: () => number
  /** Number of rounds so far, with those that were left out. */
  readonly rounds: () => number
  /** Sends and receives the packets of the next round in the presence of these movers. */
  readonly round: (movers: ReadonlyArray<Mover>) => void
  /** Leaves out the next round: it has no packets. */
  readonly leaveOut: () => void
  /** Lets the rounds before `endS` pass without packets; packets that were not taken yet are dropped. */
  readonly skipTo: (endS: number) => void
  /** One batch per router of the packets before `endUs` since the beginning, in node order; a router without packets has none. */
  readonly take: (endUs: number) => ReadonlyArray<CsiBatch>
}

/** State of one router. */
interface RouterModel {
  readonly clock: Clock
  readonly receiver: Receiver
  readonly isLost: () => boolean
  readonly isPaused: (timeS: number) => boolean
  readonly log: PacketLog
  /** Packets sent to this router, including lost ones: gaps in the sequence are losses. */
  sequence: number
}

const layoutOf = ({ radio: { receiveAntennas } }: Room, tones: Tones): RadioLayout => ({
  format: "simulated",
  receiveAntennas,
  transmitAntennas: 1,
  subcarrierIndices: tones.indices,
  subcarrierSpacingHz: tones.spacingHz,
  centerFrequencyHz: tones.centerFrequencyHz,
  bandwidthHz: tones.bandwidthHz,
})

/** Noise floor as a device reports it: the mean empty response minus the SNR. */
const noiseFloorDbm = (powers: ReadonlyArray<number>, transmitPowerDbm: number, snrDb: number): number => {
  const mean = powers.reduce((sum, power) => sum + power, 0) / powers.length
  return Math.max(-127, Math.min(0, Math.round(transmitPowerDbm + 10 * Math.log10(mean) - snrDb)))
}

const createRouters = (
  { impairments }: Scenario,
  room: Room,
  scene: RadioScene,
  streams: (name: string) => Random,
): ReadonlyArray<RouterModel> => {
  const { nodes, radio } = room
  const layout = layoutOf(room, scene.tones)
  const clocks = nodes.map((_, i) => createClock(impairments, streams(`clock ${i}`)))
  return nodes.map(({ nodeId }, j): RouterModel => {
    const empty = nodes.map((_, i) => i === j ? null : scene.empty(i, j))
    const powers = empty.flatMap((field) => field === null ? [] : [meanPower(field)])
    return {
      clock: clocks[j]!,
      receiver: createReceiver(
        scene.tones,
        radio.receiveAntennas,
        impairments,
        empty,
        clocks,
        j,
        streams(`hardware ${j}`),
        streams(`noise ${j}`),
      ),
      isLost: createLoss(impairments.lossRate, impairments.burstPackets, streams(`loss ${j}`)),
      isPaused: createGaps(impairments.gapsPerMinute, impairments.gapSeconds, streams(`gaps ${j}`)),
      log: createPacketLog({
        routerId: nodeId,
        transmitterIds: nodes.filter((_, i) => i !== j).map((node) => node.nodeId),
        layout,
        noiseFloorDbm: noiseFloorDbm(powers, radio.transmitPowerDbm, impairments.snrDb),
      }),
      sequence: 0,
    }
  })
}

/**
 * Builds the radio of a room.
 *
 * @param startUs true time of the beginning, microseconds since the Unix epoch
 * @param receiverIds node ids of the routers that receive packets; null: all
 */
export const createRoomRadio = (
  scenario: Scenario,
  room: Room,
  startUs: number,
  receiverIds: ReadonlySet<string> | null,
): RoomRadio => {
  const { environmentId, nodes, radio } = room
  const streams = (name: string): Random => createRandom(scenario.seed, `${environmentId} ${name}`)
  const tones = createTones(radio)
  const createScene = radioModels[scenario.radio]
  const scene = createScene(roomDescriptionOf(scenario, room), nodes, tones, radio.receiveAntennas, streams)
  const routers = createRouters(scenario, room, scene, streams)
  const send = createSchedule(nodes.length, radio.packetRateHz, scenario.impairments.jitterMs, streams("schedule"))
  const field = createField(tones, radio.receiveAntennas)
  const receivers = [...nodes.keys()].filter((node) => receiverIds === null || receiverIds.has(nodes[node]!.nodeId))
  let rounds = 0

  const receive = (router: RouterModel, transmitter: number, receiver: number, timeS: number): void => {
    router.sequence++
    // Both are asked for every packet, so that a pause does not shift the losses after it.
    const lost = router.isLost()
    if (router.isPaused(timeS) || lost) return
    scene.respond(transmitter, receiver, field)
    const timeUs = Math.round(timeS * 1e6)
    const offset = router.log.add({
      timeUs,
      stampUs: Math.max(0, startUs + Math.round(timeUs + clockErrorUs(router.clock, timeUs))),
      sequence: router.sequence,
      rssiDbm: signalStrengthDbm(field, radio.transmitPowerDbm),
      transmitter: transmitter < receiver ? transmitter : transmitter - 1,
    })
    router.receiver.receive(transmitter, field, timeS, router.log.csi(), offset)
  }
  const round = (movers: ReadonlyArray<Mover>): void => {
    rounds++
    scene.illuminate(movers)
    for (let turn = 0; turn < nodes.length; turn++) {
      const { timeS, transmitter } = send()
      for (const receiver of receivers) {
        if (receiver !== transmitter) receive(routers[receiver]!, transmitter, receiver, timeS)
      }
    }
  }
  const nextRoundS = (): number => rounds / radio.packetRateHz
  const leaveOut = (): void => {
    rounds++
    for (const _ of nodes) send()
  }
  return {
    nextRoundS,
    rounds: () => rounds,
    round,
    leaveOut,
    skipTo: (endS) => {
      while (nextRoundS() < endS) leaveOut()
      for (const { log } of routers) log.take(Math.round(endS * 1e6))
    },
    take: (endUs) =>
      routers.flatMap(({ log }) => {
        const batch = log.take(endUs)
        return batch === null ? [] : [batch]
      }),
  }
}
