/**
 * Endpoint of the group Analytics that lists what happened.
 */
import { Schema } from "effect"
import { severities } from "../../core/activity/condition.ts"
import { type ActivityEvent, type EventDetail, IncidentStatus, Severity } from "../domain/event.ts"
import { Activity } from "../domain/pose.ts"
import { analyticsGroup, environmentField } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, NullableString, round3, round4, Timestamp } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"
import { ProvenanceShape } from "./pose-json.ts"

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

const EventBody = Schema.Struct({
  event_id: Schema.String,
  type: Schema.Literals([
    "fall_detection",
    "inactivity_detection",
    "intrusion_detection",
    "activity_change",
    "zone_entered",
    "zone_left",
  ]),
  severity: Severity,
  timestamp: IsoTime,
  environment_id: Schema.String,
  person_id: Schema.NullOr(Schema.Int),
  track_id: Schema.NullOr(Schema.Int),
  confidence: Fraction,
  location: Schema.NullOr(Schema.Struct({ x: Schema.Finite, y: Schema.Finite })),
  metadata: Schema.Struct({
    fall_duration: NullableFinite.annotate({ description: "Seconds; null of what is no fall." }),
    impact_severity: Schema.NullOr(Schema.Literals(["low", "medium", "high"])),
    recovery_detected: Schema.NullOr(Schema.Boolean),
    duration_seconds: NullableFinite.annotate({
      description: "Extension: how long an inactivity or an intrusion, or the stay in a zone that was left, lasted.",
    }),
    person_count: Schema.NullOr(Count),
    activity_from: Schema.NullOr(Activity),
    activity_to: Schema.NullOr(Activity),
    zone: Schema.NullOr(Schema.Struct({ zone_id: Schema.String, zone_name: Schema.String })),
    status: Schema.NullOr(IncidentStatus).annotate({
      description: "Of an incident; null of what was over with the moment.",
    }),
    ended_at: Schema.NullOr(IsoTime),
    resolution: NullableString,
    provenance: ProvenanceShape,
  }),
  actions_taken: Schema.Array(Schema.Literals(["alert_raised", "alert_acknowledged"])).annotate({
    description: "What was done: subscribers were alerted, somebody acknowledged it.",
  }),
})

const durationOf = (detail: EventDetail): number | null => {
  if (detail.type === "inactivity_detection") return detail.inactiveS
  if (detail.type === "intrusion_detection") return detail.durationS
  return detail.type === "zone_left" ? round3(detail.dwellS) : null
}

const metadataOf = ({ detail, incident, provenance, timestampMs, zone }: ActivityEvent, nowMs: number) => {
  const fall = detail.type === "fall_detection" ? detail : null
  const change = detail.type === "activity_change" ? detail : null
  return {
    fall_duration: fall?.fallDurationS ?? null,
    impact_severity: fall?.impactSeverity ?? null,
    recovery_detected: "recoveryDetected" in detail ? detail.recoveryDetected : null,
    duration_seconds: durationOf(detail),
    person_count: detail.type === "intrusion_detection" ? detail.personCount : null,
    activity_from: change?.from ?? null,
    activity_to: change?.to ?? null,
    zone: zone === null ? null : { zone_id: zone.zoneId, zone_name: zone.name },
    status: incident?.status ?? null,
    ended_at: isoTimeOrNull(incident?.endedMs ?? null),
    resolution: incident?.resolution ?? null,
    provenance: {
      source: provenance.source,
      calibrated: provenance.calibrated,
      age_ms: Math.max(0, Math.round(nowMs - timestampMs)),
      model_version: provenance.modelVersion,
      links_used: provenance.linksUsed,
    },
  }
}

const eventBody = (event: ActivityEvent, nowMs: number): typeof EventBody.Type => ({
  event_id: event.eventId,
  type: event.detail.type,
  severity: event.severity,
  timestamp: isoTime(event.timestampMs),
  environment_id: event.environmentId,
  person_id: event.personId,
  track_id: event.personId,
  confidence: round4(event.confidence),
  location: event.location === null ? null : { x: round3(event.location.x), y: round3(event.location.y) },
  metadata: metadataOf(event, nowMs),
  actions_taken: [
    ...(event.incident?.raisedMs == null ? [] : ["alert_raised" as const]),
    ...(event.incident?.acknowledgedBy == null ? [] : ["alert_acknowledged" as const]),
  ],
})

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
