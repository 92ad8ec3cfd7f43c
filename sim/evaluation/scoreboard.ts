/**
 * The scoreboard: the figures of a suite with their intervals, beside those of the baselines.
 *
 * Boundary: the caller runs and tallies sequences, and prints and plots the board.
 */
import { createRandom } from "../randomness/random.ts"
import { bootstrapIntervals, type Interval, replicatesDefault } from "./bootstrap.ts"
import type { Figure } from "./figure.ts"
import { rangeNameOf, type SeedRange, type SeedRangeName } from "./seed-ranges.ts"
import { type SuiteName, suiteOf, variantOf } from "./suites.ts"
import { figuresOf, poolTallies, type Tally, type TallyKind } from "./tally.ts"

/** Baselines beside the estimator. */
export const baselineNames = [
  "mean_pose",
  "class_mean",
  "mannequin",
  "mannequin_true_facing",
  "physics_only",
  "no_geometry",
] as const
type BaselineName = typeof baselineNames[number]

const kindOf = (name: "estimator" | BaselineName): TallyKind =>
  name === "physics_only" || name === "no_geometry" || name === "estimator" ? "estimator" : "pose"

/** The reason why a baseline is not judged. */
export interface NotJudged {
  readonly reason: string
}

/** The tallies of one sequence; a baseline that cannot run has a reason instead. */
export interface SequenceTallies {
  readonly seed: number
  readonly estimator: Tally
  readonly baselines: Readonly<Record<BaselineName, Tally | NotJudged>>
}

type Values = Readonly<Record<string, number | null>>

export interface Side {
  readonly values: Values
  readonly intervals: Readonly<Record<string, Interval | null>>
  /** Reasons of null values. */
  readonly reasons: Readonly<Record<string, string>>
}

/** The estimator's figures of one variant of the suite. */
interface VariantSide {
  readonly name: string
  readonly sequences: number
  readonly values: Values
}

export interface Scoreboard {
  readonly suite: SuiteName
  readonly seeds: SeedRange
  /** Length of a sequence. */
  readonly seconds: number
  readonly range: SeedRangeName | "mixed"
  readonly sequences: number
  readonly estimator: Side
  /** The variants among the seeds, in the suite's order; empty when the suite has one variant. */
  readonly variants: ReadonlyArray<VariantSide>
  /** Sum of all tallies of the estimator, for plots. */
  readonly total: Tally
  readonly baselines: Readonly<Record<BaselineName, Side | NotJudged>>
}

const bootstrapSeed = 1

const valuesOf = (figures: Readonly<Record<string, Figure>>): Values =>
  Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value]))

const sideOf = (tallies: ReadonlyArray<Tally>, kind: TallyKind, replicates: number): Side => {
  const figures = figuresOf(poolTallies(tallies), kind)
  return {
    values: valuesOf(figures),
    // Every side resamples the same sequences, which makes the intervals comparable.
    intervals: bootstrapIntervals(tallies, kind, createRandom(bootstrapSeed, "bootstrap"), replicates),
    reasons: Object.fromEntries(
      Object.entries(figures).flatMap(([name, entry]) => entry.value === null ? [[name, entry.reason]] : []),
    ),
  }
}

const variantsOf = (name: SuiteName, sequences: ReadonlyArray<SequenceTallies>): ReadonlyArray<VariantSide> => {
  const suite = suiteOf(name)
  if (suite.variants.length === 1) return []
  return suite.variants.flatMap((variant) => {
    const tallies = sequences.filter(({ seed }) => variantOf(suite, seed) === variant).map(({ estimator }) => estimator)
    if (tallies.length === 0) return []
    const values = valuesOf(figuresOf(poolTallies(tallies), "estimator"))
    return [{ name: variant.name, sequences: tallies.length, values }]
  })
}

/** @param sequences in any order */
export const scoreboardOf = (
  { seconds, seeds, suite }: Pick<Scoreboard, "suite" | "seeds" | "seconds">,
  sequences: ReadonlyArray<SequenceTallies>,
  replicates: number = replicatesDefault,
): Scoreboard => {
  const ordered = [...sequences].sort((a, b) => a.seed - b.seed)
  const own = ordered.map(({ estimator }) => estimator)
  const baseline = (name: BaselineName): Side | NotJudged => {
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
    variants: variantsOf(suite, ordered),
    total: poolTallies(own),
    baselines: Object.fromEntries(baselineNames.map((name) => [name, baseline(name)])) as Scoreboard["baselines"],
  }
}
