/**
 * `npm run eval`: evaluates the estimator on simulated sequences that it was not trained on.
 *
 *     npm run eval -- [--suite NAME] [--seeds A-B] [--json]    one suite, or all; --no-baselines needs half the time
 *     npm run eval -- --recordings DIR [--labels FILE]         presence, motion and breathing on real captures
 *     npm run eval -- --mean-poses --seeds A-B                 the mean poses of the baselines, from training seeds
 *
 * A separate entry, which the service does not load. Stdout has the tables or, with --json, one JSON object per suite; progress is on
 * stderr. Without --json, results and plots are written to test/bench/results/eval.
 */
import "../../actors/runtime/deno-fibers.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { seedRanges } from "../../sim/evaluation/seed-ranges.ts"
import { suiteNames } from "../../sim/evaluation/suites.ts"
import { runProcess } from "../command-line/exit-status.ts"
import { computeMeanPoses, printJson, printTables } from "./evaluate.ts"
import { kernelChoices } from "../estimation/kernels.ts"
import { parseSeeds } from "./options.ts"
import { judgeRecordings } from "./recordings/command.ts"
import { version } from "../composition/version.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const resultsFolder = join(root, "test", "bench", "results", "eval")
const { first } = seedRanges.test
const defaultSeeds = `${first}-${first + 23}`

const evaluation = Command.make(
  "eval",
  {
    suite: Flag.Literals("suite", suiteNames).pipe(
      Flag.withDescription("Suite of sequences; default all suites"),
      Flag.optional,
    ),
    seeds: Flag.String("seeds").pipe(
      Flag.withDescription(
        "Range of seeds A-B, one sequence each; 1-9999 train, 10000-19999 validate, the others test",
      ),
      Flag.withDefault(defaultSeeds),
    ),
    seconds: Flag.Int("seconds").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))),
      Flag.withDescription("Length of a sequence; default that of the suite"),
      Flag.optional,
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object per suite, and write no files"),
      Flag.withDefault(false),
    ),
    baselines: Flag.Boolean("baselines").pipe(
      Flag.withDescription("Evaluate the baselines beside the estimator"),
      Flag.withDefault(true),
    ),
    resume: Flag.String("resume").pipe(
      Flag.withDescription("File of finished sequences, from which an interrupted run continues"),
      Flag.optional,
    ),
    meanPoses: Flag.Boolean("mean-poses").pipe(
      Flag.withDescription("Compute the mean poses of the baselines from training seeds instead"),
      Flag.withDefault(false),
    ),
    workers: Flag.Int("workers").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
      Flag.withDescription("Number of sequences that run in parallel; the results do not depend on it"),
      Flag.withDefault(Math.min(64, availableParallelism())),
    ),
    kernels: Flag.Literals("kernels", kernelChoices).pipe(
      Flag.withDescription("Backend of the kernels"),
      Flag.withDefault("wasm"),
    ),
    recordings: Flag.String("recordings").pipe(
      Flag.withDescription("Judge presence, motion and breathing on the real captures below this folder instead"),
      Flag.optional,
    ),
    labels: Flag.String("labels").pipe(
      Flag.withDescription(
        "CSV of what the recordings hold: file,room,link,state,from_s,until_s,breathing_per_minute with the states " +
          "empty, moving, still and phantom; without it, public recordings are known by their names",
      ),
      Flag.optional,
    ),
    out: Flag.String("out").pipe(
      Flag.withDescription(
        "Folder for results and plots; default that of the repository, and none with --recordings",
      ),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ baselines, json, kernels, meanPoses, out, resume, seconds, seeds, suite, workers, ...real }) {
    if (Option.isSome(real.recordings)) {
      return yield* judgeRecordings({
        folder: real.recordings.value,
        labels: Option.getOrNull(real.labels),
        json,
        out: Option.getOrNull(out),
      })
    }
    const options = {
      seeds: yield* parseSeeds(seeds),
      seconds: Option.getOrNull(seconds),
      baselines,
      resume: Option.getOrNull(resume),
      workers,
      kernels,
    }
    const suites = Option.match(suite, { onNone: () => suiteNames, onSome: (name) => [name] })
    if (meanPoses) yield* computeMeanPoses(options)
    else if (json) yield* printJson(suites, options)
    else yield* printTables(suites, Option.getOrElse(out, () => resultsFolder), options)
  }),
).pipe(Command.withDescription("Evaluate the estimator on simulated sequences"))

evaluation.pipe(
  Command.run({ version }),
  Effect.provide(NodeServices.layer),
  (program) => runProcess(program, "text"),
)
