/**
 * The bootstrap: the variation of a figure over other sequences of the same kind.
 *
 * Whole sequences are resampled with replacement (Efron 1979), because hops of one sequence are not independent; the interval is
 * the percentile interval. The caller supplies the randomness.
 */
import type { Random } from "../randomness/random.ts"
import { figuresOf, poolTallies, type Tally, type TallyKind } from "./tally.ts"

/** Ends of the interval that contains 95 % of the replicates. */
export type Interval = readonly [low: number, high: number]

export const replicatesDefault = 1000
/** Share of the replicates beyond each end of an interval. */
export const tail = 0.025
/** Smallest number of sequences for an interval. */
const sequencesMin = 2

/** The quantile of sorted values, with linear interpolation between neighbours. */
export const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const at = share * (sorted.length - 1)
  const below = Math.floor(at)
  const above = Math.min(sorted.length - 1, below + 1)
  return sorted[below]! + (at - below) * (sorted[above]! - sorted[below]!)
}

/**
 * The interval of every figure; null with too few sequences, and for a figure that is missing in more than half of the
 * replicates.
 */
export const bootstrapIntervals = (
  tallies: ReadonlyArray<Tally>,
  kind: TallyKind,
  random: Random,
  replicates: number = replicatesDefault,
): Readonly<Record<string, Interval | null>> => {
  const values = new Map(Object.keys(figuresOf(poolTallies([]), kind)).map((name) => [name, [] as Array<number>]))
  const rounds = tallies.length < sequencesMin ? 0 : replicates
  const weights = new Uint32Array(tallies.length)
  for (let round = 0; round < rounds; round++) {
    weights.fill(0)
    for (let i = 0; i < tallies.length; i++) {
      const drawn = Math.floor(random.uniform() * tallies.length)
      weights[drawn] = weights[drawn]! + 1
    }
    for (const [name, { value }] of Object.entries(figuresOf(poolTallies(tallies, weights), kind))) {
      if (value !== null) values.get(name)!.push(value)
    }
  }
  return Object.fromEntries(
    [...values].map(([name, found]) => {
      if (rounds === 0 || found.length < rounds / 2) return [name, null]
      const sorted = Float64Array.from(found).sort()
      return [name, [quantile(sorted, tail), quantile(sorted, 1 - tail)] as const]
    }),
  )
}
