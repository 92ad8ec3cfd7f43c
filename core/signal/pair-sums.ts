/**
 * Pair sums: what the motion and slow statistics remember of a link's packets, as sums over pairs of successive packets.
 *
 * Owns the ring of slots, each of a hop or more, and which of them make the trailing window. So memory grows neither with the
 * packet rate nor with the length of a window that few packets fill. The sums over the window follow it: what a hop costs does not
 * grow with the window either.
 */

/** Enough for any window: 40 hops, or 200 pairs, and the slot that is being filled. */
const slotsMax = 104
/** A slot that holds fewer pairs goes on into the next hop. */
const slotPairsMin = 2
/** Shortest window: 4 s. */
const windowHopsMin = 40
/** It is extended up to 30 s while it holds fewer than `pairsWanted`, and up to 5 minutes while it holds fewer than `pairsMin`. */
const windowHopsLong = 300
const windowHopsMax = 3000
const pairsWanted = 200
/** Fewer pairs than this say nothing. */
export const pairsMin = 50
/** A window is as long as is wanted at this share of its length: the hop that it would begin with may have no packet. */
const wholeShare = 0.9

/** The trailing window at one hop. */
export interface PairWindow {
  /** Slots in it. */
  readonly count: number
  /** Hops from the first slot's to the one that the window ends with. */
  readonly hops: number
  readonly pairs: number
  /** Whether it is as long as is wanted: 4 s with 200 pairs, or 30 s. */
  readonly whole: boolean
}

/** Sums by value over the pairs of a window; see `PairSums`. */
export interface WindowSums {
  readonly products: Float64Array
  readonly sums: Float64Array
  readonly squares: Float64Array
}

/** Ring of sums for packets of `values` values. The sums of slot s stand at s x values. */
export class PairSums {
  readonly values: number
  /** Of v(t) v(t-1), of v(t) + v(t-1), and of their squares, over the pairs of a slot. */
  readonly products: Float32Array
  readonly sums: Float32Array
  readonly squares: Float32Array
  /** The first hop of each slot. */
  readonly hops = new Float64Array(slotsMax)
  readonly pairs = new Uint32Array(slotsMax)
  /** Runs of packets without a gap that began in a slot. */
  readonly runs = new Uint32Array(slotsMax)
  /** Slots that were begun so far; the last of them is being filled. */
  #begun = 0
  /** Sums by value over the full slots from `#from` to before `#to`, counted as `#begun` is. */
  readonly #total: WindowSums
  #from = 0
  #to = 0
  /** When they were last summed anew: what rounding leaves in a sum that slots leave again must not gather. */
  #freshAt = 0

  constructor(values: number) {
    this.values = values
    this.products = new Float32Array(slotsMax * values)
    this.sums = new Float32Array(slotsMax * values)
    this.squares = new Float32Array(slotsMax * values)
    this.#total = {
      products: new Float64Array(values),
      sums: new Float64Array(values),
      squares: new Float64Array(values),
    }
  }

  /** Takes a pair whose later packet came in `hop`; `first` when the earlier one is in no other pair. Hops must not decrease. */
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
    const wanted = pairs < pairsWanted ? windowHopsLong : windowHopsMin
    return { count, hops, pairs, whole: pairs >= pairsMin && hops >= wholeShare * wanted }
  }

  /** The slot so many before the latest. */
  slotAt(back: number): number {
    return (this.#begun - 1 - back) % slotsMax
  }

  /** Sets the sums by value over a window of `upTo`, which has a pair. */
  total({ count }: PairWindow, { products, squares, sums }: WindowSums): void {
    this.#follow(this.#begun - count, this.#begun - 1)
    const total = this.#total
    for (let k = 0, i = this.slotAt(0) * this.values; k < this.values; k++, i++) {
      products[k] = total.products[k]! + this.products[i]!
      sums[k] = total.sums[k]! + this.sums[i]!
      squares[k] = total.squares[k]! + this.squares[i]!
    }
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
    // The slot that is used again may still be in the totals.
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
