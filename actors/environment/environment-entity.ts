/**
 * The Environment actor of one place.
 *
 * Boundary: its work is `open-environment.ts`, its opening and closing `environment-life.ts`; supervision and local calls are
 * `actors/runtime`.
 */
import { Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { Environment, LocalEnvironments, type ObserveCall } from "../../protocols/messages/environment.ts"
import { makeLocalCalls, withLocalCalls } from "../runtime/local-calls.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { makeLife } from "./environment-life.ts"
import { OpenEnvironment } from "./open-environment.ts"

/** Observations of a message are encoded; those of a local call are objects. */
interface GivenObservations {
  readonly payload: { readonly observations: Parameters<ObserveCall>[0] }
}

const build = Effect.gen(function* () {
  const { entityId: environmentId } = yield* Entity.CurrentAddress
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof OpenEnvironment.open>>>()
  const { check, current, stream } = yield* makeLife(
    environmentId,
    OpenEnvironment.open(environmentId),
    (environment) => environment.deactivate,
  )

  return Environment.of({
    // A router that stops waiting does not interrupt the work: observations that were taken are estimated and published.
    Observe: ({ payload: { observations } }: GivenObservations) =>
      Effect.flatMap(current, (environment) => Effect.uninterruptible(environment.observe(observations))),
    Activate: ({ payload: { sessionId, options } }) =>
      Effect.flatMap(current, (environment) => Effect.provide(environment.activate(sessionId, options), context)),
    Reload: () => Effect.flatMap(current, (environment) => Effect.provide(environment.reload(), context)),
    Deactivate: () => Effect.flatMap(current, (environment) => Effect.andThen(environment.deactivate, check)),
    Latest: () => Effect.flatMap(current, (environment) => environment.latest),
    Watch: () => stream((environment) => environment.frames),
    WatchAlerts: () => stream((environment) => environment.alerts),
    Acknowledge: ({ payload: { alertId, by } }) =>
      Effect.flatMap(
        current,
        (environment) => Effect.map(environment.acknowledge(alertId, by), (acknowledged) => ({ acknowledged })),
      ),
    Track: ({ payload: { trackId } }) =>
      Effect.map(current, ({ trackRecords }) => trackRecords.find((record) => record.trackId === trackId) ?? null),
    Tracks: () =>
      Effect.map(current, ({ currentTracks }) => currentTracks.map((record) => ({ ...record, trajectory: [] }))),
    Describe: () =>
      Effect.flatMap(
        current,
        (environment) => Effect.map(Clock.currentTimeMillis, (nowMs) => environment.describe(nowMs)),
      ),
  })
})

/** An environment that is placed here: its supervised handlers, which routers of this node call directly. */
const supervised = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const handlers = yield* supervise(Environment, build, { concurrent: ["Latest", "Track", "Tracks", "Describe"] })
  const { byMessage, inTurn } = yield* withLocalCalls(
    yield* LocalEnvironments,
    entityId,
    (observations: Parameters<ObserveCall>[0]) => handlers.Observe({ payload: { observations } }),
  )
  return Environment.of({
    ...handlers,
    Observe: ({ payload }) => byMessage(payload.observations),
    Activate: (message) => inTurn(handlers.Activate(message)),
    Reload: () => inTurn(handlers.Reload()),
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
