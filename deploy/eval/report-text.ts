/**
 * A scoreboard as text: one row per metric with its interval and the baselines, then a table of the suite's variants, then the reasons of
 * missing values.
 */
import { baselineNames, type NotJudged, type Scoreboard, type Side } from "../../sim/evaluation/scoreboard.ts"
import { suiteOf } from "../../sim/evaluation/suites.ts"
import { tableOf } from "../commands/text-table.ts"

const digits = 3

const numberText = (value: number): string => {
  if (Math.abs(value) >= 10 ** digits) return value.toFixed(0)
  return String(Number(value.toPrecision(digits)))
}

const cellOf = (side: Pick<Side, "values"> | NotJudged, name: string): string => {
  const value = "reason" in side ? null : side.values[name] ?? null
  return value === null ? "-" : numberText(value)
}

const intervalText = ({ intervals }: Side, name: string): string => {
  const interval = intervals[name] ?? null
  return interval === null ? "" : `${numberText(interval[0])} .. ${numberText(interval[1])}`
}

/** The estimator's metrics of each variant that has sequences. */
const variantsText = ({ estimator, variants }: Scoreboard): ReadonlyArray<string> => {
  if (variants.length === 0) return []
  const rows = Object.keys(estimator.values)
    .filter((name) => estimator.values[name] !== null)
    .map((name) => [name, ...variants.map((variant) => cellOf(variant, name))])
  const heads = variants.map(({ name, sequences }) => `${name} (${sequences})`)
  return [tableOf([["of the estimator (sequences)", ...heads], ...rows], { numbers: true }), ""]
}

/** Reasons, with the columns and metrics that they apply to. */
const reasonsText = ({ baselines, estimator }: Scoreboard): ReadonlyArray<string> => {
  const names = new Map<string, Array<string>>()
  for (const [name, reason] of Object.entries(estimator.reasons)) {
    names.set(reason, [...names.get(reason) ?? [], name])
  }
  for (const name of baselineNames) {
    const side = baselines[name]
    if ("reason" in side) names.set(side.reason, [...names.get(side.reason) ?? [], name])
  }
  return [...names].map(([reason, of]) => `- ${of.join(", ")}: ${reason}`)
}

export const scoreboardText = (board: Scoreboard): string => {
  const { baselines, estimator, range, seconds, seeds, sequences, suite } = board
  const rows = Object.keys(estimator.values).map((name) => [
    name,
    cellOf(estimator, name),
    intervalText(estimator, name),
    ...baselineNames.map((baseline) => cellOf(baselines[baseline], name)),
  ])
  return [
    `${suite}: ${suiteOf(suite).about}`,
    `SIMULATED; seeds ${seeds.first}-${seeds.last} (${range}), ${sequences} sequences of ${seconds} s.`,
    "",
    tableOf([["", "estimator", "95 % interval", ...baselineNames], ...rows], { numbers: true }),
    "",
    ...variantsText(board),
    ...reasonsText(board),
  ].join("\n")
}
