/**
 * The host clock of a live device: puts the times of the device's own clock on the host's.
 *
 * The device's clock says how far packets are apart, the host's when the stream began. What arrives was measured before, so the
 * quickest arrival is the best: a stamp that lies ahead of the host's clock moves the whole series back. Late arrivals are the
 * way's delay and move it forward no faster than two clocks drift apart. A stream that stays late is another matter: the
 * device has started anew, or the clock has jumped; then the series begins anew at the host's time.
 */

/** Drift of two quartz clocks, at most: 100 microseconds a second. */
const driftMax = 1e-4
/** Arrivals later than this are no jitter. */
const lateUsMax = 1_000_000
/** So long all arrivals must be late before the series begins anew. */
const lateForUs = 5_000_000

export class HostClock {
  /** Host time less device time; null before the first arrival. */
  #offsetUs: number | null = null
  #heardUs = 0
  #lateSinceUs: number | null = null
  #leastLateUs = Infinity
  readonly #paced: boolean

  /** `paced`: the stream may come faster than it was measured, as from a file. Stamps ahead of the host's clock then stay so. */
  constructor(paced: boolean) {
    this.#paced = paced
  }

  /**
   * Takes an arrival into account.
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
      this.#offsetUs += lateUs > 0 ? Math.min(lateUs, drift) : this.#paced ? Math.max(lateUs, -drift) : lateUs
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
