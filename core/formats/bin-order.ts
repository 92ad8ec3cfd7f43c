/**
 * The order of the bins in a buffer of an ESP32 whose sender does not name its secondary channel.
 *
 * Owns the evidence of one buffer and the decision over many. Boundary: the decoder reads the values in that order.
 *
 * Without a secondary channel the chip writes the subcarriers 0..31, -32..-1, with one above or below -32..31 (ESP-IDF, "Wi-Fi
 * Channel State Information"). The guard bins have no signal, so they distinguish the two orders: they are in the middle of the first
 * and at both ends of the second. The bins compared here are guards in the legacy and in the HT training field of every chip (the ESP32
 * fills all but five with HT packets). They exclude the first four bytes of a buffer, which may be invalid.
 *
 * Invariants:
 * 1. A decided order changes only after `switchFrames` contradictions in a row. Contradicting buffers are dropped.
 * 2. Before a decision, each buffer is read in the order that its own guard bins show, or else in the assumed order.
 */

/** `centre-first`: 0..31, -32..-1. `ascending`: -32..31. */
export type BinOrder = "centre-first" | "ascending"

/** The order of a sender. `unknown`: its buffers show no guard bins, and an order is assumed. */
export type BinOrderFinding = BinOrder | "unknown"

/** Number of agreeing buffers that decide an order, and of undecided ones after which a sender's order is unknown. */
const settleFrames = 8
/** Contradictions in a row after which the sender has changed its channel. */
const switchFrames = 64

/** Guards of `ascending`, which are subcarriers with a signal in `centre-first`. */
const outerBins = [2, 62, 63]
/** Guards of `centre-first`, which are subcarriers with a signal in `ascending`, except the centre. */
const middleBins = [30, 31, 32, 33, 34]
/** Minimum number of bins with a signal in a group of subcarriers. */
const outerLoudMin = 2
const middleLoudMin = 3
/** Maximum part of a value without a signal. */
const quietMax = 1

/** The order that the guard bins of one buffer show; null if undecided. `magnitude` is the larger part of a bin's value. */
export const binOrderOf = (magnitude: (bin: number) => number): BinOrder | null => {
  const loud = (bins: ReadonlyArray<number>): number =>
    bins.reduce((count, bin) => count + (magnitude(bin) > quietMax ? 1 : 0), 0)
  const outer = loud(outerBins)
  const middle = loud(middleBins)
  if (middle === 0 && outer >= outerLoudMin) return "centre-first"
  return outer === 0 && middle >= middleLoudMin ? "ascending" : null
}

/** The order that the guard bins of (imaginary, real) pairs of 8 bits from `at` show. */
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
  /** Undecided buffers before a decision. */
  #undecided = 0
  readonly #assumed: BinOrder

  /** @param assumed the order of undecided buffers before a decision */
  constructor(assumed: BinOrder = "centre-first") {
    this.#assumed = assumed
  }

  /** Null until there were enough buffers. */
  get finding(): BinOrderFinding | null {
    return this.#settled ?? (this.#undecided >= settleFrames ? "unknown" : null)
  }

  /**
   * Adds the evidence of the next buffer. Returns the order to read it in, or null if it contradicts the decision.
   *
   * @param isWide the packet had 40 MHz, which needs a secondary channel
   */
  next(seen: BinOrder | null, isWide: boolean): BinOrder | null {
    const shown = seen ?? (isWide && this.#settled === null ? "ascending" : null)
    if (shown === null) {
      if (this.#settled === null && this.#undecided < settleFrames) this.#undecided++
      return this.#settled ?? this.#candidate ?? this.#assumed
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

/** Decides the orders of many senders, by their 8-bit numbers. */
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

/** The fault of a buffer that contradicts its sender's order. */
export const contradictedOrder = (sender: string): { readonly reason: "bin-order"; readonly message: string } => ({
  reason: "bin-order",
  message: `${sender}: the guard subcarriers show another order than in its earlier packets`,
})

/** The warning about a sender whose order is unknown. */
export const unknownOrder = (
  sender: string,
  assumed = "0 to 31, -32 to -1",
): { readonly reason: "assumed-order"; readonly message: string } => ({
  reason: "assumed-order",
  message: `${sender}: the order of the subcarriers is unknown, because the guard subcarriers do not show it; ` +
    `${assumed} is assumed`,
})
