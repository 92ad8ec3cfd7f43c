/** Records of Atheros captures, as the tests need them. */
import fc from "fast-check"
import { captureOf, joined } from "./damage.ts"

export interface AtherosFields {
  readonly clock?: number
  readonly tones?: number
  readonly receive?: number
  readonly transmit?: number
  readonly channelMHz?: number
  readonly noise?: number
  readonly rssi?: number
  /** Null for a record without CSI. */
  readonly value?: ((tone: number, rx: number, tx: number) => readonly [re: number, im: number]) | null
  readonly packet?: Uint8Array
  readonly big?: boolean
}

/** The head of a QoS data packet. */
export const qosPacket = (station: number, trafficClass: number, number: number): Uint8Array => {
  const packet = new Uint8Array(30)
  packet.set([0x88, 1])
  packet.set([2, 0, 0, 0, 0, station], 10)
  new DataView(packet.buffer).setUint16(22, number << 4, true)
  packet[24] = trafficClass
  return packet
}

/** A record: its values bit by bit, imaginary part first, receive antennas within transmit antennas within tones. */
export const atherosRecord = (fields: AtherosFields = {}): Uint8Array => {
  const { big = false, packet = qosPacket(1, 0, 0), receive = 1, tones = 56, transmit = 1 } = fields
  const { value = (tone, rx, tx) => [tone, -100 * rx - tx] } = fields
  const csi = new Uint8Array(value === null ? 0 : Math.ceil(20 * tones * receive * transmit / 8))
  let bit = 0
  const put = (part: number): void => {
    for (let i = 0; i < 10; i++, bit++) if ((part >> i) & 1) csi[bit >> 3]! |= 1 << (bit & 7)
  }
  for (let tone = 0; value !== null && tone < tones; tone++) {
    for (let tx = 0; tx < transmit; tx++) {
      for (let rx = 0; rx < receive; rx++) {
        const [re, im] = value(tone, rx, tx)
        put(im)
        put(re)
      }
    }
  }
  const head = new Uint8Array(27)
  const view = new DataView(head.buffer)
  view.setUint16(0, 25 + csi.length + packet.length, !big)
  view.setBigUint64(2, BigInt(fields.clock ?? 0), !big)
  view.setUint16(10, csi.length, !big)
  view.setUint16(12, fields.channelMHz ?? 2437, !big)
  head.set([
    0,
    fields.noise ?? 0,
    0x87,
    tones === 56 ? 0 : 1,
    tones,
    receive,
    transmit,
    fields.rssi ?? 40,
    40,
    128,
    128,
  ], 14)
  view.setUint16(25, packet.length, !big)
  return joined(head, csi, packet)
}

const records = (big: boolean): fc.Arbitrary<Uint8Array> =>
  fc.record({
    clock: fc.nat(4_294_967_295),
    tones: fc.constantFrom(56, 56, 114, 57),
    receive: fc.constantFrom(1, 2, 3, 4),
    transmit: fc.constantFrom(1, 1, 2),
    channelMHz: fc.constantFrom(2437, 5180, 1),
    value: fc.constantFrom(undefined, undefined, null),
    packet: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.nat(9).map((number) => qosPacket(number % 3, 0, number))),
  }).map(({ value, ...fields }) => atherosRecord({ ...fields, ...value === null ? { value } : {}, big }))

/** Captures of a few records, with headers of both byte orders, with and without a mark, damaged. */
export const atherosCaptures: fc.Arbitrary<Uint8Array> = fc.oneof(
  captureOf(records(false)),
  captureOf(records(true)).map((capture) => joined(Uint8Array.of(0xff), capture)),
  captureOf(records(true).map((record) => joined(record, record, record))),
)
