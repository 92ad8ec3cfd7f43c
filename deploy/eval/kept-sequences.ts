/**
 * The file of finished sequences: one line per evaluated sequence, so that an interrupted evaluation continues.
 *
 * A line is a task and its tallies. It does not name the code or the weights, so a file is valid for one version of both.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs"
import { baselineNames, type SequenceTallies } from "../../sim/evaluation/scoreboard.ts"
import { poolTallies } from "../../sim/evaluation/tally.ts"
import type { TaskOf } from "./task.ts"

type JudgeTask = TaskOf<"judge">

export interface KeptSequences {
  /** The tallies of a task; null if it is not in the file. */
  readonly of: (task: JudgeTask) => SequenceTallies | null
  /** Adds the tallies of a task. Throws if the file cannot be written. */
  readonly add: (task: JudgeTask, tallies: SequenceTallies) => void
}

/** Stores nothing. */
export const keptNowhere: KeptSequences = { of: () => null, add: () => {} }

const keyOf = ({ baselines, seconds, seed, suite }: JudgeTask): string =>
  JSON.stringify([suite, seed, seconds, baselines])

const withoutTypes = (_: string, value: unknown): unknown => value instanceof Float64Array ? Array.from(value) : value
const withTypes = (_: string, value: unknown): unknown => Array.isArray(value) ? Float64Array.from(value) : value

const empty = Object.entries(poolTallies([]))
const isTally = (value: unknown): boolean =>
  typeof value === "object" && value !== null && empty.every(([name, sums]) => {
    const there = Reflect.get(value, name)
    return there instanceof Float64Array && there.length === sums.length && there.every(Number.isFinite)
  })

const isSequence = (value: unknown): value is SequenceTallies => {
  const { baselines, estimator } = Object(value)
  return isTally(estimator) && baselineNames.every((name) => {
    const baseline = Object(baselines)[name]
    return isTally(baseline) || typeof Object(baseline).reason === "string"
  })
}

/** Reads one line; null if it is invalid. */
const readLine = (line: string): readonly [key: string, tallies: SequenceTallies] | null => {
  try {
    const { task, tallies } = JSON.parse(line, withTypes)
    return isSequence(tallies) ? [keyOf(task), tallies] : null
  } catch {
    return null
  }
}

/** Opens a file, which need not exist. Throws if a line is invalid. */
export const openKeptSequences = (file: string): KeptSequences => {
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const lines = whole.split("\n").slice(0, -1)
  const known = new Map(lines.map((line, i) => {
    const read = readLine(line)
    if (read === null) throw new Error(`line ${i + 1} of ${file} is not a sequence of this version: use another file`)
    return read
  }))
  // The last line was interrupted while it was written.
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole))
  return {
    of: (task) => known.get(keyOf(task)) ?? null,
    add: (task, tallies) => appendFileSync(file, `${JSON.stringify({ task, tallies }, withoutTypes)}\n`),
  }
}
