/**
 * The file of a live recording: batches are appended, labels and routers are written into the header in place.
 *
 * Invariant: a process that ends at any moment leaves a file that can be read up to its last complete batch, with the labels so far.
 */
import { Effect, type Scope } from "effect"
import { type FileHandle, open } from "node:fs/promises"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import {
  encodeRecordedBatch,
  encodeRecordingHeader,
  headerBytesMax,
  type RecordingLabel,
  type RecordingTooWide,
} from "../../sim/recording/recording.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { UnwritableFile } from "./unwritable-file.ts"

/** Space of the header: 150 to 1,100 labels, by their length, and 64 routers. */
const headerBytes = headerBytesMax
/** The part of it that labels leave to routers that are heard later. */
const routerBytes = 8_192

interface LiveRecordingOptions {
  readonly file: string
  readonly environment: Environment
  readonly note: string | null
  /** What is in the room at the beginning; null: not known. */
  readonly label: string | null
  /** The beginning, microseconds since the Unix epoch. */
  readonly startUs: number
}

/** A recording in progress. */
interface LiveRecording {
  /** Appends batches, whose times count from the Unix epoch. */
  readonly write: (batches: ReadonlyArray<CsiBatch>) => Effect.Effect<void, UnwritableFile | RecordingTooWide>
  /** From now on the room holds something else. Once the header is full, what it holds is not noted, with a warning. */
  readonly label: (label: string, atUs: number) => Effect.Effect<void, UnwritableFile | RecordingTooWide>
  readonly labels: () => ReadonlyArray<RecordingLabel>
  readonly bytes: () => number
}

const openNew = (file: string): Effect.Effect<FileHandle, UnwritableFile, Scope.Scope> =>
  Effect.acquireRelease(
    // A recording cannot be repeated, so an existing file is never replaced.
    Effect.tryPromise({ try: () => open(file, "wx"), catch: (cause) => UnwritableFile.of(file, cause) }),
    (handle) => Effect.promise(() => handle.close()),
  )

/** Creates the file of a recording. */
export const openLiveRecording = Effect.fnUntraced(function* (
  options: LiveRecordingOptions,
): Effect.fn.Return<LiveRecording, UnwritableFile | RecordingTooWide, Scope.Scope> {
  const { environment, file, label: firstLabel, note, startUs } = options
  const routers = new Set<string>()
  let labels: ReadonlyArray<RecordingLabel> = firstLabel === null ? [] : [{ label: firstLabel, fromS: 0, untilS: null }]
  let position = headerBytes

  const headerWith = (labels: ReadonlyArray<RecordingLabel>, lengthBytes: number) =>
    encodeRecordingHeader({
      scenarioId: null,
      seed: null,
      emptySeconds: 0,
      sites: [{ ...environment, routers: [...routers].sort() }],
      capture: { recordedAt: new Date(startUs / 1000).toISOString(), note, labels },
    }, lengthBytes)

  // A header that does not fit leaves no file behind.
  yield* headerWith(labels, headerBytes - routerBytes)
  const handle = yield* openNew(file)

  const writeAt = (bytes: Uint8Array, at: number) =>
    Effect.tryPromise({
      try: () => handle.write(bytes, 0, bytes.length, at),
      catch: (cause) => UnwritableFile.of(file, cause),
    })

  const writeHeader = Effect.suspend(() => headerWith(labels, headerBytes)).pipe(
    Effect.flatMap((bytes) => writeAt(bytes, 0)),
    Effect.asVoid,
  )

  yield* writeHeader

  return {
    labels: () => labels,
    bytes: () => position,
    write: Effect.fnUntraced(function* (batches) {
      const before = routers.size
      for (const batch of batches) {
        routers.add(batch.routerId)
        const relative = { ...batch, timestampsUs: batch.timestampsUs.map((us) => Math.max(0, us - startUs)) }
        const bytes = encodeRecordedBatch(relative)
        yield* writeAt(bytes, position)
        position += bytes.length
      }
      if (routers.size > before) yield* writeHeader
    }),
    label: Effect.fnUntraced(function* (label, atUs) {
      const atS = Math.round(Math.max(0, atUs - startUs) / 1e3) / 1e3
      const ended = labels.map((one) => one.untilS === null ? { ...one, untilS: atS } : one)
      const more = [...ended, { label, fromS: atS, untilS: null }]
      const fits = (yield* Effect.result(headerWith(more, headerBytes - routerBytes)))._tag === "Success"
      if (!fits) {
        yield* Effect.logWarning("label left out: the recording has no room for more", { label, labels: ended.length })
      }
      labels = fits ? more : ended
      yield* writeHeader
    }),
  }
})
