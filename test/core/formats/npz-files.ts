/** `.npz` files, right and wrong, as the tests need them. */
import fc from "fast-check"
import { npyBytes, npzBytes } from "../../harness/npz.ts"
import type { BinOrder } from "../../../core/formats/bin-order.ts"
import { damaged } from "./damage.ts"
import { espPairs } from "./esp32-buffers.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => (i % 251) - 125 + 0.5)

/** A file of frames of `rx x tx x tones`, 10 ms apart. */
export const npzFile = (
  { deflated = false, frames, rx = 2, tones, tx = 1, type = "<c8" }: {
    readonly frames: number
    readonly rx?: number
    readonly tx?: number
    readonly tones: number
    readonly type?: string
    readonly deflated?: boolean
  },
): Uint8Array =>
  npzBytes({
    csi: npyBytes(numbers((type.includes("c") ? 2 : 1) * frames * rx * tx * tones), {
      type,
      shape: [frames, rx, tx, tones],
    }),
    timestamp_s: npyBytes(Array.from({ length: frames }, (_, i) => 1000 + i / 100), { type: "<f8", shape: [frames] }),
  }, deflated)

/** A data set of ESPectre: buffers of a chip, spread over a duration. */
export const espectreFile = (
  buffers: ReadonlyArray<Int8Array>,
  { columns = 128, deflated = false, durationMs = 1000 }: {
    readonly columns?: number
    readonly deflated?: boolean
    readonly durationMs?: number
  } = {},
): Uint8Array =>
  npzBytes({
    csi_data: npyBytes(buffers.flatMap((buffer) => [...buffer.subarray(0, columns)]), {
      type: "|i1",
      shape: [buffers.length, columns],
    }),
    num_subcarriers: npyBytes([64], { type: "<i8", shape: [] }),
    duration_ms: npyBytes([durationMs], { type: "<f8", shape: [] }),
  }, deflated)

const espectre = fc.record({
  shown: fc.array(fc.constantFrom<BinOrder>("centre-first", "ascending"), { maxLength: 6 }),
  outermost: fc.constantFrom(26, 28, 29, 31),
  noise: fc.constantFrom(0, 0, 1, 9),
  columns: fc.constantFrom(128, 128, 128, 64),
  durationMs: fc.constantFrom(1000, 0, -1, NaN),
  deflated: fc.boolean(),
}).map(({ noise, outermost, shown, ...options }) =>
  espectreFile(shown.map((order, i) => espPairs(order, outermost, (k) => [(k * 7 + i) % 50 + 60, k], noise)), options)
)

const file = fc.record({
  frames: fc.nat(6),
  rx: fc.constantFrom(1, 1, 2, 3, 9),
  tx: fc.constantFrom(1, 1, 2),
  tones: fc.constantFrom(2, 8, 30, 1),
  type: fc.constantFrom("<c8", ">c8", "<c16", ">f4", "<f8", "<i2"),
  deflated: fc.boolean(),
}).map(npzFile)

export const npzFiles: fc.Arbitrary<Uint8Array> = fc.oneof(
  file,
  file,
  damaged(file),
  espectre,
  damaged(espectre),
  fc.uint8Array({ maxLength: 200 }),
)
