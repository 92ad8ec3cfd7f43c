/**
 * The Environment actor of one place: brings its routers' observations together, estimates, and publishes pose frames.
 *
 * Boundary: what a hop says about persons is `estimator.ts`; how a frame is stored and shown is `publication.ts`.
 *
 * Invariants:
 * 1. A frame is shown only after it is stored: what a client has seen is in the history, whatever node dies.
 * 2. `frameId` counts stored frames without a gap, across restarts and moves to another node.
 * 3. Time in a frame is event time: the same observations give the same frame.
 */
import { Clock, Effect, Random, Semaphore, Stream } from "effect"
import { Entity } from "effect/cluster"
import { hopUs, type Observation } from "../../core/signal/observation.ts"
import { NoFrames, SystemNotRunning, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { EnvironmentStatus, StartOptions } from "../../protocols/domain/system.ts"
import { decodeObservation } from "../../protocols/grpc/observation.ts"
import { Archive } from "../../protocols/messages/archive.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { SessionStore } from "../store/sessions.ts"
import { createEstimator } from "./estimator.ts"
import { type Hop, hopAssembler } from "./hop-assembler.ts"
import { environmentMachine } from "./machine.ts"
import { makePublication } from "./publication.ts"
import { frameMeter } from "./statistics.ts"

const hopMs = hopUs / 1000
/** Ids of tracks are random and within 31 bits, so that every client's integer holds them. */
const trackIdMax = 2 ** 31 - 1
/** A router that has not reported in so many hops does not stream. */
const streamingHops = 20

/** Only a source that keeps to the time of day has a latency: a replay is as late or as early as one likes. */
const latencyOf = (source: Source, latencyMs: number): number | null =>
  source === "replay" || latencyMs < 0 ? null : latencyMs

/** A known environment at work. */
const open = Effect.fnUntraced(function* (environmentId: string) {
  const directory = yield* Directory
  const environment = yield* directory.environment(environmentId)
  const routers = (yield* directory.routers).filter((router) => router.environmentId === environmentId)
    .map((router) => router.routerId)
  const random = yield* Random.Random
  const estimator = createEstimator(environment, () => 1 + Math.floor(random.nextDoubleUnsafe() * trackIdMax))
  const assembler = hopAssembler(routers)
  const meter = frameMeter()
  const latest = new Map<string, Observation>()
  const publication = yield* makePublication((yield* Archive.client)(environmentId))
  let lastObservationMs: number | null = null

  const machine = yield* runMachine(environmentMachine, {
    perform: (action) =>
      Effect.sync(() => {
        if (action.type !== "resetEstimation") return
        estimator.reset()
        assembler.reset()
        latest.clear()
      }),
  })
  const session = yield* (yield* SessionStore).load
  const runs = session?.status === "running" &&
    (session.options.environmentId === null || session.options.environmentId === environmentId)
  /** A frame from before the present session is history, not the present. */
  let presentSinceMs = Infinity
  const activate = (sessionId: string, options: StartOptions, sinceMs: number) =>
    Effect.suspend(() => {
      if (machine.snapshot().context.sessionId !== sessionId) presentSinceMs = sinceMs
      estimator.configure(options.detection)
      return Effect.asVoid(machine.send({ type: "ACTIVATE", sessionId }))
    })
  if (runs) yield* activate(session.sessionId ?? "", session.options, session.startedAtMs ?? Infinity)

  const makeFrame = Effect.fnUntraced(function* ({ hop, observations }: Hop) {
    const startNs = yield* Clock.currentTimeNanos
    const estimate = estimator.estimate(hop, observations)
    const processingMs = Number((yield* Clock.currentTimeNanos) - startNs) / 1e6
    const timestampMs = (hop + 1) * hopMs
    const shown = yield* publication.publish({
      environmentId,
      timestampMs,
      processingTimeMs: processingMs,
      ...estimate,
    })
    if (!shown) return
    const publishedMs = yield* Clock.currentTimeMillis
    meter.add({ publishedMs, latencyMs: latencyOf(estimate.provenance.source, publishedMs - timestampMs) })
    yield* machine.send({ type: "FRAME" })
  })

  const observe = Effect.fnUntraced(function* (encoded: ReadonlyArray<Uint8Array>) {
    if (machine.snapshot().matches("inactive")) return { active: false }
    lastObservationMs = yield* Clock.currentTimeMillis
    for (const bytes of encoded) {
      const observation = decodeObservation(bytes)
      latest.set(observation.routerId, observation)
      for (const hop of assembler.push(observation)) yield* makeFrame(hop)
    }
    return { active: true }
  })

  const noFramesReason = (): string | null => {
    if (machine.snapshot().matches("inactive")) {
      return `The system does not run in environment ${environmentId}; start it with POST /api/v1/system/start.`
    }
    if (publication.storeFailure() !== null) return `Frames cannot be stored: ${publication.storeFailure()}`
    if (machine.snapshot().matches("streaming")) return null
    if (routers.length === 0) return `No router is enrolled in environment ${environmentId}.`
    if (lastObservationMs === null) return `No CSI has come yet from ${routers.join(", ")}.`
    return `CSI from ${routers.join(", ")} stopped, or has not filled a hop of ${hopMs} ms yet.`
  }

  const current = Effect.suspend((): Effect.Effect<Uint8Array, SystemNotRunning | NoFrames> => {
    const newest = publication.newest()
    if (machine.snapshot().matches("inactive")) {
      return Effect.fail(
        new SystemNotRunning({ status: "stopped", message: noFramesReason() ?? "The system does not run." }),
      )
    }
    if (newest === null || newest.timestampMs < presentSinceMs) {
      return Effect.fail(new NoFrames({ environmentId, message: noFramesReason() ?? "The first frame is on its way." }))
    }
    return Effect.succeed(newest.bytes)
  })

  const describe = (): EnvironmentStatus => {
    const newestHop = Math.max(...[...latest.values()].map((observation) => observation.hop), -Infinity)
    const streaming = [...latest.values()].filter((observation) => newestHop - observation.hop < streamingHops)
    const losses = streaming.flatMap(({ packetLoss }) => packetLoss === null ? [] : [packetLoss])
    const strengths = streaming.flatMap(({ links }) => links.map((link) => link.rssiDbm)).filter((dbm) => dbm !== 0)
    const mean = (values: ReadonlyArray<number>) =>
      values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length
    return {
      environmentId,
      active: !machine.snapshot().matches("inactive"),
      routers: routers.length,
      streamingRouters: streaming.length,
      dataRateHz: streaming.length === 0
        ? null
        : streaming.reduce((total, { packetRateHz }) => total + packetRateHz, 0),
      packetLoss: mean(losses),
      rssiDbm: mean(strengths),
      lastPacketMs: lastObservationMs,
      ...meter.read(machine.snapshot().matches("streaming")),
      // No neural network takes part in this version's estimates.
      inferenceTimeMs: null,
      ...estimator.tracks(),
      noFramesReason: noFramesReason(),
    }
  }

  yield* Effect.logInfo(`environment ${environmentId} lives on this node`, { routers: routers.length })
  return { machine, activate, observe, current, describe, watch: publication.watch }
})

const build = Effect.gen(function* () {
  const { entityId: environmentId } = yield* Entity.CurrentAddress
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof open>>>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let opened: Effect.Success<ReturnType<typeof open>> | undefined

  /** Opens on first use; an id that nobody enrolled stays unknown without breaking anything. */
  const environment = oneAtATime(Effect.gen(function* () {
    return opened ??= yield* open(environmentId).pipe(
      Effect.provide(context),
      Effect.catchIf((error) => !(error instanceof UnknownEnvironment), Effect.die),
    )
  }))

  return Environment.of({
    Observe: ({ payload }) => Effect.flatMap(environment, ({ observe }) => observe(payload.observations)),
    Activate: ({ payload: { sessionId, options } }) =>
      Effect.flatMap(
        Effect.all([environment, Clock.currentTimeMillis]),
        ([{ activate }, nowMs]) => activate(sessionId, options, nowMs),
      ),
    Deactivate: () => Effect.flatMap(environment, ({ machine }) => Effect.asVoid(machine.send({ type: "DEACTIVATE" }))),
    Latest: () => Effect.flatMap(environment, ({ current }) => current),
    Watch: () => Stream.unwrap(Effect.map(environment, ({ watch }) => watch)),
    Describe: () => Effect.map(environment, ({ describe }) => describe()),
  })
})

/** The Environment actors of this node. */
export const layerEnvironment = Environment.toLayer(
  supervise(Environment, build, { concurrent: ["Latest", "Describe"] }),
  entityOptions,
)
