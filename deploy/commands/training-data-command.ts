/**
 * `wavepose sim training-data`: writes the training data of the pose network, one file per person and scene.
 *
 * Boundary: `sim/training` simulates the scenes and defines the files; `sim/evaluation` defines the training seeds.
 */
import { Console, Effect, FileSystem, Path, Schema } from "effect"
import { rangeNameOf, seedRanges, seedsOf } from "../../sim/evaluation/seed-ranges.ts"
import { sequencesOf } from "../../sim/training/scenes.ts"
import { encodeSequence, trainingLayout } from "../../sim/training/sequence.ts"
import { type TrainingRoom, trainingRoomsOf } from "../../sim/training/site-rooms.ts"
import { printResult } from "./output.ts"
import { openKernels } from "../estimation/kernels.ts"
import { serviceTracker } from "../composition/service-tracker.ts"
import { InvalidArguments } from "../settings/invalid-command.ts"
import { readSites } from "../settings/site-file.ts"

export interface TrainingDataOptions {
  readonly folder: string
  readonly firstSeed: number
  readonly lastSeed: number
  /** Every Nth seed is simulated, so that processes can share a range. */
  readonly step: number
  readonly seconds: number
  /** Files of the sites whose rooms are simulated; none: each scene has a random room. */
  readonly siteFiles: ReadonlyArray<string>
  readonly json: boolean
}

/**
 * The folder has data of other scenes, or of unknown ones. A seed has its files once, so a folder holds data of one choice of rooms and one
 * length.
 */
export class ForeignFolder extends Schema.TaggedError<ForeignFolder>()("ForeignFolder", { message: Schema.String }) {}

/** The file, beside the sequences, with the length of the scenes, and the given rooms or null. */
const scenesFile = "scenes.json"

const nameOf = (seed: number, person: number): string => `${String(seed).padStart(5, "0")}-${person}.seq`

const roomsIn = Effect.fnUntraced(function* (siteFiles: ReadonlyArray<string>) {
  const sites = (yield* Effect.forEach(siteFiles, readSites)).flat()
  return sites.length === 0 ? null : yield* trainingRoomsOf(sites)
})

/** Checks that a folder has data of the same scenes only. Returns the names of its files. */
const claim = Effect.fnUntraced(function* (
  folder: string,
  scenes: { readonly seconds: number; readonly rooms: ReadonlyArray<TrainingRoom> | null },
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* files.makeDirectory(folder, { recursive: true })
  const present = new Set(yield* files.readDirectory(folder))
  const before = present.has(scenesFile) ? yield* files.readFileString(path.join(folder, scenesFile)) : null
  const wanted = JSON.stringify(scenes)
  if (before === null && [...present].some((name) => name.endsWith(".seq"))) {
    return yield* new ForeignFolder({
      message: `${folder} has data of an earlier version, which did not note the rooms and the length of its scenes. ` +
        "Use another folder.",
    })
  }
  if (before !== null && before !== wanted) {
    return yield* new ForeignFolder({
      message:
        `${folder} has data of other rooms, or of scenes of another length. Use another folder, or continue with ` +
        "the --site (or none) and the --seconds of its first run.",
    })
  }
  yield* files.writeFileString(path.join(folder, "layout.json"), JSON.stringify(trainingLayout))
  yield* files.writeFileString(path.join(folder, scenesFile), wanted)
  return present
})

/** Writes the sequences of each seed that has not all of them yet, so that an interrupted run continues. */
export const writeTrainingData = Effect.fnUntraced(function* (options: TrainingDataOptions) {
  const { firstSeed, folder, json, lastSeed, seconds, siteFiles, step } = options
  const range = rangeNameOf({ first: firstSeed, last: lastSeed })
  if (range !== "train" && range !== "validation") {
    return yield* new InvalidArguments({
      message: `Seeds ${firstSeed} to ${lastSeed} are not within one range for training: ` +
        `${seedRanges.train.first}-${seedRanges.train.last} to train, ` +
        `${seedRanges.validation.first}-${seedRanges.validation.last} to choose a checkpoint.`,
    })
  }
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const rooms = yield* roomsIn(siteFiles)
  const compute = yield* Effect.promise(() => openKernels("wasm"))
  const present = yield* claim(folder, { seconds, rooms })
  const seeds = seedsOf({ first: firstSeed, last: lastSeed }).filter((seed) => (seed - firstSeed) % step === 0)
  for (const [i, seed] of seeds.entries()) {
    if (present.has(nameOf(seed, 0))) continue
    const sequences = yield* Effect.promise(() => compute(sequencesOf(seed, seconds, rooms, serviceTracker)))
    // The last one first: a seed with a sequence of person 0 has all of them.
    for (const [person, moments] of [...sequences.entries()].reverse()) {
      // Has another name until it is complete, because training may read the folder and a stop may leave a part.
      const whole = path.join(folder, nameOf(seed, person))
      yield* files.writeFile(`${whole}.part`, encodeSequence(seed, moments))
      yield* files.rename(`${whole}.part`, whole)
    }
    yield* Console.error(`seed ${seed}: ${sequences.length} sequences (${i + 1} of ${seeds.length})`)
    yield* Effect.yieldNow
  }
  yield* printResult(json, { folder, seeds: seeds.length }, `${seeds.length} seeds are in ${folder}.`)
})
