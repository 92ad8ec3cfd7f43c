/**
 * `GET /analytics/events`.
 */
import { Clock, Effect } from "effect"
import { dayMs } from "../../../../core/analytics/calendar.ts"
import { activityEvents, eventGroups, eventsMax } from "../../../../protocols/pose-api/activity-events.ts"
import { InvalidRequest } from "../../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../../protocols/pose-api/fields.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { route } from "../../server/route.ts"
import { askedEnvironments, rangeBetween } from "./report-request.ts"

/** The default range ends now and begins this long before. */
const defaultRangeMs = dayMs

export const events = route(
  activityEvents,
  Effect.fnUntraced(function* ({ query }) {
    const toMs = query.end_time === undefined ? yield* Clock.currentTimeMillis : epochMsOf(query.end_time)
    const fromMs = query.start_time === undefined ? toMs - defaultRangeMs : epochMsOf(query.start_time)
    const range = yield* rangeBetween(fromMs, toMs, null)
    yield* askedEnvironments(query.environment_id)
    const group = query.event_type === undefined ? { types: null, alerted: false } : eventGroups[query.event_type]
    const found = yield* (yield* Analytics).events(
      { ...range, environmentId: query.environment_id ?? null },
      { ...group, severity: query.severity ?? null, before: query.before ?? null, limit: query.limit ?? eventsMax },
    )
    return found ?? (yield* InvalidRequest.of("before", "is no event", query.before))
  }),
)
