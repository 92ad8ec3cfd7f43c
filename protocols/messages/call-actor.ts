/**
 * Calls an actor with a time limit: the cluster waits for a shard that no node owns, a caller must not.
 */
import { Cause, Effect, Result } from "effect"
import type { ClusterError } from "effect/cluster"
import { ActorUnavailable, AnswerTimeout } from "../domain/failure.ts"
import { brokeItsActor } from "./unavailable-actors.ts"

/** How the cluster, not the actor, rejects a message. */
type Rejection =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

const rejections = new Set(["MailboxFull", "AlreadyProcessingMessage", "PersistenceError", "EntityNotAssignedToRunner"])

const isRejection = (error: unknown): error is Rejection =>
  typeof error === "object" && error !== null && "_tag" in error && rejections.has(String(error._tag))

/** How long an actor may take to answer. */
const answerMsMax = 5_000

/** The actor's answer or its own failure; all other failures become `ActorUnavailable`. */
const reached = <A, E, R>(
  actor: string,
  call: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, Rejection> | ActorUnavailable, R> =>
  Effect.catchCause(call, (cause): Effect.Effect<never, Exclude<E, Rejection> | ActorUnavailable> => {
    const error = Cause.findError(cause)
    if (Result.isSuccess(error) && !isRejection(error.success)) {
      return Effect.fail(error.success as Exclude<E, Rejection>)
    }
    const broke = brokeItsActor(cause)
    const unavailable = new ActorUnavailable({
      actor,
      message: broke
        ? `${actor} broke on this request and restarts. Try again.`
        : `${actor} cannot be reached at the moment. Try again.`,
    })
    return Effect.andThen(
      broke ? Effect.logError(unavailable.message, cause) : Effect.logDebug(unavailable.message, cause),
      Effect.fail(unavailable),
    )
  })

/**
 * Calls an actor: its answer or its own failure. Fails with `ActorUnavailable` if the cluster rejects the message, or if the actor breaks,
 * was given up or went away: this side only sends, so an untyped failure comes from the remote side. Fails with `AnswerTimeout` after
 * `limitMs`.
 */
export const ask = <A, E, R>(
  actor: string,
  call: Effect.Effect<A, E, R>,
  limitMs: number = answerMsMax,
): Effect.Effect<A, Exclude<E, Rejection> | ActorUnavailable | AnswerTimeout, R> =>
  Effect.timeoutOrElse(reached(actor, call), {
    duration: limitMs,
    orElse: () => Effect.fail(new AnswerTimeout({ actor, limitMs })),
  })

/** As `ask`, for callers that handle a timeout as any other unavailable actor: it fails with `onTimeout`. */
export const askOrUnavailable = <A, E, R>(
  actor: string,
  call: Effect.Effect<A, E, R>,
  onTimeout: ActorUnavailable,
  limitMs: number = answerMsMax,
): Effect.Effect<A, Exclude<E, Rejection> | ActorUnavailable, R> =>
  Effect.timeoutOrElse(reached(actor, call), { duration: limitMs, orElse: () => Effect.fail(onTimeout) })
