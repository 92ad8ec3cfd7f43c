/**
 * The state of the Session actor, and its transitions.
 *
 * Invariant: every transition is saved before it is made and answered; a transition that cannot be saved is not made. Two events
 * differ: the progress of a step is not saved, because a resumed step starts again; a failed step is recorded even when it cannot be
 * saved.
 */
import { Effect, type Fiber, Schedule, type Scope } from "effect"
import { StoreUnavailable, SystemConflict } from "../../protocols/domain/failure.ts"
import type { SystemSession } from "../../protocols/domain/system.ts"
import type { ConfigurationRecord } from "../../protocols/ports/configuration.ts"
import type { Directory } from "../../protocols/ports/directory.ts"
import type { ConfigurationState } from "../../protocols/messages/session.ts"
import type { RunningMachine } from "../runtime/machine.ts"
import type { PoseModels } from "../runtime/pose/pose-models.ts"
import type { SessionStore } from "../store/session/sessions.ts"
import { type SessionEvent, type sessionMachine, type SessionSnapshot, toSession } from "./machine.ts"
import type { Steps } from "./steps.ts"

/** Time to save once, and the number of retries. */
const saveTimeoutMs = 2_000
const saveRetry = { times: 2, schedule: Schedule.exponential(100) } as const

export interface SessionActor {
  readonly machine: RunningMachine<typeof sessionMachine, StoreUnavailable>
  readonly steps: Steps
  readonly directory: Directory["Service"]
  readonly models: PoseModels["Service"]
  readonly scope: Scope.Scope
  /** The configuration in force. A change becomes visible here when it is applied. */
  configuration: ConfigurationState
  /** The steps in progress, null before the first. */
  stepping: Fiber.Fiber<void> | null
}

export const sessionOf = ({ machine }: SessionActor): SystemSession => toSession(machine.snapshot())

const save = (store: SessionStore["Service"], snapshot: SessionSnapshot, record: ConfigurationRecord | null) =>
  store.save(toSession(snapshot), record).pipe(
    Effect.timeoutOrElse({
      duration: saveTimeoutMs,
      orElse: () =>
        Effect.fail(new StoreUnavailable({ message: `The session was not saved within ${saveTimeoutMs} ms.` })),
    }),
    Effect.retry(saveRetry),
  )

/** Saves the state that an event leads to. */
export const saveTransition = (
  store: SessionStore["Service"],
  next: SessionSnapshot,
  event: SessionEvent,
): Effect.Effect<void, StoreUnavailable> => {
  if (event.type === "STEP_PROGRESSED") return Effect.void
  if (event.type !== "STEP_FAILED") return save(store, next, "record" in event ? event.record : null)
  return Effect.catch(save(store, next, null), (error) => Effect.logError("failed step could not be saved", error))
}

/** Sends an event to the machine; returns the session after it. */
export const send = ({ machine }: SessionActor, event: SessionEvent): Effect.Effect<SystemSession, StoreUnavailable> =>
  Effect.map(machine.send(event), toSession)

/**
 * Sends an event, or fails with a conflict when the current state does not allow it.
 *
 * @param action for the message: "so it cannot <action> now"
 */
export const sendIfAllowed = (
  actor: SessionActor,
  event: SessionEvent,
  action: string,
): Effect.Effect<SystemSession, SystemConflict | StoreUnavailable> =>
  Effect.suspend((): Effect.Effect<SystemSession, SystemConflict | StoreUnavailable> => {
    if (actor.machine.snapshot().can(event)) return send(actor, event)
    const { status } = sessionOf(actor)
    return Effect.fail(
      new SystemConflict({ status, message: `The system is ${status}, so it cannot ${action} now.` }),
    )
  })
