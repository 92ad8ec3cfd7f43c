/**
 * Resampling: packets that come when they come, onto a uniform grid of time.
 *
 * A step's value is the mean of the packets that fell into it, which averages their noise and leaves it white. Steps are finer than
 * what is read, where packets come often enough: pairs of steps are decimated behind a half-band filter, so that what turns faster (a
 * walker, a fan) does not fold down to where vital signs are. Steps without a packet are bridged by a straight line up to
 * `gapSMax`; a longer gap is not filled, and a window that holds one is refused.
 *
 * Owns the trailing window of one link, in a ring of fixed size; no allocation per packet. It also measures the noise of a single
 * packet, from the differences of successive ones, which slow things do not enter.
 */

/** Steps of the ring a second. Windows are read at half of that, or a quarter. */
const stepRateHz = 20
const stepUs = 1e6 / stepRateHz
/** Longest gap that is bridged. */
export const gapSMax = 2
/** Successive packets further apart say nothing about noise: what moves has moved. */
const successiveUsMax = 30_000
/** Steps that may follow a window before it is read. */
const slackSteps = 32

/** How steps become those of a window, in the order it is tried: bridges are not noise, so few may be empty. */
const ways = [
  { together: 1, emptyMax: 0.1, filtered: true },
  { together: 2, emptyMax: 0.1, filtered: false },
  { together: 4, emptyMax: 0.25, filtered: false },
] as const

/** Half of a half-band low-pass for decimation by two: a Hamming-windowed sinc, passes to 0.2 and stops from 0.3 of the input's rate. */
const halfBand = Float64Array.from({ length: 16 }, (_, n) => {
  const ideal = n === 0 ? 0.5 : Math.sin(Math.PI * n / 2) / (Math.PI * n)
  return ideal * (0.54 + 0.46 * Math.cos(Math.PI * n / 16))
})
const passShare = 0.2

/** A trailing window on the uniform grid. It reads the ring, so it holds until the next packet. */
export interface UniformWindow {
  readonly rateHz: number
  /** Up to here what moves is kept as it is. */
  readonly passHz: number
  readonly steps: number
  /** Mean of a value over the packets. */
  readonly mean: (value: number) => number
  /** A value by step. */
  readonly series: (value: number) => Float64Array
  /** What single packets scatter by; null where they come too rarely to tell their noise from what moves. */
  readonly scatter: ((value: number) => PacketScatter) | null
}

/** Variances of a value. */
export interface PacketScatter {
  /** Of single packets about their mean, less their noise and less what the steps follow: what moves too fast for them. */
  readonly fast: number
  /** Power density of the noise in the steps, per Hz. */
  readonly noisePerHz: number
}

/** Why there is no window. */
export type WindowRefusal = "not-filled" | "gap" | "sparse"

export class UniformSeries {
  readonly #values: number
  readonly #steps: number
  /** Slots of the ring: a window, and some steps that may follow it before it is read. */
  readonly #slots: number
  /** Sums over the packets of a step, of values and of their squares, [value][slot]; 0 where no packet came. */
  readonly #sums: Float32Array
  readonly #squares: Float32Array
  readonly #counts: Uint16Array
  /** The step of the latest packet, and of the first one since the series began. */
  #latest = -1
  #first = -1
  readonly #previous: Float32Array
  #previousUs = -Infinity
  /** Fading sums over the pairs of successive packets: of squared differences by value, and their number; and of all packets. */
  readonly #roughness: Float64Array
  #pairs = 0
  #packets = 0

  /** @param windowS length of the longest window that will be read */
  constructor(values: number, windowS: number) {
    this.#values = values
    this.#steps = windowS * stepRateHz
    this.#slots = this.#steps + slackSteps
    this.#sums = new Float32Array(this.#slots * values)
    this.#squares = new Float32Array(this.#slots * values)
    this.#counts = new Uint16Array(this.#slots)
    this.#previous = new Float32Array(values)
    this.#roughness = new Float64Array(values)
  }

  /** Takes a packet's values. A time further from the latest one than a window starts a new series. */
  add(timestampUs: number, sample: Float32Array): void {
    const step = Math.floor(timestampUs / stepUs)
    if (this.#latest < 0 || Math.abs(step - this.#latest) >= this.#steps) this.#restart(step)
    else if (step > this.#latest) this.#advance(step)
    const slot = step % this.#slots
    if (this.#counts[slot]! < 65_535) {
      this.#counts[slot]!++
      for (let i = 0, at = slot; i < this.#values; i++, at += this.#slots) {
        this.#sums[at]! += sample[i]!
        this.#squares[at]! += sample[i]! * sample[i]!
      }
    }
    this.#compare(timestampUs, sample)
  }

  #restart(step: number): void {
    this.#counts.fill(0)
    this.#sums.fill(0)
    this.#squares.fill(0)
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
      for (let at = slot; at < this.#sums.length; at += this.#slots) {
        this.#sums[at] = 0
        this.#squares[at] = 0
      }
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

  /** The window of the `lengthS` seconds before `untilUs`, at the highest rate that the packets fill; or why there is none. */
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
    const packets = counts.reduce((sum, count) => sum + count, 0)
    // Past the latest packet the ring holds what is older than the window.
    const known = Math.min(counts.length * together, this.#latest + 1 - begin)
    const mean = (of: Float32Array, value: number): number => {
      let sum = 0
      for (let i = 0, slot = begin % this.#slots; i < known; i++, slot++) {
        if (slot === this.#slots) slot = 0
        sum += of[value * this.#slots + slot]!
      }
      return sum / packets
    }
    const means = (value: number): Float64Array => {
      const series = new Float64Array(counts.length)
      for (let i = 0, slot = begin % this.#slots; i < known; i++, slot++) {
        if (slot === this.#slots) slot = 0
        series[Math.floor(i / together)]! += this.#sums[value * this.#slots + slot]!
      }
      for (let i = 0; i < series.length; i++) if (counts[i]! > 0) series[i]! /= counts[i]!
      bridge(series, counts)
      return series
    }
    // A difference of two packets has twice the noise of one, and a step's mean has its share of it.
    const share = counts.reduce((sum, count) => sum + 1 / Math.max(1, count), 0) / counts.length
    const scatter = (value: number): PacketScatter => {
      const noise = this.#roughness[value]! / (2 * this.#pairs)
      const single = mean(this.#squares, value) - mean(this.#sums, value) ** 2 - noise
      return { fast: single - (varianceOf(means(value)) - noise * share), noisePerHz: noise * share / (stepHz / 2) }
    }
    return {
      rateHz: filtered ? stepHz / 2 : stepHz,
      passHz: filtered ? passShare * stepHz : stepHz / 2,
      steps: filtered ? counts.length >> 1 : counts.length,
      mean: (value) => mean(this.#sums, value),
      series: (value) => filtered ? decimated(means(value)) : means(value),
      scatter: this.#pairs > this.#packets / 2 ? scatter : null,
    }
  }
}

const varianceOf = (series: Float64Array): number => {
  let mean = 0
  for (const value of series) mean += value / series.length
  let variance = 0
  for (const value of series) variance += (value - mean) ** 2 / series.length
  return variance
}

const longestGap = (counts: Uint32Array): number => {
  let gap = 0
  let longest = 0
  for (const count of counts) {
    gap = count > 0 ? 0 : gap + 1
    if (gap > longest) longest = gap
  }
  return longest
}

/** Every second step, behind the half-band filter; the ends are continued by their last values. */
const decimated = (series: Float64Array): Float64Array => {
  const reach = halfBand.length
  const padded = new Float64Array(series.length + 2 * reach)
  padded.fill(series[0]!, 0, reach)
  padded.set(series, reach)
  padded.fill(series[series.length - 1]!, reach + series.length)
  const out = new Float64Array(series.length >> 1)
  for (let i = 0; i < out.length; i++) {
    const at = reach + 2 * i
    let sum = halfBand[0]! * padded[at]!
    for (let n = 1; n < reach; n += 2) sum += halfBand[n]! * (padded[at - n]! + padded[at + n]!)
    out[i] = sum
  }
  return out
}

/** Fills the steps without a packet by straight lines between their neighbours; at the ends by the nearest value. */
const bridge = (series: Float64Array, counts: Uint32Array): void => {
  let before = -1
  for (let i = 0; i <= series.length; i++) {
    if (i < series.length && counts[i] === 0) continue
    for (let gap = before + 1; gap < i; gap++) {
      const left = before < 0 ? series[i]! : series[before]!
      const right = i === series.length ? left : series[i]!
      const part = before < 0 ? 0 : (gap - before) / (i - before)
      series[gap] = left + part * (right - left)
    }
    before = i
  }
}
