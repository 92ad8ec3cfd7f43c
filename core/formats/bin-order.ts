/**
 * The order of the bins in a buffer of an ESP32, where the sender does not name its secondary channel.
 *
 * Owns the evidence of one buffer and the decision over many. Boundary: reading the values in that order is the decoder's.
 *
 * Without a secondary channel the chip writes the subcarriers 0..31, -32..-1, with one above or below -32..31 (ESP-IDF, "Wi-Fi
 * Channel State Information"). The guard bins carry no signal, so they tell the two apart: they are in the middle of the first order
 * and at both ends of the second. The bins compared here are guards in the legacy and in the HT training field of every chip (the ESP32
 * fills all but five with HT packets). The first four bytes of a buffer are not among them, because they may be invalid.
 *
 * Invariants:
 * 1. A decided order changes after `switchFrames` contradictions in a row and no earlier. Buffers that contradict are not used.
 * 2. Before a decision each buffer is read in the order that it shows itself, or else in the first order.
 */

/** `centre-first`: 0..31, -32..-1. `ascending`: -32..31. */
export type BinOrder = "centre-first" | "ascending"

/** What is known of a sender: `unknown` means that its buffers show no guard bins and `centre-first` is assumed. */
export type BinOrderFinding = BinOrder | "unknown"

/** Buffers in agreement that decide an order, and undecided ones after which a sender's order is called unknown. */
const settleFrames = 8
/** Contradictions in a row that show that the sender has changed its channel. */
const switchFrames = 64

/** Guards of `ascending`, which are subcarriers with a signal in `centre-first`. */
const outerBins = [2, 62, 63]
/** Guards of `centre-first`, which but for the centre are subcarriers with a signal in `ascending`. */
const middleBins = [30, 31, 32, 33, 34]
/** Bins of each group that must have a signal where they are subcarriers. */
const outerLoudMin = 2
const middleLoudMin = 3
/** Largest part of a value that still counts as no signal. */
const quietMax = 1

/** What the guard bins of one buffer show; null where they show nothing. `magnitude` is the larger part of a bin's value. */
export const binOrderOf = (magnitude: (bin: number) => number): BinOrder | null => {
  const loud = (bins: ReadonlyArray<number>): number =>
    bins.reduce((count, bin) => count + (magnitude(bin) > quietMax ? 1 : 0), 0)
  const outer = loud(outerBins)
  const middle = loud(middleBins)
  if (middle === 0 && outer >= outerLoudMin) return "centre-first"
  return outer === 0 && middle >= middleLoudMin ? "ascending" : null
}

/** What the guard bins of (imaginary, real) pairs of 8 bits from `at` show. */
export const binOrderOfPairs = (bytes: ArrayLike<number>, at: number): BinOrder | null => {
  const size = (i: number): number => Math.abs((bytes[i]! << 24) >> 24)
  return binOrderOf((bin) => Math.max(size(at + 2 * bin), size(at + 2 * bin + 1)))
}

/** Position in a buffer of the bin of subcarrier `k`. */
export const binOf = (k: number, order: BinOrder): number => order === "ascending" ? k + 32 : (k + 64) % 64

/** Decides the order of one sender. */
export class BinOrderDecision {
  #settled: BinOrder | null = null
  #candidate: BinOrder | null = null
  /** Buffers in a row that show the candidate. */
  #run = 0
  /** Buffers that showed nothing before a decision. */
  #undecided = 0

  /** Null until there were buffers enough to say. */
  get finding(): BinOrderFinding | null {
    return this.#settled ?? (this.#undecided >= settleFrames ? "unknown" : null)
  }

  /**
   * Takes what the next buffer shows; returns the order to read it in, or null where it contradicts what was decided.
   *
   * @param isWide the sender says that the packet had 40 MHz, which it receives with a secondary channel alone
   */
  next(seen: BinOrder | null, isWide: boolean): BinOrder | null {
    const shown = seen ?? (isWide && this.#settled === null ? "ascending" : null)
    if (shown === null) {
      if (this.#settled === null && this.#undecided < settleFrames) this.#undecided++
      return this.#settled ?? this.#candidate ?? "centre-first"
    }
    if (shown !== this.#candidate) {
      this.#candidate = shown
      this.#run = 0
    }
    if (shown === this.#settled) return shown
    this.#run++
    if (this.#run >= (this.#settled === null ? settleFrames : switchFrames)) this.#settled = shown
    return this.#settled === null || shown === this.#settled ? shown : null
  }
}

/** Decides the orders of many senders, by their numbers of 8 bits. */
export class BinOrders {
  readonly #decisions = new Map<number, BinOrderDecision>()

  of(sender: number): BinOrderDecision {
    const known = this.#decisions.get(sender)
    if (known !== undefined) return known
    const decision = new BinOrderDecision()
    this.#decisions.set(sender, decision)
    return decision
  }
}

/** What is wrong with a buffer that contradicts its sender's order. */
export const contradictedOrder = (sender: string): { readonly reason: "bin-order"; readonly message: string } => ({
  reason: "bin-order",
  message: `${sender}: the guard subcarriers show another order than in its earlier packets`,
})

/** What is doubtful about a sender whose order is unknown. */
export const unknownOrder = (sender: string): { readonly reason: "bin-order"; readonly message: string } => ({
  reason: "bin-order",
  message: `${sender}: the order of the subcarriers is unknown, because the guard subcarriers do not show it; ` +
    "0 to 31, -32 to -1 is assumed",
})
