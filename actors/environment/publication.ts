/**
 * Publication: gives frames their ids, stores them, and only then publishes them.
 *
 * Invariants: see `open-environment.ts`. A frame that cannot be stored is not published; it waits and takes its id when the store is back,
 * before newer ones. Frames that wait are stored together; those whose storing had no answer are tried again with no others, because they may be
 * stored. At most as many frames wait as `bound` says, and the oldest are dropped first. Limit: newer frames take the ids of tried ones that were
 * dropped. If those were stored all the same, the publication takes itself for superseded. A publication that was superseded by
 * another activation drops its frames for `supersededMs`; then the other one has ended, or this one, because a node releases what it does
 * not own within seconds. If this one still lives, it claims the environment again, and no hop waits for that.
 */
import { Cause, Clock, Duration, Effect, PubSub, Schedule, type Scope, Semaphore, Stream } from "effect"
import { defaultConfiguration, type PrivacySettings } from "../../protocols/domain/configuration.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import type { Provenance } from "../../protocols/domain/provenance.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { CurrentFrameTracer, type FrameTracer, traced } from "../../protocols/ports/frame-trace.ts"
import { monotonicMs } from "../runtime/monotonic.ts"
import { archivedFrame, type Draft, isStored, type MadeFrame, madeFrame } from "./made-frame.ts"
import type { OwnArchive } from "./own-archive.ts"
import { isRepeatedMoment } from "./repeated-hops.ts"

/** Frames that wait for one subscribed node; the oldest are dropped. */
const watchBufferMax = 64
/** How long a frame waits for its archive, which waits less for its store. */
const archiveTimeout = Duration.seconds(3)
/** Frames that are stored together. On a link to the database with a round trip of 400 ms, eight come while one append takes its time. */
const togetherMax = 32
/** Longest time that one call spends on storing frames; the rest wait for the next call. */
const publishMsMax = 1_500
/** Interval at which waiting frames are tried again while no new frame comes. */
const retryDelay = "1 second"
/** How long a claim waits for the store; the next retry claims again. */
const claimTimeout = "2 seconds"

/** Longer than a node takes to notice that it has lost a shard (`runtime/cluster.ts`). */
const supersededMs = 5_000

interface Newest {
  readonly bytes: Uint8Array
  readonly timestampMs: number
  readonly provenance: Provenance
}

interface Waiting {
  readonly draft: Draft
  readonly published: Effect.Effect<void>
}

const newestOf = (bytes: Uint8Array): Newest => {
  const { provenance, timestampMs } = decodePoseFrame(bytes)
  return { bytes, timestampMs, provenance }
}

const messageOf = (failure: unknown): string => failure instanceof Error ? failure.message : String(failure)

/** The publication of one environment's frames. */
export class Publication {
  /** Starts a publication after the frames that are stored already; it lives as long as the scope in context. */
  static readonly start = Effect.fnUntraced(function* (
    archive: OwnArchive,
    privacy: Effect.Effect<PrivacySettings, StoreUnavailable>,
  ) {
    const tracer = yield* CurrentFrameTracer
    const frames = yield* Effect.acquireRelease(PubSub.sliding<Uint8Array>(watchBufferMax), PubSub.shutdown)
    const publication = new Publication(archive, privacy, frames, yield* Effect.scope, tracer)
    yield* publication.#claim()
    return publication
  })

  /** The published frames, encoded. */
  readonly watch: Stream.Stream<Uint8Array>
  readonly #archive: OwnArchive
  readonly #privacy: Effect.Effect<PrivacySettings, StoreUnavailable>
  readonly #frames: PubSub.PubSub<Uint8Array>
  readonly #scope: Scope.Scope
  readonly #tracer: FrameTracer | null
  /** A concurrent caller returns at once; the running call publishes its frames. */
  readonly #oneAtATime = Semaphore.makeUnsafe(1).withPermitsIfAvailable(1)
  readonly #waiting: Array<Waiting> = []
  /** Frames that may wait for a store that fails. */
  #waitingMax: number = defaultConfiguration.hardware.bufferSizeFrames
  #generation = 0
  #lastId = 0
  /** The last id of an append that had no answer: it may be stored. */
  #triedId = 0
  #newest: Newest | null = null
  #storeFailure: string | null = null
  #dropped = 0
  #retrying = false
  /** Null while no other activation has superseded this one. */
  #supersededUntilMs: number | null = null

  private constructor(
    archive: OwnArchive,
    privacy: Effect.Effect<PrivacySettings, StoreUnavailable>,
    frames: PubSub.PubSub<Uint8Array>,
    scope: Scope.Scope,
    tracer: FrameTracer | null,
  ) {
    this.#tracer = tracer
    this.#archive = archive
    this.#privacy = privacy
    this.#frames = frames
    this.#scope = scope
    this.watch = Stream.fromPubSub(frames)
  }

  /** The newest published frame; null before the first. */
  get newest(): Newest | null {
    return this.#newest
  }

  /** The position after the newest stored frame; null before the first, and while frames wait for the store. */
  positionIn(sessionId: string): { sessionId: string; frameId: number; timestampMs: number } | null {
    const newest = this.#newest
    if (newest === null || this.#waiting.length > 0 || this.#supersededUntilMs !== null) return null
    return { sessionId, frameId: this.#lastId, timestampMs: newest.timestampMs }
  }

  /** How many frames wait for the store. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Why frames wait; null when none do. */
  get storeFailure(): string | null {
    const failure = this.#storeFailure
    return failure === null ? null : describe(failure, this.#waiting.length, this.#dropped)
  }

  /** Sets how many frames may wait for a store that fails. */
  bound(frames: number): void {
    this.#waitingMax = frames
  }

  /** Takes a frame in; `published` runs after it is stored and published. */
  add(draft: Draft, published: Effect.Effect<void>): void {
    this.#waiting.push({ draft, published })
  }

  /** Publishes the frames that were taken in. Frames that the store does not take wait, and are tried again. */
  readonly publish = Effect.suspend(() => this.#publish())

  readonly #publish = Effect.fnUntraced({ self: this }, function* () {
    yield* this.#publishWaiting()
    if (this.#supersededUntilMs !== null) this.#dropOldest()
    if (this.#waiting.length === 0 || this.#retrying) return
    this.#retrying = true
    yield* Effect.forkIn(this.#retry(), this.#scope, { startImmediately: true })
  })

  /** Publishes the waiting frames in order, until the store fails or the time is over. */
  #publishWaiting(): Effect.Effect<unknown> {
    return this.#oneAtATime(Effect.suspend(() => this.#publishInOrder()))
  }

  /** Claims the environment for this activation, which continues after the newest stored frame. */
  readonly #claim = Effect.fnUntraced({ self: this }, function* () {
    const { generation, newest } = yield* this.#archive.Claim()
    this.#generation = generation
    this.#lastId = newest?.frameId ?? 0
    this.#triedId = 0
    this.#newest = newest === null || newest.body === null ? null : newestOf(newest.body)
  })

  /** Claims again what another activation had superseded, without the moments that it has stored; frames wait if this fails. */
  readonly #claimAgain = Effect.fnUntraced({ self: this }, function* () {
    const untilMs = this.#supersededUntilMs
    if (untilMs === null || (yield* monotonicMs) < untilMs) return
    const failure = yield* this.#claim().pipe(
      Effect.timeout(claimTimeout),
      Effect.matchCause({ onFailure: (cause) => messageOf(Cause.squash(cause)), onSuccess: () => null }),
    )
    if (failure !== null) return void (this.#storeFailure = failure)
    this.#supersededUntilMs = null
    const newestMs = this.#newest?.timestampMs ?? -Infinity
    const fresh = this.#waiting.filter(({ draft }) => !isRepeatedMoment(draft.timestampMs, newestMs))
    this.#waiting.splice(0, Infinity, ...fresh)
  })

  readonly #publishInOrder = Effect.fnUntraced({ self: this }, function* () {
    const waiting = this.#waiting
    const startMs = yield* monotonicMs
    if (this.#supersededUntilMs !== null) {
      if (startMs < this.#supersededUntilMs) this.#dropAll()
      return
    }
    while (waiting.length > 0) {
      if ((yield* monotonicMs) - startMs > publishMsMax) break
      if (!(yield* this.#publishFirst())) break
    }
    this.#dropOldest()
    if (waiting.length > 0 || this.#supersededUntilMs !== null) return
    if (this.#storeFailure !== null) {
      yield* Effect.logInfo(`frames are stored and published again dropped=${this.#dropped}`)
    }
    this.#storeFailure = null
    this.#dropped = 0
  })

  #dropOldest(): void {
    const tooMany = Math.max(0, this.#waiting.length - this.#waitingMax)
    this.#dropped += tooMany
    this.#waiting.splice(0, tooMany)
  }

  #dropAll(): void {
    this.#dropped += this.#waiting.length
    this.#waiting.length = 0
  }

  /** The oldest waiting frames, which are stored together: those that were tried, or all. */
  get #first(): ReadonlyArray<Waiting> {
    const tried = this.#triedId - this.#lastId
    return this.#waiting.slice(0, tried > 0 ? tried : togetherMax)
  }

  /** Stores and publishes the oldest waiting frames; false when the store failed, or another activation writes. */
  readonly #publishFirst = Effect.fnUntraced({ self: this }, function* () {
    const first = this.#first
    const frames = first.map(({ draft }, i) => madeFrame(draft, this.#lastId + 1 + i))
    const { environmentId } = frames[0]!.frame
    this.#triedId = frames.at(-1)!.frame.frameId
    const outcome = yield* frames.reduce(
      (append, { frame }) => traced(this.#tracer, frame, "archive")(append),
      Effect.timeout(this.#append(frames), archiveTimeout),
    ).pipe(
      Effect.map((own) => ({ own })),
      // An archive that breaks is a store that fails: it must not break its environment.
      Effect.catchCause((cause) => Effect.succeed({ failure: messageOf(Cause.squash(cause)) })),
    )
    if ("failure" in outcome) {
      if (this.#storeFailure === null) {
        yield* Effect.logError(`frames cannot be stored, they wait environment=${environmentId}: ${outcome.failure}`)
      }
      this.#storeFailure = outcome.failure
      return false
    }
    if (!outcome.own) {
      this.#dropAll()
      return false
    }
    for (const [i, { bytes, frame }] of frames.entries()) {
      this.#waiting.shift()
      this.#lastId = frame.frameId
      this.#newest = { bytes, timestampMs: frame.timestampMs, provenance: frame.provenance }
      yield* PubSub.publish(this.#frames, bytes)
      yield* first[i]!.published
      yield* this.#endTrace(frame)
    }
    return true
  })

  /** The frame is published: its trace has its root. */
  readonly #endTrace = Effect.fnUntraced({ self: this }, function* (frame: PoseFrame) {
    if (this.#tracer === null || !this.#tracer.isSampled(frame)) return
    const endNs = yield* Clock.currentTimeNanos
    const attributes = { frame_id: frame.frameId, persons: frame.persons.length }
    this.#tracer.add(frame, { stage: "frame", startNs: null, endNs, attributes })
  })

  /** Stores frames; false when another activation of the environment has superseded this one. */
  readonly #append = Effect.fnUntraced({ self: this }, function* (made: ReadonlyArray<MadeFrame>) {
    const privacy = this.#privacy
    const { anonymizeData } = yield* privacy
    const frames = made.map((one) => archivedFrame(one, this.#generation, anonymizeData))
    const answer = yield* this.#archive.Append({ frames })
    if (answer.stored) return true
    const last = frames.at(-1)!
    // An append that was not answered in time may have been written all the same.
    if (isStored(last, yield* this.#archive.Newest())) return true
    this.#supersededUntilMs = (yield* monotonicMs) + supersededMs
    this.#storeFailure = "Another node stores the frames of this environment."
    const { environmentId } = made[0]!.frame
    yield* Effect.logWarning(`another activation stores the frames environment=${environmentId} frame=${last.frameId}`)
    return false
  })

  /** Publishes what waits, after a claim if one is due. The first claim is not delayed. */
  #retry(): Effect.Effect<void> {
    const attempt = Effect.suspend(() => this.#claimAgain()).pipe(
      Effect.andThen(Effect.uninterruptible(this.#publishWaiting())),
    )
    return (this.#supersededUntilMs === null ? Effect.sleep(retryDelay) : Effect.void).pipe(
      Effect.andThen(
        Effect.repeat(attempt, { schedule: Schedule.spaced(retryDelay), while: () => this.#waiting.length > 0 }),
      ),
      Effect.ensuring(Effect.sync(() => void (this.#retrying = false))),
      Effect.asVoid,
    )
  }
}

const describe = (failure: string, waiting: number, dropped: number): string =>
  `${failure} ${waiting} frames wait${dropped === 0 ? "." : `, ${dropped} were dropped.`}`
