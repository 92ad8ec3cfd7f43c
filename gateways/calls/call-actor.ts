/**
 * Asks an actor, with a bound on how long: a cluster waits for a shard that nobody holds, a caller does not.
 */
import { Cause, Effect, Result } from "effect"
import type { ClusterError } from "effect/cluster"
import { ActorUnavailable } from "../../protocols/domain/failure.ts"
import { AnswerTimeout } from "../../protocols/pose-api/errors.ts"
import { brokeItsActor } from "../../protocols/messages/unavailable-actors.ts"

/** How the cluster, as against the actor, refuses a message. */
type Refusal =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

const refusals = new Set(["MailboxFull", "AlreadyProcessingMessage", "PersistenceError", "EntityNotAssignedToRunner"])

const isRefusal = (error: unknown): error is Refusal =>
  typeof error === "object" && error !== null && "_tag" in error && refusals.has(String(error._tag))

/** Milliseconds that an actor has for an answer. */
const answerMsMax = 5_000

/**
 * The actor's answer or its own failure. A refusal of the cluster, and a far side that broke, was given up or went away, is
 * `ActorUnavailable`: whatever is not a typed failure comes from there, for on this side there is only the sending.
 */
export const ask = <A, E, R>(
  actor: string,
  call: Effect.Effect<A, E, R>,
  limitMs: number = answerMsMax,
): Effect.Effect<A, Exclude<E, Refusal> | ActorUnavailable | AnswerTimeout, R> =>
  call.pipe(
    Effect.catchCause((cause): Effect.Effect<never, Exclude<E, Refusal> | ActorUnavailable> => {
      const error = Cause.findError(cause)
      if (Result.isSuccess(error) && !isRefusal(error.success)) {
        return Effect.fail(error.success as Exclude<E, Refusal>)
      }
      const broke = brokeItsActor(cause)
      const unavailable = new ActorUnavailable({
        actor,
        message: broke
          ? `${actor} broke on this request and starts anew. Try again.`
          : `${actor} cannot be reached at the moment. Try again.`,
      })
      return Effect.andThen(
        broke ? Effect.logError(unavailable.message, cause) : Effect.logDebug(unavailable.message, cause),
        Effect.fail(unavailable),
      )
    }),
    Effect.timeoutOrElse({
      duration: limitMs,
      orElse: () => Effect.fail(new AnswerTimeout({ actor, limitMs })),
    }),
  )
