/**
 * What each step of a start or a stop does. Every one may run again after a crash, and every one is bounded.
 *
 * Boundary: it speaks to environments and routers by their contracts; which step comes when is `machine.ts`.
 */
import { Cause, Clock, Effect } from "effect"
import { ActorUnavailable, type StoreUnavailable, type UnknownEnvironment } from "../../protocols/domain/failure.ts"
import type { StartOptions, SystemSession } from "../../protocols/domain/system.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { calibrationSeconds, type StepName } from "./machine.ts"

/** How long one environment or router may take to obey. */
const obeyTimeoutMs = 5_000
const fanOut = { concurrency: 8 } as const
/** How often routers are asked whether they are calibrated, and how long at most. */
const calibrationPollMs = 1_000
const calibrationLimitMs = 90_000
/** How long the environments of a start that failed may take to be stopped, together. */
const undoTimeoutMs = 10_000

type StepFailure = ActorUnavailable | StoreUnavailable | UnknownEnvironment

/** Reports the share of a step that is done, 0..1. */
type Progressed = (share: number) => Effect.Effect<void>
type StepEffect = (session: SystemSession, progressed: Progressed) => Effect.Effect<void, StepFailure>

interface Steps {
  readonly run: Readonly<Record<StepName, StepEffect>>
  /** Gives the environments of a running session its options anew; what runs keeps running. */
  readonly applyOptions: (session: SystemSession) => Effect.Effect<void, StepFailure>
  /** Stops, as well as it can, the environments that a failed start has or may have activated. */
  readonly undoStart: (session: SystemSession) => Effect.Effect<void>
}

/** An actor's answer within its time, also where the asker is not to be interrupted; whatever else it does is a failure that names it. */
const obey = <A, E>(actor: string, order: Effect.Effect<A, E>): Effect.Effect<A, ActorUnavailable> => {
  const unavailable = (message: string) => Effect.fail(new ActorUnavailable({ actor, message }))
  return Effect.interruptible(order).pipe(
    Effect.catchCause((cause) => {
      const reason = Cause.squash(cause)
      return unavailable(`${actor} did not obey: ${reason instanceof Error ? reason.message : reason}`)
    }),
    Effect.timeoutOrElse({
      duration: obeyTimeoutMs,
      orElse: () => unavailable(`${actor} did not obey within ${obeyTimeoutMs} ms.`),
    }),
  )
}

/** Gives every actor its order, and reports the share of those that have obeyed. */
const orderAll = <A, E>(
  actors: ReadonlyArray<A>,
  order: (actor: A) => Effect.Effect<void, E>,
  progressed: Progressed,
): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    let done = 0
    const one = (actor: A) => Effect.andThen(order(actor), Effect.suspend(() => progressed(++done / actors.length)))
    return Effect.forEach(actors, one, { ...fanOut, discard: true })
  })

export const makeSteps = Effect.gen(function* () {
  const directory = yield* Directory
  const environmentClient = yield* Environment.client
  const routerClient = yield* Router.client

  const wanted = Effect.fnUntraced(function* (options: StartOptions) {
    if (options.environmentId !== null) return [yield* directory.environment(options.environmentId)]
    return yield* directory.environments
  })
  /** Environments that this process was told to start; a store that is away must not keep them running. */
  const activated = new Set<string>()
  const deactivate = (environmentId: string) =>
    obey(`environment ${environmentId}`, environmentClient(environmentId).Deactivate())

  /** Null when a router does not say. */
  const stateOf = (routerId: string) =>
    obey(`router ${routerId}`, routerClient(routerId).Describe()).pipe(
      Effect.map(({ state }) => state),
      Effect.catch((error) => Effect.as(Effect.logWarning(error.message), null)),
    )

  /** Waits for the routers that are calibrating; one that is not heard, or fell silent, is not waited for. */
  const awaitCalibrated = Effect.fnUntraced(function* (routerIds: ReadonlyArray<string>, progressed: Progressed) {
    const startMs = yield* Clock.currentTimeMillis
    let waiting = routerIds
    while (true) {
      const states = yield* Effect.forEach(waiting, stateOf, fanOut)
      waiting = waiting.filter((_, i) => states[i] === "calibrating")
      if (waiting.length === 0) return
      const elapsedMs = (yield* Clock.currentTimeMillis) - startMs
      if (elapsedMs >= calibrationLimitMs) {
        return yield* Effect.logWarning(`these routers are not calibrated after ${elapsedMs} ms: ${waiting.join(", ")}`)
      }
      yield* progressed(Math.min(1, elapsedMs / (calibrationSeconds * 1_000)))
      yield* Effect.sleep(calibrationPollMs)
    }
  })

  const run: Steps["run"] = {
    load_configuration: (session) => Effect.asVoid(wanted(session.options)),
    calibrate_routers: Effect.fnUntraced(function* (session, progressed) {
      const environments = new Set((yield* wanted(session.options)).map((each) => each.environmentId))
      const routerIds = (yield* directory.routers).filter((router) => environments.has(router.environmentId))
        .map((router) => router.routerId)
      yield* Effect.forEach(
        routerIds,
        (routerId) =>
          obey(`router ${routerId}`, routerClient(routerId).Calibrate({ room: "empty", seconds: calibrationSeconds })),
        fanOut,
      )
      yield* awaitCalibrated(routerIds, progressed)
    }),
    start_environments: Effect.fnUntraced(function* ({ sessionId, options }, progressed) {
      yield* orderAll(yield* wanted(options), ({ environmentId }) => {
        activated.add(environmentId)
        return obey(
          `environment ${environmentId}`,
          environmentClient(environmentId).Activate({ sessionId: sessionId ?? "", options }),
        )
      }, progressed)
    }),
    stop_environments: Effect.fnUntraced(function* (_, progressed) {
      yield* orderAll(yield* directory.environments, ({ environmentId }) => deactivate(environmentId), progressed)
    }),
    save_state: Effect.fnUntraced(function* (_, progressed) {
      yield* orderAll(
        yield* directory.routers,
        ({ routerId }) => obey(`router ${routerId}`, routerClient(routerId).Save()),
        progressed,
      )
    }),
  }

  const undoStart = Effect.fnUntraced(
    function* ({ options }: SystemSession) {
      const environmentIds = yield* wanted(options).pipe(
        Effect.map((environments) => environments.map(({ environmentId }) => environmentId)),
        Effect.catch(() => Effect.sync(() => [...activated])),
      )
      yield* Effect.forEach(
        environmentIds,
        (environmentId) => Effect.catch(deactivate(environmentId), (error) => Effect.logWarning(error.message)),
        fanOut,
      )
      activated.clear()
    },
    Effect.timeout(undoTimeoutMs),
    Effect.catchCause((cause) => Effect.logWarning("the environments of a failed start may still run", cause)),
  )

  const applyOptions = (session: SystemSession) => run.start_environments(session, () => Effect.void)

  return { run, applyOptions, undoStart: (session) => Effect.asVoid(undoStart(session)) } satisfies Steps
})
