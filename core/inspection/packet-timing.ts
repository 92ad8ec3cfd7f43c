/**
 * Packet timing of a capture: its duration, the regularity of its packets, and its gaps.
 *
 * The intervals between packets are kept as a histogram with 32 bins per octave, so that the memory does not grow with the capture;
 * values from the histogram are accurate to 2 %.
 */

const binsPerOctave = 32
/** Up to 2^45 us: a year. */
const bins = 45 * binsPerOctave
/** A gap is longer than this many medians, and longer than this time. */
const gapMedians = 5
const gapUsMin = 250_000

/** Microseconds in the middle of a bin. */
const middleOf = (bin: number): number => 2 ** ((bin + 0.5) / binsPerOctave)

/** Intervals longer than expected, in which packets are missing. */
interface Gaps {
  readonly count: number
  readonly longestS: number
  /** Share of the duration, 0..1: bursts have much of it in gaps. */
  readonly share: number
}

export interface PacketTiming {
  /** From the first packet to the last; null when packets carry no time. */
  readonly durationS: number | null
  /** Packets per second, on average; null without a duration. */
  readonly rateHz: number | null
  /** Interval between successive packets: its median, and half the spread of the middle 68 %; null without a duration. */
  readonly intervalMedianS: number | null
  readonly jitterS: number | null
  /** Intervals longer than 0.25 s and than five medians; null without a duration. */
  readonly gaps: Gaps | null
  /** Packets per second outside of the gaps; null without a duration. */
  readonly steadyRateHz: number | null
}

/** Gathers the times of a capture's packets. */
export class PacketTimes {
  #packets = 0
  #firstUs = Infinity
  #lastUs = -Infinity
  #longestUs = 0
  #intervals = 0
  /** Packets at the time of the one before: several receivers hear one. */
  #together = 0
  readonly #histogram = new Float64Array(bins)

  /** Takes a packet's time in microseconds. A packet out of order counts, but no interval begins or ends with it. */
  add(timestampUs: number): void {
    this.#packets++
    this.#firstUs = Math.min(this.#firstUs, timestampUs)
    const interval = timestampUs - this.#lastUs
    if (interval === 0) this.#together++
    if (!(interval > 0)) return
    this.#lastUs = timestampUs
    if (interval === Infinity) return
    this.#longestUs = Math.max(this.#longestUs, interval)
    const bin = Math.floor(Math.log2(Math.max(1, interval)) * binsPerOctave)
    this.#histogram[Math.min(bins - 1, bin)]!++
    this.#intervals++
  }

  get firstUs(): number {
    return this.#firstUs
  }

  get lastUs(): number {
    return this.#lastUs
  }

  read(): PacketTiming {
    if (this.#intervals === 0) {
      return { durationS: null, rateHz: null, intervalMedianS: null, jitterS: null, gaps: null, steadyRateHz: null }
    }
    const durationS = (this.#lastUs - this.#firstUs) / 1e6
    const median = this.#quantileUs(0.5)
    const gapUs = Math.max(gapUsMin, gapMedians * median)
    return {
      durationS,
      rateHz: (this.#packets - 1) / durationS,
      intervalMedianS: median / 1e6,
      jitterS: (this.#quantileUs(0.84) - this.#quantileUs(0.16)) / 2e6,
      ...this.#aboutGaps(gapUs, durationS),
    }
  }

  #quantileUs(share: number): number {
    let left = share * this.#intervals
    for (let bin = 0; bin < bins; bin++) {
      left -= this.#histogram[bin]!
      if (left <= 0) return middleOf(bin)
    }
    return this.#longestUs
  }

  #aboutGaps(longerThanUs: number, durationS: number): Pick<PacketTiming, "gaps" | "steadyRateHz"> {
    let count = 0
    let packets = 0
    let us = 0
    for (const [bin, intervals] of this.#histogram.entries()) {
      const length = middleOf(bin)
      if (length > longerThanUs) count += intervals
      else {
        packets += intervals
        us += intervals * length
      }
    }
    const share = count === 0 ? 0 : Math.max(0, Math.min(1, 1 - us / 1e6 / durationS))
    return {
      gaps: { count, longestS: this.#longestUs / 1e6, share },
      steadyRateHz: 1e6 * (packets + this.#together) / us,
    }
  }
}
