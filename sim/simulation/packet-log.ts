/**
 * The packets that one router has received and not yet delivered.
 *
 * Owns the columns of the next batch. Packets are written in time order; `take` cuts at the end of a hop, and packets of the last
 * round that arrive after the end stay for the next hop. Buffers are reused and grow to the needs of a hop.
 */
import { type CsiBatch, type RadioLayout, valuesPerFrame } from "../../core/formats/csi-batch.ts"

interface Packet {
  /** True time of reception, whole microseconds since the simulation began. */
  readonly timeUs: number
  /** Time of reception by the router's own clock, microseconds since the Unix epoch. */
  readonly stampUs: number
  readonly sequence: number
  readonly rssiDbm: number
  readonly transmitter: number
}

export interface PacketLog {
  /** Adds a packet and returns the offset at which the caller writes its values, interleaved, to `csi`. */
  readonly add: (packet: Packet) => number
  /** The buffer for values; `add` may replace it when the log grows. */
  readonly csi: () => Float32Array
  /** The batch of all packets before `endUs`; null when there is none. */
  readonly take: (endUs: number) => CsiBatch | null
}

interface PacketLogOptions {
  readonly routerId: string
  readonly transmitterIds: ReadonlyArray<string>
  readonly layout: RadioLayout
  readonly noiseFloorDbm: number
}

export const createPacketLog = (options: PacketLogOptions): PacketLog => {
  const { layout, noiseFloorDbm, routerId, transmitterIds } = options
  const width = 2 * valuesPerFrame(layout)
  const packets: Array<Packet> = []
  let csi = new Float32Array(8 * width)
  let batchSequence = 0

  const add = (packet: Packet): number => {
    const offset = packets.length * width
    if (offset === csi.length) {
      const grown = new Float32Array(2 * csi.length)
      grown.set(csi)
      csi = grown
    }
    packets.push(packet)
    return offset
  }

  const take = (endUs: number): CsiBatch | null => {
    let count = packets.length
    while (count > 0 && packets[count - 1]!.timeUs >= endUs) count--
    if (count === 0) return null
    const taken = packets.splice(0, count)
    const values = csi.slice(0, count * width)
    csi.copyWithin(0, count * width, (count + packets.length) * width)
    return {
      routerId,
      batchSequence: ++batchSequence,
      source: "simulated",
      layout,
      frameCount: count,
      timestampsUs: Float64Array.from(taken, ({ stampUs }) => stampUs),
      sequences: Uint32Array.from(taken, ({ sequence }) => sequence),
      rssiDbm: Int8Array.from(taken, ({ rssiDbm }) => rssiDbm),
      noiseFloorDbm: new Int8Array(count).fill(noiseFloorDbm),
      transmitterIndex: Uint16Array.from(taken, ({ transmitter }) => transmitter),
      transmitterIds,
      csi: values,
    }
  }
  return { add, csi: () => csi, take }
}
