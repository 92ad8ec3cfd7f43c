/**
 * Pair sums: the memory of the motion and slow statistics of a link, as sums over pairs of successive packets.
 *
 * Owns the ring of slots, each of one or more hops, and the choice of those that form the trailing window. So memory
 * grows neither with the packet rate nor with the length of a sparsely filled window. The sums over the window are
 * updated incrementally, so the cost of a hop does not grow with the window either.
 */

/** Enough for any window: 40 hops, or 200 pairs, and the slot that is being filled. */
const slotsMax = 104
/** A slot with fewer pairs continues into the next hop. */
const slotPairsMin = 2
/** Shortest window: 4 s. */
const windowHopsMin = 40
/**
 * The window extends up to 30 s while it holds fewer than `pairsWanted`, and up to 5 minutes while it holds fewer than
 * `pairsMin`.
 */
const windowHopsLong = 300
const windowHopsMax = 3000
const pairsWanted = 200
/** Minimum number of pairs for a reading. */
export const pairsMin = 50
/**
 * A window of at least one pair in each hop counts as full with so many pairs: a walker's correlation is then five times its
 * noise. With fewer packets a second, a walker decorrelates from one to the next.
 */
const wholePairs = 100
/** A value that varies less is constant, as those of an antenna without a signal. */
export const constantVariance = 1e-9
/** It counts as full at this share of its length, because its first hop may have no packet. */
const wholeShare = 0.9

/** The trailing window at one hop. */
export interface PairWindow {
  /** Number of its slots. */
  readonly count: number
  /** Hops from the first slot's to the one that the window ends with. */
  readonly hops: number
  readonly pairs: number
  /** Whether it has its full length: 4 s with 200 pairs, or with 100 at 10 packets/s or more, or 30 s. */
  readonly whole: boolean
}

/** Sums by value over the pairs of a window; see `PairSums`. */
export interface WindowSums {
  readonly products: Float64Array
  readonly sums: Float64Array
  readonly squares: Float64Array
}

/** No sums yet. */
export const emptyWindowSums = (values: number): WindowSums => ({
  products: new Float64Array(values),
  sums: new Float64Array(values),
  squares: new Float64Array(values),
})

/** Ring of sums for packets of `values` values. The sums of slot s begin at s x values. */
export class PairSums {
  readonly values: number
  /** Sums of v(t) v(t-1), of v(t) + v(t-1), and of their squares, over the pairs of a slot. */
  readonly products: Float32Array
  readonly sums: Float32Array
  readonly squares: Float32Array
  /** The first hop of each slot. */
  readonly hops = new Float64Array(slotsMax)
  readonly pairs = new Uint32Array(slotsMax)
  /** Runs of packets without a gap that began in a slot. */
  readonly runs = new Uint32Array(slotsMax)
  /** Number of slots begun so far; the last of them is being filled. */
  #begun = 0
  /** Sums by value over the full slots from `#from` to before `#to`, which count like `#begun`. */
  readonly #total: WindowSums
  #from = 0
  #to = 0
  /** When the totals were last summed afresh: rounding errors of adding and subtracting slots must not accumulate. */
  #freshAt = 0

  constructor(values: number) {
    this.values = values
    this.products = new Float32Array(slotsMax * values)
    this.sums = new Float32Array(slotsMax * values)
    this.squares = new Float32Array(slotsMax * values)
    this.#total = emptyWindowSums(values)
  }

  /**
   * Adds a pair whose later packet came in `hop`; `first` when the earlier one is in no other pair. Hops must not
   * decrease.
   */
  add(hop: number, now: Float32Array, before: Float32Array, first: boolean): void {
    const { products, squares, sums, values } = this
    const slot = this.#slotOf(hop)
    for (let k = 0, i = slot * values; k < values; k++, i++) {
      const a = now[k]!
      const b = before[k]!
      products[i]! += a * b
      sums[i]! += a + b
      squares[i]! += a * a + b * b
    }
    this.pairs[slot]!++
    if (first) this.runs[slot]!++
  }

  /** The window that ends with `hop`. */
  upTo(hop: number): PairWindow {
    let count = 0
    let pairs = 0
    let hops = 0
    for (; count < Math.min(this.#begun, slotsMax); count++) {
      const slot = this.slotAt(count)
      const age = hop - this.hops[slot]!
      const reach = pairs < pairsMin ? windowHopsMax : pairs < pairsWanted ? windowHopsLong : windowHopsMin
      if (age >= reach) break
      pairs += this.pairs[slot]!
      hops = age + 1
    }
    const few = pairs < pairsWanted && (pairs < wholePairs || pairs < hops)
    const wanted = few ? windowHopsLong : windowHopsMin
    return { count, hops, pairs, whole: pairs >= pairsMin && hops >= wholeShare * wanted }
  }

  /** The slot `back` places before the latest. */
  slotAt(back: number): number {
    return (this.#begun - 1 - back) % slotsMax
  }

  /** Writes the sums by value over a window of `upTo`, which must hold a pair. */
  total({ count }: PairWindow, { products, squares, sums }: WindowSums): void {
    this.#follow(this.#begun - count, this.#begun - 1)
    const total = this.#total
    for (let k = 0, i = this.slotAt(0) * this.values; k < this.values; k++, i++) {
      products[k] = total.products[k]! + this.products[i]!
      sums[k] = total.sums[k]! + this.sums[i]!
      squares[k] = total.squares[k]! + this.squares[i]!
    }
  }

  /**
   * Largest share of the variance in a window that is the difference of the means before and after a slot, averaged over the values that vary:
   * after a step, as large as their correlation; less than half of it while something moves.
   */
  stepShare(window: PairWindow): number {
    const { values } = this
    const total = emptyWindowSums(values)
    this.total(window, total)
    const late = new Float64Array(values)
    let latePairs = 0
    let largest = 0
    for (let back = 0; back < window.count - 1; back++) {
      const slot = this.slotAt(back)
      for (let k = 0, i = slot * values; k < values; k++, i++) late[k]! += this.sums[i]!
      latePairs += this.pairs[slot]!
      const part = latePairs / window.pairs
      let share = 0
      let varying = 0
      for (let k = 0; k < values; k++) {
        const mean = total.sums[k]! / (2 * window.pairs)
        const variance = total.squares[k]! / (2 * window.pairs) - mean * mean
        const offset = late[k]! / (2 * latePairs) - mean
        if (variance <= constantVariance) continue
        share += (offset * offset * part) / ((1 - part) * variance)
        varying++
      }
      largest = Math.max(largest, share / Math.max(1, varying))
    }
    return largest
  }

  /** Moves the totals to the full slots from `from` to before `to`. */
  #follow(from: number, to: number): void {
    if (to - this.#freshAt >= slotsMax || from >= this.#to) {
      this.#total.products.fill(0)
      this.#total.sums.fill(0)
      this.#total.squares.fill(0)
      this.#from = from
      this.#to = from
      this.#freshAt = to
    }
    while (this.#to < to) this.#addSlot(this.#to++, 1)
    while (this.#from > from) this.#addSlot(--this.#from, 1)
    while (this.#from < from) this.#addSlot(this.#from++, -1)
  }

  #addSlot(begun: number, sign: number): void {
    const { products, squares, sums } = this.#total
    for (let k = 0, i = (begun % slotsMax) * this.values; k < this.values; k++, i++) {
      products[k]! += sign * this.products[i]!
      sums[k]! += sign * this.sums[i]!
      squares[k]! += sign * this.squares[i]!
    }
  }

  #slotOf(hop: number): number {
    const latest = (this.#begun - 1 + slotsMax) % slotsMax
    if (this.#begun > 0 && (this.hops[latest] === hop || this.pairs[latest]! < slotPairsMin)) return latest
    // The reused slot may still be part of the totals.
    if (this.#from < this.#to && this.#from === this.#begun - slotsMax) this.#addSlot(this.#from++, -1)
    const slot = this.#begun++ % slotsMax
    this.hops[slot] = hop
    this.pairs[slot] = 0
    this.runs[slot] = 0
    const from = slot * this.values
    this.products.fill(0, from, from + this.values)
    this.sums.fill(0, from, from + this.values)
    this.squares.fill(0, from, from + this.values)
    return slot
  }
}
