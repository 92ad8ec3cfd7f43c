/**
 * The gain watch: steps of a receiver's gain, told from fading.
 *
 * A gain table's step changes the amplitude of all packets at once and for good, so two successive hops differ while the packets
 * within each agree; a body in the way changes it slowly, and within the hops too. Alignment takes gains out of what is
 * estimated, so steps are counted for the operator alone: many of them hint at interference or a transmitter that comes and goes.
 */

/** Smallest step, and the largest spread of a steady hop (standard deviation), in dB. */
const stepDbMin = 1
const steadyDbMax = 0.25
/** Packets of a hop that are needed to call it steady. */
const packetsMin = 3

export class GainWatch {
  #count = 0
  #sumDb = 0
  #sumSquares = 0
  /** Mean of the latest steady hop, and that hop. */
  #steadyDb = 0
  #steadyHop = -Infinity

  /** Takes a packet's amplitude gain; above 0. */
  add(gain: number): void {
    const db = 20 * Math.log10(gain)
    this.#count++
    this.#sumDb += db
    this.#sumSquares += db * db
  }

  /** Ends the hop; true when the gain has stepped since the hop before. */
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
