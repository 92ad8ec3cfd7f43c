/**
 * Writes a simulation to a file, and its ground truth to another.
 *
 * Owns the two files and the pace. Boundary: `sim/recording/recording.ts` defines their format. Memory holds one hop at a time.
 */
import { Clock, Effect, type Scope } from "effect"
import { type FileHandle, open } from "node:fs/promises"
import {
  encodeRecordedBatch,
  encodeRecordingHeader,
  type RecordingTooWide,
  truthFileOf,
  truthLine,
} from "../../sim/recording/recording.ts"
import type { Scenario } from "../../sim/scenario/scenario.ts"
import { createSimulation } from "../../sim/simulation/simulation.ts"
import { scenarioEnrolments } from "./simulate.ts"
import { UnwritableFile } from "./unwritable-file.ts"

interface RecordOptions {
  readonly file: string
  readonly hops: number
  /** Event seconds per second; null: as fast as possible. */
  readonly speed: number | null
  /** Receives the completed share after every hop. */
  readonly progressed: (share: number) => void
}

/** The size of a written recording. */
interface Recorded {
  readonly frames: number
  readonly bytes: number
}

const create = (file: string): Effect.Effect<FileHandle, UnwritableFile, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(file, "w"), catch: (cause) => UnwritableFile.of(file, cause) }),
    (handle) => Effect.promise(() => handle.close()),
  )

const writer = (file: string, handle: FileHandle) => (bytes: Uint8Array) =>
  Effect.tryPromise({ try: () => handle.writeFile(bytes), catch: (cause) => UnwritableFile.of(file, cause) })

const concatenate = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Records a scenario from time 0. Replaces existing files. */
export const recordSimulation = Effect.fnUntraced(function* (
  scenario: Scenario,
  { file, hops, progressed, speed }: RecordOptions,
): Effect.fn.Return<Recorded, UnwritableFile | RecordingTooWide, Scope.Scope> {
  const header = yield* encodeRecordingHeader({
    scenarioId: scenario.scenarioId,
    seed: scenario.seed,
    emptySeconds: scenario.emptySeconds,
    sites: scenarioEnrolments(scenario).map(({ environment, routerIds }) => ({ ...environment, routers: routerIds })),
  })
  const truthFile = truthFileOf(file)
  const write = writer(file, yield* create(file))
  const writeTruth = writer(truthFile, yield* create(truthFile))
  yield* write(header)
  const beganMs = yield* Clock.currentTimeMillis
  const simulation = createSimulation(scenario, { startUs: 0 })
  let frames = 0
  let bytes = header.length
  for (let hop = 1; hop <= hops; hop++) {
    const { batches, endUs, truth } = simulation.next()
    if (speed !== null) {
      const dueMs = beganMs + endUs / 1000 / speed
      const nowMs = yield* Clock.currentTimeMillis
      if (dueMs > nowMs) yield* Effect.sleep(dueMs - nowMs)
    }
    const encoded = concatenate(batches.map(encodeRecordedBatch))
    yield* write(encoded)
    yield* writeTruth(new TextEncoder().encode(truthLine(endUs, truth)))
    frames += batches.reduce((sum, { frameCount }) => sum + frameCount, 0)
    bytes += encoded.length
    progressed(hop / hops)
  }
  return { frames, bytes }
})
