/**
 * Handlers of the group Environments.
 *
 * A removal is decided by the store: once the enrolment is deleted, whatever follows (the session, the actor, the history) can fail without
 * bringing it back. Actors that cannot be reached find it out by themselves (`actors/environment/environment-life.ts`).
 */
import { Effect } from "effect"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { listEnvironments, readEnvironment, removeEnvironment } from "../../../protocols/pose-api/environments.ts"
import { Enrolments } from "../../../protocols/ports/enrolments.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { leaveEnvironments } from "../../calls/leave-environments.ts"
import { route } from "../server/route.ts"

/** Has the environment's actor find out that it is not enrolled any more: its frames and streams end. */
const stopActor = Effect.fnUntraced(function* (environmentId: string) {
  const client = yield* Environment.client
  yield* ask(`Environment ${environmentId}`, client(environmentId).Deactivate()).pipe(
    Effect.catchTag("UnknownEnvironment", () => Effect.void),
    Effect.catch(({ message }) =>
      Effect.logWarning(`environment ${environmentId} is removed; its actor ends within seconds`, message)
    ),
  )
})

export const environmentRoutes = [
  route(listEnvironments, () => Effect.flatMap(Enrolments, ({ all }) => all)),

  route(readEnvironment, ({ params: { environment_id: environmentId } }) =>
    Effect.gen(function* () {
      const all = yield* (yield* Enrolments).all
      const found = all.find(({ environment }) => environment.environmentId === environmentId)
      return found ??
        (yield* UnknownEnvironment.among(environmentId, all.map(({ environment }) => environment.environmentId)))
    })),

  route(
    removeEnvironment,
    ({ caller, params: { environment_id: environmentId }, query: { history = "keep" } }) =>
      Effect.gen(function* () {
        const enrolments = yield* Enrolments
        const by = changedBy(caller)
        if (!(yield* enrolments.remove(environmentId))) return yield* UnknownEnvironment.of(environmentId)
        yield* Effect.logInfo("an environment was removed", { environment_id: environmentId, history, by: by.name })
        yield* stopActor(environmentId)
        yield* leaveEnvironments((named) => named === environmentId, by).pipe(
          Effect.catch(({ message }) =>
            Effect.logWarning(`the system session still names environment ${environmentId}`, message)
          ),
        )
        const dropped = history === "drop" ? yield* enrolments.dropHistory(environmentId) : null
        return { environmentId, dropped }
      }).pipe(Effect.uninterruptible),
  ),
]
