/** CSI buffers of an ESP32 as its chip writes them. */
import { binOf, type BinOrder } from "../../../core/formats/bin-order.ts"

/**
 * The (imaginary, real) pairs of a training field whose subcarriers reach to `outermost`, in an order.
 *
 * @param value real and imaginary part of a subcarrier
 * @param noise both parts of the guards and the centre
 */
export const espPairs = (
  order: BinOrder,
  outermost: number,
  value: (k: number) => readonly [re: number, im: number],
  noise: number,
): Int8Array => {
  const pairs = new Int8Array(128)
  for (let k = -32; k < 32; k++) {
    const [re, im] = k !== 0 && Math.abs(k) <= outermost ? value(k) : [noise, noise]
    const at = 2 * binOf(k, order)
    pairs[at] = im
    pairs[at + 1] = re
  }
  return pairs
}

/** A buffer in the order without a secondary channel, as the chip writes it with one; further training fields stay. */
export const withSecondary = (pairs: Uint8Array): Uint8Array => {
  const out = pairs.slice()
  for (let k = -32; k < 32; k++) {
    const from = 2 * binOf(k, "centre-first")
    out.set(pairs.subarray(from, from + 2), 2 * binOf(k, "ascending"))
  }
  return out
}
