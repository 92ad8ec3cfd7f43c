/**
 * The Session actor: carries out what its machine decides, and saves every move before it is answered.
 *
 * Boundary: it speaks to environments and routers by their contracts only. Steps are idempotent: a process that dies in
 * the middle of them resumes with the first that is not completed.
 */
import { Clock, Effect, Fiber, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ActorUnavailable,
  StoreUnavailable,
  SystemConflict,
  UnknownEnvironment,
} from "../../protocols/domain/failure.ts"
import type { StartOptions, SystemSession } from "../../protocols/domain/system.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session } from "../../protocols/messages/session.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { SessionStore } from "../store/sessions.ts"
import { fromSession, type SessionEvent, sessionMachine, type StepName, toSession } from "./machine.ts"

/** How long one environment or router may take to obey. */
const obeyTimeout = "5 seconds"
/** Seconds of an empty room that a calibration averages (sensing.md II.B.5). */
const calibrationSeconds = 60
const fanOut = { concurrency: 8, discard: true } as const

const conflict = (session: SystemSession, wanted: string) =>
  new SystemConflict({
    status: session.status,
    message: `The system is ${session.status}, so it cannot ${wanted} now.`,
  })

/** What each step does. Every one may run again after a crash. */
const makeSteps = Effect.gen(function* () {
  const directory = yield* Directory
  const environmentClient = yield* Environment.client
  const routerClient = yield* Router.client

  const wanted = Effect.fnUntraced(function* (options: StartOptions) {
    if (options.environmentId !== null) return [yield* directory.environment(options.environmentId)]
    return yield* directory.environments
  })
  const obey = <A, E>(actor: string, effect: Effect.Effect<A, E>) =>
    effect.pipe(
      Effect.timeout(obeyTimeout),
      Effect.mapError(() => new ActorUnavailable({ actor, message: `${actor} did not obey within ${obeyTimeout}.` })),
    )

  return {
    load_configuration: (session) => Effect.asVoid(wanted(session.options)),
    calibrate_routers: Effect.fnUntraced(function* (session) {
      const environments = new Set((yield* wanted(session.options)).map((each) => each.environmentId))
      const routers = (yield* directory.routers).filter((router) => environments.has(router.environmentId))
      yield* Effect.forEach(
        routers,
        ({ routerId }) => obey(`router ${routerId}`, routerClient(routerId).Calibrate({ seconds: calibrationSeconds })),
        fanOut,
      )
    }),
    start_environments: Effect.fnUntraced(function* (session) {
      const { sessionId, options } = session
      yield* Effect.forEach(yield* wanted(options), ({ environmentId }) =>
        obey(
          `environment ${environmentId}`,
          environmentClient(environmentId).Activate({ sessionId: sessionId ?? "", options }),
        ), fanOut)
    }),
    stop_environments: () =>
      Effect.flatMap(
        directory.environments,
        (environments) =>
          Effect.forEach(environments, ({ environmentId }) =>
            obey(`environment ${environmentId}`, environmentClient(environmentId).Deactivate()), fanOut),
      ),
    save_state: Effect.fnUntraced(function* () {
      yield* Effect.forEach(
        yield* directory.routers,
        ({ routerId }) => obey(`router ${routerId}`, routerClient(routerId).Save()),
        fanOut,
      )
    }),
  } satisfies Record<
    StepName,
    (session: SystemSession) => Effect.Effect<void, ActorUnavailable | StoreUnavailable | UnknownEnvironment>
  >
})

const build = Effect.gen(function* () {
  const store = yield* SessionStore
  const steps = yield* makeSteps
  const directory = yield* Directory
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const saveInOrder = Semaphore.makeUnsafe(1).withPermits(1)
  const saved = yield* Effect.orDie(store.load)
  let stepping: Fiber.Fiber<void> | undefined
  let stepsWanted = false

  const machine = yield* runMachine(sessionMachine, {
    ...(saved === null ? {} : { restored: fromSession(saved) }),
    perform: (action) => Effect.sync(() => void (stepsWanted ||= action.type === "carryOutSteps")),
  })
  const current = () => toSession(machine.snapshot())

  /** Moves the machine, saves the move, and begins the steps that it asks for. */
  const move = (event: SessionEvent): Effect.Effect<SystemSession, StoreUnavailable> =>
    saveInOrder(Effect.gen(function* () {
      yield* machine.send(event)
      yield* store.save(current())
      if (stepsWanted) {
        stepsWanted = false
        yield* beginSteps
      }
      return current()
    }))

  const carryOut = Effect.gen(function* () {
    for (const { step, status } of current().steps) {
      if (status === "completed") continue
      yield* move({ type: "STEP_BEGUN", step })
      const failure = yield* steps[step as StepName](current()).pipe(
        Effect.as(undefined),
        Effect.catch((error) => Effect.succeed(error.message)),
      )
      if (failure !== undefined) {
        yield* Effect.logError(`the system could not ${step.replaceAll("_", " ")}: ${failure}`)
        return yield* move({ type: "STEP_FAILED", step, reason: failure })
      }
      yield* move({ type: "STEP_COMPLETED", step, nowMs: yield* Clock.currentTimeMillis })
    }
  }).pipe(Effect.catch((error) => Effect.logError("the session could not be saved", error)), Effect.asVoid)

  const beginSteps = Effect.gen(function* () {
    if (stepping !== undefined) yield* Effect.forkIn(Fiber.interrupt(stepping), scope)
    stepping = yield* Effect.forkIn(carryOut, scope)
  })

  if (["starting", "stopping", "restarting"].includes(current().status)) yield* beginSteps

  const attempt = Effect.fnUntraced(function* (event: SessionEvent, wanted: string) {
    if (!machine.snapshot().can(event)) return yield* conflict(current(), wanted)
    return yield* move(event)
  })

  return Session.of({
    Status: () => Effect.sync(current),
    Start: Effect.fnUntraced(function* ({ payload: options }) {
      if (options.environmentId !== null) yield* directory.environment(options.environmentId)
      const nowMs = yield* Clock.currentTimeMillis
      return yield* attempt({ type: "START", sessionId: yield* random.uuidV7(), options, nowMs }, "start")
    }),
    Stop: Effect.fnUntraced(function* ({ payload: { force, saveState } }) {
      return yield* attempt({ type: "STOP", force, saveState, nowMs: yield* Clock.currentTimeMillis }, "stop")
    }),
    Restart: Effect.fnUntraced(function* () {
      const previousSessionId = current().sessionId
      const nowMs = yield* Clock.currentTimeMillis
      const session = yield* attempt({ type: "RESTART", sessionId: yield* random.uuidV7(), nowMs }, "restart")
      return { previousSessionId, session }
    }),
  })
})

/** The Session actor of this node. */
export const layerSession = Session.toLayer(supervise(Session, build, { concurrent: ["Status"] }), entityOptions)
