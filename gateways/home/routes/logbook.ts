/**
 * Handler of the logbook.
 */
import { Clock, Effect } from "effect"
import { isEntityId } from "../../../protocols/domain/home.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { logbookJson, logbookOf, mayBeLogged } from "../server/logbook.ts"
import { entitiesMax, pastStates } from "../server/past-states.ts"
import { dayUs, readPeriod } from "../server/read-period.ts"
import { type HomeCall, route } from "../server/route.ts"

const logbook = (call: HomeCall) =>
  Effect.gen(function* () {
    const { query } = call
    const nowUs = (yield* Clock.currentTimeMillis) * 1_000
    const today = Math.floor(nowUs / dayUs) * dayUs
    const asked = readPeriod(call, today, Number(query.get("period") ?? 1))
    if (typeof asked === "string") return messageAnswer(400, asked)
    const named = query.get("entity")?.toLowerCase().split(",").map((id) => id.trim())
    if (named !== undefined && (named.length > entitiesMax || !named.every(isEntityId))) {
      return messageAnswer(400, "Invalid entity id(s) encountered.")
    }
    const replica = yield* (yield* HomeRuntime).replica
    const entityIds = (named ?? replica.all().map(({ entityId }) => entityId)).filter(mayBeLogged(replica))
    const found = asked.fromUs > nowUs ? [] : yield* pastStates(asked, entityIds)
    return jsonAnswer(JSON.stringify(logbookOf(found, asked.fromUs).map((entry) => logbookJson(entry, "rest"))))
  }).pipe(Effect.catchTag("TooManyStates", ({ message }) => Effect.succeed(messageAnswer(400, message))))

export const logbookRoutes = [
  route("GET", "/api/logbook", logbook),
  route("GET", "/api/logbook/{timestamp}", logbook),
]
