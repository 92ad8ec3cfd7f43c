/**
 * `wavepose sim training-data`: writes what the pose network learns from, a file a person and scene.
 *
 * Boundary: what is simulated and what a file holds is `sim/training`; which seeds may be trained on is `sim/evaluation`.
 */
import { Console, Effect, FileSystem, Path, Schema } from "effect"
import { rangeNameOf, seedRanges, seedsOf } from "../sim/evaluation/seed-ranges.ts"
import { sequencesOf } from "../sim/training/scenes.ts"
import { encodeSequence, trainingLayout } from "../sim/training/sequence.ts"

export interface TrainingDataOptions {
  readonly folder: string
  readonly firstSeed: number
  readonly lastSeed: number
  /** Every so manieth seed, so that processes can share a range. */
  readonly step: number
  readonly seconds: number
}

/** Seeds that must not be learned from. */
export class ForeignSeeds extends Schema.TaggedError<ForeignSeeds>()("ForeignSeeds", { message: Schema.String }) {}

const nameOf = (seed: number, person: number): string => `${String(seed).padStart(5, "0")}-${person}.seq`

/** Writes the sequences of each seed that has none yet; goes on where it was stopped. */
export const writeTrainingData = Effect.fnUntraced(function* (options: TrainingDataOptions) {
  const { firstSeed, folder, lastSeed, seconds, step } = options
  const range = rangeNameOf({ first: firstSeed, last: lastSeed })
  if (range !== "train" && range !== "validation") {
    return yield* new ForeignSeeds({
      message: `Seeds ${firstSeed} to ${lastSeed} are not of one range that may be learned from: ` +
        `${seedRanges.train.first}-${seedRanges.train.last} to train, ` +
        `${seedRanges.validation.first}-${seedRanges.validation.last} to choose a checkpoint.`,
    })
  }
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* files.makeDirectory(folder, { recursive: true })
  yield* files.writeFileString(path.join(folder, "layout.json"), JSON.stringify(trainingLayout))
  const present = new Set(yield* files.readDirectory(folder))
  const seeds = seedsOf({ first: firstSeed, last: lastSeed }).filter((seed) => (seed - firstSeed) % step === 0)
  for (const [i, seed] of seeds.entries()) {
    if (present.has(nameOf(seed, 0))) continue
    const sequences = sequencesOf(seed, seconds)
    for (const [person, moments] of sequences.entries()) {
      yield* files.writeFile(path.join(folder, nameOf(seed, person)), encodeSequence(seed, moments))
    }
    yield* Console.error(`seed ${seed}: ${sequences.length} sequences (${i + 1} of ${seeds.length})`)
    yield* Effect.yieldNow
  }
})
