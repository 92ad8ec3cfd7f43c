/**
 * The datagrams of each kind of router: what one says, and whose it is.
 *
 * Boundary: bytes are read by `core/formats`; a decoder adds who the router is where the datagram does not say.
 */
import { type BinOrderFinding, BinOrders } from "../../core/formats/bin-order.ts"
import type { CsiFrame } from "../../core/formats/batch-builder.ts"
import type { Fault } from "../../core/formats/decoder.ts"
import { NexmonReader } from "../../core/formats/nexmon.ts"
import { isNexmonPayload } from "../../core/formats/nexmon-payload.ts"
import { decodeRuviewDatagram, ruviewNodeOf, ruviewRouterId } from "../../core/formats/ruview-datagram.ts"
import type { DeviceReport } from "../../core/formats/ruview-report.ts"
import type { Sender } from "./admission.ts"

interface Datagram {
  readonly bytes: Uint8Array
  /** Address of the sender, without its port. */
  readonly sender: string
  /** Who has signed it; null without a signature. */
  readonly signedBy: string | null
  /** Microseconds since the Unix epoch. */
  readonly receivedUs: number
}

/** A datagram that was understood: the frames that it completed, or what the router makes of its CSI itself. */
export type Received =
  | {
    readonly routerId: string
    readonly frames: ReadonlyArray<CsiFrame>
    /** What is known of the order of its subcarriers, where a datagram does not name it; null until that is known. */
    readonly binOrder?: BinOrderFinding | null
  }
  | { readonly routerId: string; readonly report: DeviceReport }

/** Reads the datagrams of one port, one after the other. */
type DatagramDecoder = (datagram: Datagram) => Received | Fault

/** The datagrams of one port. */
export interface DatagramKind {
  readonly decode: DatagramDecoder
  /** Who a datagram seems to come from, by its first bytes; nobody, where they are not those of this port. */
  readonly senderOf: (bytes: Uint8Array, address: string) => Sender
}

const nobody: Sender = { byItself: null, byAddress: null }

/** RuView nodes, which name themselves. */
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
    return node === null ? nobody : { byItself: ruviewRouterId(node), byAddress: null }
  },
})

/** Senders whose packets are joined at the same time; the one heard first gives way to another. */
const sendersMax = 64

/** The router that sends Nexmon payloads from this address. */
const nexmonRouterId = (sender: string): string => `nexmon-${sender.replace(/^::ffff:(?=.*\.)/, "").replace(/%.*/, "")}`

/** Routers with Nexmon's firmware, which are known by their address, unless a key names them. */
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
    // A payload that is wrong may still have ended the packet before it.
    return refusal === null || frames.length > 0 ? { routerId, frames } : { offset: 0, ...refusal }
  }
}

export const nexmonKind = (): DatagramKind => ({
  decode: nexmonDecoder(),
  senderOf: (bytes, address) =>
    isNexmonPayload(bytes) ? { byItself: null, byAddress: nexmonRouterId(address) } : nobody,
})
