/**
 * Pair sums: what the motion and slow statistics remember of a link's packets, as sums over pairs of successive packets.
 *
 * Owns the ring of slots, each of a hop or more, and which of them make the trailing window. So memory grows neither with the
 * packet rate nor with the length of a window that few packets fill.
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
  /** Slots of the ring, the latest first. */
  readonly slots: ReadonlyArray<number>
  /** Hops from the first slot's to the one that the window ends with. */
  readonly hops: number
  readonly pairs: number
  /** Whether it is as long as is wanted: 4 s with 200 pairs, or 30 s. */
  readonly whole: boolean
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
  #begun = 0

  constructor(values: number) {
    this.values = values
    this.products = new Float32Array(slotsMax * values)
    this.sums = new Float32Array(slotsMax * values)
    this.squares = new Float32Array(slotsMax * values)
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
    const slots: Array<number> = []
    let pairs = 0
    let hops = 0
    for (let back = 1; back <= Math.min(this.#begun, slotsMax); back++) {
      const slot = (this.#begun - back) % slotsMax
      const age = hop - this.hops[slot]!
      const reach = pairs < pairsMin ? windowHopsMax : pairs < pairsWanted ? windowHopsLong : windowHopsMin
      if (age >= reach) break
      slots.push(slot)
      pairs += this.pairs[slot]!
      hops = age + 1
    }
    const wanted = pairs < pairsWanted ? windowHopsLong : windowHopsMin
    return { slots, hops, pairs, whole: pairs >= pairsMin && hops >= wholeShare * wanted }
  }

  /** Sets the sums by value over some slots. */
  total(slots: ReadonlyArray<number>, products: Float64Array, sums: Float64Array, squares: Float64Array): void {
    products.fill(0)
    sums.fill(0)
    squares.fill(0)
    for (const slot of slots) {
      for (let k = 0, i = slot * this.values; k < this.values; k++, i++) {
        products[k]! += this.products[i]!
        sums[k]! += this.sums[i]!
        squares[k]! += this.squares[i]!
      }
    }
  }

  #slotOf(hop: number): number {
    const latest = (this.#begun - 1 + slotsMax) % slotsMax
    if (this.#begun > 0 && (this.hops[latest] === hop || this.pairs[latest]! < slotPairsMin)) return latest
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
