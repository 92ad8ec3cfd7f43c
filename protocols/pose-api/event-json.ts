/**
 * An event as JSON, the same in both forms: in lists (`activity-events.ts`) and in webhook messages (`webhook-message.ts`).
 */
import { Schema } from "effect"
import {
  type ActivityEvent,
  type EventDetail,
  EventType,
  IncidentStatus,
  intrudersOf,
  Severity,
} from "../domain/event.ts"
import { Activity } from "../domain/pose.ts"
import { Count, Fraction, NullableFinite, NullableString, round3, round4, Uuid } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"
import { ageMsOf, provenanceOf } from "./pose-json.ts"
import { Point, ProvenanceShape } from "./pose-schema.ts"

/** A zone that an event or an alert names. */
export const ZoneReference = Schema.Struct({ zone_id: Schema.String, zone_name: Schema.String }).annotate({
  identifier: "ZoneReference",
})

export const EventBody = Schema.Struct({
  event_id: Uuid,
  type: EventType,
  severity: Severity,
  timestamp: IsoTime,
  environment_id: Schema.String,
  person_id: Schema.NullOr(Schema.Int),
  track_id: Schema.NullOr(Schema.Int),
  confidence: Fraction,
  location: Schema.NullOr(Point),
  metadata: Schema.Struct({
    fall_duration: NullableFinite.annotate({
      description: "Duration of the fall in seconds; null if the event is not a fall.",
    }),
    impact_severity: Schema.NullOr(Schema.Literals(["low", "medium", "high"])),
    recovery_detected: Schema.NullOr(Schema.Boolean),
    duration_seconds: NullableFinite.annotate({
      description: "Seconds of an inactivity, an intrusion or a stay in a zone; else null.",
    }),
    person_count: Schema.NullOr(Count).annotate({ description: "Persons of an intrusion; else null." }),
    person_count_reason: NullableString.annotate({
      description: "Why an intrusion has no number of persons; else null.",
    }),
    activity_from: Schema.NullOr(Activity),
    activity_to: Schema.NullOr(Activity),
    zone: Schema.NullOr(ZoneReference),
    status: Schema.NullOr(IncidentStatus).annotate({
      description: "State of the incident; null for an instant event.",
    }),
    ended_at: Schema.NullOr(IsoTime),
    resolution: NullableString,
    provenance: ProvenanceShape,
  }),
  actions_taken: Schema.Array(Schema.Literals(["alert_raised", "alert_acknowledged"])).annotate({
    description: "`alert_raised`: subscribers were alerted. `alert_acknowledged`: a client acknowledged the alert.",
  }),
}).annotate({ identifier: "ActivityEvent" })

const durationOf = (detail: EventDetail): number | null => {
  if (detail.type === "inactivity_detection") return detail.inactiveS
  if (detail.type === "intrusion_detection") return detail.durationS
  return detail.type === "zone_left" ? round3(detail.dwellS) : null
}

/** Why an intrusion has no number of persons; else null. */
export const uncountedReason = (detail: EventDetail): string | null =>
  detail.type === "intrusion_detection" && intrudersOf(detail) === null
    ? "Only presence was detected: no person was located."
    : null

const metadataOf = (event: ActivityEvent, nowMs: number) => {
  const { detail, incident, zone } = event
  const fall = detail.type === "fall_detection" ? detail : null
  const change = detail.type === "activity_change" ? detail : null
  return {
    fall_duration: fall?.fallDurationS ?? null,
    impact_severity: fall?.impactSeverity ?? null,
    recovery_detected: "recoveryDetected" in detail ? detail.recoveryDetected : null,
    duration_seconds: durationOf(detail),
    person_count: intrudersOf(detail),
    person_count_reason: uncountedReason(detail),
    activity_from: change?.from ?? null,
    activity_to: change?.to ?? null,
    zone: zone === null ? null : { zone_id: zone.zoneId, zone_name: zone.name },
    status: incident?.status ?? null,
    ended_at: isoTimeOrNull(incident?.endedMs ?? null),
    resolution: incident?.resolution ?? null,
    provenance: provenanceOf(event, ageMsOf(event, nowMs)),
  }
}

/** The JSON of an event at the time `nowMs`. */
export const eventBody = (event: ActivityEvent, nowMs: number): typeof EventBody.Type => ({
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
