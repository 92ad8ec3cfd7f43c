/**
 * Asks an actor, with a bound on how long: a cluster waits for a shard that nobody holds, a caller does not.
 */
import { Effect } from "effect"
import type { ClusterError } from "effect/cluster"
import { ActorUnavailable } from "../../protocols/domain/failure.ts"
import { AnswerTimeout } from "../../protocols/http/errors.ts"

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

/** The actor's answer or its own failure; a refusal of the cluster is `ActorUnavailable`. */
export const ask = <A, E, R>(
  actor: string,
  call: Effect.Effect<A, E, R>,
  limitMs: number = answerMsMax,
): Effect.Effect<A, Exclude<E, Refusal> | ActorUnavailable | AnswerTimeout, R> =>
  call.pipe(
    Effect.mapError((error) =>
      isRefusal(error)
        ? new ActorUnavailable({ actor, message: `${actor} cannot be reached at the moment. Try again.` })
        : error as Exclude<E, Refusal>
    ),
    Effect.timeoutOrElse({
      duration: limitMs,
      orElse: () => Effect.fail(new AnswerTimeout({ actor, limitMs })),
    }),
  )
