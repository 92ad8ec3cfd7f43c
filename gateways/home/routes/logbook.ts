/**
 * Handler of the logbook.
 */
import { Clock, Effect } from "effect"
import { isEntityId } from "../../../protocols/domain/home.ts"
import { HomeHistory } from "../../../protocols/ports/home-history.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { logbookJson, logbookOf } from "../server/logbook.ts"
import { readTime } from "../server/read-time.ts"
import { type HomeCall, route } from "../server/route.ts"

const dayUs = 86_400_000_000
/** The most entities of a request, and states that are read for an answer. */
const entitiesMax = 1_000
const statesMax = 100_000

const logbook = ({ params, query }: HomeCall) =>
  Effect.gen(function* () {
    const nowUs = (yield* Clock.currentTimeMillis) * 1_000
    const given = params["timestamp"]
    const today = Math.floor(nowUs / dayUs) * dayUs
    const fromUs = given === undefined ? today : readTime(given)
    if (fromUs === null) return messageAnswer(400, "Invalid datetime")
    const end = query.get("end_time")
    const untilUs = end === null ? fromUs + dayUs * Number(query.get("period") ?? 1) : readTime(end)
    if (untilUs === null || Number.isNaN(untilUs)) return messageAnswer(400, "Invalid end_time")
    const named = query.get("entity")?.toLowerCase().split(",").map((id) => id.trim())
    if (named !== undefined && (named.length > entitiesMax || !named.every(isEntityId))) {
      return messageAnswer(400, "Invalid entity id(s) encountered.")
    }
    const replica = yield* (yield* HomeRuntime).replica
    const entityIds = named ?? replica.all().slice(0, entitiesMax).map(({ entityId }) => entityId)
    const found = fromUs > nowUs || entityIds.length === 0
      ? []
      : yield* (yield* HomeHistory).period({ fromUs, untilUs, entityIds }, statesMax)
    return jsonAnswer(JSON.stringify(logbookOf(found, fromUs).map((entry) => logbookJson(entry, "rest"))))
  })

export const logbookRoutes = [
  route("GET", "/api/logbook", logbook),
  route("GET", "/api/logbook/{timestamp}", logbook),
]
