/**
 * The replay window of one key: the datagrams of this key that were already accepted.
 *
 * Owns the decision "new or seen". Invariants:
 * 1. A pair of epoch and sequence is accepted at most once.
 * 2. A datagram of an earlier epoch, or `windowLength` or more behind the greatest sequence of its epoch, is rejected, because it may be
 *    a replay. Within the window the network may change the order.
 * 3. The memory is `windowLength` numbers, for any input.
 *
 * Boundary: callers verify the signature first. Otherwise any sender could move the window.
 */

/** Number of sequences that may arrive out of order. */
export const windowLength = 64

/** The greatest accepted stamp, which is stored across restarts. */
export interface Position {
  readonly epoch: number
  readonly sequence: number
}

export class ReplayWindow {
  /** The sequence accepted last in each residue class; none: -1. */
  readonly #taken = new Float64Array(windowLength).fill(-1)
  #epoch = -1
  #greatest = -1
  /** Stamps up to this one are rejected. */
  #floor = -1

  /** The greatest stamp that was accepted here or elsewhere; null before the first one. */
  get position(): Position | null {
    return this.#epoch < 0 ? null : { epoch: this.#epoch, sequence: this.#greatest }
  }

  /** Accepts a stamp. Returns false for a replay, or for a stamp so late that it may be one. */
  take({ epoch, sequence }: Position): boolean {
    if (epoch < this.#epoch) return false
    if (epoch > this.#epoch) this.#begin(epoch)
    const slot = sequence % windowLength
    if (sequence <= this.#floor || sequence <= this.#greatest - windowLength || this.#taken[slot] === sequence) {
      return false
    }
    this.#taken[slot] = sequence
    this.#greatest = Math.max(this.#greatest, sequence)
    return true
  }

  /** Rejects stamps up to this one, which another listener, or an earlier run of this one, has accepted. */
  raise({ epoch, sequence }: Position): void {
    if (epoch < this.#epoch || (epoch === this.#epoch && sequence <= this.#greatest)) return
    if (epoch > this.#epoch) this.#begin(epoch)
    this.#floor = sequence
    this.#greatest = sequence
  }

  #begin(epoch: number): void {
    this.#epoch = epoch
    this.#taken.fill(-1)
    this.#greatest = -1
    this.#floor = -1
  }
}
