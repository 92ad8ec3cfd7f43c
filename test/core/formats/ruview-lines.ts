/** Lines of RuView recordings, as the tests need them. */
import fc from "fast-check"
import type { BinOrder } from "../../../core/formats/bin-order.ts"
import { espPairs } from "./esp32-buffers.ts"
import { bytesOf } from "./esp32-lines.ts"

/** A buffer in hexadecimal by which every bin can be reported: bin b is (imaginary, real) = (b, -b). */
export const numberedBuffer = (bins: number): string =>
  Array.from({ length: 2 * bins }, (_, i) => {
    const bin = (i >> 1) % 100
    return ((i % 2 === 0 ? bin : -bin) & 0xff).toString(16).padStart(2, "0")
  }).join("")

/** A line with a node's buffer. */
export const bufferLine = (node: number, timestamp: number, bins = 64, buffer = numberedBuffer(bins)): string =>
  JSON.stringify({
    timestamp,
    node_id: node,
    magic: "0xC5110001",
    size: 20 + 2 * bins,
    rssi: 1,
    type: "raw_csi",
    iq_hex: buffer,
    subcarriers: bins,
  })

/** A buffer in hexadecimal that begins with these values. */
export const hexOf = (pairs: Int8Array): string =>
  Array.from(pairs, (value) => (value & 0xff).toString(16).padStart(2, "0")).join("")

/** A line of the server's recorder: amplitude b of bin b. */
export const amplitudeLine = (timestamp: number, amplitudes: number): string =>
  JSON.stringify({
    timestamp,
    subcarriers: Array.from({ length: amplitudes }, (_, bin) => bin + 0.5),
    rssi: 0,
    noise_floor: 0,
    features: { variance: 50.6 },
  })

export const vitalsLine = JSON.stringify({ timestamp: 1, node_id: 2, magic: "0xC5110002", type: "vitals", rssi: -19 })

/** Lines with right and wrong fields. */
export const ruviewLine: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.record({
    timestamp: fc.oneof(fc.double({ min: 1.7e9, max: 1.8e9, noNaN: true }), fc.constantFrom(0, -1, 1e300)),
    node_id: fc.oneof(fc.nat(255), fc.constantFrom(-1, 256, 1.5, "x")),
    rssi: fc.constantFrom(1, -50, -1000, null),
    iq_hex: fc.oneof(
      fc.constantFrom(64, 128, 192, 306, 63).map(numberedBuffer),
      fc.constantFrom<BinOrder>("centre-first", "ascending").map((order) =>
        hexOf(espPairs(order, 26, () => [9, 8], 0))
      ),
    ),
  }).map((line) => JSON.stringify(line)),
  fc.record({
    timestamp: fc.double({ min: 1.7e9, max: 1.8e9, noNaN: true }),
    subcarriers: fc.constantFrom(56, 56, 64, 57).chain((n) =>
      fc.array(fc.oneof({ weight: 99, arbitrary: fc.nat(90) }, fc.constantFrom(-1, 1e9, null)), {
        minLength: n,
        maxLength: n,
      })
    ),
  }).map((line) => JSON.stringify(line)),
  fc.constant(vitalsLine),
).map((line) => bytesOf(`${line}\n`))
