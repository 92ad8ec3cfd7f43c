/**
 * The Environment actor of one place.
 *
 * Boundary: its work is `open-environment.ts`, its opening and closing `environment-life.ts`; supervision and local calls are
 * `actors/runtime`.
 *
 * Invariants: changes are made one after the other, in the order of their messages, and each in turn with observations. What a change needs
 * from the store is read before its turn, and what it must store is awaited after it, so that observations do not wait for the store.
 */
import { Clock, Effect, Layer, Semaphore } from "effect"
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

/** Runs an effect alone. */
type Turn = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const build = Effect.fnUntraced(function* (inTurn: Turn) {
  const { entityId: environmentId } = yield* Entity.CurrentAddress
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof OpenEnvironment.open>>>()
  const { check, current, stream } = yield* makeLife(
    environmentId,
    OpenEnvironment.open(environmentId),
    (environment) => environment.deactivate,
  )
  const oneChange = Semaphore.makeUnsafe(1).withPermits(1)
  /** Makes a change, which is read before its turn. */
  const change = <A, E, E2, R>(read: (environment: OpenEnvironment) => Effect.Effect<Effect.Effect<A, E>, E2, R>) =>
    oneChange(Effect.flatMap(current, (environment) => Effect.flatMap(read(environment), inTurn)))

  return Environment.of({
    // A router that stops waiting does not interrupt the work: observations that were taken are estimated and published.
    Observe: ({ payload: { observations } }: GivenObservations) =>
      Effect.flatMap(current, (environment) => Effect.uninterruptible(environment.observe(observations))),
    Activate: ({ payload: { sessionId, options } }) =>
      change((environment) => Effect.provide(environment.activate(sessionId, options), context)),
    Reload: () => change((environment) => Effect.provide(environment.reload(), context)),
    Deactivate: () => Effect.andThen(change(({ deactivate }) => Effect.succeed(deactivate)), check),
    Latest: () => Effect.flatMap(current, (environment) => environment.latest),
    Watch: () => stream((environment) => environment.frames),
    WatchAlerts: () => stream((environment) => environment.alerts),
    Acknowledge: ({ payload: { alertId, by } }) =>
      Effect.flatMap(
        current,
        (environment) =>
          Effect.flatMap(
            inTurn(environment.acknowledge(alertId, by)),
            (stored) => Effect.map(stored, (acknowledged) => ({ acknowledged })),
          ),
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
  const turn: Turn = Semaphore.makeUnsafe(1).withPermits(1)
  const handlers = yield* supervise(Environment, build(turn), {
    concurrent: ["Latest", "Track", "Tracks", "Describe", "Activate", "Reload", "Deactivate", "Acknowledge"],
  })
  const { byMessage } = yield* withLocalCalls(
    yield* LocalEnvironments,
    entityId,
    (observations: Parameters<ObserveCall>[0]) => handlers.Observe({ payload: { observations } }),
    turn,
  )
  return Environment.of({
    ...handlers,
    Observe: ({ payload }) => byMessage(payload.observations),
  })
})

/** The registry of the Environment actors of this node. */
export const layerLocalEnvironments: Layer.Layer<LocalEnvironments> = Layer.sync(
  LocalEnvironments,
  () => makeLocalCalls<ObserveCall>(),
)

/** The Environment actors of this node. */
export const layerEnvironment = Environment.toLayer(supervised, entityOptions)
