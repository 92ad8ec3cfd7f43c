/**
 * Endpoint of the group Analytics that lists what happened.
 */
import { Schema } from "effect"
import { severities } from "../../core/activity/condition.ts"
import type { ActivityEvent, EventDetail } from "../domain/event.ts"
import { analyticsGroup, environmentField } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { EventBody, eventBody } from "./event-json.ts"
import { Timestamp } from "./fields.ts"

/** Groups of events that a query may name. */
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
  group: analyticsGroup,
  summary: "What happened: falls, alerts and activities, the newest first",
  access: "read",
  category: "analytics",
  query: Schema.Struct({
    start_time: Schema.optionalKey(Timestamp.annotate({ description: "Default: a day before the end." })),
    end_time: Schema.optionalKey(Timestamp.annotate({ description: "Default: now." })),
    event_type: Schema.optionalKey(
      Schema.Literals(["fall", "alert", "activity"]).annotate({
        description: "Falls; incidents of which somebody was told; changes of activity and of zones. Default: all.",
      }),
    ),
    severity: Schema.optionalKey(Schema.Literals(severities)),
    environment_id: environmentField,
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: eventsMax })).annotate({
        default: eventsMax,
        description: "Extension: the most events of an answer.",
      }),
    ),
    before: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/)).annotate({
        description:
          "Extension: only events older than this one; the last `event_id` of an answer gives the next page.",
      }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
