/**
 * Changes of the configuration by the Session actor.
 *
 * Invariant: a change is saved with its record and then applied by all running environments. If one fails, the change is reverted
 * on all that can be reached, with a record that holds the reason.
 */
import { Clock, Effect, Schedule } from "effect"
import { appliedAtOnce, ConfigurationMoved, restartSettings } from "../../protocols/domain/configuration-change.ts"
import { UnusableModel } from "../../protocols/domain/failure.ts"
import type { StartOptions } from "../../protocols/domain/system.ts"
import type { Configure, Configured } from "../../protocols/messages/session.ts"
import { networkOf, PoseModels } from "../runtime/pose/pose-models.ts"
import { configurationOf, planChange, type PlannedChange, planReversal } from "./configuration.ts"
import { send, sendIfAllowed, type SessionActor, sessionOf } from "./session-actor.ts"

/** About a minute in all, in which a site that moves is served again. */
const applyRetriesMax = 5
const applyRetryMs = 2_000

type ConfigureRequest = typeof Configure.payloadSchema.Type

/** Fails before anything is changed when the environment or the model does not exist. */
export const checkTargets = Effect.fnUntraced(function* (
  { directory, models }: SessionActor,
  { changed, state: { configuration } }: PlannedChange,
) {
  const { environmentId, neuralNetwork } = configuration
  if (environmentId !== null && changed.includes("environmentId")) yield* directory.environment(environmentId)
  // A caller that did not name the model did not make the mistake.
  const named = changed.includes("neuralNetwork.modelVersion")
  yield* networkOf(neuralNetwork).pipe(
    Effect.catchIf(
      (error) => error._tag === "UnknownModel" && !named,
      ({ message }) => UnusableModel.gone(neuralNetwork.modelVersion!, message),
    ),
    Effect.provideService(PoseModels, models),
  )
})

/** The options of the session after a change: a running session keeps the settings that only a restart can change. */
const optionsAfter = (actor: SessionActor, { state: { configuration } }: PlannedChange): StartOptions => {
  const { options, status } = sessionOf(actor)
  const applied = status === "running" ? appliedAtOnce(configurationOf(options), configuration) : configuration
  return { ...applied, calibrationRequired: options.calibrationRequired }
}

/** Reverts a change that was saved and that an environment did not apply. */
const revert = Effect.fnUntraced(
  function* (
    actor: SessionActor,
    planned: PlannedChange,
    by: ConfigureRequest["by"],
    options: StartOptions,
    { message }: { readonly message: string },
  ) {
    const reversal = planReversal(planned, actor.configuration, by, yield* Clock.currentTimeMillis, message)
    const reverted = yield* send(actor, { type: "CONFIGURE", options, record: reversal.record }).pipe(
      Effect.tapError(() => Effect.sync(() => actor.configuration = planned.state)),
    )
    actor.configuration = reversal.state
    yield* actor.steps.applyOptions(reverted)
  },
  Effect.catchCause((cause) => Effect.logError("failed configuration change could not be reverted everywhere", cause)),
)

/** Saves a change and applies it, or reverts it. */
const applyChange = Effect.fnUntraced(
  function* (actor: SessionActor, planned: PlannedChange, by: ConfigureRequest["by"]) {
    const { options } = sessionOf(actor)
    const event = { type: "CONFIGURE", options: optionsAfter(actor, planned), record: planned.record } as const
    const session = yield* sendIfAllowed(actor, event, "be configured")
    if (session.status === "running") {
      yield* Effect.tapError(
        actor.steps.applyOptions(session),
        (error) => revert(actor, planned, by, options, error),
      )
    }
    actor.configuration = planned.state
  },
  Effect.uninterruptible,
)

/** Changes the configuration; see the message `Configure`. */
export const configure = Effect.fnUntraced(
  function* (actor: SessionActor, { by, changes, ifRevision }: ConfigureRequest) {
    const { revision } = actor.configuration
    if (ifRevision !== null && ifRevision !== revision) return yield* ConfigurationMoved.of(revision)
    const atMs = yield* Clock.currentTimeMillis
    const planned = yield* planChange(actor.configuration, changes, by, atMs)
    if (planned.record !== null) {
      yield* checkTargets(actor, planned)
      yield* applyChange(actor, planned, by)
    }
    const running = sessionOf(actor).status === "running"
    return {
      ...planned.state,
      changed: planned.changed,
      restartRequired: planned.changed.filter((setting) => running && restartSettings.has(setting)),
      atMs,
    } satisfies Configured
  },
)

/**
 * Applies the saved configuration to the environments of a session that was already running, in the background. While nodes come and go an
 * environment may not be reached at first.
 */
export const applySavedConfiguration = (actor: SessionActor) =>
  Effect.suspend(() => sessionOf(actor).status === "running" ? actor.steps.applyOptions(sessionOf(actor)) : Effect.void)
    .pipe(
      Effect.retry({ times: applyRetriesMax, schedule: Schedule.exponential(applyRetryMs) }),
      Effect.catchCause((cause) =>
        Effect.logWarning("configuration was not applied to all environments of the running session", cause)
      ),
      Effect.forkIn(actor.scope),
    )
