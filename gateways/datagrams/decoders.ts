/**
 * The datagrams of each kind of router: their frames and their senders.
 *
 * Boundary: bytes are read by `core/formats`; a decoder adds the router id where the datagram does not name it.
 */
import { type BinOrderFinding, BinOrders } from "../../core/formats/bin-order.ts"
import type { CsiFrame } from "../../core/formats/batch-builder.ts"
import type { Fault } from "../../core/formats/decoder.ts"
import { NexmonReader } from "../../core/formats/nexmon.ts"
import { isNexmonPayload } from "../../core/formats/nexmon-payload.ts"
import { decodeRuviewDatagram, ruviewNodeOf, ruviewRouterId } from "../../core/formats/ruview-datagram.ts"
import type { DeviceReport } from "../../core/formats/ruview-report.ts"
import type { Sender } from "./admission-control.ts"

interface Datagram {
  readonly bytes: Uint8Array
  /** Address of the sender, without its port. */
  readonly sender: string
  /** The node that has signed it; null without a signature. */
  readonly signedBy: string | null
  /** Microseconds since the Unix epoch. */
  readonly receivedUs: number
}

/** A decoded datagram: the frames that it completed, or the router's report on its own CSI. */
export type Received =
  | {
    readonly routerId: string
    readonly frames: ReadonlyArray<CsiFrame>
    /** The order of its subcarriers, where a datagram does not name it; null until it is known. */
    readonly binOrder?: BinOrderFinding | null
  }
  | { readonly routerId: string; readonly report: DeviceReport }

/** Reads the datagrams of one port, one after the other. */
type DatagramDecoder = (datagram: Datagram) => Received | Fault

/** The datagrams of one port. */
export interface DatagramKind {
  readonly decode: DatagramDecoder
  /** The apparent sender of a datagram, by its first bytes; unknown where they are not those of this port. */
  readonly senderOf: (bytes: Uint8Array, address: string) => Sender
}

const unknownSender: Sender = { byItself: null, byAddress: null }

/** RuView nodes, whose datagrams name them. */
export const ruviewDecoder = (): DatagramDecoder => {
  const orders = new BinOrders()
  return ({ bytes, receivedUs }) => {
    const decoded = decodeRuviewDatagram(bytes, receivedUs, orders)
    if (!("frame" in decoded)) return decoded
    const { binOrder, frame, routerId } = decoded
    return { routerId, frames: [frame], binOrder }
  }
}

export const ruviewKind = (): DatagramKind => ({
  decode: ruviewDecoder(),
  senderOf: (bytes) => {
    const node = ruviewNodeOf(bytes)
    return node === null ? unknownSender : { byItself: ruviewRouterId(node), byAddress: null }
  },
})

/** Senders whose packets are joined at the same time; beyond them the oldest is forgotten. */
const sendersMax = 64

/** The router that sends Nexmon payloads from this address. */
const nexmonRouterId = (sender: string): string => `nexmon-${sender.replace(/^::ffff:(?=.*\.)/, "").replace(/%.*/, "")}`

/** Routers with Nexmon's firmware, which are named by their address, unless a key names them. */
export const nexmonDecoder = (): DatagramDecoder => {
  const readers = new Map<string, NexmonReader>()
  const readerOf = (routerId: string): NexmonReader => {
    const known = readers.get(routerId)
    if (known !== undefined) return known
    if (readers.size >= sendersMax) readers.delete(readers.keys().next().value!)
    const reader = new NexmonReader()
    readers.set(routerId, reader)
    return reader
  }
  return ({ bytes, receivedUs, sender, signedBy }) => {
    const routerId = signedBy ?? nexmonRouterId(sender)
    const frames: Array<CsiFrame> = []
    const refusal = readerOf(routerId).take(bytes, 0, bytes.length, receivedUs, (frame) => {
      frames.push({ ...frame, csi: frame.csi.slice() })
    })
    // A wrong payload may still have ended the packet before it.
    return refusal === null || frames.length > 0 ? { routerId, frames } : { offset: 0, ...refusal }
  }
}

export const nexmonKind = (): DatagramKind => ({
  decode: nexmonDecoder(),
  senderOf: (bytes, address) =>
    isNexmonPayload(bytes) ? { byItself: null, byAddress: nexmonRouterId(address) } : unknownSender,
})
