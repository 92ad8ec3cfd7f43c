/** Packet rate and loss of a router over the trailing 4 s, from its own packet counter. */
import { hopUs } from "../observation/observation.ts"
import { SequenceGaps } from "./sequence-gaps.ts"

const windowHops = 40

export class PacketCounter {
  readonly #hops = new Float64Array(windowHops).fill(-1)
  readonly #received = new Uint32Array(windowHops)
  readonly #lost = new Uint32Array(windowHops)
  #firstHop = -1
  #gaps = new SequenceGaps()

  clear(): void {
    this.#hops.fill(-1)
    this.#firstHop = -1
    this.#gaps = new SequenceGaps()
  }

  /** Adds a packet of `hop` with the device's counter, unsigned 32 bits. */
  add(hop: number, sequence: number): void {
    const slot = hop % windowHops
    if (this.#hops[slot] !== hop) {
      this.#hops[slot] = hop
      this.#received[slot] = 0
      this.#lost[slot] = 0
    }
    if (this.#firstHop < 0) this.#firstHop = hop
    this.#received[slot]!++
    this.#lost[slot] = Math.max(0, this.#lost[slot]! + this.#gaps.add(sequence))
  }

  /** Packets per second in the window that ends with `hop`. */
  rateHz(hop: number): number {
    const hops = Math.min(windowHops, hop - this.#firstHop + 1)
    return this.#sum(this.#received, hop) / (hops * hopUs / 1e6)
  }

  /** Lost packets over sent packets in the window that ends with `hop`; null when the device has no counter. */
  loss(hop: number): number | null {
    if (!this.#gaps.counts) return null
    const lost = this.#sum(this.#lost, hop)
    return lost / (lost + this.#sum(this.#received, hop))
  }

  #sum(counts: Uint32Array, hop: number): number {
    let sum = 0
    for (let slot = 0; slot < windowHops; slot++) {
      const age = hop - this.#hops[slot]!
      if (this.#hops[slot]! >= 0 && age >= 0 && age < windowHops) sum += counts[slot]!
    }
    return sum
  }
}
