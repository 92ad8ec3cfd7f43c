/**
 * Handlers of the group Environments.
 *
 * The store decides a removal: after the enrolment is deleted, a failure of a later step (session, actor, history) does not restore it.
 * Actors that cannot be reached detect the removal themselves (`actors/environment/environment-life.ts`).
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

/** Makes the environment's actor check its enrolment, which is gone: its frames and streams end. */
const stopActor = Effect.fnUntraced(function* (environmentId: string) {
  const client = yield* Environment.client
  yield* ask(`Environment ${environmentId}`, client(environmentId).Deactivate()).pipe(
    Effect.catchTag("UnknownEnvironment", () => Effect.void),
    Effect.catch(({ message }) =>
      Effect.logWarning(
        `environment removed, but its actor did not answer and ends within seconds environment=${environmentId}`,
        message,
      )
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
        yield* Effect.logInfo("environment removed", { environment_id: environmentId, history, by: by.name })
        yield* stopActor(environmentId)
        yield* leaveEnvironments((named) => named === environmentId, by).pipe(
          Effect.catch(({ message }) =>
            Effect.logWarning(
              `environment removed, but the system session still names it environment=${environmentId}`,
              message,
            )
          ),
        )
        const dropped = history === "drop" ? yield* enrolments.dropHistory(environmentId) : null
        return { environmentId, dropped }
      }).pipe(Effect.uninterruptible),
  ),
]
