/**
 * Handlers of the group Alerts.
 *
 * An alert does not wait for the store, and its id does not say which environment raised it: all active environments are asked.
 */
import { Effect, Result } from "effect"
import { Environment } from "../../../protocols/messages/environment.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { acknowledgeAlert, alertsDefault, listAlerts } from "../../../protocols/pose-api/alerts.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { Alerts } from "../../../protocols/ports/alerts.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

/** Environments that are asked at one time. */
const concurrency = 16

/** Acknowledges an alert in the environment that raised it; null if no environment has it open. */
const acknowledge = Effect.fnUntraced(function* (alertId: string, by: string) {
  const client = yield* Environment.client
  const answers = yield* Effect.forEach(
    yield* (yield* Directory).environments,
    ({ environmentId }) =>
      ask(`Environment ${environmentId}`, client(environmentId).Acknowledge({ alertId, by })).pipe(
        Effect.map(({ acknowledged }) => acknowledged ? environmentId : null),
        Effect.result,
      ),
    { concurrency },
  )
  const environmentId = answers.map((answer) => Result.isSuccess(answer) ? answer.success : null).find((id) =>
    id !== null
  )
  if (environmentId != null) return environmentId
  const failed = answers.find(Result.isFailure)
  return failed === undefined ? null : yield* Effect.fail(failed.failure)
})

export const alertRoutes = [
  route(
    listAlerts,
    Effect.fnUntraced(function* ({ query: { cursor = null, environment_id, limit = alertsDefault, status = null } }) {
      if (environment_id !== undefined) yield* (yield* Directory).environment(environment_id)
      const environmentId = environment_id ?? null
      const alerts = yield* (yield* Alerts).list({ environmentId, status, before: cursor, limit: limit + 1 })
      if (alerts === null) return yield* InvalidRequest.of("cursor", "is not the next_cursor of a page", cursor)
      return { alerts: alerts.slice(0, limit), more: alerts.length > limit }
    }),
  ),

  route(
    acknowledgeAlert,
    Effect.fnUntraced(function* ({ caller, params: { alert_id: alertId } }) {
      const by = changedBy(caller).name
      const environmentId = yield* acknowledge(alertId, by)
      if (environmentId !== null) return { alertId, environmentId, by }
      return yield* new ResourceNotFound({
        resource: "alert",
        message:
          `There is no open alert "${alertId}": it is unknown, or it was acknowledged or cleared. See GET /api/v1/alerts.`,
      })
    }),
  ),
]
