/**
 * The scoreboard: the figures of a suite with their intervals, beside those of the baselines.
 *
 * Boundary: sequences were run and tallied elsewhere; how the board is printed and drawn is the command's.
 */
import { createRandom } from "../random.ts"
import { bootstrapIntervals, type Interval, replicatesDefault } from "./bootstrap.ts"
import { rangeNameOf, type SeedRange, type SeedRangeName } from "./seed-ranges.ts"
import type { SuiteName } from "./suites.ts"
import { figuresOf, poolTallies, type Tally, type TallyKind } from "./tally.ts"

/** What stands beside the estimator's figures. */
export const baselineNames = ["mean_pose", "class_mean", "physics_only", "no_geometry"] as const
export type BaselineName = typeof baselineNames[number]

const kindOf = (name: "estimator" | BaselineName): TallyKind =>
  name === "mean_pose" || name === "class_mean" ? "pose" : "estimator"

/** The tallies of one sequence; a baseline that cannot be run says why. */
export interface SequenceTallies {
  readonly seed: number
  readonly estimator: Tally
  readonly baselines: Readonly<Record<BaselineName, Tally | { readonly reason: string }>>
}

export type Values = Readonly<Record<string, number | null>>

export interface Side {
  readonly values: Values
  readonly intervals: Readonly<Record<string, Interval | null>>
  /** Why a value is null. */
  readonly reasons: Readonly<Record<string, string>>
}

export interface Scoreboard {
  readonly suite: SuiteName
  readonly seeds: SeedRange
  /** Length of a sequence. */
  readonly seconds: number
  readonly range: SeedRangeName | "mixed"
  readonly sequences: number
  readonly estimator: Side
  /** All tallies of the estimator together, for plots. */
  readonly total: Tally
  readonly baselines: Readonly<Record<BaselineName, Side | { readonly reason: string }>>
}

const bootstrapSeed = 1

const sideOf = (tallies: ReadonlyArray<Tally>, kind: TallyKind, replicates: number): Side => {
  const figures = Object.entries(figuresOf(poolTallies(tallies), kind))
  return {
    values: Object.fromEntries(figures.map(([name, { value }]) => [name, value])),
    // Every side is drawn the same sequences, so that their intervals can be compared.
    intervals: bootstrapIntervals(tallies, kind, createRandom(bootstrapSeed, "bootstrap"), replicates),
    reasons: Object.fromEntries(
      figures.flatMap(([name, entry]) => entry.value === null ? [[name, entry.reason]] : []),
    ),
  }
}

/** @param sequences in any order */
export const scoreboardOf = (
  { seconds, seeds, suite }: Pick<Scoreboard, "suite" | "seeds" | "seconds">,
  sequences: ReadonlyArray<SequenceTallies>,
  replicates: number = replicatesDefault,
): Scoreboard => {
  const ordered = [...sequences].sort((a, b) => a.seed - b.seed)
  const own = ordered.map(({ estimator }) => estimator)
  const baseline = (name: BaselineName): Side | { readonly reason: string } => {
    const tallies: Array<Tally> = []
    for (const { baselines } of ordered) {
      const tally = baselines[name]
      if ("reason" in tally) return tally
      tallies.push(tally)
    }
    return sideOf(tallies, kindOf(name), replicates)
  }
  return {
    suite,
    seeds,
    seconds,
    range: rangeNameOf(seeds),
    sequences: ordered.length,
    estimator: sideOf(own, "estimator", replicates),
    total: poolTallies(own),
    baselines: Object.fromEntries(baselineNames.map((name) => [name, baseline(name)])) as Scoreboard["baselines"],
  }
}
