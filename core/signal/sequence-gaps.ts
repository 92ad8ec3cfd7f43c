/** Gaps in a device's packet counter: the number of packets that were sent but not received. */
import { reorderMax } from "../formats/station-counter.ts"

/** A larger gap is a restart of the device, not loss. */
const gapMax = 10_000

/** Tracks one counter of unsigned 32 bits. */
export class SequenceGaps {
  #latest: number | null = null
  /** Lost packets since the device started, which may still arrive. */
  #lost = 0
  #counts = false

  /** Whether the device counts packets; a device without a counter always sends 0. */
  get counts(): boolean {
    return this.#counts
  }

  /** Adds a packet. Returns the change in the number of lost packets: -1 when a lost packet arrived late. */
  add(sequence: number): number {
    this.#counts ||= sequence > 0
    const ahead = this.#latest === null ? 0 : (sequence - this.#latest) | 0
    let change = 0
    if (ahead < 0 && ahead >= -reorderMax) {
      // A packet out of order does not move the counter back.
      if (this.#lost > 0) change = -1
    } else {
      if (ahead < 0 || ahead > gapMax) this.#lost = 0
      else if (ahead > 1) change = ahead - 1
      this.#latest = sequence
    }
    this.#lost += change
    return change
  }
}
