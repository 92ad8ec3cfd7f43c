/**
 * Network captures: pcap and pcapng files, as records of a stream.
 *
 * Owns both containers: byte orders, clocks and the bounds of a packet. Boundary: which packets are read, and what they say, is
 * a `PacketReader`'s. Packets that it does not want, and blocks without packets, are passed over.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { lost, needMore, type RecordReader, type Refusal, type Step } from "./record-stream.ts"
import { u16, u32 } from "./little-endian.ts"

/** What a format says of the packets of a capture. `linkType` is the number that tcpdump.org lists for the first header. */
export interface PacketReader {
  /** Whether packets of this link type can be read. */
  readsLinkType(linkType: number): boolean
  /** Whether a packet is one to read; `bytes[at..end)` is its first `peekBytes`, or all of it that was captured. */
  wants(linkType: number, bytes: Uint8Array, at: number, end: number): boolean
  /** Reads a packet that is wanted, received `timestampUs` after the first one that was accepted; see `RecordReader.read`. */
  read(
    linkType: number,
    bytes: Uint8Array,
    at: number,
    end: number,
    timestampUs: number,
    add: (frame: CsiFrame) => void,
  ): Refusal | null
  /** See `RecordReader.finish`. */
  finish(add: (frame: CsiFrame) => void): Refusal | null
  readonly hardware: string | null
}

/** Bytes of a packet that `PacketReader.wants` may ask for. */
export const peekBytes = 128

/** Bytes that may be captured of a packet: tcpdump's default snapshot length. */
const packetBytesMax = 262_144
/** Bytes of the longest IPv4 packet, with room for the headers before and after it. Longer packets are passed over. */
const recordBytesMax = 65_536 + 4096
/** Bytes of a pcapng block without a packet, such as names of hosts. */
const blockBytesMax = 1 << 20
/** Interfaces of a pcapng section. */
const interfacesMax = 64

const fileHeaderBytes = 24
const packetHeaderBytes = 16

/** The byte order of a pcap file, and its clock's ticks per second. */
interface PcapKind {
  readonly little: boolean
  readonly ticksPerSecond: number
}

const littleMicroseconds: PcapKind = { little: true, ticksPerSecond: 1e6 }
const bigMicroseconds: PcapKind = { little: false, ticksPerSecond: 1e6 }
const littleNanoseconds: PcapKind = { little: true, ticksPerSecond: 1e9 }
const bigNanoseconds: PcapKind = { little: false, ticksPerSecond: 1e9 }

/** The pcap file that begins with these four bytes, read as little-endian; null for none. Asked for every packet. */
const pcapKindOf = (magic: number): PcapKind | null => {
  switch (magic) {
    case 0xa1b2c3d4:
      return littleMicroseconds
    case 0xd4c3b2a1:
      return bigMicroseconds
    case 0xa1b23c4d:
      return littleNanoseconds
    case 0x4d3cb2a1:
      return bigNanoseconds
    default:
      return null
  }
}

/** pcapng: types of the blocks that are read. */
const sectionBlock = 0x0a0d0d0a
const interfaceBlock = 1
const packetBlock = 6
const byteOrderMagic = 0x1a2b3c4d
const blockBytesMin = 12
const packetBlockHeaderBytes = 28
/** pcapng: the option of an interface that says its clock's resolution. */
const resolutionOption = 9

/** Where packets were captured. */
interface Interface {
  readonly linkType: number
  readonly ticksPerSecond: number
}

interface Container {
  readonly kind: "pcap" | "pcapng"
  readonly little: boolean
  /** One for pcap; for pcapng as many as were announced so far. */
  readonly interfaces: Array<Interface>
}

/** A captured packet: where it is, and where its record ends. */
interface Packet {
  readonly interface: Interface | undefined
  readonly at: number
  readonly bytes: number
  readonly recordBytes: number
}

/** Reads the packets of a network capture. Timestamps are microseconds since the first packet that was accepted. */
export class PcapReader implements RecordReader {
  readonly recordBytesMax = recordBytesMax
  readonly #packets: PacketReader
  #container: Container | null = null
  #firstUs: number | null = null

  constructor(packets: PacketReader) {
    this.#packets = packets
  }

  get hardware(): string | null {
    return this.#packets.hardware
  }

  stepAt(bytes: Uint8Array, at: number, end: number): Step {
    if (end - at < 4) return needMore
    const magic = u32(bytes, at)
    if (pcapKindOf(magic) !== null) {
      return end - at < fileHeaderBytes ? needMore : { kind: "head", bytes: fileHeaderBytes }
    }
    const container = this.#container
    if (container === null && magic !== sectionBlock) return lost
    const step = container?.kind !== "pcap" || magic === sectionBlock
      ? blockAt(container, bytes, at, end)
      : packetAt(container, bytes, at, end)
    return "kind" in step ? step : this.#stepOf(step, bytes, at, end)
  }

  read(bytes: Uint8Array, at: number, length: number, add: (frame: CsiFrame) => void): Refusal | null {
    const magic = u32(bytes, at)
    const pcap = pcapKindOf(magic)
    if (pcap !== null) {
      // The upper half of the link type says how many bytes of a checksum follow each packet.
      const linkType = word(bytes, at + 20, pcap.little) & 0xffff
      this.#container = { kind: "pcap", little: pcap.little, interfaces: [{ ...pcap, linkType }] }
      return this.#checkLinkType(linkType)
    }
    if (magic === sectionBlock) {
      this.#container = { kind: "pcapng", little: u32(bytes, at + 8) === byteOrderMagic, interfaces: [] }
      return null
    }
    const container = this.#container!
    if (container.kind === "pcapng" && word(bytes, at, container.little) === interfaceBlock) {
      const announced = interfaceOf(bytes, at, length, container.little)
      if (container.interfaces.length < interfacesMax) container.interfaces.push(announced)
      return this.#checkLinkType(announced.linkType)
    }
    return this.#readPacket(container, bytes, at, length, add)
  }

  finish(add: (frame: CsiFrame) => void): Refusal | null {
    return this.#packets.finish(add)
  }

  #readPacket(
    container: Container,
    bytes: Uint8Array,
    at: number,
    length: number,
    add: (frame: CsiFrame) => void,
  ): Refusal | null {
    const packet = (container.kind === "pcap" ? packetAt : blockAt)(container, bytes, at, at + length) as Packet
    const { linkType, ticksPerSecond } = packet.interface!
    // In both containers the time is the two words that begin 16 bytes before the packet.
    const first = word(bytes, packet.at - packetHeaderBytes, container.little)
    const second = word(bytes, packet.at - packetHeaderBytes + 4, container.little)
    const seconds = container.kind === "pcap" ? first : 0
    const ticks = container.kind === "pcap" ? second : first * 2 ** 32 + second
    const timestampUs = Math.round(seconds * 1e6 + ticks * (1e6 / ticksPerSecond))
    const firstUs = this.#firstUs ?? timestampUs
    const end = packet.at + packet.bytes
    const refusal = this.#packets.read(linkType, bytes, packet.at, end, timestampUs - firstUs, add)
    if (refusal === null) this.#firstUs = firstUs
    return refusal
  }

  #stepOf(packet: Packet, bytes: Uint8Array, at: number, end: number): Step {
    const { interface: source, recordBytes } = packet
    if (source === undefined || recordBytes > recordBytesMax) return { kind: "skip", bytes: recordBytes }
    const peekEnd = packet.at + Math.min(packet.bytes, peekBytes)
    if (end < peekEnd) return needMore
    if (!this.#packets.wants(source.linkType, bytes, packet.at, peekEnd)) return { kind: "skip", bytes: recordBytes }
    return end - at < recordBytes ? needMore : { kind: "frame", bytes: recordBytes }
  }

  #checkLinkType(linkType: number): Refusal | null {
    if (this.#packets.readsLinkType(linkType)) return null
    return {
      reason: "unsupported-layout",
      message: `packets of link type ${linkType} are not read; capture from one interface, as Ethernet`,
    }
  }
}

const word = (bytes: Uint8Array, at: number, little: boolean): number =>
  little ? u32(bytes, at) : ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

const half = (bytes: Uint8Array, at: number, little: boolean): number =>
  little ? u16(bytes, at) : (bytes[at]! << 8) | bytes[at + 1]!

/** The packet of the pcap record at `at`. */
const packetAt = ({ interfaces, little }: Container, bytes: Uint8Array, at: number, end: number): Packet | Step => {
  if (end - at < packetHeaderBytes) return needMore
  const captured = word(bytes, at + 8, little)
  if (word(bytes, at + 4, little) >= interfaces[0]!.ticksPerSecond || captured > packetBytesMax) return lost
  return {
    interface: interfaces[0]!,
    at: at + packetHeaderBytes,
    bytes: captured,
    recordBytes: packetHeaderBytes + captured,
  }
}

/** The packet of the pcapng block at `at`, or what becomes of a block without one. */
const blockAt = (container: Container | null, bytes: Uint8Array, at: number, end: number): Packet | Step => {
  if (end - at < blockBytesMin) return needMore
  const section = u32(bytes, at) === sectionBlock
  const little = section ? u32(bytes, at + 8) === byteOrderMagic : container!.little
  const length = word(bytes, at + 4, little)
  if (section && word(bytes, at + 8, little) !== byteOrderMagic) return lost
  if (length < blockBytesMin || length % 4 !== 0 || length > blockBytesMax) return lost
  const type = word(bytes, at, little)
  if (section || type === interfaceBlock) {
    if (length < blockBytesMin + 8 || length > recordBytesMax) return lost
    if (end - at < length) return needMore
    return word(bytes, at + length - 4, little) === length ? { kind: "head", bytes: length } : lost
  }
  if (type !== packetBlock) return { kind: "skip", bytes: length }
  if (end - at < packetBlockHeaderBytes) return needMore
  const captured = word(bytes, at + 20, little)
  if (packetBlockHeaderBytes + captured + 4 > length) return lost
  return {
    interface: container!.interfaces[word(bytes, at + 8, little)],
    at: at + packetBlockHeaderBytes,
    bytes: captured,
    recordBytes: length,
  }
}

/** What the pcapng interface block at `at` announces. */
const interfaceOf = (bytes: Uint8Array, at: number, length: number, little: boolean): Interface => {
  let ticksPerSecond = 1e6
  const end = at + length - 4
  for (let option = at + 16; option + 4 <= end;) {
    const optionBytes = half(bytes, option + 2, little)
    if (half(bytes, option, little) === resolutionOption && optionBytes === 1 && option + 4 < end) {
      const exponent = bytes[option + 4]!
      ticksPerSecond = exponent < 128 ? 10 ** exponent : 2 ** (exponent - 128)
    }
    option += 4 + Math.ceil(optionBytes / 4) * 4
  }
  return { linkType: half(bytes, at + 8, little), ticksPerSecond }
}
