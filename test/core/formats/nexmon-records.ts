/** Nexmon payloads, the packets around them, and the network captures of these, as the tests need them. */
import fc from "fast-check"
import { damaged, joined } from "./damage.ts"

export interface PayloadFields {
  readonly chip?: number
  readonly chanspec?: number
  readonly core?: number
  readonly stream?: number
  readonly tones?: number
  readonly mac?: ReadonlyArray<number>
  readonly number?: number
  /** What the header says of the packet: nothing, strength and frame control, or with all addresses in 26 bytes more. */
  readonly header?: "silent" | "short" | "long"
  readonly rssi?: number
  readonly frameControl?: number
  /** The 32 bits of the i-th value in the file, which has the order of the transform. */
  readonly word?: (i: number) => number
}

/** The word of a pair of int16. */
const int16Word = (re: number, im: number): number => (re & 0xffff) | (im << 16)

/** The tone of the i-th value in a file. */
export const toneOf = (i: number, tones: number): number => i < tones / 2 ? i : i - tones

export const nexmonPayload = (fields: PayloadFields = {}): Uint8Array => {
  const {
    chip = 0x65,
    core = 0,
    frameControl = 0x88,
    header = "short",
    number = 1,
    rssi = -50,
    stream = 0,
    tones = 64,
  } = fields
  const { chanspec = 0xd024, mac = [0xaa, 1, 2, 3, 4, 0xff], word = (i) => int16Word(toneOf(i, tones), 1000 + i) } =
    fields
  const headerBytes = header === "long" ? 44 : 18
  const bytes = new Uint8Array(headerBytes + 4 * tones).fill(0x11, 0, 4)
  const view = new DataView(bytes.buffer)
  if (header === "short") bytes.set([rssi & 0xff, frameControl], 2)
  bytes.set(mac, header === "long" ? 10 : 4)
  view.setUint16(header === "long" ? 24 : 10, number << 4, true)
  if (header === "long") {
    bytes.set([frameControl, 0x42], 22)
    view.setInt16(26, rssi, true)
  }
  view.setUint16(headerBytes - 6, core | (stream << 3), true)
  view.setUint16(headerBytes - 4, chanspec, true)
  view.setUint16(headerBytes - 2, chip, true)
  for (let i = 0; i < tones; i++) view.setUint32(headerBytes + 4 * i, word(i), true)
  return bytes
}

interface PacketFields {
  readonly port?: number
  readonly link?: "ethernet" | "vlan" | "any" | "any-2"
  /** Bytes behind the datagram that are not of it. */
  readonly trailer?: number
  readonly ipOptions?: number
  readonly fragment?: number
}

const linkHeaders = {
  "ethernet": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 8, 0],
  "vlan": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x81, 0, 0, 7, 8, 0],
  "any": [0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0],
  "any-2": [8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0],
}

export const linkTypes = { "ethernet": 1, "vlan": 1, "any": 113, "any-2": 276 }

/** A packet with a UDP datagram. */
export const udpPacket = (payload: Uint8Array, fields: PacketFields = {}): Uint8Array => {
  const { fragment = 0, ipOptions = 0, link = "ethernet", port = 5500, trailer = 0 } = fields
  const ip = new Uint8Array(20 + 4 * ipOptions)
  ip[0] = 0x45 + ipOptions
  ip[6] = fragment
  ip[9] = 17
  const udp = new Uint8Array(8)
  const view = new DataView(udp.buffer)
  view.setUint16(2, port)
  view.setUint16(4, 8 + payload.length)
  return joined(Uint8Array.from(linkHeaders[link]), ip, udp, payload, new Uint8Array(trailer).fill(0x77))
}

export interface Captured {
  readonly us: number
  readonly packet: Uint8Array
}

interface CaptureFields {
  readonly little?: boolean
  readonly nanoseconds?: boolean
  readonly linkType?: number
}

const writerOf = (little: boolean) => (values: ReadonlyArray<readonly [bits: 16 | 32, value: number]>): Uint8Array => {
  const bytes = new Uint8Array(values.reduce((sum, [bits]) => sum + bits / 8, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [bits, value] of values) {
    if (bits === 16) view.setUint16(at, value, little)
    else view.setUint32(at, value, little)
    at += bits / 8
  }
  return bytes
}

export const pcap = (packets: ReadonlyArray<Captured>, fields: CaptureFields = {}): Uint8Array => {
  const { linkType = 1, little = true, nanoseconds = false } = fields
  const write = writerOf(little)
  const magic = nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4
  const head = write([[32, magic], [16, 2], [16, 4], [32, 0], [32, 0], [32, 262_144], [32, linkType]])
  return joined(
    head,
    ...packets.flatMap(({ packet, us }) => {
      const fraction = (us % 1e6) * (nanoseconds ? 1000 : 1)
      return [write([[32, Math.floor(us / 1e6)], [32, fraction], [32, packet.length], [32, packet.length]]), packet]
    }),
  )
}

const padded = (bytes: Uint8Array): Uint8Array => joined(bytes, new Uint8Array((4 - (bytes.length % 4)) % 4))

/** A pcapng capture: a section, an interface, a block of names that is of no use, and the packets. */
export const pcapng = (packets: ReadonlyArray<Captured>, fields: CaptureFields = {}): Uint8Array => {
  const { linkType = 1, little = true, nanoseconds = false } = fields
  const write = writerOf(little)
  const block = (type: number, body: Uint8Array): Uint8Array => {
    const bytes = 12 + body.length
    return joined(write([[32, type], [32, bytes]]), body, write([[32, bytes]]))
  }
  const resolution = nanoseconds ? joined(write([[16, 9], [16, 1]]), Uint8Array.of(9, 0, 0, 0)) : new Uint8Array(0)
  return joined(
    block(0x0a0d0d0a, write([[32, 0x1a2b3c4d], [16, 1], [16, 0], [32, 0xffffffff], [32, 0xffffffff]])),
    block(1, joined(write([[16, linkType], [16, 0], [32, 0]]), write([[16, 3], [16, 4], [32, 0x61]]), resolution)),
    block(4, new Uint8Array(16)),
    ...packets.map(({ packet, us }) => {
      const ticks = us * (nanoseconds ? 1000 : 1)
      const time = [[32, Math.floor(ticks / 2 ** 32)], [32, ticks % 2 ** 32]] as const
      return block(6, joined(write([[32, 0], ...time, [32, packet.length], [32, packet.length]]), padded(packet)))
    }),
  )
}

const payloads: fc.Arbitrary<Uint8Array> = fc.record({
  chip: fc.constantFrom(0x65, 0x01, 0x6a, 0x03, 0xdead, 0x77),
  chanspec: fc.constantFrom(0xd024, 0xe02a, 0x1006, 0xffff),
  core: fc.constantFrom(0, 0, 1, 4),
  stream: fc.constantFrom(0, 0, 1),
  tones: fc.constantFrom(64, 64, 128, 63),
  number: fc.nat(4),
  header: fc.constantFrom("silent", "short", "long"),
  frameControl: fc.constantFrom(0x88, 0x94),
  seed: fc.nat(4_294_967_295),
}).map(({ seed, ...fields }) => nexmonPayload({ ...fields, word: (i) => Math.imul(seed, 2 * i + 1) >>> 0 }))

const packets: fc.Arbitrary<Captured> = fc.record({
  us: fc.nat(3_000_000),
  packet: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(
        payloads,
        fc.record({ port: fc.constantFrom(5500, 5500, 53), trailer: fc.nat(5), ipOptions: fc.nat(2) }),
      ).map(([payload, fields]) => udpPacket(payload, fields)),
    },
    fc.uint8Array({ maxLength: 60 }),
  ),
})

/** Captures of a few packets, in both containers and byte orders, damaged. */
export const nexmonCaptures: fc.Arbitrary<Uint8Array> = damaged(
  fc.tuple(
    fc.constantFrom(pcap, pcapng),
    fc.array(packets, { maxLength: 5 }),
    fc.record({ little: fc.boolean(), nanoseconds: fc.boolean(), linkType: fc.constantFrom(1, 1, 1, 127) }),
    fc.uint8Array({ maxLength: 30 }),
  ).map(([capture, packets, fields, noise]) => joined(capture(packets, fields), noise)),
)
