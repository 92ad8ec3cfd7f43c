/**
 * The Environment actor of one place: brings its routers' observations together, estimates, and publishes pose frames.
 *
 * Boundary: what a hop says about persons is `estimator.ts`, what they do over time `activity-watch.ts`; how a frame is stored and
 * shown is `publication.ts`, and how events and tracks are `event-log.ts` and `track-log.ts`; when it opens and ends is `life.ts`.
 *
 * Invariants:
 * 1. A frame is shown only after it is stored: what a client has seen is in the history, whatever node dies.
 * 2. `frameId` counts stored frames without a gap, across restarts and moves to another node.
 * 3. Time in a frame is event time: the same observations give the same frame.
 */
import { Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import type { PoseNetwork } from "../../core/pose/network.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import { NoFrames, SystemNotRunning } from "../../protocols/domain/failure.ts"
import type { EnvironmentStatus, StartOptions } from "../../protocols/domain/system.ts"
import { decodeObservation } from "../../protocols/grpc/observation.ts"
import { Archive } from "../../protocols/messages/archive.ts"
import type { RoomReading } from "../../protocols/messages/edge-node.ts"
import { Environment, LocalEnvironments, type ObserveCall } from "../../protocols/messages/environment.ts"
import { Privacy } from "../../protocols/ports/privacy.ts"
import { Kernels } from "../runtime/kernels/kernels.ts"
import { PoseInference } from "../runtime/pose/pose-inference.ts"
import { networkOf, networkOrOwn } from "../runtime/pose/pose-models.ts"
import { makeLocalCalls, withLocalCalls } from "../runtime/local-calls.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { SessionStore } from "../store/session/sessions.ts"
import { makeEventLog } from "./event-log.ts"
import type { Hop } from "./hop-assembler.ts"
import { makeLife } from "./environment-life.ts"
import { environmentMachine } from "./machine.ts"
import { makePublication } from "./publication.ts"
import { restoredSession } from "./restored-session.ts"
import { roomReadingOf } from "./room-reading.ts"
import { patiently, readSite } from "./site.ts"
import { frameMeter, latencyOf, mean } from "./statistics.ts"
import { environmentTiming } from "./timing.ts"
import { makeTrackLog } from "./track-log.ts"

const hopMs = hopUs / 1000
/** A router that has not reported in so many hops does not stream. */
const streamingHops = 20

/** A known environment at work. */
const open = Effect.fnUntraced(function* (environmentId: string) {
  let site = yield* readSite(environmentId)
  const session = restoredSession(yield* patiently((yield* SessionStore).load), environmentId)
  const archive = (yield* Archive.client)(environmentId)
  const privacy = (yield* Privacy).current
  const publication = yield* patiently(makePublication(archive, privacy))
  const log = yield* patiently(makeEventLog(archive, privacy))
  const trackLog = yield* makeTrackLog(archive, privacy)
  const kernels = yield* Kernels
  const inference = yield* PoseInference
  const infer = yield* inference.join
  const meter = frameMeter()
  const timing = environmentTiming()
  const latest = new Map<string, Observation>()
  let lastHop = -Infinity
  let lastObservationMs: number | null = null
  /** Of the last hop with persons; null before one, and where there is no network. */
  let inferenceTimeMs: number | null = null
  /** A frame from before the present session is history, not the present. */
  let shownInSession = false
  /** Of the last hop. */
  let room: RoomReading | null = null

  /** Begins anew, whether or not the site was read again. */
  const reset = Effect.suspend(() => {
    trackLog.end(site.estimator.trackRecords())
    site.estimator.reset()
    site.assembler.reset()
    timing.reset()
    latest.clear()
    room = null
    lastHop = -Infinity
    shownInSession = false
    const leftOut = site.watch.leftOut()
    const said = leftOut === 0 ? Effect.void : Effect.logWarning(`${leftOut} events came too fast and were left out`)
    return Effect.andThen(said, log.add(site.watch.stop()))
  })

  const machine = yield* runMachine(environmentMachine, {
    perform: (action) => {
      if (action.type === "tellWhatWaits") return Effect.suspend(() => log.add(site.watch.signalLost()))
      return action.type === "resetEstimation" ? reset : Effect.void
    },
  })
  const sessionId = () => machine.snapshot().context.sessionId

  const enter = (sessionId: string, options: StartOptions, network: PoseNetwork | null) =>
    Effect.suspend(() => {
      site.estimator.useNetwork(network)
      site.estimator.configure(options.detection)
      site.watch.configure(options)
      publication.bound(options.hardware.bufferSizeFrames)
      inference.configure(options.neuralNetwork)
      return Effect.asVoid(machine.send({ type: "ACTIVATE", sessionId }))
    })
  const activate = Effect.fnUntraced(function* (wanted: string, options: StartOptions) {
    const network = yield* networkOf(options.neuralNetwork)
    if (sessionId() !== wanted) {
      const next = yield* readSite(environmentId)
      yield* log.add(site.watch.stop())
      trackLog.end(site.estimator.trackRecords())
      site = next
    }
    yield* enter(wanted, options, network)
  })
  if (session !== null) {
    yield* enter(session.sessionId, session.options, yield* networkOrOwn(session.options.neuralNetwork))
  }
  site.watch.restore(log.unfinished)
  // What waited when the last activation ended does not wait for hops that may never come.
  yield* log.add(session === null ? site.watch.stop() : site.watch.signalLost())
  if (session !== null) {
    shownInSession = session.startedAtMs !== null && (publication.newest()?.timestampMs ?? -1) >= session.startedAtMs
  }

  const makeFrame = Effect.fnUntraced(function* ({ hop, observations, setBack }: Hop) {
    const { estimator, watch } = site
    const startNs = yield* Clock.currentTimeNanos
    const timestampMs = (hop + 1) * hopMs
    if (setBack) {
      trackLog.end(estimator.trackRecords())
      estimator.reset()
      watch.setBack(timestampMs)
    }
    const asked = yield* kernels.compute(estimator.observe(hop, observations))
    const inferredFromNs = yield* Clock.currentTimeNanos
    const network = estimator.network()
    const poses = asked === null || network === null ? null : yield* infer(network, asked)
    if (asked !== null) inferenceTimeMs = Number((yield* Clock.currentTimeNanos) - inferredFromNs) / 1e6
    const estimate = estimator.estimate(poses)
    room = roomReadingOf(estimate)
    const { events, persons } = watch.step(timestampMs, estimate, estimator.samples())
    yield* log.add(events)
    trackLog.observe(timestampMs, estimate.provenance.source, estimator.trackRecords)
    const processingTimeMs = Number((yield* Clock.currentTimeNanos) - startNs) / 1e6
    const madeIn = sessionId()
    lastHop = hop
    timing.completed(estimate.provenance.source, timestampMs, lastObservationMs ?? timestampMs)
    const provenance = timing.stamped(estimate.provenance)
    const shown = Effect.gen(function* () {
      const publishedMs = yield* Clock.currentTimeMillis
      meter.add({ publishedMs, latencyMs: latencyOf(estimate.provenance.source, publishedMs - timestampMs) })
      if (sessionId() !== madeIn) return
      shownInSession = true
      const turned = timing.shown({ timestampMs, provenance }, publishedMs)
      const text = `frames of environment ${environmentId} are`
      if (turned === "stale") yield* Effect.logWarning(`${text} stale`, timing.read(publication.newest(), publishedMs))
      if (turned === "on_time") yield* Effect.logInfo(`${text} on time again`)
      yield* machine.send({ type: "FRAME" })
    })
    publication.add({ environmentId, timestampMs, processingTimeMs, ...estimate, provenance, persons }, shown)
  })

  const observe = Effect.fnUntraced(function* (observations: ReadonlyArray<Observation | Uint8Array>) {
    if (machine.snapshot().matches("inactive")) return { active: false, room: null }
    lastObservationMs = yield* Clock.currentTimeMillis
    for (const given of observations) {
      const observation = given instanceof Uint8Array ? decodeObservation(given) : given
      latest.set(observation.routerId, observation)
      for (const hop of site.assembler.push(observation)) yield* makeFrame(hop)
    }
    yield* publication.publish
    return { active: true, room }
  })

  const noFramesReason = (): string | null => {
    if (machine.snapshot().matches("inactive")) {
      return `The system does not run in environment ${environmentId}; start it with POST /api/v1/system/start.`
    }
    if (publication.storeFailure() !== null) return `Frames cannot be stored: ${publication.storeFailure()}`
    if (machine.snapshot().matches("streaming")) return null
    const { assembler, routers } = site
    if (routers.length === 0) return `No router is enrolled in environment ${environmentId}.`
    if (lastObservationMs === null) return `No CSI has come yet from ${routers.join(", ")}.`
    const leftOut = assembler.leftOut() === 0
      ? ""
      : ` ${assembler.leftOut()} observations were left out, because they came too late or far from the others' time.`
    return `CSI from ${routers.join(", ")} stopped, or has not filled a hop of ${hopMs} ms yet.${leftOut}`
  }

  const current = Effect.suspend((): Effect.Effect<Uint8Array, SystemNotRunning | NoFrames> => {
    const newest = publication.newest()
    if (machine.snapshot().matches("inactive")) {
      return Effect.fail(
        new SystemNotRunning({ status: "stopped", message: noFramesReason() ?? "The system does not run." }),
      )
    }
    if (newest === null || !shownInSession) {
      return Effect.fail(new NoFrames({ environmentId, message: noFramesReason() ?? "The first frame is on its way." }))
    }
    return Effect.succeed(newest.bytes)
  })

  const describe = (nowMs: number): EnvironmentStatus => {
    const active = !machine.snapshot().matches("inactive")
    const makesFrames = machine.snapshot().matches("streaming")
    const streaming = makesFrames
      ? [...latest.values()].filter((observation) => Math.abs(lastHop - observation.hop) < streamingHops)
      : []
    const losses = streaming.flatMap(({ packetLoss }) => packetLoss === null ? [] : [packetLoss])
    const strengths = streaming.flatMap(({ links }) => links.map((link) => link.rssiDbm)).filter((dbm) => dbm !== 0)
    return {
      environmentId,
      active,
      routers: site.routers.length,
      streamingRouters: streaming.length,
      dataRateHz: streaming.length === 0
        ? null
        : streaming.reduce((total, { packetRateHz }) => total + packetRateHz, 0),
      packetLoss: mean(losses),
      rssiDbm: mean(strengths),
      lastPacketMs: lastObservationMs,
      ...meter.read(makesFrames),
      ...timing.read(active && shownInSession ? publication.newest() : null, nowMs),
      framesWaiting: publication.waiting(),
      modelVersion: site.estimator.network()?.modelVersion ?? null,
      inferenceTimeMs,
      ...(makesFrames ? site.estimator.tracks() : { activeTracks: 0, trackQuality: null }),
      noFramesReason: noFramesReason(),
    }
  }

  /** Somebody looks after an alert; false when it is not open. */
  const acknowledge = (alertId: string, by: string) =>
    Effect.suspend(() => {
      const event = site.watch.acknowledge(alertId, by)
      return event === null ? Effect.succeed(false) : Effect.as(log.add([event]), true)
    })

  const track = (trackId: number) => site.estimator.trackRecords().find((record) => record.trackId === trackId) ?? null

  yield* Effect.logInfo(`environment ${environmentId} lives on this node`, { routers: site.routers.length })
  const { watch } = publication
  return { machine, activate, observe, current, describe, acknowledge, track, watch, watchAlerts: log.watch }
})

const build = Effect.gen(function* () {
  const { entityId: environmentId } = yield* Entity.CurrentAddress
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof open>>>()
  const { current: environment, look, stream } = yield* makeLife(
    environmentId,
    open(environmentId),
    ({ machine }) => machine.send({ type: "DEACTIVATE" }),
  )

  return Environment.of({
    // A router that stops waiting must not end the work in the middle: what is admitted is estimated and published.
    Observe: ({ payload }: { readonly payload: { readonly observations: Parameters<ObserveCall>[0] } }) =>
      Effect.flatMap(environment, ({ observe }) => Effect.uninterruptible(observe(payload.observations))),
    Activate: ({ payload: { sessionId, options } }) =>
      Effect.flatMap(environment, ({ activate }) => Effect.provide(activate(sessionId, options), context)),
    Deactivate: () =>
      Effect.flatMap(environment, ({ machine }) => Effect.andThen(machine.send({ type: "DEACTIVATE" }), look)),
    Latest: () => Effect.flatMap(environment, ({ current }) => current),
    Watch: () => stream(({ watch }) => watch),
    WatchAlerts: () => stream(({ watchAlerts }) => watchAlerts),
    Acknowledge: ({ payload: { alertId, by } }) =>
      Effect.flatMap(
        environment,
        ({ acknowledge }) => Effect.map(acknowledge(alertId, by), (acknowledged) => ({ acknowledged })),
      ),
    Track: ({ payload: { trackId } }) => Effect.map(environment, ({ track }) => track(trackId)),
    Describe: () => Effect.flatMap(environment, ({ describe }) => Effect.map(Clock.currentTimeMillis, describe)),
  })
})

/** An environment that is placed here: its supervised handlers, which routers of this node call directly. */
const supervised = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const handlers = yield* supervise(Environment, build, { concurrent: ["Latest", "Track", "Describe"] })
  const { byMessage, inTurn } = yield* withLocalCalls(
    yield* LocalEnvironments,
    entityId,
    (observations: Parameters<ObserveCall>[0]) => handlers.Observe({ payload: { observations } }),
  )
  return Environment.of({
    ...handlers,
    Observe: ({ payload }) => byMessage(payload.observations),
    Activate: (message) => inTurn(handlers.Activate(message)),
    Deactivate: () => inTurn(handlers.Deactivate()),
    Acknowledge: (message) => inTurn(handlers.Acknowledge(message)),
  })
})

/** The registry of the Environment actors of this node. */
export const layerLocalEnvironments: Layer.Layer<LocalEnvironments> = Layer.sync(
  LocalEnvironments,
  () => makeLocalCalls<ObserveCall>(),
)

/** The Environment actors of this node. */
export const layerEnvironment = Environment.toLayer(supervised, entityOptions)
