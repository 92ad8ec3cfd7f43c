/** Datagrams of RuView nodes, right and wrong. */
import fc from "fast-check"
import { crc32 } from "../../../core/formats/crc32.ts"
import { damaged } from "./damage.ts"
import { espPairs } from "./esp32-buffers.ts"

interface VitalsFields {
  readonly flags?: number
  /** Hundredths of a breath a minute, and ten-thousandths of a beat. */
  readonly breathing?: number
  readonly heart?: number
}

const header = (bytes: number, magic: number): DataView => {
  const view = new DataView(new ArrayBuffer(bytes))
  view.setUint32(0, magic, true)
  view.setUint8(4, 2)
  return view
}

const bytesOf = (view: DataView): Uint8Array => new Uint8Array(view.buffer)

/** A vitals report of node 2. */
export const vitalsDatagram = ({ breathing = 1200, flags = 1, heart = 600_000 }: VitalsFields): Uint8Array => {
  const view = header(32, 0xc5110002)
  view.setUint8(5, flags)
  view.setUint16(6, breathing, true)
  view.setUint32(8, heart, true)
  view.setInt8(12, -19)
  view.setUint8(13, 4)
  view.setFloat32(16, 4.5, true)
  view.setFloat32(20, 3.25, true)
  view.setUint32(24, 123_456, true)
  return bytesOf(view)
}

/** A feature vector of node 2, with its eight features. */
export const featuresDatagram = (features: ReadonlyArray<number>): Uint8Array => {
  const view = header(48, 0xc5110003)
  view.setUint16(6, 5337, true)
  view.setBigUint64(8, 5_000_000_000n, true)
  features.forEach((feature, i) => view.setFloat32(16 + 4 * i, feature, true))
  return bytesOf(view)
}

/** A feature state of node 2, with its nine scores. */
export const stateDatagram = (scores: ReadonlyArray<number>, flags: number): Uint8Array => {
  const view = header(60, 0xc5110006)
  view.setUint8(5, 3)
  view.setUint16(6, 77, true)
  view.setBigUint64(8, 7_000_500n, true)
  scores.forEach((score, i) => view.setFloat32(16 + 4 * i, score, true))
  view.setUint16(52, flags, true)
  view.setInt8(54, -61)
  view.setUint32(56, crc32(bytesOf(view).subarray(0, 56)), true)
  return bytesOf(view)
}

/** Mostly right values, at times wrong ones. */
const mostly = <T>(right: ReadonlyArray<T>, wrong: ReadonlyArray<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, fc.constantFrom(...wrong))

const datagram = fc.record({
  antennas: mostly([1, 2, 3, 4], [0, 5]),
  bins: mostly([64, 128, 188, 190, 192, 306], [0, 65_535]),
  order: fc.constantFrom("centre-first", "ascending", null),
  level: fc.nat(127),
  flags: fc.nat(255),
  mhz: mostly([2412, 5180], [0, 4_294_967_295]),
  missing: mostly([0], [1, 100, -5]),
}).map(({ antennas, bins, flags, level, mhz, missing, order }) => {
  const bytes = new Uint8Array(20 + Math.max(0, 2 * antennas * Math.min(bins, 306) - missing))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xc5110001, true)
  view.setUint8(5, antennas)
  view.setUint16(6, bins, true)
  view.setUint32(8, mhz, true)
  if (bytes.length > 19) view.setUint8(19, flags)
  if (order !== null && bytes.length >= 148) {
    bytes.set(new Uint8Array(espPairs(order, 26, () => [level, -level], 0).buffer), 20)
  }
  return bytes
})

const report = fc.oneof(
  fc.record({ flags: fc.nat(255), breathing: fc.nat(65_535), heart: fc.nat(4_294_967_295) }).map(vitalsDatagram),
  fc.array(fc.float(), { minLength: 8, maxLength: 8 }).map(featuresDatagram),
  fc.tuple(fc.array(fc.float(), { minLength: 9, maxLength: 9 }), fc.nat(65_535))
    .map(([scores, flags]) => stateDatagram(scores, flags)),
)

export const ruviewDatagrams: fc.Arbitrary<Uint8Array> = fc.oneof(
  datagram,
  damaged(datagram),
  report,
  damaged(report),
  fc.uint8Array({ maxLength: 400 }),
)
