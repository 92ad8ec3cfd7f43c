/**
 * Nexmon captures (nexmon_csi on Broadcom chips): UDP datagrams to port 5500, in a network capture or live.
 *
 * Owns the joining of payloads: the firmware sends one for each core (receive antenna) and spatial stream of a packet, one after
 * the other, and all with the same transmitter and sequence number become one CSI frame [core][stream]. Boundary:
 * `nexmon-payload.ts` reads one payload.
 *
 * The kinds of packets that a station transmits in different ways are links of their own (`transmission-kind.ts`).
 *
 * A packet is complete when it has every pair of core and stream that its transmitter had so far, else when the next packet
 * begins. So only a transmitter's first packet, and one with fewer streams than before, wait for the next payload, and at most
 * one packet waits.
 */
import type { CsiFrame } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { MacNames } from "./mac-address.ts"
import {
  chanspecCenterHz,
  coresMax,
  type NexmonPayload,
  readNexmonPayload,
  readNexmonTones,
  streamsMax,
  tonesMax,
  transformLayout,
} from "./nexmon-payload.ts"
import type { PacketReader } from "./pcap.ts"
import type { Refusal } from "./record-stream.ts"
import { isNumbered, StationCounter } from "./station-counter.ts"
import { KindNames } from "./transmission-kind.ts"
import { isKnownLinkType, udpPayloadAt, udpPayloadEnd } from "./udp-packet.ts"

/** The port to which the firmware sends its payloads. */
export const nexmonPort = 5500

/** Maximum number of transmitters whose pairs of core and stream are stored. */
const transmittersMax = 1024

/** The current packet, or the last one. */
interface Packet {
  /** Its first payload. All payloads have the same description of the packet. */
  readonly first: NexmonPayload
  readonly timestampUs: number
  /** Its pairs of core and stream, as bits that ascend as the rows of a frame. */
  pairs: number
  /** Pairs that its transmitter had before; 0 if it is new. */
  readonly awaited: number
  /** Payloads so far. */
  count: number
  /** Whether they arrived in the order of the rows. */
  inOrder: boolean
  /** Whether it was delivered. */
  delivered: boolean
}

const pairOf = ({ core, stream }: NexmonPayload): number => 1 << (core * streamsMax + stream)

const describesSame = ({ first }: Packet, payload: NexmonPayload): boolean =>
  first.transmitterId === payload.transmitterId && first.sequenceControl === payload.sequenceControl &&
  first.frameControl === payload.frameControl && first.chanspec === payload.chanspec &&
  first.tones === payload.tones && first.chip === payload.chip

/** Number of cores with measurements of the same streams; 0 if their streams differ. */
const coresOf = (pairs: number): number => {
  const all = (1 << streamsMax) - 1
  let streams = 0
  let cores = 0
  for (let rest = pairs; rest !== 0; rest >>>= streamsMax) {
    const own = rest & all
    if (own === 0) continue
    if (streams !== 0 && own !== streams) return 0
    streams = own
    cores++
  }
  return cores
}

/** Reads the Nexmon payloads of one receiver. `sequences` counts packets as `StationCounter` does. */
export class NexmonReader implements PacketReader {
  readonly #names = new MacNames()
  readonly #counter = new StationCounter()
  readonly #kinds = new KindNames()
  /** Pairs of core and stream of each transmitter so far, as bits. */
  readonly #seen = new Map<string, number>()
  /** Rows of the packet in the order of arrival, and the pair of each. */
  readonly #rows = new Int16Array(2 * tonesMax * coresMax * streamsMax + tonesMax)
  readonly #rowPairs = new Uint16Array(coresMax * streamsMax)
  /** Scratch: the row of a payload that may be a repeated one. */
  readonly #again = new Int16Array(3 * tonesMax)
  /** The first rows, as many as the last packet had. */
  #frame = new Int16Array(0)
  #packet: Packet | null = null
  #layout: RadioLayout | null = null
  #layoutChanspec = -1

  get hardware(): string | null {
    return this.#packet === null ? null : `Broadcom ${this.#packet.first.chip.name} (Nexmon)`
  }

  readsLinkType(linkType: number): boolean {
    return isKnownLinkType(linkType)
  }

  contentAt(linkType: number, bytes: Uint8Array, at: number, end: number): number {
    return udpPayloadAt(linkType, bytes, at, end, nexmonPort)
  }

  read(
    _linkType: number,
    bytes: Uint8Array,
    from: number,
    end: number,
    timestampUs: number,
    add: (frame: CsiFrame) => void,
  ): Refusal | null {
    return this.take(bytes, from, udpPayloadEnd(bytes, from, end), timestampUs, add)
  }

  /** Reads the payload `bytes[from..to)` and passes the frames that it completes to `add`, at most two. */
  take(
    bytes: Uint8Array,
    from: number,
    to: number,
    timestampUs: number,
    add: (frame: CsiFrame) => void,
  ): Refusal | null {
    const payload = readNexmonPayload(bytes, from, to, this.#names)
    if ("reason" in payload) return payload
    const pair = pairOf(payload)
    const before = this.#packet
    let packet = before !== null && describesSame(before, payload) ? before : null
    let refusal: Refusal | null = null
    if (packet !== null && this.#repeats(packet, payload, bytes)) return null
    if (packet !== null && (packet.pairs & pair) === 0) {
      if (packet.delivered) return this.#refuseLate(packet, pair)
    } else {
      refusal = this.finish(add)
      const awaited = this.#seen.get(payload.transmitterId) ?? 0
      packet = { first: payload, timestampUs, awaited, pairs: 0, count: 0, inOrder: true, delivered: false }
      this.#packet = packet
    }
    readNexmonTones(payload, bytes, this.#rows, 2 * payload.tones * packet.count)
    packet.inOrder &&= pair > packet.pairs
    packet.pairs |= pair
    this.#rowPairs[packet.count++] = pair
    const { awaited, pairs } = packet
    const complete = awaited !== 0 && (awaited & ~pairs) === 0 && coresOf(pairs) > 0
    return (complete ? this.finish(add) : null) ?? refusal
  }

  finish(add: (frame: CsiFrame) => void): Refusal | null {
    const packet = this.#packet
    if (packet === null || packet.delivered) return null
    packet.delivered = true
    const { frameControl, rssiDbm, sequenceControl, transmitterId } = packet.first
    this.#remember(transmitterId, packet.pairs)
    const cores = coresOf(packet.pairs)
    if (cores === 0) {
      return {
        reason: "value-count",
        message: `the ${packet.count} measurements of a packet are not of the same spatial streams at all cores`,
      }
    }
    const isUnnumbered = frameControl !== null && !isNumbered(frameControl)
    add({
      layout: this.#layoutOf(packet.first, cores, packet.count / cores),
      timestampUs: packet.timestampUs,
      sequence: this.#counter.at(transmitterId, null, isUnnumbered ? null : sequenceControl),
      rssiDbm,
      noiseFloorDbm: 0,
      transmitterId: this.#kinds.nameOf(transmitterId, frameControl, packet.timestampUs),
      csi: this.#frameOf(packet),
    })
    return null
  }

  /** Whether a payload of the same packet is one that it has: a capture of all interfaces has the datagrams of a bridge twice. */
  #repeats({ count }: Packet, payload: NexmonPayload, bytes: Uint8Array): boolean {
    const row = this.#rowPairs.subarray(0, count).indexOf(pairOf(payload))
    if (row < 0) return false
    readNexmonTones(payload, bytes, this.#again, 0)
    const values = 2 * payload.tones
    for (let i = 0; i < values; i++) if (this.#again[i] !== this.#rows[row * values + i]) return false
    return true
  }

  /** A payload of a packet that was delivered without it. From the next packet, the reader waits for it. */
  #refuseLate(packet: Packet, pair: number): Refusal {
    packet.pairs |= pair
    this.#remember(packet.first.transmitterId, packet.pairs)
    return { reason: "value-count", message: "the first measurement of this core and stream came after its packet" }
  }

  #remember(transmitterId: string, pairs: number): void {
    const before = this.#seen.get(transmitterId)
    const seen = (before ?? 0) | pairs
    if (seen === before) return
    if (this.#seen.size >= transmittersMax) this.#seen.clear()
    this.#seen.set(transmitterId, seen)
  }

  #layoutOf({ chanspec, tones }: NexmonPayload, cores: number, streams: number): RadioLayout {
    const last = this.#layout
    const same = last !== null && chanspec === this.#layoutChanspec && tones === last.subcarrierIndices.length &&
      cores === last.receiveAntennas && streams === last.transmitAntennas
    if (same) return last
    this.#layoutChanspec = chanspec
    const centerFrequencyHz = chanspecCenterHz(chanspec, tones)
    this.#layout = transformLayout(tones, { centerFrequencyHz, cores, streams })
    return this.#layout
  }

  /** The packet's rows as [core][stream]. */
  #frameOf({ count, first, inOrder }: Packet): Int16Array {
    const row = 2 * first.tones
    if (inOrder) {
      if (this.#frame.length !== row * count) this.#frame = this.#rows.subarray(0, row * count)
      return this.#frame
    }
    const ordered = new Int16Array(row * count)
    const pairs = this.#rowPairs.subarray(0, count)
    pairs.toSorted().forEach((pair, i) => {
      const from = row * pairs.indexOf(pair)
      ordered.set(this.#rows.subarray(from, from + row), row * i)
    })
    return ordered
  }
}
