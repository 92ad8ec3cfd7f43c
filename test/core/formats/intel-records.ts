/** Records of Intel 5300 captures, as the tests need them. */
import fc from "fast-check"
import { joined } from "./damage.ts"

interface RecordFields {
  readonly timestamp?: number
  readonly count?: number
  readonly receive: number
  readonly transmit: number
  readonly selection?: number
  readonly noise?: number
  readonly rate?: number
  /** Whether the length is little-endian. */
  readonly little?: boolean
  /** Address in the stamp of the WSR toolbox's variant. */
  readonly sender?: ReadonlyArray<number>
  /** Value of stream j (tx = j % transmit, rx = j / transmit) at a tone. */
  readonly value: (j: number, tone: number) => readonly [re: number, im: number]
}

/** A beamforming record, packed bit by bit. */
export const beamformingRecord = (fields: RecordFields): Uint8Array => {
  const streams = fields.receive * fields.transmit
  const packed = new Uint8Array(Math.ceil(30 * (streams * 16 + 3) / 8))
  let bit = 0
  const put = (value: number): void => {
    for (let i = 0; i < 8; i++, bit++) if ((value >> i) & 1) packed[bit >> 3]! |= 1 << (bit & 7)
  }
  for (let tone = 0; tone < 30; tone++) {
    bit += 3
    for (let j = 0; j < streams; j++) for (const part of fields.value(j, tone)) put(part & 0xff)
  }
  const report = fields.sender === undefined ? 23 : 41
  const record = new Uint8Array(report + packed.length)
  const view = new DataView(record.buffer)
  view.setUint16(0, record.length - 2, fields.little ?? false)
  record[2] = 0xbb
  view.setUint32(3, fields.timestamp ?? 0, true)
  view.setUint16(7, fields.count ?? 0, true)
  record.set([fields.receive, fields.transmit, 30, 31, 32], 11)
  view.setInt8(16, fields.noise ?? -80)
  record[17] = 20
  record[18] = fields.selection ?? 0b100100
  view.setUint16(19, packed.length, true)
  view.setUint16(21, fields.rate ?? 0x100, true)
  if (fields.sender !== undefined) record.set(fields.sender, 31)
  record.set(packed, report)
  return record
}

/** A payload record. */
export const payloadRecord = (bytes: number, little = false): Uint8Array => {
  const record = new Uint8Array(3 + bytes)
  new DataView(record.buffer).setUint16(0, 1 + bytes, little)
  record[2] = 0xc1
  return record
}

/** Records of all sizes, and payloads, with lengths of both byte orders. */
export const intelRecords: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      receive: fc.integer({ min: 1, max: 3 }),
      transmit: fc.integer({ min: 1, max: 3 }),
      timestamp: fc.nat(4_294_967_295),
      count: fc.nat(65_535),
      selection: fc.nat(255),
      rate: fc.nat(65_535),
      little: fc.constantFrom(false, false, false, true),
      sender: fc.constantFrom(undefined, [2, 0, 0, 0, 0, 7]),
    }).map(({ little, sender, ...fields }) => {
      const stamp = sender === undefined ? {} : { sender }
      const record = beamformingRecord({ ...fields, ...stamp, little, value: (j, tone) => [j + tone, j - tone] })
      return little ? joined(record, record, record) : record
    }),
  },
  fc.nat(80).map((bytes) => payloadRecord(bytes)),
)
