/**
 * Echo level: the power of a link's moving echoes over 5 s, weighted by how far they stand out of its noise.
 *
 *   level = log10(mean dynamic power x psi / (1 - psi))
 *
 * with psi the motion statistic, so that psi / (1 - psi) is the ratio of correlated to uncorrelated variance. A
 * receiver's drift and bursts of interference are significant at any sigma, because packets are many, but they are weak
 * or stand little out of the noise. So the level separates them from a body where significance alone does not.
 *
 * Levels on recordings of ESP32 receivers, in decades: empty rooms had medians below -4.2 and, of one link with bursts,
 * a 95th percentile of -3.0; persons who walked had 5th percentiles above -3.1, and a person who lay and breathed a
 * median of -2.9. `npm run eval -- --recordings` prints the figures.
 */

/** Window of the mean: longer than the pauses within daily motion. */
const windowHops = 50
/** The ratio is limited where all variance is correlated. */
const ratioMax = 100

/** The hops and powers of a window, in any order. */
export interface PowerMemory {
  readonly hops: ReadonlyArray<number>
  readonly powers: ReadonlyArray<number>
}

/** Trailing window of one link. */
export class EchoPowerWindow {
  readonly #hops = new Float64Array(windowHops).fill(-1)
  readonly #powers = new Float64Array(windowHops)

  get memory(): PowerMemory {
    const slots = [...this.#hops.keys()].filter((slot) => this.#hops[slot]! >= 0)
    return { hops: slots.map((slot) => this.#hops[slot]!), powers: slots.map((slot) => this.#powers[slot]!) }
  }

  recall({ hops, powers }: PowerMemory): void {
    for (const [i, hop] of hops.entries()) this.add(hop, powers[i]!)
  }

  /** Adds the dynamic power of a hop; hops must not decrease. */
  add(hop: number, power: number): void {
    this.#hops[hop % windowHops] = hop
    this.#powers[hop % windowHops] = power
  }

  /**
   * Mean power in the window that ends with `hop`: the square of the mean amplitude, so that one disturbed second does
   * not dominate; 0 without one.
   */
  mean(hop: number): number {
    let sum = 0
    let count = 0
    for (let slot = 0; slot < windowHops; slot++) {
      const age = hop - this.#hops[slot]!
      if (this.#hops[slot]! < 0 || age < 0 || age >= windowHops) continue
      sum += Math.sqrt(this.#powers[slot]!)
      count++
    }
    return count === 0 ? 0 : (sum / count) ** 2
  }
}

/** Level in decades of a mean power and a motion statistic; -Infinity without correlated power. */
export const echoLevelOf = (meanPower: number, motionStatistic: number): number =>
  motionStatistic <= 0 || meanPower <= 0
    ? -Infinity
    : Math.log10(meanPower * Math.min(ratioMax, motionStatistic / Math.max(1e-9, 1 - motionStatistic)))
