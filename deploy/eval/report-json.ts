/**
 * A scoreboard as JSON: `metrics` of the estimator and, with the same names, of each baseline and each variant of the suite.
 *
 * Numbers have four digits. Intervals hold 95 % of bootstrap replicates over the sequences. A null has its reason under the same name.
 */
import type { Interval } from "../../sim/evaluation/bootstrap.ts"
import { baselineNames, type Scoreboard, type Side } from "../../sim/evaluation/scoreboard.ts"
import { suiteOf } from "../../sim/evaluation/suites.ts"

const short = (value: number): number => Number(value.toPrecision(4))

const valuesOf = ({ values }: Pick<Side, "values">) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? null : short(value)]))

const intervalsOf = ({ intervals }: Side): Readonly<Record<string, Interval>> =>
  Object.fromEntries(
    Object.entries(intervals).flatMap(([name, interval]) =>
      interval === null ? [] : [[name, [short(interval[0]), short(interval[1])]]]
    ),
  )

/** @param kernels the backend of the run: float32 backends agree to rounding, not to the bit */
export const scoreboardJson = (board: Scoreboard, kernels: string) => {
  const { baselines, estimator, range, seconds, seeds, sequences, suite, variants } = board
  const each = <A>(of: (side: Side) => A, otherwise: (reason: string) => A | null) =>
    Object.fromEntries(
      baselineNames.map((name) => {
        const side = baselines[name]
        return [name, "reason" in side ? otherwise(side.reason) : of(side)]
      }),
    )
  return {
    suite,
    about: suiteOf(suite).about,
    source: "simulated",
    seeds: `${seeds.first}-${seeds.last}`,
    seed_range: range,
    sequences,
    sequence_seconds: seconds,
    kernels,
    metrics: valuesOf(estimator),
    baselines: each(valuesOf, () => null),
    variants: Object.fromEntries(
      variants.map(({ name, sequences, values }) => [name, { sequences, metrics: valuesOf({ values }) }]),
    ),
    intervals: { metrics: intervalsOf(estimator), baselines: each(intervalsOf, () => null) },
    reasons: {
      metrics: estimator.reasons,
      baselines: each<Readonly<Record<string, string>> | string>((side) => side.reasons, (reason) => reason),
    },
  }
}
