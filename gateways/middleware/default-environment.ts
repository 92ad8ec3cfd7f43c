/**
 * Which environment is meant when a request names none. The same answer at every edge.
 */
import { Data, Effect } from "effect"
import type { Sharding } from "effect/cluster"
import type { ActorUnavailable, StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { AnswerTimeout } from "../../protocols/http/errors.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { ask } from "./ask.ts"

/** Several environments could be meant, or none exists. */
export class EnvironmentNotNamed extends Data.TaggedError("EnvironmentNotNamed")<{ readonly message: string }> {}

const none = "is needed: no environment is enrolled yet"
const several = "is needed: several environments are enrolled and the session does not run a single one"

/** The environment that the running session names; else the only one that is enrolled. */
export const defaultEnvironment: Effect.Effect<
  string,
  EnvironmentNotNamed | StoreUnavailable | ActorUnavailable | AnswerTimeout,
  Directory | Sharding.Sharding
> = Effect.gen(function* () {
  const client = yield* Session.client
  const { status, options } = yield* ask("The system session", client(sessionEntityId).Status())
  if (status !== "stopped" && options.environmentId !== null) return options.environmentId
  const [first, ...others] = yield* (yield* Directory).environments
  if (first !== undefined && others.length === 0) return first.environmentId
  return yield* new EnvironmentNotNamed({ message: first === undefined ? none : several })
})
