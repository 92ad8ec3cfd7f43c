/**
 * Detects steps of a receiver's gain and distinguishes them from fading.
 *
 * A step of the gain table changes the amplitude of all packets at once and permanently, so two successive hops differ
 * while the packets within each agree. A body in the path changes the amplitude slowly, and within hops too. Alignment
 * removes gains from all estimates, so steps are counted for the operator only: many of them indicate interference or
 * an intermittent transmitter.
 */

/** Smallest step, and the largest spread of a steady hop (standard deviation), in dB. */
const stepDbMin = 1
const steadyDbMax = 0.25
/** Minimum packets of a steady hop. */
const packetsMin = 3

export class GainWatch {
  #count = 0
  #sumDb = 0
  #sumSquares = 0
  /** Mean of the latest steady hop, and that hop. */
  #steadyDb = 0
  #steadyHop = -Infinity

  /** Adds a packet's amplitude gain; above 0. */
  add(gain: number): void {
    const db = 20 * Math.log10(gain)
    this.#count++
    this.#sumDb += db
    this.#sumSquares += db * db
  }

  /** Ends the hop. Returns true when the gain has stepped since the hop before. */
  finishHop(hop: number): boolean {
    const count = this.#count
    const mean = this.#sumDb / count
    const variance = this.#sumSquares / count - mean * mean
    this.#count = 0
    this.#sumDb = 0
    this.#sumSquares = 0
    if (count < packetsMin || variance > steadyDbMax * steadyDbMax) return false
    const stepped = hop - this.#steadyHop <= 2 && Math.abs(mean - this.#steadyDb) >= stepDbMin
    this.#steadyDb = mean
    this.#steadyHop = hop
    return stepped
  }
}
