/**
 * Device clocks: unwraps a microsecond counter, which for 32 bits wraps after 71.6 minutes.
 */

const wrap = 2 ** 32

/** A counter that steps back by less is a packet out of order; by more, a device that restarted. */
const reorderUsMax = 1_000_000

/**
 * Unwraps a microsecond counter. The first reading is time 0.
 *
 * A reading up to one second behind the latest is a packet out of order and gets its true, earlier time. A step back
 * of more than that, up to half the counter's range, is a restarted device: the pause is unknown, so time continues from
 * its last value. A step ahead of up to half the range is used unchanged.
 */
export class DeviceClock {
  #latestReading: number | null = null
  #latestUs = 0
  readonly #wrapUs: number

  /** @param wrapUs range of the counter, at most 2^52 */
  constructor(wrapUs = wrap) {
    this.#wrapUs = wrapUs
  }

  /** Time of a reading, 0 to below the wrap, in microseconds since the first. May be negative for an out of order start. */
  at(reading: number): number {
    if (this.#latestReading === null) {
      this.#latestReading = reading
      return 0
    }
    const step = reading - this.#latestReading
    const ahead = step < 0 ? step + this.#wrapUs : step
    if (ahead >= this.#wrapUs / 2) {
      const behind = this.#wrapUs - ahead
      if (behind <= reorderUsMax) return this.#latestUs - behind
    } else this.#latestUs += ahead
    this.#latestReading = reading
    return this.#latestUs
  }
}

/** Unwraps a u16 packet counter in the same way: the first reading stays as it is. */
export class SequenceCounter {
  #latest: number | null = null

  at(reading: number): number {
    if (this.#latest === null) {
      this.#latest = reading
      return reading
    }
    const ahead = (reading - this.#latest + 0x20000) % 0x10000
    if (ahead >= 0x8000) return Math.max(0, this.#latest - (0x10000 - ahead))
    this.#latest = (this.#latest + ahead) % wrap
    return this.#latest
  }
}
