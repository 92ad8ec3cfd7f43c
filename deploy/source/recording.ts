/**
 * One recording as a feed of CSI batches, each within one hop, rebased onto a start time.
 *
 * Owns the file, its decoder and the log of its faults. Boundary: formats are in `core/formats`; several recordings are
 * merged in `replay.ts`. Invariant: at most one chunk of the file and what it decodes to is held.
 */
import { Data, Effect, type Scope } from "effect"
import { type FileHandle, open } from "node:fs/promises"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { CaptureDecoder, DecodeResult } from "../../core/formats/decoder.ts"
import { createCaptureDecoder, detectFormat, detectionBytes } from "../../core/formats/detect-format.ts"
import { hopOf } from "../../core/signal/observation.ts"
import { splitByHop } from "./play.ts"

/** A file that cannot be read or holds no capture of a known format. */
export class UnreadableRecording extends Data.TaggedError("UnreadableRecording")<{
  readonly file: string
  readonly message: string
}> {}

/** The batches of one recording, in the order of time. */
export interface Recording {
  /** The hop of the batch that comes next; null when there is none. */
  readonly nextHop: Effect.Effect<number | null, UnreadableRecording>
  /** Takes every batch up to and with this hop. */
  readonly take: (hop: number) => Effect.Effect<ReadonlyArray<CsiBatch>, UnreadableRecording>
  /** Faults of the capture so far. */
  readonly faults: () => number
}

export interface RecordingOptions {
  readonly file: string
  readonly routerId: string
  /** What the first packet's time becomes, microseconds since the Unix epoch. */
  readonly startUs: number
  /** Sequence of the first batch. */
  readonly batchSequence: number
}

/** Faults of one recording that are written to the log; the others are counted. */
const loggedMax = 10

/** Opens a recording; its file is closed with the scope. */
export const openRecording = Effect.fnUntraced(function* (
  { batchSequence, file, routerId, startUs }: RecordingOptions,
): Effect.fn.Return<Recording, UnreadableRecording, Scope.Scope> {
  const handle = yield* Effect.acquireRelease(
    attempt(file, () => open(file)),
    (handle) => Effect.promise(() => handle.close()),
  )
  const head = yield* readChunk(handle, file)
  const format = detectFormat(head)
  if (format === null) {
    return yield* new UnreadableRecording({
      file,
      message: `"${file}" is no capture of a known format. Name a recording that the service can decode.`,
    })
  }
  const decoder: CaptureDecoder = createCaptureDecoder(format, { routerId, source: "replay" })
  const ready: Array<CsiBatch> = []
  let sequence = batchSequence
  let faults = 0
  let ended = false
  let chunk: Uint8Array | null = head

  const accept = (result: DecodeResult): Effect.Effect<void> => {
    for (const batch of result.batches) {
      const rebased = { ...batch, timestampsUs: batch.timestampsUs.map((us) => us + startUs) }
      for (const part of splitByHop(rebased)) ready.push({ ...part, batchSequence: sequence++ })
    }
    const shown = result.faults.slice(0, Math.max(0, loggedMax - faults))
    faults += result.faults.length + result.faultsOmitted
    return Effect.forEach(
      shown,
      ({ message, offset, reason }) => Effect.logWarning(`${file}: left out at byte ${offset} (${reason}): ${message}`),
      { discard: true },
    )
  }

  /** Reads on until there is a batch or the file has ended. */
  const fill = Effect.gen(function* () {
    while (ready.length === 0 && !ended) {
      const bytes: Uint8Array = chunk ?? (yield* readChunk(handle, file))
      chunk = null
      ended = bytes.length === 0
      yield* accept(ended ? decoder.end() : decoder.push(bytes))
    }
  })

  const nextHop = Effect.map(fill, () => ready.length === 0 ? null : hopOf(ready[0]!.timestampsUs[0]!))

  const take = Effect.fnUntraced(function* (hop: number) {
    const taken: Array<CsiBatch> = []
    for (let next = yield* nextHop; next !== null && next <= hop; next = yield* nextHop) taken.push(ready.shift()!)
    return taken
  })

  return { nextHop, take, faults: () => faults }
})

const readChunk = (handle: FileHandle, file: string): Effect.Effect<Uint8Array, UnreadableRecording> =>
  attempt(file, async () => {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(detectionBytes), 0, detectionBytes)
    return buffer.subarray(0, bytesRead)
  })

const attempt = <A>(file: string, use: () => Promise<A>): Effect.Effect<A, UnreadableRecording> =>
  Effect.tryPromise({
    try: use,
    catch: (error) =>
      new UnreadableRecording({
        file,
        message: `"${file}" cannot be read: ${error instanceof Error ? error.message : error}`,
      }),
  })
