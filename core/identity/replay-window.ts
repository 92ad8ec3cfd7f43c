/**
 * The replay window of one key: which datagrams it has signed were taken already.
 *
 * Owns the decision "new or seen". Invariants:
 * 1. A pair of epoch and sequence is taken at most once.
 * 2. What is of an earlier epoch, or `windowLength` or more behind the greatest sequence of its epoch, is never taken: it cannot be told
 *    from a replay. Within the window the network may change the order.
 * 3. The memory is `windowLength` numbers, whatever comes.
 *
 * Boundary: it is asked only about stamps whose signature is right; otherwise anybody could move it.
 */

/** Sequences that the network may bring out of order. */
export const windowLength = 64

/** The greatest stamp that was taken, as it is kept over a restart. */
export interface Position {
  readonly epoch: number
  readonly sequence: number
}

export class ReplayWindow {
  /** The sequence taken last in each residue class; none: -1. */
  readonly #taken = new Float64Array(windowLength).fill(-1)
  #epoch = -1
  #greatest = -1
  /** Nothing up to here is taken. */
  #floor = -1

  /** The greatest stamp that was taken or is known from elsewhere; null before the first one. */
  get position(): Position | null {
    return this.#epoch < 0 ? null : { epoch: this.#epoch, sequence: this.#greatest }
  }

  /** Takes a stamp; false: it is a replay, or so late that it might be one. */
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

  /** Takes nothing more up to here: another listener has, or this one before it was started again. */
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
