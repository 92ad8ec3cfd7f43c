/** Network captures with compressed beamforming reports, as the tests need them. */
import fc from "fast-check"
import { damaged, joined } from "./damage.ts"

/** A complex matrix [row][column], as pairs. */
export type Matrix = ReadonlyArray<ReadonlyArray<readonly [re: number, im: number]>>

export interface ReportFields {
  readonly he?: boolean
  readonly rows: number
  readonly columns: number
  readonly megahertz?: 20 | 40 | 80 | 160
  /** Code of the grouping. */
  readonly grouping?: number
  readonly codebook?: number
  readonly multiUser?: boolean
  readonly units?: readonly [first: number, last: number]
  /** Remaining segments, and whether this is the first; a whole report is the first with none remaining. */
  readonly segments?: number
  readonly isFirst?: boolean
  /** The angles of every matrix, in the order of the report: their value and bits. */
  readonly angles: ReadonlyArray<readonly [value: number, bits: number]>
}

/** An action frame's body: category, action, control field, SNRs 22.25 dB, 22.5 dB and so on, angles. */
export const reportBody = (fields: ReportFields): Uint8Array => {
  const {
    angles,
    codebook = 0,
    columns,
    grouping = 0,
    he = false,
    isFirst = true,
    megahertz = 20,
    multiUser = false,
    rows,
  } = fields
  const width = { 20: 0, 40: 1, 80: 2, 160: 3 }[megahertz]
  const feedback = multiUser ? 1 : 0
  const low = (columns - 1) | ((rows - 1) << 3) | (width << 6) | (grouping << 8) |
    (he ? (codebook << 9) | (feedback << 10) : (codebook << 10) | (feedback << 11)) |
    ((fields.segments ?? 0) << 12) | ((isFirst ? 1 : 0) << 15)
  const [first, last] = fields.units ?? [0, 0]
  const units = first | (last << 7)
  const control = he ? [low & 255, low >> 8, units & 255, (units >> 8) & 255, 0] : [low & 255, low >> 8, 0]
  const packed = new Uint8Array(Math.ceil(angles.reduce((sum, [, bits]) => sum + bits, 0) / 8))
  let bit = 0
  for (const [value, bits] of angles) {
    for (let i = 0; i < bits; i++, bit++) if ((value >> i) & 1) packed[bit >> 3]! |= 1 << (bit & 7)
  }
  const snrs = Array.from({ length: columns }, (_, i) => i + 1)
  return Uint8Array.of(he ? 30 : 21, 0, ...control, ...snrs, ...packed)
}

/** An action frame from station 02:00:00:00:00:<station>. */
export const actionFrame = (body: Uint8Array, station = 7, flags = 0): Uint8Array => {
  const header = new Uint8Array(24 + ((flags & 0x80) === 0 ? 0 : 4))
  header[0] = 0xe0
  header[1] = flags
  header.set([2, 0, 0, 0, 0, 1], 4)
  header.set([2, 0, 0, 0, 0, station], 10)
  return joined(header, body)
}

/** A radiotap header: time, flags, rate, channel, signal -50 dBm, noise -92 dBm, then signal and antenna of each chain. */
export const radiotap = (flags = 0, channelMHz = 5180, chains = 0): Uint8Array => {
  // The words that announce the fields of the chains move the time to the next multiple of eight.
  const time = Math.ceil((8 + 4 * chains) / 8) * 8
  const bytes = new Uint8Array(time + 16 + 2 * chains)
  const view = new DataView(bytes.buffer)
  const follows = (i: number) => i < chains ? 0xa000_0000 : 0
  view.setUint16(2, bytes.length, true)
  view.setUint32(4, (0b110_1111 | follows(0)) >>> 0, true)
  for (let i = 1; i <= chains; i++) view.setUint32(4 + 4 * i, (0b1000_0010_0000 | follows(i)) >>> 0, true)
  view.setUint8(time + 8, flags)
  view.setUint16(time + 10, channelMHz, true)
  view.setInt8(time + 14, -50)
  view.setInt8(time + 15, -92)
  for (let i = 0; i < chains; i++) bytes.set([200 + i, i], time + 16 + 2 * i)
  return bytes
}

/** A pcap file of packets, 10 ms apart. */
export const pcapFile = (linkType: number, packets: ReadonlyArray<Uint8Array>): Uint8Array => {
  const header = new DataView(new ArrayBuffer(24))
  header.setUint32(0, 0xa1b2c3d4, true)
  header.setUint16(4, 2, true)
  header.setUint16(6, 4, true)
  header.setUint32(16, 65_535, true)
  header.setUint32(20, linkType, true)
  const records = packets.flatMap((packet, i) => {
    const record = new DataView(new ArrayBuffer(16))
    record.setUint32(0, 1_700_000_000 + Math.floor(i / 100), true)
    record.setUint32(4, 10_000 * (i % 100), true)
    record.setUint32(8, packet.length, true)
    record.setUint32(12, packet.length, true)
    return [new Uint8Array(record.buffer), packet]
  })
  return joined(new Uint8Array(header.buffer), ...records)
}

/** Reports of every kind with any angles. */
const report = fc.record({
  he: fc.boolean(),
  rows: fc.integer({ min: 1, max: 4 }),
  columns: fc.integer({ min: 1, max: 3 }),
  megahertz: fc.constantFrom(20, 20, 20, 20, 40, 80),
  grouping: fc.nat(3),
  codebook: fc.nat(1),
  multiUser: fc.boolean(),
  units: fc.constantFrom([0, 8], [0, 17], [0, 36], [3, 1], [0, 74]),
  isFirst: fc.constantFrom(true, true, true, true, false),
  length: fc.nat(400),
  noise: fc.uint8Array({ minLength: 1, maxLength: 40 }),
}).map(({ length, noise, ...fields }) =>
  reportBody({
    ...fields,
    megahertz: fields.megahertz as 20,
    grouping: fields.he ? fields.grouping & 1 : fields.grouping,
    units: fields.units as unknown as readonly [number, number],
    angles: Array.from({ length: 10 * length }, (_, i) => [noise[i % noise.length]!, 8] as const).slice(0, length + 40),
  })
)

const packets = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(report, fc.nat(3)).map(([body, station]) => actionFrame(body, station)) },
    fc.uint8Array({ maxLength: 60 }),
  ),
  { maxLength: 3 },
)

const capture = fc.oneof(
  packets.map((all) => pcapFile(105, all)),
  packets.map((all) => pcapFile(127, all.map((packet) => joined(radiotap(), packet)))),
)

export const feedbackCaptures: fc.Arbitrary<Uint8Array> = fc.oneof(capture, damaged(capture))
