/**
 * Network captures: pcap and pcapng files, as records of a stream.
 *
 * Owns both containers: byte orders, clocks and the bounds of a packet. Boundary: a `PacketReader` selects and reads
 * packets. Other packets, and blocks without packets, are skipped.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { DeviceClock } from "./device-clock.ts"
import { frame, head, lost, needMore, type RecordReader, type Refusal, skip, type Step } from "./record-stream.ts"
import { u16, u32 } from "./little-endian.ts"

/** Reads the packets of one format in a capture. `linkType` is the number that tcpdump.org lists for the first header. */
export interface PacketReader {
  /** Whether packets of this link type can be read. */
  readsLinkType(linkType: number): boolean
  /** Start of the content of a selected packet, else -1. `bytes[at..end)` is its first `peekBytes`, or all of it. */
  contentAt(linkType: number, bytes: Uint8Array, at: number, end: number): number
  /**
   * Reads a packet from the position that `contentAt` returned, received `timestampUs` after the first accepted one. Passes each of its CSI
   * frames to `add`, which copies `csi`. Returns why the packet cannot be used, or null.
   */
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

/** Maximum number of bytes that `PacketReader.contentAt` gets. */
export const peekBytes = 128

/** Maximum captured length of a packet: tcpdump's default snapshot length. */
const packetBytesMax = 262_144
/** Length of the longest IPv4 packet, with its outer headers, bytes. Longer packets are skipped. */
const recordBytesMax = 65_536 + 4096
/** Maximum length of a pcapng block without a packet, such as names of hosts, bytes. */
const blockBytesMax = 1 << 20
/** Maximum number of interfaces of a pcapng section. */
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

/** The pcap file that begins with these four bytes, read as little-endian; null for other files. Called for every packet. */
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
/** pcapng: the option with the clock resolution of an interface. */
const resolutionOption = 9

/** An interface of the capture. */
interface Interface {
  readonly linkType: number
  readonly ticksPerSecond: number
  readonly usPerTick: number
}

const interfaceWith = (linkType: number, ticksPerSecond: number): Interface => ({
  linkType,
  ticksPerSecond,
  usPerTick: 1e6 / ticksPerSecond,
})

interface Container {
  readonly kind: "pcap" | "pcapng"
  readonly little: boolean
  /** One for pcap; for pcapng those announced so far. */
  readonly interfaces: Array<Interface>
}

/** A captured packet: its position, and the end of its record. */
interface Packet {
  readonly kind: "packet"
  readonly interface: Interface | undefined
  readonly at: number
  readonly bytes: number
  readonly recordBytes: number
}

/** Reads the packets of a network capture. Timestamps are microseconds since the first accepted packet. */
export class PcapReader implements RecordReader {
  readonly recordBytesMax = recordBytesMax
  readonly #packets: PacketReader
  /** The host's clock, which can be set; and the next of several files in one has another time. */
  readonly #clock = new DeviceClock(Infinity)
  #container: Container | null = null
  #firstUs: number | null = null

  constructor(packets: PacketReader) {
    this.#packets = packets
  }

  get hardware(): string | null {
    return this.#packets.hardware
  }

  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    if (end - at < 4) return needMore
    const magic = u32(bytes, at)
    const pcap = pcapKindOf(magic)
    if (pcap !== null) return end - at < fileHeaderBytes ? needMore : this.#readFileHeader(pcap, bytes, at)
    const container = this.#container
    if (container === null && magic !== sectionBlock) return lost
    const found = container?.kind !== "pcap" || magic === sectionBlock
      ? blockAt(container, bytes, at, end)
      : packetAt(container, bytes, at, end)
    if (found.kind === "packet") return this.#takePacket(container!, found, bytes, at, end, add)
    return found.kind === "head" ? head(found.bytes, this.#readBlock(bytes, at, found.bytes)) : found
  }

  finish(add: (frame: CsiFrame) => void): Refusal | null {
    return this.#packets.finish(add)
  }

  #readFileHeader(pcap: PcapKind, bytes: Uint8Array, at: number): Step {
    // The upper half of the link type says how many bytes of a checksum follow each packet.
    const linkType = word(bytes, at + 20, pcap.little) & 0xffff
    this.#container = { kind: "pcap", little: pcap.little, interfaces: [interfaceWith(linkType, pcap.ticksPerSecond)] }
    return head(fileHeaderBytes, this.#checkLinkType(linkType))
  }

  /** Reads the block of a section or of an interface. */
  #readBlock(bytes: Uint8Array, at: number, length: number): Refusal | null {
    if (u32(bytes, at) === sectionBlock) {
      this.#container = { kind: "pcapng", little: u32(bytes, at + 8) === byteOrderMagic, interfaces: [] }
      return null
    }
    const { interfaces, little } = this.#container!
    const announced = interfaceOf(bytes, at, length, little)
    if (interfaces.length < interfacesMax) interfaces.push(announced)
    return this.#checkLinkType(announced.linkType)
  }

  #takePacket(
    container: Container,
    packet: Packet,
    bytes: Uint8Array,
    at: number,
    end: number,
    add: (frame: CsiFrame) => void,
  ): Step {
    const { interface: source, recordBytes } = packet
    if (source === undefined || recordBytes > recordBytesMax) return skip(recordBytes)
    const peekEnd = packet.at + Math.min(packet.bytes, peekBytes)
    if (end < peekEnd) return needMore
    const from = this.#packets.contentAt(source.linkType, bytes, packet.at, peekEnd)
    if (from < 0) return skip(recordBytes)
    if (end - at < recordBytes) return needMore
    const timestampUs = timeOf(container, source, bytes, packet.at)
    const firstUs = this.#firstUs ?? timestampUs
    const packetEnd = packet.at + packet.bytes
    const us = this.#clock.at(timestampUs - firstUs)
    const refusal = this.#packets.read(source.linkType, bytes, from, packetEnd, us, add)
    if (refusal === null) this.#firstUs = firstUs
    return frame(recordBytes, refusal)
  }

  #checkLinkType(linkType: number): Refusal | null {
    if (this.#packets.readsLinkType(linkType)) return null
    return {
      reason: "unsupported-layout",
      message: `packets of link type ${linkType} are not supported; capture from one interface, as Ethernet`,
    }
  }
}

const word = (bytes: Uint8Array, at: number, little: boolean): number =>
  little ? u32(bytes, at) : ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

const half = (bytes: Uint8Array, at: number, little: boolean): number =>
  little ? u16(bytes, at) : (bytes[at]! << 8) | bytes[at + 1]!

/** The time of a packet at `at`, microseconds: in both containers the two words that begin 16 bytes before it. */
const timeOf = ({ kind, little }: Container, { usPerTick }: Interface, bytes: Uint8Array, at: number): number => {
  const first = word(bytes, at - packetHeaderBytes, little)
  const second = word(bytes, at - packetHeaderBytes + 4, little)
  const seconds = kind === "pcap" ? first : 0
  const ticks = kind === "pcap" ? second : first * 2 ** 32 + second
  return Math.round(seconds * 1e6 + ticks * usPerTick)
}

/** The packet of the pcap record at `at`. */
const packetAt = ({ interfaces, little }: Container, bytes: Uint8Array, at: number, end: number): Packet | Step => {
  if (end - at < packetHeaderBytes) return needMore
  const captured = word(bytes, at + 8, little)
  if (word(bytes, at + 4, little) >= interfaces[0]!.ticksPerSecond || captured > packetBytesMax) return lost
  return {
    kind: "packet",
    interface: interfaces[0]!,
    at: at + packetHeaderBytes,
    bytes: captured,
    recordBytes: packetHeaderBytes + captured,
  }
}

/** The packet of the pcapng block at `at`, or the step for a block without one. */
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
    return word(bytes, at + length - 4, little) === length ? head(length) : lost
  }
  if (type !== packetBlock) return skip(length)
  if (end - at < packetBlockHeaderBytes) return needMore
  const captured = word(bytes, at + 20, little)
  if (packetBlockHeaderBytes + captured + 4 > length) return lost
  return {
    kind: "packet",
    interface: container!.interfaces[word(bytes, at + 8, little)],
    at: at + packetBlockHeaderBytes,
    bytes: captured,
    recordBytes: length,
  }
}

/** The interface of the pcapng interface block at `at`. */
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
  return interfaceWith(half(bytes, at + 8, little), ticksPerSecond)
}
