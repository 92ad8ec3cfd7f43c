/**
 * The seeds, in three disjoint ranges: training, selection of checkpoints (validation), and evaluation (test).
 *
 * Invariant: training takes its seeds from `trainingSeeds`, which rejects all others.
 */

import type { ClipFamily } from "../motion-capture/families.ts"

export interface SeedRange {
  readonly first: number
  readonly last: number
}

export const seedRanges = {
  train: { first: 1, last: 9_999 },
  validation: { first: 10_000, last: 19_999 },
  test: { first: 20_000, last: 2 ** 31 - 1 },
} as const satisfies Readonly<Record<string, SeedRange>>

export type SeedRangeName = keyof typeof seedRanges

const within = ({ first, last }: SeedRange, range: SeedRange): boolean => first >= range.first && last <= range.last

/** The range that contains all given seeds; "mixed" when there is none. */
export const rangeNameOf = (seeds: SeedRange): SeedRangeName | "mixed" =>
  (Object.keys(seedRanges) as ReadonlyArray<SeedRangeName>).find((name) => within(seeds, seedRanges[name])) ?? "mixed"

/** The captured clips that a seed may use, so that no choice is made on those of the evaluation. */
export const clipFamilyOf = (seed: number): ClipFamily =>
  (["training", "validation"] as const).find((family) =>
    within({ first: seed, last: seed }, seedRanges[family === "training" ? "train" : family])
  ) ?? "held-out"

/** Seeds of a range, ascending. */
export const seedsOf = ({ first, last }: SeedRange): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)

/**
 * Seeds for training.
 *
 * @throws RangeError when one of them is outside the training range
 */
export const trainingSeeds = (seeds: SeedRange): ReadonlyArray<number> => {
  if (!within(seeds, seedRanges.train)) {
    throw new RangeError(
      `seeds ${seeds.first}-${seeds.last} are not for training; take them from ${seedRanges.train.first} to ` +
        `${seedRanges.train.last}`,
    )
  }
  return seedsOf(seeds)
}
