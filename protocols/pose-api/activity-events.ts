/**
 * Endpoint of the group Analytics that lists events.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { severities } from "../../core/activity/condition.ts"
import type { ActivityEvent, EventDetail } from "../domain/event.ts"
import { analyticsGroup, environmentField, rangeDaysMax } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { EventBody, eventBody } from "./event-json.ts"
import { Timestamp } from "./fields.ts"

/** Groups of events that a query may select. */
export const eventGroups: Readonly<
  Record<"fall" | "alert" | "activity", {
    readonly types: ReadonlyArray<EventDetail["type"]> | null
    readonly alerted: boolean
  }>
> = {
  fall: { types: ["fall_detection"], alerted: false },
  alert: { types: null, alerted: true },
  activity: { types: ["activity_change", "zone_entered", "zone_left"], alerted: false },
}

export const eventsMax = 1000

const codec = jsonCodec(
  Schema.Array(EventBody),
  (events: ReadonlyArray<ActivityEvent>, nowMs) => events.map((event) => eventBody(event, nowMs)),
)

export const activityEvents = endpoint({
  method: "GET",
  path: "/analytics/events",
  rules: [requestRules.range, `the range has at most ${rangeDaysMax} days`, "`before` is the id of an event"],
  group: analyticsGroup,
  summary: "List events: falls, alerts and activities, newest first",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    start_time: Schema.optionalKey(
      Timestamp.annotate({ description: "Start of the range, included. Default: one day before `end_time`." }),
    ),
    end_time: Schema.optionalKey(Timestamp.annotate({ description: "End of the range, not included. Default: now." })),
    event_type: Schema.optionalKey(
      Schema.Literals(["fall", "alert", "activity"]).annotate({
        description:
          "`fall`: falls. `alert`: incidents that raised an alert. `activity`: changes of activity and of zones. Default: all.",
      }),
    ),
    severity: Schema.optionalKey(Schema.Literals(severities)),
    environment_id: environmentField,
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: eventsMax })).annotate({
        default: eventsMax,
        description: "Maximum number of events in the answer.",
      }),
    ),
    before: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/u)).annotate({
        description:
          "Only events older than the event with this id. The last `event_id` of an answer selects the next page.",
      }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
