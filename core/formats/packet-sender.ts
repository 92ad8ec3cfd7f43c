/**
 * The sender of a packet: reads the transmitter and the number of an 802.11 frame that is recorded beside its CSI.
 */
import { unknownTransmitterId } from "./batch-builder.ts"
import { isControl, isQosData } from "./frame-control.ts"
import { u16 } from "./little-endian.ts"
import type { MacNames } from "./mac-address.ts"
import { isNumbered } from "./station-counter.ts"

/** Control frames with the address of the transmitter: trigger, NDP announcement, BAR, BA, PS-Poll, RTS, CF-End and CF-End+Ack. */
const controlWithTransmitter: ReadonlySet<number> = new Set([2, 5, 8, 9, 10, 11, 14, 15])

/** Byte offsets of an 802.11 header (IEEE 802.11-2020, 9.2.3). */
const transmitterAt = 10
const sequenceControlAt = 22
const threeAddressBytes = 24
const fourAddressBytes = 30

/** Frames between access points have four addresses: the flags "to" and "from the distribution system" are both set. */
const bothWays = 3

/** The transmitter of a packet. `StationCounter` explains its number. */
interface Sender {
  readonly transmitterId: string
  /** Traffic class of QoS data, 0 to 15; null for other packets. */
  readonly trafficClass: number | null
  /** Null if the packet has no number, or is truncated before it. */
  readonly sequenceControl: number | null
}

/** The sender of the packet `bytes[from..to)`. Acknowledgements do not name it; their sender is "ap". */
export const senderOf = (bytes: Uint8Array, from: number, to: number, names: MacNames): Sender => {
  const unnumbered = { trafficClass: null, sequenceControl: null }
  if (to - from < transmitterAt + 6) return { transmitterId: unknownTransmitterId, ...unnumbered }
  const first = bytes[from]!
  if (isControl(first) && !controlWithTransmitter.has(first >> 4)) {
    return { transmitterId: unknownTransmitterId, ...unnumbered }
  }
  const transmitterId = names.nameAt(bytes, from + transmitterAt)
  if (!isNumbered(first) || to - from < threeAddressBytes) return { transmitterId, ...unnumbered }
  const qosAt = (bytes[from + 1]! & bothWays) === bothWays ? fourAddressBytes : threeAddressBytes
  const hasClass = isQosData(first) && to - from > qosAt
  return {
    transmitterId,
    trafficClass: hasClass ? bytes[from + qosAt]! & 15 : null,
    sequenceControl: u16(bytes, from + sequenceControlAt),
  }
}
