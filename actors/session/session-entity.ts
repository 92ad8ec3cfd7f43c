/**
 * The Session actor: carries out what its machine decides.
 *
 * Boundary: what a step does is `steps.ts`. Steps are idempotent: a process that dies in the middle of them resumes with the
 * first that is not completed.
 *
 * Invariants:
 * 1. Every move is saved before it is made and answered; a move that cannot be saved is not made. The progress of a step
 *    is not saved, for a step that resumes begins anew; a failure is made even when it cannot be saved.
 * 2. However a step ends, by a failure, a defect or a store that is away, the machine hears of it.
 * 3. Steps of at most one plan run at a time.
 * 4. A change of the configuration is saved with its record, and then obeyed by all environments; or it is taken back, with a record that
 *    says why, from all that can be reached. An actor that is built has the running environments obey what is saved.
 */
import { Cause, Clock, Effect, Fiber, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { appliedAtOnce, ConfigurationMoved, restartSettings } from "../../protocols/domain/configuration-change.ts"
import { StoreUnavailable, SystemConflict, UnusableModel } from "../../protocols/domain/failure.ts"
import type { StartOptions, SystemSession } from "../../protocols/domain/system.ts"
import type { ConfigurationRecord } from "../../protocols/ports/configuration.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Configure, type Configured, Session } from "../../protocols/messages/session.ts"
import { runMachine } from "../runtime/machine.ts"
import { networkOf, PoseModels } from "../runtime/pose/pose-models.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { ConfigurationStore } from "../store/session/configurations.ts"
import { SessionStore } from "../store/session/sessions.ts"
import {
  configurationOf,
  firstConfiguration,
  planChange,
  type PlannedChange,
  planReturn,
  thisNode,
} from "./configuration.ts"
import {
  fromSession,
  type SessionEvent,
  sessionMachine,
  type SessionSnapshot,
  type StepName,
  toSession,
} from "./machine.ts"
import { makeSteps } from "./steps.ts"

/** One save, and how often it is tried again. */
const saveTimeoutMs = 2_000
const saveRetry = { times: 2, schedule: Schedule.exponential(100) } as const

const conflict = (session: SystemSession, wanted: string) =>
  new SystemConflict({
    status: session.status,
    message: `The system is ${session.status}, so it cannot ${wanted} now.`,
  })

/** How a step ended that did not complete, in words. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const reason = Cause.squash(cause)
  return reason instanceof Error ? reason.message : String(reason)
}

const build = Effect.gen(function* () {
  const store = yield* SessionStore
  const steps = yield* makeSteps
  const directory = yield* Directory
  const models = yield* PoseModels
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const saved = yield* store.load
  /** What holds; a change is seen here when it is obeyed. */
  let known = (yield* (yield* ConfigurationStore).load) ?? firstConfiguration(saved)
  let stepping: Fiber.Fiber<void> | undefined

  const save = (snapshot: SessionSnapshot, record: ConfigurationRecord | null) =>
    store.save(toSession(snapshot), record).pipe(
      Effect.timeoutOrElse({
        duration: saveTimeoutMs,
        orElse: () =>
          Effect.fail(new StoreUnavailable({ message: `The session was not saved within ${saveTimeoutMs} ms.` })),
      }),
      Effect.retry(saveRetry),
    )

  const machine = yield* runMachine(sessionMachine, {
    ...(saved === null ? {} : { restored: fromSession(saved) }),
    keep: (next, event: SessionEvent): Effect.Effect<void, StoreUnavailable> => {
      if (event.type === "STEP_PROGRESSED") return Effect.void
      if (event.type !== "STEP_FAILED") return save(next, "record" in event ? event.record : null)
      return Effect.catch(save(next, null), (error) => Effect.logError("a failed step could not be saved", error))
    },
    perform: (action) => action.type === "carryOutSteps" ? beginSteps : Effect.void,
  })
  const current = () => toSession(machine.snapshot())
  const move = (event: SessionEvent) => Effect.map(machine.send(event), toSession)

  const carryOutStep = Effect.fnUntraced(function* (step: string) {
    yield* move({ type: "STEP_BEGUN", step })
    yield* steps.run[step as StepName](
      current(),
      (progress) => Effect.ignore(move({ type: "STEP_PROGRESSED", step, progress })),
    )
    yield* move({ type: "STEP_COMPLETED", step, nowMs: yield* Clock.currentTimeMillis })
  })

  const fail = Effect.fnUntraced(function* (step: string, cause: Cause.Cause<unknown>) {
    const session = current()
    yield* Effect.logError(`the system could not ${step.replaceAll("_", " ")}`, cause)
    if (session.status !== "stopping") yield* steps.undoStart(session)
    yield* move({ type: "STEP_FAILED", step, reason: reasonOf(cause) })
  })

  const carryOut = Effect.gen(function* () {
    for (const { step, status } of current().steps) {
      if (status === "completed") continue
      const completed = yield* carryOutStep(step).pipe(
        Effect.as(true),
        // An interruption of these steps, by newer ones or by the end of the actor, does not come here.
        Effect.catchCause((cause) => Effect.as(fail(step, cause), false)),
      )
      if (!completed) return
    }
  }).pipe(Effect.catchCause((cause) => Effect.logError("a failed step could not be recorded", cause)))

  /** Runs within a move: the steps of an older plan are told to end before that move is over, and have ended before new ones. */
  const beginSteps: Effect.Effect<void> = Effect.gen(function* () {
    const older = stepping
    older?.interruptUnsafe()
    const afterOlder = older === undefined ? carryOut : Effect.andThen(Fiber.await(older), carryOut)
    stepping = yield* Effect.forkIn(afterOlder, scope)
  })

  if (["starting", "stopping", "restarting"].includes(current().status)) yield* beginSteps

  const attempt = Effect.fnUntraced(function* (event: SessionEvent, wanted: string) {
    if (!machine.snapshot().can(event)) return yield* conflict(current(), wanted)
    return yield* move(event)
  })

  /** Fails before anything is done for an environment or a model that is not there. */
  const check = Effect.fnUntraced(function* ({ changed, state: { configuration } }: PlannedChange) {
    const { environmentId, neuralNetwork } = configuration
    if (environmentId !== null && changed.includes("environmentId")) yield* directory.environment(environmentId)
    // Who did not name the model did not make a mistake.
    const named = changed.includes("neuralNetwork.modelVersion")
    yield* networkOf(neuralNetwork).pipe(
      Effect.catchIf(
        (error) => error._tag === "UnknownModel" && !named,
        ({ message }) => UnusableModel.gone(neuralNetwork.modelVersion!, message),
      ),
      Effect.provideService(PoseModels, models),
    )
  })

  /** What the session goes on with under a configuration: a session that runs keeps what only a restart can change. */
  const optionsUnder = ({ state: { configuration } }: PlannedChange): StartOptions => {
    const { options, status } = current()
    const applied = status === "running" ? appliedAtOnce(configurationOf(options), configuration) : configuration
    return { ...applied, calibrationRequired: options.calibrationRequired }
  }

  /** Saves a change and has it obeyed; what cannot be obeyed is taken back. */
  const change = Effect.fnUntraced(function* (planned: PlannedChange, by: typeof Configure.payloadSchema.Type["by"]) {
    const { options } = current()
    const session = yield* attempt(
      { type: "CONFIGURE", options: optionsUnder(planned), record: planned.record },
      "be configured",
    )
    const takeBack = Effect.fnUntraced(function* ({ message }: { readonly message: string }) {
      const back = planReturn(planned, known, by, yield* Clock.currentTimeMillis, message)
      const returned = yield* move({ type: "CONFIGURE", options, record: back.record }).pipe(
        Effect.tapError(() => Effect.sync(() => known = planned.state)),
      )
      known = back.state
      yield* steps.applyOptions(returned)
    }, Effect.catchCause((cause) => Effect.logError("a change that failed could not be taken back everywhere", cause)))
    if (session.status === "running") yield* Effect.tapError(steps.applyOptions(session), takeBack)
    known = planned.state
  }, Effect.uninterruptible)

  const configure = Effect.fnUntraced(function* (
    { by, changes, ifRevision }: typeof Configure.payloadSchema.Type,
  ) {
    if (ifRevision !== null && ifRevision !== known.revision) return yield* ConfigurationMoved.of(known.revision)
    const atMs = yield* Clock.currentTimeMillis
    const planned = yield* planChange(known, changes, by, atMs)
    if (planned.record !== null) {
      yield* check(planned)
      yield* change(planned, by)
    }
    const runs = current().status === "running"
    return {
      ...planned.state,
      changed: planned.changed,
      restartRequired: planned.changed.filter((setting) => runs && restartSettings.has(setting)),
      atMs,
    } satisfies Configured
  })

  if (current().status === "running") {
    yield* Effect.forkIn(
      Effect.catchCause(
        steps.applyOptions(current()),
        (cause) => Effect.logWarning("environments of the running session were not reached", cause),
      ),
      scope,
    )
  }

  return Session.of({
    Status: () => Effect.sync(current),
    Start: Effect.fnUntraced(function* ({ payload: { by = thisNode, calibrationRequired = false, ...changes } }) {
      const nowMs = yield* Clock.currentTimeMillis
      const planned = yield* planChange(known, changes, by, nowMs)
      const { configuration } = planned.state
      if (configuration.environmentId !== null) yield* directory.environment(configuration.environmentId)
      yield* check(planned)
      const session = yield* attempt({
        type: "START",
        sessionId: yield* random.uuidV7(),
        options: { ...configuration, calibrationRequired },
        nowMs,
        record: planned.record,
      }, "start")
      known = planned.state
      return session
    }),
    Stop: Effect.fnUntraced(function* ({ payload: { force, saveState } }) {
      return yield* attempt({ type: "STOP", force, saveState, nowMs: yield* Clock.currentTimeMillis }, "stop")
    }),
    Restart: Effect.fnUntraced(function* () {
      const { options: { calibrationRequired }, sessionId: previousSessionId } = current()
      const nowMs = yield* Clock.currentTimeMillis
      const options = { ...known.configuration, calibrationRequired }
      const session = yield* attempt(
        { type: "RESTART", sessionId: yield* random.uuidV7(), options, nowMs },
        "restart",
      )
      return { previousSessionId, session }
    }),
    Configuration: () => Effect.sync(() => known),
    Configure: ({ payload }) => configure(payload),
  })
})

/** The Session actor of this node. */
export const layerSession = Session.toLayer(
  supervise(Session, build, { concurrent: ["Status", "Configuration"] }),
  entityOptions,
)
