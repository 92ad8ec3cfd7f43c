/**
 * Dynamic power: how strong what moves is, relative to what stands still, over the trailing second.
 *
 * It is the lag-one covariance of the dynamic response D over its values v (antennas and tones):
 *
 *   P = | mean over v and pairs of successive packets of (D_t - m)(D_t-1 - m)* |,  m = mean over the window
 *
 * The mean is what stands still (a chair that was moved, a person who sits), and most of what moves slowly, such as a chest
 * that breathes; what is left grows with speed up to that of a walk. Noise and interference are new with every
 * packet and drop out of the product; the power of an echo with one Doppler shift stays whole. D is relative to the static
 * response, whose rms is 1, so P is a ratio of powers.
 */

const windowHops = 10

/** Trailing window of one link with `values` complex values a packet. */
export class DynamicPowerWindow {
  readonly #length: number
  readonly #hops = new Float64Array(windowHops).fill(-1)
  readonly #pairs = new Uint32Array(windowHops)
  /** Sum over the pairs of a hop of D_t conj(D_t-1), summed over the values. */
  readonly #productsRe = new Float64Array(windowHops)
  readonly #productsIm = new Float64Array(windowHops)
  /** Sum over the pairs of a hop of D_t + D_t-1, by value. */
  readonly #sums: Float32Array
  readonly #previous: Float32Array
  #previousHop = -Infinity

  constructor(values: number) {
    this.#length = 2 * values
    this.#sums = new Float32Array(windowHops * 2 * values)
    this.#previous = new Float32Array(2 * values)
  }

  /** Forgets everything: the reference has changed. */
  clear(): void {
    this.#hops.fill(-1)
    this.#previousHop = -Infinity
  }

  /** Takes the packets of a hop: interleaved complex [packet][value]. Hops must ascend. */
  add(hop: number, packets: number, responses: Float32Array): void {
    const slot = hop % windowHops
    this.#hops[slot] = hop
    this.#pairs[slot] = 0
    this.#productsRe[slot] = 0
    this.#productsIm[slot] = 0
    this.#sums.fill(0, slot * this.#length, (slot + 1) * this.#length)
    for (let packet = 0; packet < packets; packet++) {
      if (packet > 0 || hop - this.#previousHop <= 2) this.#addPair(slot, responses, packet * this.#length)
      this.#previous.set(responses.subarray(packet * this.#length, (packet + 1) * this.#length))
    }
    if (packets > 0) this.#previousHop = hop
  }

  #addPair(slot: number, responses: Float32Array, at: number): void {
    const length = this.#length
    const sums = this.#sums
    const previous = this.#previous
    const base = slot * length
    let re = 0
    let im = 0
    for (let i = 0; i < length; i += 2) {
      const nowRe = responses[at + i]!
      const nowIm = responses[at + i + 1]!
      const beforeRe = previous[i]!
      const beforeIm = previous[i + 1]!
      re += nowRe * beforeRe + nowIm * beforeIm
      im += nowIm * beforeRe - nowRe * beforeIm
      sums[base + i]! += nowRe + beforeRe
      sums[base + i + 1]! += nowIm + beforeIm
    }
    this.#productsRe[slot]! += re
    this.#productsIm[slot]! += im
    this.#pairs[slot]!++
  }

  /** Moving power over static power in the window that ends with `hop`; null when there are fewer than 2 pairs in it. */
  evaluate(hop: number): number | null {
    const length = this.#length
    const total = new Float64Array(length)
    let pairs = 0
    let re = 0
    let im = 0
    for (let slot = 0; slot < windowHops; slot++) {
      const age = hop - this.#hops[slot]!
      if (this.#hops[slot]! < 0 || age < 0 || age >= windowHops) continue
      pairs += this.#pairs[slot]!
      re += this.#productsRe[slot]!
      im += this.#productsIm[slot]!
      for (let i = 0; i < length; i++) total[i]! += this.#sums[slot * length + i]!
    }
    if (pairs < 2) return null
    let standing = 0
    for (let i = 0; i < length; i++) standing += total[i]! * total[i]!
    return Math.hypot(re - standing / (4 * pairs), im) / (pairs * length / 2)
  }
}
