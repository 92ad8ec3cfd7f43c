/**
 * Executes the steps that the machine has planned.
 *
 * Invariants:
 * 1. The machine receives the outcome of every step, also after a defect or while the store is unavailable.
 * 2. The steps of at most one plan run at a time.
 * 3. A process that ends in the middle of a plan resumes with the first step that is not completed: steps are idempotent.
 */
import { Cause, Clock, Effect, Fiber } from "effect"
import type { StepName } from "./machine.ts"
import { send, type SessionActor, sessionOf } from "./session-actor.ts"

/** The reason of a failed step, as text. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const reason = Cause.squash(cause)
  return reason instanceof Error ? reason.message : String(reason)
}

const executeStep = Effect.fnUntraced(function* (actor: SessionActor, step: string) {
  yield* send(actor, { type: "STEP_BEGUN", step })
  yield* actor.steps.run[step as StepName](
    sessionOf(actor),
    (progress) => Effect.ignore(send(actor, { type: "STEP_PROGRESSED", step, progress })),
  )
  yield* send(actor, { type: "STEP_COMPLETED", step, nowMs: yield* Clock.currentTimeMillis })
})

const failStep = Effect.fnUntraced(function* (actor: SessionActor, step: string, cause: Cause.Cause<unknown>) {
  const session = sessionOf(actor)
  yield* Effect.logError("session step failed", { step, status: session.status }, cause)
  if (session.status !== "stopping") yield* actor.steps.undoStart(session)
  yield* send(actor, { type: "STEP_FAILED", step, reason: reasonOf(cause) })
})

const executePlan = (actor: SessionActor): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { step, status } of sessionOf(actor).steps) {
      if (status === "completed") continue
      const completed = yield* executeStep(actor, step).pipe(
        Effect.as(true),
        // An interruption, by a newer plan or by the end of the actor, does not reach this handler.
        Effect.catchCause((cause) => Effect.as(failStep(actor, step, cause), false)),
      )
      if (!completed) return
    }
  }).pipe(Effect.catchCause((cause) => Effect.logError("failed step could not be recorded", cause)))

/**
 * Starts the planned steps in the background. It runs within a transition: the steps of an older plan are interrupted before that
 * transition is over, and have ended before the new ones start.
 */
export const beginSteps = (actor: SessionActor): Effect.Effect<void> =>
  Effect.gen(function* () {
    const older = actor.stepping
    older?.interruptUnsafe()
    const plan = executePlan(actor)
    actor.stepping = yield* Effect.forkIn(
      older === null ? plan : Effect.andThen(Fiber.await(older), plan),
      actor.scope,
    )
  })
