/**
 * Publication: gives frames their ids, stores them, and only then shows them.
 *
 * Invariants: see `environment-entity.ts`. A frame that cannot be stored is not shown; it waits and takes its id when the store is back,
 * before newer ones. At most as many frames wait as `bound` says, the oldest given up first.
 */
import { Cause, Clock, Effect, PubSub, Semaphore, Stream } from "effect"
import { defaultConfiguration } from "../../protocols/domain/configuration.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { summaryOf } from "../../protocols/domain/frame-summary.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import type { Provenance } from "../../protocols/domain/provenance.ts"
import { type PrivacySettings } from "../../protocols/domain/configuration.ts"
import { anonymousFrame } from "../../protocols/domain/privacy.ts"
import { decodePoseFrame, encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import type { Archive } from "../../protocols/messages/archive.ts"

/** Frames that wait for one watching node; the oldest give way. */
const watchBufferMax = 64
/** How long a frame waits for its archive, which itself gives its store up sooner. */
const archiveTimeout = "3 seconds"
/** How long one call may go on storing frames; the rest wait for the next one. */
const publishMsMax = 1_500
/** When frames wait and no new one comes, the store is asked again so often. */
const retryDelay = "1 second"

type ArchiveClient = ReturnType<Effect.Success<typeof Archive.client>>

/** A frame before it has its id. */
export type Draft = Omit<PoseFrame, "frameId">

interface Newest {
  readonly bytes: Uint8Array
  readonly timestampMs: number
  readonly provenance: Provenance
}

interface Waiting {
  readonly draft: Draft
  readonly shown: Effect.Effect<void>
}

const newestOf = (bytes: Uint8Array): Newest => {
  const { provenance, timestampMs } = decodePoseFrame(bytes)
  return { bytes, timestampMs, provenance }
}

const messageOf = (failure: unknown): string => failure instanceof Error ? failure.message : String(failure)

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])

/** Starts a publication after the frames that are stored already. */
export const makePublication = Effect.fnUntraced(function* (
  archive: ArchiveClient,
  privacy: Effect.Effect<PrivacySettings, StoreUnavailable>,
) {
  const stored = yield* archive.Newest()
  const scope = yield* Effect.scope
  const frames = yield* Effect.acquireRelease(PubSub.sliding<Uint8Array>(watchBufferMax), PubSub.shutdown)
  /** Who comes while somebody publishes leaves his frames to him. */
  const oneAtATime = Semaphore.makeUnsafe(1).withPermitsIfAvailable(1)
  const waiting: Array<Waiting> = []
  let lastId = stored?.frameId ?? 0
  let newest: Newest | null = stored === null || stored.body === null ? null : newestOf(stored.body)
  let storeFailure: string | null = null
  /** Frames that wait for a store that fails. */
  let waitingMax = defaultConfiguration.hardware.bufferSizeFrames
  let givenUp = 0
  let retrying = false

  /** Whether the frame is stored by this activation; false when another one goes on under these ids. */
  const append = Effect.fnUntraced(function* (frame: PoseFrame, bytes: Uint8Array) {
    const { frameId, timestampMs } = frame
    const { anonymizeData } = yield* privacy
    const body = anonymizeData ? encodePoseFrame(anonymousFrame(frame)) : bytes
    const answer = yield* archive.Append({ frameId, timestampMs, summary: summaryOf(frame), body })
    if (answer.stored) return true
    const there = yield* archive.Newest()
    // An append that was not answered in time may have been written all the same.
    if (there?.frameId === frameId && there.body !== null && sameBytes(there.body, body)) return true
    lastId = there?.frameId ?? lastId
    yield* Effect.logWarning(`frame ${frameId} was stored by another activation; this one goes on after ${lastId}`)
    return false
  })

  /** Stores and shows the oldest waiting frame; false when the store failed. */
  const publishFirst = Effect.fnUntraced(function* ({ draft, shown }: Waiting) {
    const frameId = lastId + 1
    const frame = { ...draft, frameId }
    const bytes = encodePoseFrame(frame)
    const outcome = yield* append(frame, bytes).pipe(
      Effect.timeout(archiveTimeout),
      Effect.map((own) => ({ own })),
      // An archive that breaks is a store that fails: it must not break its environment.
      Effect.catchCause((cause) => Effect.succeed({ failure: messageOf(Cause.squash(cause)) })),
    )
    if ("failure" in outcome) {
      if (storeFailure === null) {
        yield* Effect.logError(`frames are not shown, because they are not stored: ${outcome.failure}`)
      }
      storeFailure = outcome.failure
      return false
    }
    waiting.shift()
    if (!outcome.own) return true
    lastId = frameId
    newest = { bytes, timestampMs: draft.timestampMs, provenance: draft.provenance }
    yield* PubSub.publish(frames, bytes)
    yield* shown
    return true
  })

  /** Publishes what waits, in order, until the store fails or the time is over. */
  const publishWaiting = oneAtATime(Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    while (waiting.length > 0) {
      if ((yield* Clock.currentTimeMillis) - startMs > publishMsMax) break
      if (!(yield* publishFirst(waiting[0]!))) break
    }
    while (waiting.length > waitingMax) {
      waiting.shift()
      givenUp++
    }
    if (waiting.length > 0) return
    if (storeFailure !== null) yield* Effect.logInfo("frames are stored and shown again", { givenUp })
    storeFailure = null
    givenUp = 0
  }))

  const retry: Effect.Effect<void> = Effect.sleep(retryDelay).pipe(
    Effect.andThen(Effect.uninterruptible(publishWaiting)),
    Effect.repeat({ while: () => waiting.length > 0 }),
    Effect.ensuring(Effect.sync(() => void (retrying = false))),
  )

  return {
    /** Takes a frame in; `shown` follows when it is stored and shown. */
    add: (draft: Draft, shown: Effect.Effect<void>) => void waiting.push({ draft, shown }),
    /** Publishes the frames that were taken in; what the store does not take waits, and is tried again. */
    publish: Effect.gen(function* () {
      yield* publishWaiting
      if (waiting.length === 0 || retrying) return
      retrying = true
      yield* Effect.forkIn(retry, scope)
    }),
    /** How many frames may wait for a store that fails, from now on. */
    bound: (frames: number) => void (waitingMax = frames),
    newest: () => newest,
    /** How many frames wait for the store. */
    waiting: () => waiting.length,
    /** Why frames wait; null when none do. */
    storeFailure: () => storeFailure === null ? null : describe(storeFailure, waiting.length, givenUp),
    watch: Stream.fromPubSub(frames),
  }
})

const describe = (failure: string, waiting: number, givenUp: number): string =>
  `${failure} ${waiting} frames wait${givenUp === 0 ? "." : `, ${givenUp} were given up.`}`
