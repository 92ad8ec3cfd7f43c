/**
 * The slow statistic: the share of the subcarrier power's variance that is slower than any machine.
 *
 * A person's body turns, leans, stops and breathes: on recordings a quarter of the variance of a walker is slower than
 * 0.5 Hz, and nearly all of that of a breath. A fan has no such part: its echo has lines at multiples of its rotation,
 * and the slowest ceiling fan has the first near 1 Hz. So the powers are averaged with a Hann window of 2 s, which
 * removes 1 Hz and above, and keeps a share of white noise that depends on its packets:
 *
 *   chi = mean over values and blocks of (b - m)^2 / variance  -  (sum of w^2 / (sum of w)^2 - 1 / N)
 *
 * with b the means of blocks that overlap by half, and m that of the window's N packets. It is 0 for white noise and
 * for lines above 1 Hz, and its standard deviation is then the mean of w^2 / (sum of w)^2 times sqrt(2 / (blocks x
 * effective values)).
 *
 * Limits: an oscillating fan, and curtains in its wind, look like a person.
 */
import type { PairSums, PairWindow } from "./pair-sums.ts"

/** Shortest block: 2 s. With few packets, blocks are long enough for this many pairs in the mean. */
const blockHopsMin = 20
const blockPairsWanted = 8
/** A block with fewer pairs is skipped. */
const blockPairsMin = 4
/** The last block may begin before the window by this share of its length, where its weights are small. */
const outside = 0.3
/** Minimum number of blocks for a variance: they take 2.4 s, and let through more of a line near 1 Hz than three do. */
const blocksMin = 2

export interface SlowReading {
  readonly statistic: number
  readonly sigma: number
}

/** Weight of each slot of a window in one block, latest first. */
interface Block {
  readonly weights: Float64Array
  /** Variance of the block's mean over that of a packet, for independent packets. */
  readonly spread: number
}

/** Hann weight over a block that begins at `start` hops. */
const hann = (hop: number, start: number, length: number): number => {
  const x = (hop + 0.5 - start) / length
  return x > 0 && x < 1 ? 0.5 - 0.5 * Math.cos(2 * Math.PI * x) : 0
}

/** The window's blocks. A packet within a run is in two pairs and weighs 1; the first and last weigh one half. */
const blocksOf = (sums: PairSums, window: PairWindow, hop: number): ReadonlyArray<Block> => {
  const length = Math.max(blockHopsMin, blockPairsWanted * window.hops / window.pairs)
  const blocks: Array<Block> = []
  for (let end = hop + 1; end - (1 - outside) * length >= hop + 1 - window.hops; end -= length / 2) {
    let total = 0
    let squares = 0
    let pairs = 0
    const weights = new Float64Array(window.count)
    for (let back = 0; back < window.count; back++) {
      const slot = sums.slotAt(back)
      const weight = hann(sums.hops[slot]!, end - length, length)
      if (weight === 0) continue
      total += weight * sums.pairs[slot]!
      squares += weight * weight * (sums.pairs[slot]! - sums.runs[slot]! / 2)
      pairs += sums.pairs[slot]!
      weights[back] = weight
    }
    if (pairs < blockPairsMin) continue
    blocks.push({ weights: weights.map((weight) => weight / (2 * total)), spread: squares / (total * total) })
  }
  return blocks
}

/**
 * The statistic over a window that ends with `hop`, given the mean and standard deviation of each value over the same
 * window and the number of independent values; null with too few blocks.
 */
export const slowStatistic = (
  sums: PairSums,
  window: PairWindow,
  hop: number,
  mean: Float64Array,
  deviation: Float64Array,
  valuesEffective: number,
): SlowReading | null => {
  const blocks = blocksOf(sums, window, hop)
  if (blocks.length < blocksMin) return null
  const { values } = sums
  let runs = 0
  for (let back = 0; back < window.count; back++) runs += sums.runs[sums.slotAt(back)]!
  let share = 0
  let varying = 0
  const block = new Float64Array(values)
  const squares = new Float64Array(values)
  for (const { weights } of blocks) {
    block.fill(0)
    for (let back = 0; back < window.count; back++) {
      const weight = weights[back]!
      if (weight === 0) continue
      for (let k = 0, at = sums.slotAt(back) * values; k < values; k++, at++) block[k]! += weight * sums.sums[at]!
    }
    for (let k = 0; k < values; k++) squares[k]! += (block[k]! - mean[k]!) ** 2
  }
  for (let k = 0; k < values; k++) {
    if (deviation[k] === 0) continue
    share += squares[k]! / (blocks.length * deviation[k]! ** 2)
    varying++
  }
  if (varying === 0) return null
  const spread = blocks.reduce((total, block) => total + block.spread, 0) / blocks.length
  return {
    statistic: share / varying - (spread - (window.pairs - runs / 2) / window.pairs ** 2),
    sigma: spread * Math.sqrt(2 / (blocks.length * valuesEffective)),
  }
}
