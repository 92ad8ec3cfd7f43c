/**
 * Resampling: irregular packets onto a uniform time grid.
 *
 * The value of a step is the mean of its packets, which averages their noise and leaves it white. Where packets are
 * frequent enough, steps are finer than the window that is read: pairs of steps are decimated behind a half-band
 * filter, so that faster motion (a walker, a fan) does not alias into the band of vital signs. Steps without a packet
 * are interpolated linearly over up to `gapSMax`; a window with a longer gap is rejected.
 *
 * Owns the trailing window of one link, in a ring of fixed size; no allocation per packet. It also measures the noise
 * of a single packet from differences of successive packets, which slow changes do not affect.
 */
import { bridge, decimated, longestGap, passShare, varianceOf } from "./step-series.ts"

/** Steps of the ring per second. Windows are read at half or a quarter of that. */
const stepRateHz = 20
const stepUs = 1e6 / stepRateHz
/** Longest interpolated gap. */
export const gapSMax = 2
/** Successive packets further apart do not measure noise, because motion changes them. */
const successiveUsMax = 30_000
/** Number of steps that may follow a window before it is read. */
const slackSteps = 32
/** Steps of a cell, 1 s: the resolution at which the scatter of packets within their steps is kept. */
const cellSteps = stepRateHz

/**
 * Ways to combine steps into a window's steps, in the order of preference. Interpolated steps carry no noise, so few
 * may be empty.
 */
const ways = [
  { together: 1, emptyMax: 0.1, filtered: true },
  { together: 2, emptyMax: 0.1, filtered: false },
  { together: 4, emptyMax: 0.25, filtered: false },
] as const

/** A trailing window on the uniform grid. It reads the ring, so it is valid until the next packet. */
export interface UniformWindow {
  readonly rateHz: number
  /** Upper limit of the band that is preserved. */
  readonly passHz: number
  readonly steps: number
  /** Mean of a value over the packets. */
  readonly mean: (value: number) => number
  /** Series of a value by step. */
  readonly series: (value: number) => Float64Array
  /** Scatter of single packets; null where they are too rare to separate their noise from motion. */
  readonly scatter: ((value: number) => PacketScatter) | null
}

/** Variances of a value. */
interface PacketScatter {
  /**
   * Variance of single packets about their mean, less their noise and less the variance of the steps: motion too fast
   * for the steps.
   */
  readonly fast: number
  /** Power density of the noise in the steps, per Hz. */
  readonly noisePerHz: number
}

/** A window at half of its rate, behind the half-band filter. */
export const halved = (window: UniformWindow): UniformWindow => ({
  ...window,
  rateHz: window.rateHz / 2,
  passHz: passShare * window.rateHz,
  steps: window.steps >> 1,
  series: (value) => decimated(window.series(value)),
})

/** Why no window is available. */
export type WindowRefusal = "not-filled" | "gap" | "sparse"

export class UniformSeries {
  readonly #values: number
  readonly #steps: number
  /** Slots of the ring: a window, and the steps that may follow it before it is read. */
  readonly #slots: number
  /** Sums over the packets of a step, [value][slot]; 0 for a step without packets. */
  readonly #sums: Float32Array
  readonly #counts: Uint16Array
  /**
   * Squared deviations of packets from the mean of their step, summed over the steps of a cell, [value][cell]; a ring
   * as well.
   */
  readonly #deviations: Float32Array
  readonly #cells: number
  /** The step of the latest packet, and of the first one since the series began. */
  #latest = -1
  #first = -1
  readonly #previous: Float32Array
  #previousUs = -Infinity
  /**
   * Decaying sums over pairs of successive packets: squared differences by value and the number of pairs; and the
   * number of packets.
   */
  readonly #roughness: Float64Array
  #pairs = 0
  #packets = 0

  /** @param windowS length of the longest window that will be read */
  constructor(values: number, windowS: number) {
    this.#values = values
    this.#steps = windowS * stepRateHz
    this.#slots = this.#steps + slackSteps
    this.#sums = new Float32Array(this.#slots * values)
    this.#counts = new Uint16Array(this.#slots)
    this.#cells = Math.ceil(this.#slots / cellSteps) + 1
    this.#deviations = new Float32Array(this.#cells * values)
    this.#previous = new Float32Array(values)
    this.#roughness = new Float64Array(values)
  }

  /** Adds a packet's values. A time further from the latest one than a window starts a new series. */
  add(timestampUs: number, sample: Float32Array): void {
    const step = Math.floor(timestampUs / stepUs)
    if (this.#latest < 0 || Math.abs(step - this.#latest) >= this.#steps) this.#restart(step)
    else if (step > this.#latest) this.#advance(step)
    this.#addTo(step, sample)
    this.#compare(timestampUs, sample)
  }

  #addTo(step: number, sample: Float32Array): void {
    const slot = step % this.#slots
    const before = this.#counts[slot]!
    if (before === 65_535) return
    this.#counts[slot] = before + 1
    const sums = this.#sums
    if (before > 0) {
      const deviations = this.#deviations
      const weight = before / (before + 1)
      let cell = Math.floor(step / cellSteps) % this.#cells
      for (let i = 0, at = slot; i < this.#values; i++, at += this.#slots, cell += this.#cells) {
        const difference = sample[i]! - sums[at]! / before
        deviations[cell]! += weight * difference * difference
      }
    }
    for (let i = 0, at = slot; i < this.#values; i++, at += this.#slots) sums[at]! += sample[i]!
  }

  #restart(step: number): void {
    this.#counts.fill(0)
    this.#sums.fill(0)
    this.#deviations.fill(0)
    this.#roughness.fill(0)
    this.#pairs = 0
    this.#packets = 0
    this.#previousUs = -Infinity
    this.#latest = step
    this.#first = step
  }

  #advance(step: number): void {
    for (let next = this.#latest + 1; next <= step; next++) {
      const slot = next % this.#slots
      this.#counts[slot] = 0
      for (let at = slot; at < this.#sums.length; at += this.#slots) this.#sums[at] = 0
      if (next % cellSteps !== 0) continue
      const cell = (next / cellSteps) % this.#cells
      for (let at = cell; at < this.#deviations.length; at += this.#cells) this.#deviations[at] = 0
    }
    const kept = Math.exp(-(step - this.#latest) / this.#steps)
    for (let i = 0; i < this.#values; i++) this.#roughness[i]! *= kept
    this.#pairs *= kept
    this.#packets *= kept
    this.#latest = step
  }

  #compare(timestampUs: number, sample: Float32Array): void {
    const previous = this.#previous
    const gapUs = timestampUs - this.#previousUs
    this.#packets++
    if (gapUs >= 0 && gapUs <= successiveUsMax) {
      this.#pairs++
      for (let i = 0; i < this.#values; i++) {
        const difference = sample[i]! - previous[i]!
        this.#roughness[i]! += difference * difference
      }
    }
    previous.set(sample)
    this.#previousUs = timestampUs
  }

  /**
   * The window of the `lengthS` seconds before `untilUs`, at the highest rate that the packets fill; or why it is not
   * available.
   */
  read(untilUs: number, lengthS: number): UniformWindow | WindowRefusal {
    const end = Math.floor(untilUs / stepUs)
    const begin = end - lengthS * stepRateHz
    if (this.#latest < 0 || this.#first > begin || this.#latest >= end + slackSteps) return "not-filled"
    for (const way of ways) {
      const counts = new Uint32Array(Math.floor(lengthS * stepRateHz / way.together))
      for (let i = 0; i < counts.length * way.together; i++) {
        counts[Math.floor(i / way.together)]! += this.#countAt(begin + i)
      }
      if (longestGap(counts) * way.together > gapSMax * stepRateHz) return "gap"
      if (counts.filter((count) => count === 0).length <= way.emptyMax * counts.length) {
        return this.#window(begin, way, counts)
      }
    }
    return "sparse"
  }

  #countAt(step: number): number {
    return step > this.#latest ? 0 : this.#counts[step % this.#slots]!
  }

  #window(begin: number, { filtered, together }: typeof ways[number], counts: Uint32Array): UniformWindow {
    const stepHz = stepRateHz / together
    let packets = 0
    let empty = false
    const weights = Float64Array.from(counts, (count) => {
      packets += count
      empty ||= count === 0
      return count > 0 ? 1 / count : 0
    })
    // Slots past the latest packet hold data older than the window.
    const known = Math.min(counts.length * together, this.#latest + 1 - begin)
    const mean = (value: number): number => this.#sum(value, begin, known) / packets
    const means = (value: number): Float64Array => {
      const series = this.#meansOf(value, begin, known, together, weights)
      if (empty) bridge(series, counts)
      return series
    }
    // A difference of two packets has twice the noise of one; the mean of a step has one over its packet count.
    const share = counts.reduce((sum, count) => sum + 1 / Math.max(1, count), 0) / counts.length
    const scatter = (value: number): PacketScatter => {
      const noise = this.#roughness[value]! / (2 * this.#pairs)
      const single = this.#varianceOf(value, begin, known, mean(value), packets) - noise
      return { fast: single - (varianceOf(means(value)) - noise * share), noisePerHz: noise * share / (stepHz / 2) }
    }
    return {
      rateHz: filtered ? stepHz / 2 : stepHz,
      passHz: filtered ? passShare * stepHz : stepHz / 2,
      steps: filtered ? counts.length >> 1 : counts.length,
      mean,
      series: (value) => filtered ? decimated(means(value)) : means(value),
      scatter: this.#pairs > this.#packets / 2 ? scatter : null,
    }
  }

  /** Sum of a value over the packets of the ring's steps [begin, begin + steps). */
  #sum(value: number, begin: number, steps: number): number {
    let sum = 0
    for (let i = 0, slot = begin % this.#slots; i < steps; i++, slot++) {
      if (slot === this.#slots) slot = 0
      sum += this.#sums[value * this.#slots + slot]!
    }
    return sum
  }

  /** Means over `together` steps each, given the inverses of their counts. */
  #meansOf(value: number, begin: number, steps: number, together: number, weights: Float64Array): Float64Array {
    const means = new Float64Array(weights.length)
    const row = value * this.#slots
    for (let i = 0, slot = begin % this.#slots; i < steps; i += together) {
      let sum = 0
      for (let next = i; next < i + together && next < steps; next++, slot++) {
        if (slot === this.#slots) slot = 0
        sum += this.#sums[row + slot]!
      }
      means[i / together] = sum * weights[i / together]!
    }
    return means
  }

  /**
   * Variance of single packets about the overall mean: the variance of the step means plus that within the steps of the
   * whole cells.
   */
  #varianceOf(value: number, begin: number, steps: number, mean: number, packets: number): number {
    let between = 0
    const row = value * this.#slots
    for (let i = 0, slot = begin % this.#slots; i < steps; i++, slot++) {
      if (slot === this.#slots) slot = 0
      const count = this.#counts[slot]!
      if (count > 0) between += count * (this.#sums[row + slot]! / count - mean) ** 2
    }
    return between / packets + this.#withinSteps(value, begin, begin + steps)
  }

  /** Variance of packets about the mean of their step, over the whole cells of the steps [begin, end). */
  #withinSteps(value: number, begin: number, end: number): number {
    let packets = 0
    let sum = 0
    for (let cell = Math.ceil(begin / cellSteps); (cell + 1) * cellSteps <= end; cell++) {
      sum += this.#deviations[value * this.#cells + cell % this.#cells]!
      for (let step = cell * cellSteps; step < (cell + 1) * cellSteps; step++) packets += this.#countAt(step)
    }
    return packets === 0 ? 0 : sum / packets
  }
}
