/**
 * An open environment: assembles its routers' observations into hops, estimates each hop and publishes its pose frame.
 *
 * Boundary: the persons of a hop are `estimator.ts`, their activities `activity-watch.ts`; storing and publishing is `publication.ts`,
 * `event-log.ts` and `track-log.ts`; opening and closing is `environment-life.ts`.
 *
 * Invariants:
 * 1. A frame is published only after it is stored: every frame that a client has seen is in the history, whichever node fails.
 * 2. `frameId` counts stored frames without a gap, across restarts and moves to another node.
 * 3. Time in a frame is event time: the same observations give the same frame.
 * 4. A moment of a session has one frame, whatever routers send again after a move (`repeated-hops.ts`).
 */
import { Clock, Effect } from "effect"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import type { PoseNetwork } from "../../core/pose/network.ts"
import type { NoFrames, SystemNotRunning } from "../../protocols/domain/failure.ts"
import { traced } from "../../protocols/ports/frame-trace.ts"
import type { Provenance } from "../../protocols/domain/provenance.ts"
import type { EnvironmentStatus, StartOptions } from "../../protocols/domain/system.ts"
import type { TrackRecord } from "../../protocols/domain/track.ts"
import { decodeObservation } from "../../protocols/grpc/observation.ts"
import type { RoomReading } from "../../protocols/messages/edge-node.ts"
import { runMachine, type RunningMachine } from "../runtime/machine.ts"
import { networkOf, networkOrOwn } from "../runtime/pose/pose-models.ts"
import { SessionStore } from "../store/session/sessions.ts"
import { acknowledge } from "./acknowledgement.ts"
import { describeEnvironment, isCurrent, noFramesFor, noFramesReasonOf, stoppedFor } from "./environment-status.ts"
import type { Hop } from "./hop-assembler.ts"
import { logDroppedEvents } from "./environment-log.ts"
import { environmentMachine } from "./machine.ts"
import { openParts, type Parts } from "./parts.ts"
import { noRepeatedHops, repeatedHops } from "./repeated-hops.ts"
import { restoredSession } from "./restored-session.ts"
import { roomReadingOf } from "./room-reading.ts"
import { continueSite, readSite, type Site, withRetries } from "./site.ts"

type Session = NonNullable<ReturnType<typeof restoredSession>>

export class OpenEnvironment {
  /** Opens a known environment in the scope in context, and continues the stored session. */
  static readonly open = Effect.fnUntraced(function* (environmentId: string) {
    // At once: while an environment moves to this node, its clients wait for each of these reads.
    const [site, stored, parts] = yield* Effect.all([
      readSite(environmentId),
      withRetries((yield* SessionStore).load),
      openParts(environmentId),
    ], { concurrency: "unbounded" })
    const session = restoredSession(stored, environmentId)
    const environment = new OpenEnvironment(site, parts)
    environment.#machine = yield* runMachine(environmentMachine, {
      perform: (action) => environment.#perform(action.type),
    })
    yield* environment.#resume(session)
    yield* Effect.addFinalizer(() => parts.leave(environment.#site, () => environment.#position, environment.#endHops))
    yield* Effect.logInfo(`environment started id=${environmentId} routers=${site.routers.length}`)
    return environment
  })

  /** Every frame from now on, encoded. */
  readonly frames: Parts["publication"]["watch"]
  /** The alerts, their changes, and a null as a heartbeat. */
  readonly alerts: Parts["log"]["watch"]
  readonly #parts: Parts
  /** The newest observation of each router. */
  readonly #newest = new Map<string, Observation>()
  #machine!: RunningMachine<typeof environmentMachine>
  #site: Site
  #lastHop = -Infinity
  #lastObservationMs: number | null = null
  /** Time of the network for the last hop with persons; null before one, and without a network. */
  #inferenceTimeMs: number | null = null
  /** Whether this session has published a frame: one of an earlier session is not the newest frame of this one. */
  #publishedInSession = false
  /** Whether the last activation has stored the frame of a hop. */
  #isRepeated = noRepeatedHops
  /** What the last hop says about the room, for its edge nodes. */
  #room: RoomReading | null = null

  private constructor(site: Site, parts: Parts) {
    this.#site = site
    this.#parts = parts
    this.frames = parts.publication.watch
    this.alerts = parts.log.watch
  }

  /** Reads what a session needs; returns the change that starts it, or gives the running one new options. */
  readonly activate = Effect.fnUntraced({ self: this }, function* (sessionId: string, options: StartOptions) {
    const { environmentId, log, trackLog } = this.#parts
    const network = yield* networkOf(options.neuralNetwork)
    const next = this.#sessionId === sessionId ? null : yield* readSite(environmentId)
    return Effect.gen({ self: this }, function* () {
      if (next !== null) {
        yield* log.add(this.#site.watch.stop())
        trackLog.end(this.#site.estimator.trackRecords)
        this.#site = next
      }
      yield* this.#enter(sessionId, options, network)
    })
  })

  /** Reads the environment again; returns the change that continues the session with it. */
  readonly reload = Effect.fnUntraced({ self: this }, function* () {
    const { environmentId, log, trackLog } = this.#parts
    const read = yield* readSite(environmentId)
    return Effect.suspend(() => {
      const { ended, events, site } = continueSite(this.#site, read)
      trackLog.end(ended)
      this.#site = site
      return log.add(events)
    })
  })

  /** Ends the session. */
  readonly deactivate = Effect.suspend(() => this.#machine.send({ type: "DEACTIVATE" }))

  /** Takes observations, and publishes the frames of the hops that they complete. */
  readonly observe = Effect.fnUntraced(
    { self: this },
    function* (observations: ReadonlyArray<Observation | Uint8Array>) {
      if (this.#state === "inactive") return { active: false, room: null, effort: "full" as const }
      this.#lastObservationMs = yield* Clock.currentTimeMillis
      const hops = observations.flatMap((given) => {
        const observation = given instanceof Uint8Array ? decodeObservation(given) : given
        this.#newest.set(observation.routerId, observation)
        return this.#site.assembler.push(observation)
      })
      yield* this.#makeFrames(hops)
      return { active: true, room: this.#room, effort: this.#parts.pace.effort }
    },
  )

  /** The newest frame of the session, encoded. */
  readonly latest = Effect.suspend((): Effect.Effect<Uint8Array, SystemNotRunning | NoFrames> => {
    const { environmentId, publication: { newest } } = this.#parts
    const reason = this.#noFramesReason
    if (this.#state === "inactive") return Effect.fail(stoppedFor(reason))
    if (newest === null || !this.#publishedInSession) return Effect.fail(noFramesFor(environmentId, reason))
    return Effect.succeed(newest.bytes)
  })

  describe(nowMs: number): EnvironmentStatus {
    return describeEnvironment({
      parts: this.#parts,
      site: this.#site,
      state: this.#state,
      newest: this.#newest.values(),
      lastHop: this.#lastHop,
      lastObservationMs: this.#lastObservationMs,
      inferenceTimeMs: this.#inferenceTimeMs,
      publishedInSession: this.#publishedInSession,
      noFramesReason: this.#noFramesReason,
    }, nowMs)
  }

  /** Acknowledges an alert; the effect that it returns waits until that is stored. */
  acknowledge(alertId: string, by: string) {
    return Effect.suspend(() => acknowledge(this.#site.watch, this.#parts.log, alertId, by))
  }

  /** The records of the current tracks and of the last that ended. */
  get trackRecords(): ReadonlyArray<TrackRecord> {
    return this.#site.estimator.trackRecords
  }

  /** The records of the persons in the frames of now; none while no frames are made. */
  get currentTracks(): ReadonlyArray<TrackRecord> {
    return this.#state === "streaming" ? this.trackRecords.filter(isCurrent) : []
  }

  get #state() {
    return this.#machine.snapshot().value
  }

  get #sessionId(): string | null {
    return this.#machine.snapshot().context.sessionId
  }

  get #noFramesReason(): string | null {
    const { assembler, routers } = this.#site
    return noFramesReasonOf({
      environmentId: this.#parts.environmentId,
      state: this.#state,
      storeFailure: this.#parts.publication.storeFailure,
      routers,
      isObserved: this.#lastObservationMs !== null,
      droppedObservations: assembler.dropped,
    })
  }

  #perform(action: string): Effect.Effect<void> {
    if (action === "raiseWaitingAlerts") {
      return Effect.suspend(() => this.#parts.log.add(this.#site.watch.signalLost()))
    }
    return action === "resetEstimation" ? Effect.suspend(() => this.#reset()) : Effect.void
  }

  /** Starts anew, whether or not the site was read again. */
  #reset(): Effect.Effect<void> {
    const { assembler, estimator, watch } = this.#site
    this.#parts.trackLog.end(estimator.trackRecords)
    estimator.reset()
    assembler.reset()
    this.#parts.measures.reset()
    this.#parts.pace.reset()
    this.#newest.clear()
    this.#room = null
    this.#lastHop = -Infinity
    this.#publishedInSession = false
    this.#isRepeated = noRepeatedHops
    return Effect.andThen(logDroppedEvents(this.#parts.environmentId, watch.dropped), this.#parts.log.add(watch.stop()))
  }

  /** Continues the incidents of the last activation, and its session. */
  readonly #resume = Effect.fnUntraced({ self: this }, function* (session: Session | null) {
    const { log, memory, publication } = this.#parts
    if (session !== null) {
      yield* this.#enter(session.sessionId, session.options, yield* networkOrOwn(session.options.neuralNetwork))
    }
    const { watch } = this.#site
    const newestMs = publication.newest?.timestampMs ?? null
    yield* log.add(watch.restore(log.unfinished, newestMs))
    // Alerts that waited when the last activation ended do not wait for hops that may never come.
    yield* log.add(session === null ? watch.stop() : watch.signalLost())
    this.#publishedInSession = newestMs !== null && newestMs >= (session?.startedAtMs ?? Infinity)
    if (newestMs !== null && this.#publishedInSession) this.#isRepeated = repeatedHops(newestMs)
    yield* memory.recall(this.#position, this.#site, log)
  })

  /** Where the next activation of the session continues; null before its first frame. */
  get #position() {
    const sessionId = this.#sessionId
    return sessionId === null || !this.#publishedInSession ? null : this.#parts.publication.positionIn(sessionId)
  }

  #enter(sessionId: string, options: StartOptions, network: PoseNetwork | null): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { inference, log, publication } = this.#parts
      const { estimator, watch } = this.#site
      estimator.useNetwork(network)
      estimator.configure(options.detection)
      publication.bound(options.hardware.bufferSizeFrames)
      inference.configure(options.neuralNetwork)
      const ended = log.add(watch.configure(options))
      return Effect.asVoid(Effect.andThen(ended, this.#machine.send({ type: "ACTIVATE", sessionId })))
    })
  }

  /** Ends the hops that wait for a router. */
  readonly #endHops = Effect.suspend(() => this.#makeFrames(this.#site.assembler.end()))

  /** Makes and publishes the frames of hops, except repeated ones. */
  readonly #makeFrames = Effect.fnUntraced({ self: this }, function* (completed: ReadonlyArray<Hop>) {
    const hops = completed.filter((hop) => !this.#isRepeated(hop))
    for (const [i, hop] of hops.entries()) {
      yield* this.#parts.pace.take(hop, hops.length - 1 > i, this.#makeFrame(hop), this.#site)
    }
    yield* this.#parts.publication.publish
  })

  /** Estimates a hop, and hands its frame to the publication. */
  readonly #makeFrame = Effect.fnUntraced({ self: this }, function* (hop: Hop) {
    const { environmentId, estimateHop, log, measures, pace, publication, tracer, trackLog } = this.#parts
    const { estimator, watch } = this.#site
    const startNs = yield* Clock.currentTimeNanos
    const timestampMs = ((hop.hop + 1) * hopUs) / 1000
    if (hop.setBack) {
      trackLog.end(estimator.trackRecords)
      estimator.reset()
      yield* log.add(watch.setBack(timestampMs))
    }
    const { estimate, inferenceTimeMs } = yield* estimateHop(estimator, hop, pace.effort).pipe(
      traced(tracer, { environmentId, timestampMs }, "environment", { routers: hop.observations.length }),
    )
    this.#inferenceTimeMs = inferenceTimeMs ?? this.#inferenceTimeMs
    this.#room = roomReadingOf(estimate)
    const { events, persons } = watch.step(timestampMs, estimate, estimator.samples)
    yield* log.add(events)
    trackLog.observe(timestampMs, estimate.provenance.source, () => estimator.trackRecords)
    const processingTimeMs = Number((yield* Clock.currentTimeNanos) - startNs) / 1e6
    this.#lastHop = hop.hop
    measures.completed(estimate.provenance.source, timestampMs, this.#lastObservationMs ?? timestampMs)
    const provenance = measures.stamped(estimate.provenance)
    const draft = { environmentId, timestampMs, processingTimeMs, ...estimate, provenance, persons }
    publication.add(draft, this.#published(this.#sessionId, timestampMs, provenance))
  })

  /** A frame is published: it is measured, and counts for the session that it was made in. */
  readonly #published = Effect.fnUntraced(
    { self: this },
    function* (sessionId: string | null, timestampMs: number, provenance: Provenance) {
      const { measures, publication } = this.#parts
      const ofSession = this.#sessionId === sessionId
      if (ofSession) this.#publishedInSession = true
      yield* measures.published({ timestampMs, provenance }, ofSession, publication.newest)
      if (ofSession) yield* this.#machine.send({ type: "FRAME" })
    },
  )
}
