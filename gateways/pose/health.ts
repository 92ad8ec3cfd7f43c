/**
 * Handler of the group Health and metrics.
 */
import { Clock, Effect } from "effect"
import { health } from "../../protocols/http/health.ts"
import { DatabaseHealth } from "../../protocols/messages/database-health.ts"
import { route } from "./route.ts"

/** How long the store has to answer before health says `degraded`. */
const storeLimit = "1 second"
/** The store is asked at most this often, however often health is asked for. */
const checkedFor = "1 second"

/** Routes of health; the process counts as serving from the making of this. */
export const makeHealthRoutes = Effect.fnUntraced(function* (version: string) {
  const servingSinceMs = yield* Clock.currentTimeMillis
  const database = yield* DatabaseHealth
  const storeAnswers = yield* database.check.pipe(
    Effect.timeout(storeLimit),
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logDebug("The store did not answer a health check", cause), false)),
    Effect.cachedWithTTL(checkedFor),
  )
  return [
    route(health, () =>
      Effect.gen(function* () {
        const status = (yield* storeAnswers) ? "healthy" as const : "degraded" as const
        const nowMs = yield* Clock.currentTimeMillis
        return { status, version, uptimeS: Math.max(0, Math.floor((nowMs - servingSinceMs) / 1000)) }
      })),
  ]
})
