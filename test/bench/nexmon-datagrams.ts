/**
 * Simulated batches as the datagrams of Nexmon routers, one for each antenna and packet, so that a bench starts from a router's bytes.
 *
 * A Nexmon router names stations by their MAC addresses, so the nodes of the scenario get such names.
 */
import { type CsiBatch, valuesPerFrame } from "../../core/formats/csi-batch.ts"
import type { Scenario } from "../../sim/scenario/scenario.ts"
import { nexmonPayload, toneOf } from "../core/formats/nexmon-records.ts"

/** A datagram of a router, received at this time, microseconds since the Unix epoch. */
export interface ReceivedDatagram {
  readonly routerId: string
  readonly receivedUs: number
  readonly bytes: Uint8Array
}

/** Channel 6 at 20 MHz. */
const chanspec = 0x1006
const tones = 64

const macOf = (i: number): ReadonlyArray<number> => [2, 0, 0, 0, 0, i + 1]
const nameOf = (mac: ReadonlyArray<number>): string => mac.map((byte) => byte.toString(16).padStart(2, "0")).join(":")

/** The scenario with nodes that are named by MAC addresses. */
export const withStationNames = (scenario: Scenario): Scenario => ({
  ...scenario,
  rooms: scenario.rooms.map((room) => ({
    ...room,
    nodes: room.nodes.map((node, i) => ({ ...node, nodeId: nameOf(macOf(i)) })),
  })),
})

/** The factor by which samples of about this size fill the range of the firmware's numbers without leaving it. */
export const scaleFor = (batches: ReadonlyArray<CsiBatch>): number => {
  let largest = 0
  for (const { csi } of batches) for (const value of csi) largest = Math.max(largest, Math.abs(value))
  return 4_000 / largest
}

const wordOf = (re: number, im: number): number => (re & 0xffff) | (im << 16)

/** The datagrams of a router's batch, in the order of their time. */
export const datagramsOf = (batch: CsiBatch, scale: number): ReadonlyArray<ReceivedDatagram> => {
  const { csi, frameCount, layout, routerId, rssiDbm, sequences, timestampsUs, transmitterIds, transmitterIndex } =
    batch
  const columns = new Map(Array.from(layout.subcarrierIndices, (tone, i) => [tone, i]))
  const width = 2 * valuesPerFrame(layout)
  return Array.from({ length: frameCount * layout.receiveAntennas }, (_, i) => {
    const frame = Math.floor(i / layout.receiveAntennas)
    const core = i % layout.receiveAntennas
    const row = frame * width + 2 * core * layout.subcarrierIndices.length
    const sample = (at: number): number => Math.round(scale * csi[row + at]!)
    const bytes = nexmonPayload({
      chanspec,
      core,
      tones,
      mac: transmitterIds[transmitterIndex[frame]!]!.split(":").map((byte) => Number.parseInt(byte, 16)),
      number: sequences[frame]! & 0xfff,
      rssi: rssiDbm[frame]!,
      word: (value) => {
        const column = columns.get(toneOf(value, tones))
        return column === undefined ? 0 : wordOf(sample(2 * column), sample(2 * column + 1))
      },
    })
    return { routerId, receivedUs: timestampsUs[frame]!, bytes }
  })
}
