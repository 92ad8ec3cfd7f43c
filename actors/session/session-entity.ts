/**
 * The Session actor as a cluster entity.
 *
 * Boundary: `machine.ts` decides, `session-actor.ts` saves each transition, `step-execution.ts` executes the planned steps and
 * `reconfiguration.ts` changes the configuration. A rebuilt actor resumes the steps in progress, or applies the saved
 * configuration to the running environments.
 */
import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { StartRequest } from "../../protocols/domain/system.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Session } from "../../protocols/messages/session.ts"
import { runMachine } from "../runtime/machine.ts"
import { PoseModels } from "../runtime/pose/pose-models.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { ConfigurationStore } from "../store/session/configurations.ts"
import { SessionStore } from "../store/session/sessions.ts"
import { firstConfiguration, planChange, thisNode } from "./configuration.ts"
import { fromSession, type SessionEvent, sessionMachine } from "./machine.ts"
import { applySavedConfiguration, checkTargets, configure } from "./reconfiguration.ts"
import { saveTransition, sendIfAllowed, type SessionActor, sessionOf } from "./session-actor.ts"
import { beginSteps } from "./step-execution.ts"
import { makeSteps } from "./steps.ts"

/** The actor where its predecessor left it. */
const loadActor = Effect.gen(function* () {
  const store = yield* SessionStore
  const saved = yield* store.load
  const machine = yield* runMachine(sessionMachine, {
    ...(saved === null ? {} : { restored: fromSession(saved) }),
    keep: (next, event: SessionEvent) => saveTransition(store, next, event),
    perform: (action) => action.type === "carryOutSteps" ? beginSteps(actor) : Effect.void,
  })
  const actor: SessionActor = {
    machine,
    steps: yield* makeSteps,
    directory: yield* Directory,
    models: yield* PoseModels,
    scope: yield* Effect.scope,
    configuration: (yield* (yield* ConfigurationStore).load) ?? firstConfiguration(saved),
    stepping: null,
  }
  return actor
})

/** Continues what the saved session was doing. */
const resume = (actor: SessionActor) => {
  switch (sessionOf(actor).status) {
    case "starting":
    case "stopping":
    case "restarting":
      return beginSteps(actor)
    case "running":
      return applySavedConfiguration(actor)
    default:
      return Effect.void
  }
}

const start = Effect.fnUntraced(function* (
  actor: SessionActor,
  sessionId: string,
  { by = thisNode, calibrationRequired = false, ...changes }: StartRequest,
) {
  const nowMs = yield* Clock.currentTimeMillis
  const planned = yield* planChange(actor.configuration, changes, by, nowMs)
  const { configuration } = planned.state
  if (configuration.environmentId !== null) yield* actor.directory.environment(configuration.environmentId)
  yield* checkTargets(actor, planned)
  const options = { ...configuration, calibrationRequired }
  const event = { type: "START", sessionId, options, nowMs, record: planned.record } as const
  const session = yield* sendIfAllowed(actor, event, "start")
  actor.configuration = planned.state
  return session
})

const stop = Effect.fnUntraced(function* (
  actor: SessionActor,
  { force, saveState }: { readonly force: boolean; readonly saveState: boolean },
) {
  const nowMs = yield* Clock.currentTimeMillis
  return yield* sendIfAllowed(actor, { type: "STOP", force, saveState, nowMs }, "stop")
})

const restart = Effect.fnUntraced(function* (actor: SessionActor, sessionId: string) {
  const { options: { calibrationRequired }, sessionId: previousSessionId } = sessionOf(actor)
  const nowMs = yield* Clock.currentTimeMillis
  const options = { ...actor.configuration.configuration, calibrationRequired }
  const session = yield* sendIfAllowed(actor, { type: "RESTART", sessionId, options, nowMs }, "restart")
  return { previousSessionId, session }
})

const build = Effect.gen(function* () {
  const actor = yield* loadActor
  const random = yield* SecureRandom.SecureRandom
  yield* resume(actor)
  return Session.of({
    Status: () => Effect.sync(() => sessionOf(actor)),
    Start: ({ payload }) => Effect.flatMap(random.uuidV7(), (sessionId) => start(actor, sessionId, payload)),
    Stop: ({ payload }) => stop(actor, payload),
    Restart: () => Effect.flatMap(random.uuidV7(), (sessionId) => restart(actor, sessionId)),
    Configuration: () => Effect.sync(() => actor.configuration),
    Configure: ({ payload }) => configure(actor, payload),
  })
})

/** The Session actor of this node. */
export const layerSession = Session.toLayer(
  supervise(Session, build, { concurrent: ["Status", "Configuration"] }),
  entityOptions,
)
