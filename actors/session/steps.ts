/**
 * The work of each step of a start or a stop. Each step can run again after a crash, and each is bounded in time.
 *
 * Boundary: steps call environments and routers by their messages; `machine.ts` decides the order of the steps.
 */
import { Cause, Clock, Effect } from "effect"
import { ActorUnavailable, type StoreUnavailable, type UnknownEnvironment } from "../../protocols/domain/failure.ts"
import type { StartOptions, SystemSession } from "../../protocols/domain/system.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { calibrationSeconds, type StepName } from "./machine.ts"

/** Time for one environment or router to answer. */
const answerTimeoutMs = 5_000
const fanOut = { concurrency: 8 } as const
/** Interval at which routers are asked for their calibration state, and the longest wait for them. */
const calibrationPollMs = 1_000
const calibrationMsMax = 90_000
/** Time to stop all environments of a failed start. */
const undoTimeoutMs = 10_000

type StepFailure = ActorUnavailable | StoreUnavailable | UnknownEnvironment

/** Reports the completed share of a step, 0..1. */
type ReportProgress = (share: number) => Effect.Effect<void>
type Step = (session: SystemSession, reportProgress: ReportProgress) => Effect.Effect<void, StepFailure>

export interface Steps {
  readonly run: Readonly<Record<StepName, Step>>
  /** Applies the options of a running session to its environments, without a restart. */
  readonly applyOptions: (session: SystemSession) => Effect.Effect<void, StepFailure>
  /** Stops, as far as possible, the environments that a failed start activated or may have activated. */
  readonly undoStart: (session: SystemSession) => Effect.Effect<void>
}

/** The other actors, and the environments that this process activated. */
interface Site {
  readonly directory: Directory["Service"]
  readonly environment: Effect.Success<typeof Environment.client>
  readonly router: Effect.Success<typeof Router.client>
  /** Known here as well, so that they can be stopped while the store is unavailable. */
  readonly activated: Set<string>
}

/** Calls an actor with a time limit, also in an uninterruptible region. Every other outcome is a failure that names the actor. */
const callActor = <A, E>(actor: string, call: Effect.Effect<A, E>): Effect.Effect<A, ActorUnavailable> => {
  const unavailable = (message: string) => Effect.fail(new ActorUnavailable({ actor, message }))
  return Effect.interruptible(call).pipe(
    Effect.catchCause((cause) => {
      const reason = Cause.squash(cause)
      return unavailable(`${actor} failed: ${reason instanceof Error ? reason.message : reason}`)
    }),
    Effect.timeoutOrElse({
      duration: answerTimeoutMs,
      orElse: () => unavailable(`${actor} did not answer within ${answerTimeoutMs} ms.`),
    }),
  )
}

/** Calls every actor, and reports the share of those that have answered. */
const callAll = <A, E>(
  actors: ReadonlyArray<A>,
  call: (actor: A) => Effect.Effect<void, E>,
  reportProgress: ReportProgress,
): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    let done = 0
    const one = (actor: A) => Effect.andThen(call(actor), Effect.suspend(() => reportProgress(++done / actors.length)))
    return Effect.forEach(actors, one, { ...fanOut, discard: true })
  })

/** The environments that a session with these options runs. */
const environmentsOf = Effect.fnUntraced(function* ({ directory }: Site, { environmentId }: StartOptions) {
  return environmentId === null ? yield* directory.environments : [yield* directory.environment(environmentId)]
})

const activate = ({ activated, environment }: Site, environmentId: string, { options, sessionId }: SystemSession) =>
  Effect.suspend(() => {
    activated.add(environmentId)
    const call = environment(environmentId).Activate({ sessionId: sessionId ?? "", options })
    return callActor(`environment ${environmentId}`, call)
  })

const deactivate = ({ environment }: Site, environmentId: string) =>
  callActor(`environment ${environmentId}`, environment(environmentId).Deactivate())

/** Null when the router does not answer. */
const stateOf = ({ router }: Site, routerId: string) =>
  callActor(`router ${routerId}`, router(routerId).Describe()).pipe(
    Effect.map(({ state }) => state),
    Effect.catch((error) => Effect.as(Effect.logWarning(error.message), null)),
  )

/** Waits for the routers that calibrate. A router that sends no packets is not waited for. */
const awaitCalibrated = Effect.fnUntraced(function* (
  site: Site,
  routerIds: ReadonlyArray<string>,
  reportProgress: ReportProgress,
) {
  const startMs = yield* Clock.currentTimeMillis
  let waiting = routerIds
  while (true) {
    const states = yield* Effect.forEach(waiting, (routerId) => stateOf(site, routerId), fanOut)
    waiting = waiting.filter((_, i) => states[i] === "calibrating")
    if (waiting.length === 0) return
    const elapsedMs = (yield* Clock.currentTimeMillis) - startMs
    if (elapsedMs >= calibrationMsMax) {
      return yield* Effect.logWarning("start continues with uncalibrated routers", {
        routers: waiting.join(","),
        elapsedMs,
      })
    }
    yield* reportProgress(Math.min(1, elapsedMs / (calibrationSeconds * 1_000)))
    yield* Effect.sleep(calibrationPollMs)
  }
})

const calibrateRouters = Effect.fnUntraced(function* (
  site: Site,
  { options }: SystemSession,
  reportProgress: ReportProgress,
) {
  const environments = new Set((yield* environmentsOf(site, options)).map((each) => each.environmentId))
  const routerIds = (yield* site.directory.routers).filter((router) => environments.has(router.environmentId))
    .map((router) => router.routerId)
  const calibrate = (routerId: string) =>
    callActor(
      `router ${routerId}`,
      site.router(routerId).Calibrate({ room: "empty", seconds: calibrationSeconds }),
    )
  yield* Effect.forEach(routerIds, calibrate, fanOut)
  yield* awaitCalibrated(site, routerIds, reportProgress)
})

const startEnvironments = Effect.fnUntraced(function* (
  site: Site,
  session: SystemSession,
  reportProgress: ReportProgress,
) {
  const environments = yield* environmentsOf(site, session.options)
  yield* callAll(environments, ({ environmentId }) => activate(site, environmentId, session), reportProgress)
})

const stopEnvironments = Effect.fnUntraced(function* (site: Site, reportProgress: ReportProgress) {
  const environments = yield* site.directory.environments
  yield* callAll(environments, ({ environmentId }) => deactivate(site, environmentId), reportProgress)
})

const saveState = Effect.fnUntraced(function* ({ directory, router }: Site, reportProgress: ReportProgress) {
  const save = ({ routerId }: { readonly routerId: string }) => callActor(`router ${routerId}`, router(routerId).Save())
  yield* callAll(yield* directory.routers, save, reportProgress)
})

const undoStart = Effect.fnUntraced(
  function* (site: Site, { options }: SystemSession) {
    const environmentIds = yield* environmentsOf(site, options).pipe(
      Effect.map((environments) => environments.map(({ environmentId }) => environmentId)),
      Effect.catch(() => Effect.sync(() => [...site.activated])),
    )
    const stop = (environmentId: string) =>
      Effect.catch(deactivate(site, environmentId), (error) => Effect.logWarning(error.message))
    yield* Effect.forEach(environmentIds, stop, fanOut)
    site.activated.clear()
  },
  Effect.timeout(undoTimeoutMs),
  Effect.catchCause((cause) => Effect.logWarning("environments of a failed start may still run", cause)),
  Effect.asVoid,
)

/** The steps on the actors of this cluster. */
export const makeSteps = Effect.gen(function* () {
  const site: Site = {
    directory: yield* Directory,
    environment: yield* Environment.client,
    router: yield* Router.client,
    activated: new Set(),
  }
  return {
    run: {
      load_configuration: ({ options }) => Effect.asVoid(environmentsOf(site, options)),
      calibrate_routers: (session, reportProgress) => calibrateRouters(site, session, reportProgress),
      start_environments: (session, reportProgress) => startEnvironments(site, session, reportProgress),
      stop_environments: (_, reportProgress) => stopEnvironments(site, reportProgress),
      save_state: (_, reportProgress) => saveState(site, reportProgress),
    },
    applyOptions: (session) => startEnvironments(site, session, () => Effect.void),
    undoStart: (session) => undoStart(site, session),
  } satisfies Steps
})
