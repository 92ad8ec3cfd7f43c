/** Gaps in a device's packet counter: how many packets were sent and did not come. */

/** A gap beyond this is a device that started anew, not loss. */
const gapMax = 10_000

/** Follows one counter of unsigned 32 bits. */
export class SequenceGaps {
  #latest: number | null = null
  #counts = false

  /** Whether the device counts at all: one that does not says 0 throughout. */
  get counts(): boolean {
    return this.#counts
  }

  /** Takes a packet; answers by how many the lost ones have become more, or -1 when one of them came after all. */
  add(sequence: number): number {
    this.#counts ||= sequence > 0
    const ahead = this.#latest === null ? 0 : (sequence - this.#latest) | 0
    // A packet out of order does not set the counter back.
    if (ahead < 0 && ahead >= -gapMax) return -1
    this.#latest = sequence
    return ahead > 1 && ahead <= gapMax ? ahead - 1 : 0
  }
}
