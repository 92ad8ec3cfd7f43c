/** `.npz` files, right and wrong, as the tests need them. */
import fc from "fast-check"
import { npyBytes, npzBytes } from "../../harness/npz.ts"
import { damaged } from "./damage.ts"

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

const file = fc.record({
  frames: fc.nat(6),
  rx: fc.constantFrom(1, 1, 2, 3, 9),
  tx: fc.constantFrom(1, 1, 2),
  tones: fc.constantFrom(2, 8, 30, 1),
  type: fc.constantFrom("<c8", ">c8", "<c16", ">f4", "<f8", "<i2"),
  deflated: fc.boolean(),
}).map(npzFile)

export const npzFiles: fc.Arbitrary<Uint8Array> = fc.oneof(file, file, damaged(file), fc.uint8Array({ maxLength: 200 }))
