/**
 * The work of `npm run eval`: runs the sequences of suites, and prints and writes the results.
 */
import { Console, Effect } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { addPoseSums, emptyPoseSums, meanPosesOf } from "../../sim/evaluation/mean-pose.ts"
import { type Scoreboard, scoreboardOf } from "../../sim/evaluation/scoreboard.ts"
import { type SeedRange, seedsOf, trainingSeeds } from "../../sim/evaluation/seed-ranges.ts"
import { type SuiteName, suiteOf } from "../../sim/evaluation/suites.ts"
import type { EvaluationKernels } from "../estimation/kernels.ts"
import { keptNowhere, type KeptSequences, openKeptSequences } from "./kept-sequences.ts"
import { InvalidArguments } from "../settings/invalid-command.ts"
import { EvaluationFailed } from "./options.ts"
import { scoreboardPlot } from "./plots.ts"
import { scoreboardJson } from "./report-json.ts"
import { scoreboardText } from "./report-text.ts"
import { loadDrawSvg } from "./svg.ts"
import type { Results, TaskKind, TaskOf } from "./task.ts"
import { runTasks } from "./workers.ts"

interface EvaluationOptions {
  readonly seeds: SeedRange
  /** Length of a sequence; null: that of the suite. */
  readonly seconds: number | null
  /** Whether the baselines are evaluated too. */
  readonly baselines: boolean
  /** The file of finished sequences; null: none. */
  readonly resume: string | null
  readonly workers: number
  readonly kernels: EvaluationKernels
}

/** Default length of a sequence for the mean poses. */
const posesSeconds = 60

const meanPosesFile = fileURLToPath(new URL("../../sim/evaluation/mean-poses.json", import.meta.url))

const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Runs tasks in workers, with progress on stderr. */
const run = <K extends TaskKind>(
  label: string,
  tasks: ReadonlyArray<TaskOf<K>>,
  { kernels, workers }: EvaluationOptions,
  keep: (task: TaskOf<K>, result: Results[K]) => void = () => {},
): Effect.Effect<ReadonlyArray<Results[K]>, EvaluationFailed> =>
  Effect.tryPromise({
    try: (signal) => {
      let done = 0
      const onDone = (task: TaskOf<K>, result: Results[K]): void => {
        keep(task, result)
        done++
        const line = `eval: ${label} ${done}/${tasks.length}`
        process.stderr.write(process.stderr.isTTY ? `\r${line}${done === tasks.length ? "\n" : ""}` : `${line}\n`)
      }
      return runTasks(tasks, { count: workers, kernels, onDone, signal })
    },
    catch: (cause) => new EvaluationFailed({ message: messageOf(cause) }),
  })

const keep = (file: string, data: string): Effect.Effect<void, EvaluationFailed> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, data)
    },
    catch: (cause) => new EvaluationFailed({ message: `${file} cannot be written: ${messageOf(cause)}` }),
  })

const openKept = ({ resume }: EvaluationOptions): Effect.Effect<KeptSequences, EvaluationFailed> =>
  Effect.try({
    try: () => resume === null ? keptNowhere : openKeptSequences(resume),
    catch: (cause) => new EvaluationFailed({ message: messageOf(cause) }),
  })

/** Evaluates one suite. */
const judge = Effect.fnUntraced(function* (
  suite: SuiteName,
  options: EvaluationOptions,
  kept: KeptSequences,
): Effect.fn.Return<Scoreboard, EvaluationFailed> {
  const { baselines, seeds } = options
  const seconds = options.seconds ?? suiteOf(suite).seconds
  const tasks = seedsOf(seeds).map((seed) => ({ kind: "judge" as const, suite, seed, seconds, baselines }))
  const known = tasks.flatMap((task) => kept.of(task) ?? [])
  const rest = tasks.filter((task) => kept.of(task) === null)
  const judged = rest.length === 0 ? [] : yield* run(suite, rest, options, kept.add)
  return scoreboardOf({ suite, seeds, seconds }, [...known, ...judged])
})

/** Evaluates suites and prints one JSON object per suite and line. */
export const printJson = Effect.fnUntraced(function* (
  suites: ReadonlyArray<SuiteName>,
  options: EvaluationOptions,
) {
  const kept = yield* openKept(options)
  for (const suite of suites) {
    const board = yield* judge(suite, options, kept)
    yield* Console.log(JSON.stringify(scoreboardJson(board, options.kernels)))
  }
})

/** Evaluates suites, prints their tables, and writes each as JSON and as an SVG plot to a folder. */
export const printTables = Effect.fnUntraced(function* (
  suites: ReadonlyArray<SuiteName>,
  folder: string,
  options: EvaluationOptions,
) {
  const kept = yield* openKept(options)
  const drawSvg = yield* loadDrawSvg
  for (const suite of suites) {
    const board = yield* judge(suite, options, kept)
    yield* keep(join(folder, `${suite}.json`), `${JSON.stringify(scoreboardJson(board, options.kernels), null, 2)}\n`)
    yield* keep(join(folder, `${suite}.svg`), `${yield* drawSvg(scoreboardPlot(board))}\n`)
    yield* Console.log(`${scoreboardText(board)}\n`)
  }
})

/** Computes the mean poses of the baselines from training seeds and writes their file. */
export const computeMeanPoses = Effect.fnUntraced(function* (options: EvaluationOptions) {
  if (options.resume !== null) {
    return yield* new InvalidArguments({
      message: "--resume stores evaluated sequences, but --mean-poses evaluates none. Omit one of them.",
    })
  }
  const seeds = yield* Effect.try({
    try: () => trainingSeeds(options.seeds),
    catch: (cause) => new InvalidArguments({ message: messageOf(cause) }),
  })
  const parts = yield* run(
    "mean poses",
    seeds.map((seed) => ({ kind: "poses" as const, seed, seconds: options.seconds ?? posesSeconds })),
    options,
  )
  const sums = emptyPoseSums()
  for (const part of parts) addPoseSums(sums, part)
  const poses = yield* Effect.try({
    try: () => meanPosesOf(sums, options.seeds),
    catch: (cause) => new EvaluationFailed({ message: messageOf(cause) }),
  })
  yield* keep(meanPosesFile, `${JSON.stringify(poses, null, 2)}\n`)
  yield* Console.log(`mean poses of ${poses.persons} persons in single hops: ${meanPosesFile}`)
})
