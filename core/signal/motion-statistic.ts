/**
 * The motion statistic: lag-one autocorrelation of the subcarrier power, averaged over antennas and subcarriers.
 *
 * After WiDetect (Zhang et al., 2019): the power |H(k, t)|^2 of a still channel is its mean and white noise, whose
 * autocorrelation at a lag of one packet is 0; anything that moves makes neighbouring packets alike. Powers are first
 * divided by the packet's own mean, so that steps of the receiver's gain do not count.
 *
 *   psi = mean over k of  sum (G_t - m)(G_t-1 - m) / sum ((G_t - m)^2 + (G_t-1 - m)^2) / 2
 *
 * over the pairs of successive packets in the window. When nothing moves its standard deviation is 1 / sqrt(N K_eff) for
 * N pairs and K_eff independent subcarriers. A receiver's noise is correlated over subcarriers, so K_eff is measured:
 * for the standardised vectors z of two packets far enough apart to be independent, E[cos^2(z, z')] = 1 / K_eff. That holds
 * for packets of like deviation; a burst of interference has more, and would count for many. So it is pulled back.
 *
 * Owns the trailing window, kept as sums per hop, so that memory does not grow with the packet rate.
 */

/** Shortest window: 4 s. It is extended up to 10 s while it holds fewer than `pairsWanted`. */
const windowHopsMin = 40
const windowHopsMax = 100
const pairsWanted = 200
/** Fewer pairs than this in the longest window say nothing: under about 5 packets/s. */
const pairsMin = 50
/** Packets further apart than this are no pair. */
const pairGapUsMax = 250_000
/** Distance in packets of the two vectors that K_eff is measured with. */
const independentLag = 16
/** Packets that deviate more, rms in standard deviations of the window, are pulled back to this: interference. */
const excessMax = 1.25
/** Measurements of K_eff before the statistic is given. */
const independentMin = 32

/** psi, and its standard deviation when nothing moves. */
export interface MotionReading {
  readonly statistic: number
  readonly sigma: number
}

/** Trailing window of one link with `values` = antennas x subcarriers powers a packet. */
export class MotionWindow {
  readonly #values: number
  /** Powers are kept relative to those of the first packet: small numbers lose less in float32 sums. */
  #pivot: Float32Array | null = null
  readonly #previous: Float32Array
  readonly #now: Float32Array
  #previousUs = -Infinity
  /** Hop number of each slot of the ring, or -1. A slot's sums stand at slot x values. */
  readonly #hops = new Float64Array(windowHopsMax).fill(-1)
  readonly #pairs = new Uint32Array(windowHopsMax)
  readonly #products: Float32Array
  readonly #sums: Float32Array
  readonly #squares: Float32Array
  readonly #alike = new Float64Array(windowHopsMax)
  readonly #alikeCount = new Uint32Array(windowHopsMax)
  #firstHop = -1
  /** Mean and standard deviation of the window at its last evaluation; null before the first. */
  #mean: Float64Array | null = null
  readonly #deviation: Float64Array
  readonly #standardised: Float32Array
  #standardisedCount = 0

  constructor(values: number) {
    this.#values = values
    this.#previous = new Float32Array(values)
    this.#now = new Float32Array(values)
    this.#products = new Float32Array(windowHopsMax * values)
    this.#sums = new Float32Array(windowHopsMax * values)
    this.#squares = new Float32Array(windowHopsMax * values)
    this.#deviation = new Float64Array(values)
    this.#standardised = new Float32Array(independentLag * values)
  }

  /** Takes the powers of a packet, divided by their mean. Hops must not decrease. */
  add(timestampUs: number, hop: number, powers: Float32Array): void {
    const values = this.#values
    if (this.#pivot === null) {
      this.#pivot = powers.slice()
      this.#firstHop = hop
    }
    const pivot = this.#pivot
    const previous = this.#previous
    const slot = this.#slotOf(hop)
    const now = this.#now
    for (let k = 0; k < values; k++) now[k] = powers[k]! - pivot[k]!
    this.#standardise(slot)
    const base = slot * values
    const gap = timestampUs - this.#previousUs
    if (gap >= 0 && gap <= pairGapUsMax) {
      const products = this.#products
      const sums = this.#sums
      const squares = this.#squares
      for (let k = 0; k < values; k++) {
        const value = now[k]!
        const before = previous[k]!
        products[base + k]! += value * before
        sums[base + k]! += value + before
        squares[base + k]! += value * value + before * before
      }
      this.#pairs[slot]!++
    }
    previous.set(now)
    this.#previousUs = timestampUs
  }

  /** The statistic over the window that ends with `hop`; null while there is too little in it. */
  evaluate(hop: number): MotionReading | null {
    const window = this.#windowUpTo(hop)
    if (window.pairs < pairsMin) return null
    const values = this.#values
    const mean = this.#mean ?? new Float64Array(values)
    this.#mean = mean
    let sum = 0
    let varying = 0
    for (let k = 0; k < values; k++) {
      let product = 0
      let total = 0
      let square = 0
      for (const slot of window.slots) {
        product += this.#products[slot * values + k]!
        total += this.#sums[slot * values + k]!
        square += this.#squares[slot * values + k]!
      }
      const m = total / (2 * window.pairs)
      const variance = square / 2 - window.pairs * m * m
      mean[k] = m
      this.#deviation[k] = Math.sqrt(Math.max(0, variance) / window.pairs)
      if (variance <= 1e-9 * window.pairs) continue
      sum += (product - window.pairs * m * m) / variance
      varying++
    }
    if (varying === 0 || window.alikeCount < independentMin || hop - this.#firstHop + 1 < windowHopsMin) return null
    return { statistic: sum / varying, sigma: Math.sqrt(window.alike / window.alikeCount / window.pairs) }
  }

  #slotOf(hop: number): number {
    const slot = hop % windowHopsMax
    if (this.#hops[slot] === hop) return slot
    this.#hops[slot] = hop
    this.#pairs[slot] = 0
    this.#alike[slot] = 0
    this.#alikeCount[slot] = 0
    const from = slot * this.#values
    const to = from + this.#values
    this.#products.fill(0, from, to)
    this.#sums.fill(0, from, to)
    this.#squares.fill(0, from, to)
    return slot
  }

  #windowUpTo(hop: number) {
    const slots: Array<number> = []
    let pairs = 0
    let alike = 0
    let alikeCount = 0
    for (let age = 0; age < windowHopsMax; age++) {
      if (age >= windowHopsMin && pairs >= pairsWanted) break
      const slot = (hop - age) % windowHopsMax
      if (this.#hops[slot] !== hop - age) continue
      slots.push(slot)
      pairs += this.#pairs[slot]!
      alike += this.#alike[slot]!
      alikeCount += this.#alikeCount[slot]!
    }
    return { slots, pairs, alike, alikeCount }
  }

  /**
   * Measures the packet against the window's mean and deviation: pulls it back to `excessMax` deviations, rms over the
   * values, and adds cos^2 between it and the packet `independentLag` before it.
   */
  #standardise(slot: number): void {
    const mean = this.#mean
    if (mean === null) return
    const values = this.#values
    const packet = this.#now
    const at = (this.#standardisedCount % independentLag) * values
    const ring = this.#standardised
    let dot = 0
    let old = 0
    let now = 0
    for (let k = 0; k < values; k++) {
      const deviation = this.#deviation[k]!
      const z = deviation > 0 ? (packet[k]! - mean[k]!) / deviation : 0
      const before = ring[at + k]!
      dot += z * before
      old += before * before
      now += z * z
      ring[at + k] = z
    }
    const keep = excessMax / Math.sqrt(now / values)
    if (keep < 1) { for (let k = 0; k < values; k++) packet[k] = mean[k]! + keep * (packet[k]! - mean[k]!) }
    this.#standardisedCount++
    if (this.#standardisedCount <= independentLag || !(old > 0) || !(now > 0)) return
    this.#alike[slot]! += dot * dot / (old * now)
    this.#alikeCount[slot]!++
  }
}
