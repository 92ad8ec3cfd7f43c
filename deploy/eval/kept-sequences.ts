/**
 * Sequences that are kept: a file with a line for each that was judged, so that an evaluation that was cut off goes on where it was.
 *
 * A line is a task and its tallies, and nothing of the code and the weights that judged it: a file is of one state of both.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs"
import { baselineNames, type SequenceTallies } from "../../sim/evaluation/scoreboard.ts"
import { poolTallies } from "../../sim/evaluation/tally.ts"
import type { TaskOf } from "./task.ts"

type JudgeTask = TaskOf<"judge">

export interface KeptSequences {
  /** What came of a task before; null for one that is not in the file. */
  readonly of: (task: JudgeTask) => SequenceTallies | null
  /** Adds what came of a task. Throws where the file cannot be written. */
  readonly add: (task: JudgeTask, tallies: SequenceTallies) => void
}

/** A file that keeps nothing. */
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

/** Reads one line; null for one that is not whole. */
const readLine = (line: string): readonly [key: string, tallies: SequenceTallies] | null => {
  try {
    const { task, tallies } = JSON.parse(line, withTypes)
    return isSequence(tallies) ? [keyOf(task), tallies] : null
  } catch {
    return null
  }
}

/** Opens a file of kept sequences, which need not be there yet. Throws where a line cannot be read. */
export const openKeptSequences = (file: string): KeptSequences => {
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const lines = whole.split("\n").slice(0, -1)
  const known = new Map(lines.map((line, i) => {
    const read = readLine(line)
    if (read === null) throw new Error(`line ${i + 1} of ${file} is no sequence of this version: take another file`)
    return read
  }))
  // The rest was cut off while it was written.
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole))
  return {
    of: (task) => known.get(keyOf(task)) ?? null,
    add: (task, tallies) => appendFileSync(file, `${JSON.stringify({ task, tallies }, withoutTypes)}\n`),
  }
}
