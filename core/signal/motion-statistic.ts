/**
 * The motion statistic: lag-one autocorrelation of the subcarrier power, averaged over antennas and subcarriers.
 *
 * After WiDetect (Zhang et al., 2019): the power |H(k, t)|^2 of a still channel is its mean and white noise, whose
 * autocorrelation at a lag of one packet is 0; any motion correlates successive packets. Powers are first divided by
 * the packet's own mean, so that steps of the receiver's gain have no effect.
 *
 *   psi = mean over k of  sum (G_t - m)(G_t-1 - m) / sum ((G_t - m)^2 + (G_t-1 - m)^2) / 2
 *
 * over the pairs of successive packets in the window. Without motion its standard deviation is 1 / sqrt(N K_eff) for N
 * pairs and K_eff independent subcarriers. A receiver's noise is correlated over subcarriers, so K_eff is measured: for
 * the standardised vectors z of two packets far enough apart to be independent, E[cos^2(z, z')] = 1 / K_eff. This holds
 * for packets of similar deviation; a burst of interference deviates more and would dominate. So outlying packets are
 * pulled back, unless they last.
 *
 * Interference also raises the noise floor: a power G + n over the mean 1 + n is flatter over k for the length of a
 * burst. So the component of such a packet along 1 - m is removed first.
 *
 * Boundary: `pair-sums.ts` keeps the sums; `slow-statistic.ts` uses the same window.
 */
import { silenceHopsMax } from "../observation/silence.ts"
import { constantVariance, emptyWindowSums, pairsMin, PairSums, type PairWindow, type WindowSums } from "./pair-sums.ts"
import { type SlowReading, slowStatistic } from "./slow-statistic.ts"

/** Packets further apart than this do not form a pair: the echo of a walk is decorrelated after a second. */
const pairGapUsMax = 1_000_000
/** Pairs needed for the first mean and deviation of the window. */
const meanPairsMin = 16
/** Distance in packets of the two vectors that K_eff is measured with. */
const independentLag = 16
/**
 * Packets that deviate more (rms, in standard deviations of the window) are pulled back to this limit: interference.
 */
const excessMax = 1.25
/** Packets that all deviate for longer than this are no burst, but the response of now: pulled back, they would only approach it slowly. */
const outlyingUsMax = 1_000_000
/** Longest part of a gap between packets that counts: bursts of packets with gaps between them may be bursts of noise, too. */
const outlyingGapUsMax = 250_000
/** Hops between evaluations of the slow statistic of a full window, which changes over seconds. */
const slowHops = 5
/** Measurements of K_eff before the statistic is reported, and the number at which older ones are halved. */
const independentMin = 16
const independentMax = 256

/** Share of the correlation that a step explains. */
const stepShareMin = 0.85

/** A statistic above this many standard deviations of its noise floor is motion. */
const motionSigmas = 4

/** Whether a link's statistic indicates motion; false while it is unknown. */
export const isMotion = (statistic: number | null, sigma: number): boolean =>
  statistic !== null && statistic > motionSigmas * sigma

/** psi, and its standard deviation without motion. */
export interface MotionReading {
  readonly statistic: number
  readonly sigma: number
  /** Power of the motion over the window, over that of the static response; see `dynamic-power.ts`. */
  readonly power: number
  /** Null while the window is shorter than 2.4 s. */
  readonly slow: SlowReading | null
  /** Whether the window has its full length: 4 s with 200 pairs of packets (100 from 10 packets/s on), or 30 s. */
  readonly whole: boolean
}

/** Trailing window of one link with `values` = antennas x subcarriers powers a packet. */
export class MotionWindow {
  readonly #sums: PairSums
  /** Powers are kept relative to those of the first packet: small numbers lose less precision in float32 sums. */
  #pivot: Float32Array | null = null
  #previous: Float32Array
  #now: Float32Array
  #previousUs = -Infinity
  #previousPaired = false
  /** Mean and standard deviation of the window at its last evaluation. */
  readonly #mean: Float64Array
  readonly #deviation: Float64Array
  /** The inverse of each deviation; 0 for a constant value. */
  readonly #inverse: Float64Array
  #evaluated = false
  /** How long the packets up to the last one have been outlying, with a limited part of each gap between them. */
  #outlyingUs = 0
  /** The hop of the last packet; Infinity before the first. */
  #lastHop = Infinity
  /** Length of the window of the last reading; Infinity while it holds too little for one. */
  #hops = Infinity
  readonly #standardised: Float32Array
  #standardisedCount = 0
  #slow: SlowReading | null = null
  #slowHop = -Infinity
  /** Scratch of an evaluation: sums over the window by value. */
  readonly #total: WindowSums
  /** Sum of cos^2 between independent packets, and their number. */
  #alike = 0
  #alikeCount = 0

  constructor(values: number) {
    this.#sums = new PairSums(values)
    this.#previous = new Float32Array(values)
    this.#now = new Float32Array(values)
    this.#mean = new Float64Array(values)
    this.#deviation = new Float64Array(values)
    this.#inverse = new Float64Array(values)
    this.#standardised = new Float32Array(independentLag * values)
    this.#total = emptyWindowSums(values)
  }

  /**
   * Whether a silence before `hop` was longer than the window of the last reading. Packets of a room that has changed meanwhile would be reported
   * as motion, and pulled back to the mean of before.
   */
  isOutdated(hop: number): boolean {
    return hop - this.#lastHop > Math.max(silenceHopsMax, this.#hops)
  }

  /** Adds the powers of a packet, divided by their mean. Hops must not decrease. */
  add(timestampUs: number, hop: number, powers: Float32Array): void {
    const pivot = this.#pivot ??= powers.slice()
    const now = this.#now
    for (let k = 0; k < now.length; k++) now[k] = powers[k]! - pivot[k]!
    if (this.#evaluated) this.#admit(timestampUs, now, pivot)
    this.#lastHop = hop
    const gap = timestampUs - this.#previousUs
    const paired = gap >= 0 && gap <= pairGapUsMax
    if (paired) this.#sums.add(hop, now, this.#previous, !this.#previousPaired)
    this.#now = this.#previous
    this.#previous = now
    this.#previousUs = timestampUs
    this.#previousPaired = paired
  }

  /** Whether most of this statistic, the last one, is one step of the response. */
  hasStepped(statistic: number): boolean {
    return this.#sums.stepShare(this.#sums.upTo(this.#lastHop)) > stepShareMin * statistic
  }

  /** The statistics over the window that ends with `hop`; null while it holds too little. */
  evaluate(hop: number): MotionReading | null {
    const window = this.#sums.upTo(hop)
    this.#hops = window.pairs < pairsMin ? Infinity : window.hops
    if (window.pairs < meanPairsMin) return null
    const measured = this.#measure(window)
    this.#evaluated = true
    if (measured === null || window.pairs < pairsMin || this.#alikeCount < independentMin) return null
    const alike = this.#alike / this.#alikeCount
    if (hop - this.#slowHop >= (window.whole ? slowHops : 1)) {
      this.#slow = slowStatistic(this.#sums, window, hop, this.#mean, this.#deviation, 1 / alike)
      this.#slowHop = hop
    }
    return { ...measured, sigma: Math.sqrt(alike / window.pairs), slow: this.#slow, whole: window.whole }
  }

  /**
   * Sets mean and deviation to those of the window. Returns psi and the moving power, or null when all values are
   * constant.
   */
  #measure(window: PairWindow): Pick<MotionReading, "statistic" | "power"> | null {
    const { products, squares, sums } = this.#total
    const { values } = this.#sums
    const { pairs } = window
    this.#sums.total(window, this.#total)
    let sum = 0
    let moving = 0
    let varying = 0
    for (let k = 0; k < values; k++) {
      const m = sums[k]! / (2 * pairs)
      const variance = Math.max(0, squares[k]! / (2 * pairs) - m * m)
      const varies = variance > constantVariance
      this.#mean[k] = m
      this.#deviation[k] = varies ? Math.sqrt(variance) : 0
      this.#inverse[k] = varies ? 1 / this.#deviation[k]! : 0
      if (!varies) continue
      const covariance = products[k]! / pairs - m * m
      sum += covariance / variance
      moving += covariance
      varying++
    }
    return varying === 0 ? null : { statistic: sum / varying, power: Math.max(0, moving) / (2 * values) }
  }

  /**
   * Measures K_eff with a packet. Removes the raised noise floor of one that deviates too much before, and pulls it back to `excessMax`
   * after, unless such packets last.
   */
  #admit(timestampUs: number, packet: Float32Array, pivot: Float32Array): void {
    let rms = this.#rmsOf(packet)
    const isLasting = this.#isLasting(timestampUs, rms > excessMax)
    if (rms > excessMax && !isLasting) {
      this.#level(packet, pivot)
      rms = this.#rmsOf(packet)
    }
    this.#measureAlike(packet)
    const keep = excessMax / rms
    const mean = this.#mean
    if (keep < 1 && !isLasting) {
      for (let k = 0; k < packet.length; k++) packet[k] = mean[k]! + keep * (packet[k]! - mean[k]!)
    }
  }

  /** Whether the packets up to this one have been outlying for so long that they are no burst. */
  #isLasting(timestampUs: number, isOutlying: boolean): boolean {
    const gapUs = Math.max(0, Math.min(outlyingGapUsMax, timestampUs - this.#previousUs))
    this.#outlyingUs = isOutlying ? this.#outlyingUs + gapUs : 0
    return this.#outlyingUs > outlyingUsMax
  }

  /** Deviation of a packet from the window's mean, rms over the values, in standard deviations of each. */
  #rmsOf(packet: Float32Array): number {
    const mean = this.#mean
    const inverse = this.#inverse
    let sum = 0
    for (let k = 0; k < packet.length; k++) {
      const z = (packet[k]! - mean[k]!) * inverse[k]!
      sum += z * z
    }
    return Math.sqrt(sum / packet.length)
  }

  /** Removes a raised noise floor: the component that makes the packet flatter than the mean. */
  #level(packet: Float32Array, pivot: Float32Array): void {
    const mean = this.#mean
    let along = 0
    let contrast = 0
    for (let k = 0; k < packet.length; k++) {
      const u = pivot[k]! + mean[k]! - 1
      along += (packet[k]! - mean[k]!) * u
      contrast += u * u
    }
    const floor = along / contrast
    // A floor as high as the powers themselves would make them all equal; a larger value is not a floor.
    if (!(floor < 0 && floor > -1)) return
    for (let k = 0; k < packet.length; k++) packet[k]! -= floor * (pivot[k]! + mean[k]! - 1)
  }

  /** Adds cos^2 between the packet, standardised, and the one `independentLag` before it. */
  #measureAlike(packet: Float32Array): void {
    const values = packet.length
    const at = (this.#standardisedCount % independentLag) * values
    const ring = this.#standardised
    const mean = this.#mean
    const inverse = this.#inverse
    let dot = 0
    let old = 0
    let now = 0
    for (let k = 0; k < values; k++) {
      const z = (packet[k]! - mean[k]!) * inverse[k]!
      const before = ring[at + k]!
      dot += z * before
      old += before * before
      now += z * z
      ring[at + k] = z
    }
    this.#standardisedCount++
    if (this.#standardisedCount <= independentLag || !(old > 0) || !(now > 0)) return
    if (this.#alikeCount === independentMax) {
      this.#alike /= 2
      this.#alikeCount /= 2
    }
    this.#alike += dot * dot / (old * now)
    this.#alikeCount++
  }
}
