/**
 * Publication: gives frames their ids, stores them, and only then shows them.
 *
 * Invariants: see `shell.ts`. A frame that cannot be stored is not shown, and its id is given to the next one.
 */
import { Effect, PubSub, Stream } from "effect"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import { decodePoseFrame, encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import type { Archive } from "../../protocols/messages/archive.ts"

/** Frames that wait for one watching node; the oldest give way. */
const watchBufferMax = 64
/** How long a frame waits for its archive. */
const archiveTimeout = "3 seconds"

type ArchiveClient = ReturnType<Effect.Success<typeof Archive.client>>

export interface Newest {
  readonly bytes: Uint8Array
  readonly timestampMs: number
}

/** Starts a publication after the frames that are stored already. */
export const makePublication = Effect.fnUntraced(function* (archive: ArchiveClient) {
  const frames = yield* Effect.acquireRelease(PubSub.sliding<Uint8Array>(watchBufferMax), PubSub.shutdown)
  const stored = yield* archive.Newest()
  let lastId = stored?.frameId ?? 0
  let newest: Newest | null = stored === null ? null : { bytes: stored.body, timestampMs: stored.timestampMs }
  let storeFailure: string | null = null

  /** Stores and shows a frame; answers false when it could not be stored. */
  const publish = Effect.fnUntraced(function* (draft: Omit<PoseFrame, "frameId">) {
    const frameId = lastId + 1
    const { timestampMs } = draft
    const bytes = encodePoseFrame({ ...draft, frameId })
    const outcome = yield* archive.Append({
      frameId,
      timestampMs,
      personCount: draft.persons.length,
      body: bytes,
    }).pipe(
      Effect.timeout(archiveTimeout),
      Effect.catch((error) => Effect.succeed({ failure: error.message })),
    )
    if ("failure" in outcome) {
      if (storeFailure === null) {
        yield* Effect.logError(`frames are not shown, because they are not stored: ${outcome.failure}`)
      }
      storeFailure = outcome.failure
      return false
    }
    if (!outcome.stored) {
      // Another activation went on under these ids: follow it.
      lastId = (yield* Effect.orDie(archive.Newest()))?.frameId ?? lastId
      yield* Effect.logWarning(`frame ${frameId} was stored by another activation; this one goes on after ${lastId}`)
      return false
    }
    storeFailure = null
    lastId = frameId
    newest = { bytes, timestampMs }
    yield* PubSub.publish(frames, bytes)
    return true
  })

  return {
    publish,
    newest: () => newest,
    storeFailure: () => storeFailure,
    /** Persons of the newest frame, for status answers. */
    newestFrame: () => newest === null ? null : decodePoseFrame(newest.bytes),
    watch: Stream.fromPubSub(frames),
  }
})
