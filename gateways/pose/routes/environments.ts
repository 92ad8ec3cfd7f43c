/**
 * Handlers of the group Environments.
 *
 * The store decides a removal: after the enrolment is deleted, a failure of a later step (session, actor, history) does not restore it.
 * Actors that cannot be reached detect the removal themselves (`actors/environment/environment-life.ts`).
 */
import { Effect, Fiber } from "effect"
import {
  changeEnvironment,
  changeErrors,
  changesOf,
  createEnvironment,
  revisionOfTag,
} from "../../../protocols/pose-api/environment-changes.ts"
import { listEnvironments, readEnvironment, removeEnvironment } from "../../../protocols/pose-api/environments.ts"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { type Enrolled, Enrolments } from "../../../protocols/ports/enrolments.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Router } from "../../../protocols/messages/router.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import type { ChangedBy } from "../../../protocols/domain/system.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { leaveEnvironments } from "../../calls/leave-environments.ts"
import { route } from "../server/route.ts"

/** Routers that are notified at one time. */
const fanOut = { concurrency: 16, discard: true } as const

/** Has routers look up the environment that they belong to now. One that cannot be reached does so within a minute. */
const notifyRouters = Effect.fnUntraced(function* (routerIds: Iterable<string>) {
  const client = yield* Router.client
  const notify = (routerId: string) =>
    ask(`Router ${routerId}`, client(routerId).ForgetEnrolment()).pipe(
      Effect.catch(({ message }) =>
        Effect.logWarning(`router ${routerId} follows the change of its environment within a minute`, message)
      ),
    )
  yield* Effect.forEach(new Set(routerIds), notify, fanOut)
})

/** Has the environment's actor read the environment again; one that is not active reads it when it is. */
const reload = Effect.fnUntraced(function* (environmentId: string) {
  const client = yield* Environment.client
  yield* ask(`Environment ${environmentId}`, client(environmentId).Reload()).pipe(
    Effect.catchTag("UnknownEnvironment", () => Effect.void),
    Effect.catch(({ message }) =>
      Effect.logWarning(`environment ${environmentId} is changed; its actor follows with the next session`, message)
    ),
  )
})

/** Notifies the actors that a change may concern, also if the client goes away meanwhile. Each call has a time limit. */
const notifyActors = Effect.fnUntraced(function* ({ environment, routerIds }: Enrolled, before: ReadonlyArray<string>) {
  const changed = [
    ...routerIds.filter((routerId) => !before.includes(routerId)),
    ...before.filter((routerId) => !routerIds.includes(routerId)),
  ]
  const work = Effect.andThen(notifyRouters(changed), reload(environment.environmentId))
  yield* Effect.interruptible(Fiber.await(yield* Effect.forkDetach(work)))
})

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

/** Removes an enrolled environment, and ends what runs of it, also if the client goes away meanwhile. */
const removeEnrolled = Effect.fnUntraced(function* (environmentId: string, history: string, by: ChangedBy) {
  yield* (yield* Enrolments).remove(environmentId)
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
}, Effect.uninterruptible)

export const environmentRoutes = [
  route(listEnvironments, () => Effect.flatMap(Enrolments, ({ all }) => all)),

  route(readEnvironment, ({ params }) => Effect.flatMap(Enrolments, ({ one }) => one(params.environment_id))),

  route(createEnvironment, ({ body, caller }) =>
    Effect.gen(function* () {
      const errors = changeErrors(body)
      if (errors.length > 0) return yield* new InvalidRequest({ errors })
      const { activate = false, environment_id: environmentId, name } = body
      const { geometry = null, routerIds = [], zones = [] } = changesOf(body)
      const enrolments = yield* Enrolments
      const enrolled = yield* enrolments.create({ environmentId, name, geometry, zones }, { routerIds, activate })
      yield* Effect.logInfo(`environment created id=${environmentId} by=${changedBy(caller).name}`)
      yield* notifyActors(enrolled, [])
      return enrolled
    }).pipe(Effect.uninterruptible)),

  route(
    changeEnvironment,
    ({ body, caller, ifMatch, params: { environment_id: environmentId } }) =>
      Effect.gen(function* () {
        const errors = changeErrors(body)
        if (errors.length > 0) return yield* new InvalidRequest({ errors })
        const ifRevision = revisionOfTag(ifMatch)
        if (ifRevision === undefined) {
          return yield* InvalidRequest.of("If-Match", "is not the ETag of an environment, or *", ifMatch?.slice(0, 64))
        }
        const enrolments = yield* Enrolments
        const before = yield* enrolments.one(environmentId)
        const enrolled = yield* enrolments.change(environmentId, changesOf(body), ifRevision)
        if (enrolled.revision === before.revision) return enrolled
        yield* Effect.logInfo(`environment changed id=${environmentId} by=${changedBy(caller).name}`)
        yield* notifyActors(enrolled, before.routerIds)
        return enrolled
      }).pipe(Effect.uninterruptible),
  ),

  route(
    removeEnvironment,
    ({ caller, params: { environment_id: environmentId }, query: { history = "keep" } }) =>
      Effect.gen(function* () {
        const { dropHistory, one } = yield* Enrolments
        const unknown = yield* one(environmentId).pipe(
          Effect.as(null),
          Effect.catchTag("UnknownEnvironment", Effect.succeed),
        )
        if (unknown === null) yield* removeEnrolled(environmentId, history, changedBy(caller))
        else if (history === "keep") return yield* unknown
        const dropped = history === "drop" ? yield* dropHistory(environmentId) : null
        // The history of an environment that was removed before is deleted as well, for example the rest of a deletion that was cut off.
        if (unknown !== null && dropped?.rows === 0) return yield* unknown
        return { environmentId, dropped }
      }),
  ),
]
