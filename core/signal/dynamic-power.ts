/**
 * Dynamic power: the power of moving echoes relative to the static response, over the trailing second.
 *
 * An echo D on a static response H0 changes the power of a subcarrier by 2 Re(D conj(H0)), whose variance over the
 * phases of D is 2 |H0|^2 |D|^2. So with powers G divided by their mean over the subcarriers of the packet, and m the
 * mean over the window,
 *
 *   P = 1/2 mean over k and pairs of successive packets of (G_t - m)(G_t-1 - m)
 *
 * is the power of the echoes over that of the static response. The mean holds static changes (a moved chair, a person
 * who sits) and most of slow motion, such as a breathing chest; the rest grows with speed up to walking speed. Noise
 * and interference are independent from packet to packet and cancel in the product. Powers work with and without phase,
 * and need no reference.
 */

const windowHops = 10
/** Minimum number of pairs for a reading. */
const pairsMin = 5
/** Packets further apart than this do not form a pair. */
const pairGapUsMax = 250_000

/** Trailing window of one link with `values` powers a packet. */
export class DynamicPowerWindow {
  readonly #values: number
  readonly #hops = new Float64Array(windowHops).fill(-1)
  readonly #pairs = new Uint32Array(windowHops)
  /** Sum over the pairs of a hop of G_t G_t-1, summed over the values. */
  readonly #products = new Float64Array(windowHops)
  /** Sum over the pairs of a hop of G_t + G_t-1, by value. */
  readonly #sums: Float64Array
  /** Scratch of an evaluation: the sums over the window. */
  readonly #total: Float64Array
  readonly #previous: Float32Array
  #previousUs = -Infinity

  constructor(values: number) {
    this.#values = values
    this.#sums = new Float64Array(windowHops * values)
    this.#total = new Float64Array(values)
    this.#previous = new Float32Array(values)
  }

  /** Adds the powers of a packet, divided by their mean. Hops must not decrease. */
  add(timestampUs: number, hop: number, powers: Float32Array): void {
    const gap = timestampUs - this.#previousUs
    if (gap >= 0 && gap <= pairGapUsMax) this.#addPair(this.#slotOf(hop), powers)
    this.#previous.set(powers)
    this.#previousUs = timestampUs
  }

  /** Moving power over static power in the window that ends with `hop`; null with fewer than 5 pairs. */
  evaluate(hop: number): number | null {
    const values = this.#values
    const total = this.#total.fill(0)
    let pairs = 0
    let product = 0
    for (let slot = 0; slot < windowHops; slot++) {
      const age = hop - this.#hops[slot]!
      if (this.#hops[slot]! < 0 || age < 0 || age >= windowHops) continue
      pairs += this.#pairs[slot]!
      product += this.#products[slot]!
      for (let k = 0, i = slot * values; k < values; k++, i++) total[k]! += this.#sums[i]!
    }
    if (pairs < pairsMin) return null
    let standing = 0
    for (let k = 0; k < values; k++) standing += (total[k]! / (2 * pairs)) ** 2
    return Math.max(0, product / pairs - standing) / (2 * values)
  }

  #addPair(slot: number, powers: Float32Array): void {
    const sums = this.#sums
    const previous = this.#previous
    let product = 0
    for (let k = 0, i = slot * this.#values; k < powers.length; k++, i++) {
      product += powers[k]! * previous[k]!
      sums[i]! += powers[k]! + previous[k]!
    }
    this.#products[slot]! += product
    this.#pairs[slot]!++
  }

  #slotOf(hop: number): number {
    const slot = hop % windowHops
    if (this.#hops[slot] === hop) return slot
    this.#hops[slot] = hop
    this.#pairs[slot] = 0
    this.#products[slot] = 0
    this.#sums.fill(0, slot * this.#values, (slot + 1) * this.#values)
    return slot
  }
}
