/**
 * The host clock of a live device: converts times of the device's clock to the host's.
 *
 * The device's clock gives the intervals between packets, the host's clock the start of the stream. A packet is measured before it
 * arrives, so the fastest arrival gives the best offset: a time ahead of the host's clock moves the whole series back. Late arrivals are
 * transport delay, and move the series forward no faster than two clocks drift apart. If all arrivals stay late, the
 * device has restarted or its clock has jumped, and the series restarts at the host's time.
 */

/** Maximum drift between two quartz clocks: 100 microseconds per second. */
const driftMax = 1e-4
/** A longer delay is not jitter. */
const lateUsMax = 1_000_000
/** The series restarts after all arrivals were late for this time. */
const lateForUs = 5_000_000

export class HostClock {
  /** Host time less device time; null before the first arrival. */
  #offsetUs: number | null = null
  #heardUs = 0
  #lateSinceUs: number | null = null
  #leastLateUs = Infinity
  readonly #aheadUsMax: number

  /**
   * @param aheadUsMax times at most this far ahead of the host's clock stay ahead, because the stream may arrive faster than it was
   * measured; 0 if it cannot
   */
  constructor(aheadUsMax: number) {
    this.#aheadUsMax = aheadUsMax
  }

  /**
   * Records an arrival.
   *
   * @param newestUs device time of the newest frame that has arrived
   * @param nowUs host time of the arrival, microseconds since the Unix epoch
   * @returns what to add to the device's times
   */
  hear(newestUs: number, nowUs: number): number {
    this.#offsetUs ??= nowUs - newestUs
    const drift = driftMax * Math.max(0, nowUs - this.#heardUs)
    const lateUs = nowUs - newestUs - this.#offsetUs
    this.#heardUs = nowUs
    if (lateUs <= lateUsMax) {
      this.#lateSinceUs = null
      this.#leastLateUs = Infinity
      const mayBeAhead = -lateUs <= this.#aheadUsMax
      this.#offsetUs += lateUs > 0 ? Math.min(lateUs, drift) : mayBeAhead ? Math.max(lateUs, -drift) : lateUs
      return this.#offsetUs
    }
    this.#lateSinceUs ??= nowUs
    this.#leastLateUs = Math.min(this.#leastLateUs, lateUs)
    if (nowUs - this.#lateSinceUs >= lateForUs) {
      this.#offsetUs += this.#leastLateUs
      this.#lateSinceUs = null
      this.#leastLateUs = Infinity
    }
    return this.#offsetUs
  }
}
