/**
 * Events and alerts: events are the record of an environment, alerts the notifications about it.
 *
 * An event is the record of a moment (an activity changed, a zone was entered) or of an incident (a fall, an inactivity, an
 * intrusion), which is revised while the incident continues. An alert is an incident as subscribers receive it: with the same id, raised once.
 * Times are milliseconds since the Unix epoch, in event time.
 */
import { Effect, Schema } from "effect"
import { conditionTypes, resolutions, severities } from "../../core/activity/condition.ts"
import { Activity, Point } from "./pose.ts"
import { Provenance } from "./provenance.ts"
import { ZoneReference } from "./zone.ts"

export const Severity = Schema.Literals(severities)
export type Severity = typeof Severity.Type

export const AlertType = Schema.Literals(conditionTypes)
export type AlertType = typeof AlertType.Type

const Resolution = Schema.Literals(resolutions)

/** The fields of each type of event beside the common ones. */
export const EventDetail = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("fall_detection"),
    /** From the impact to getting up, or to the last revision while the person lies. */
    fallDurationS: Schema.Number,
    /** Null when the velocity of the fall was not measured. */
    impactSeverity: Schema.NullOr(Schema.Literals(["low", "medium", "high"])),
    impactMps: Schema.NullOr(Schema.Number),
    recoveryDetected: Schema.Boolean,
  }),
  Schema.Struct({
    type: Schema.Literal("inactivity_detection"),
    inactiveS: Schema.Number,
    recoveryDetected: Schema.Boolean,
  }),
  Schema.Struct({
    type: Schema.Literal("intrusion_detection"),
    /** The highest number of persons at one time; null if only presence was detected (0 in events of older versions). */
    personCount: Schema.NullOr(Schema.Int),
    durationS: Schema.Number,
  }),
  Schema.Struct({ type: Schema.Literal("activity_change"), from: Activity, to: Activity }),
  Schema.Struct({ type: Schema.Literal("zone_entered") }),
  Schema.Struct({ type: Schema.Literal("zone_left"), dwellS: Schema.Number }),
])
export type EventDetail = typeof EventDetail.Type

/** The number of persons of an intrusion; null if only presence was detected, and for other events. */
export const intrudersOf = (detail: EventDetail): number | null =>
  detail.type === "intrusion_detection" && detail.personCount !== 0 ? detail.personCount : null

export const eventTypes = [
  "fall_detection",
  "inactivity_detection",
  "intrusion_detection",
  "activity_change",
  "zone_entered",
  "zone_left",
] as const satisfies ReadonlyArray<EventDetail["type"]>
export const EventType = Schema.Literals(eventTypes)
export type EventType = typeof EventType.Type

/** The status of an incident. `waiting`: no alert is raised yet. `withdrawn`: it ended before an alert was raised. */
export const IncidentStatus = Schema.Literals(["waiting", "open", "acknowledged", "cleared", "withdrawn"])
export type IncidentStatus = typeof IncidentStatus.Type

const Incident = Schema.Struct({
  /** Its subject; see `core/activity/condition.ts`. */
  key: Schema.String,
  status: IncidentStatus,
  /** When the alert was raised; null if it was not. */
  raisedMs: Schema.NullOr(Schema.Number),
  acknowledgedBy: Schema.NullOr(Schema.String),
  /** When the alert was first acknowledged; null if it was not, and in events of older versions, which did not store it. */
  acknowledgedMs: Schema.NullOr(Schema.Number).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  endedMs: Schema.NullOr(Schema.Number),
  resolution: Schema.NullOr(Resolution),
})
type Incident = typeof Incident.Type

export const ActivityEvent = Schema.Struct({
  eventId: Schema.String,
  /** Increases with every change of the event. */
  revision: Schema.Int,
  environmentId: Schema.String,
  severity: Severity,
  /** When it happened, or began. */
  timestampMs: Schema.Number,
  /** Time of this revision. */
  revisedMs: Schema.Number,
  /** Id of the track under which the person was first seen; null if no person is located. */
  personId: Schema.NullOr(Schema.Int),
  confidence: Schema.Number,
  location: Schema.NullOr(Point),
  zone: Schema.NullOr(ZoneReference),
  detail: EventDetail,
  /** Null for an event without a duration. */
  incident: Schema.NullOr(Incident),
  /** The provenance of the first detection. */
  provenance: Provenance,
})
export type ActivityEvent = typeof ActivityEvent.Type

export const AlertStatus = Schema.Literals(["open", "acknowledged", "cleared"])
export type AlertStatus = typeof AlertStatus.Type

export const Alert = Schema.Struct({
  /** Id of the event. */
  alertId: Schema.String,
  revision: Schema.Int,
  environmentId: Schema.String,
  type: AlertType,
  severity: Severity,
  status: AlertStatus,
  /** When the alert was raised. */
  timestampMs: Schema.Number,
  /** When the incident began. */
  beganMs: Schema.Number,
  endedMs: Schema.NullOr(Schema.Number),
  resolution: Schema.NullOr(Resolution),
  personId: Schema.NullOr(Schema.Int),
  confidence: Schema.Number,
  location: Schema.NullOr(Point),
  zone: Schema.NullOr(ZoneReference),
  provenance: Provenance,
})
export type Alert = typeof Alert.Type

const alertTypes: Partial<Record<EventDetail["type"], AlertType>> = {
  fall_detection: "fall_detection",
  inactivity_detection: "inactivity",
  intrusion_detection: "intrusion",
}

/** The alert of an event; null if the event has no incident, or its alert is not raised. */
export const alertOf = (event: ActivityEvent): Alert | null => {
  const { detail, incident } = event
  const type = alertTypes[detail.type]
  if (type === undefined || incident === null || incident.raisedMs === null) return null
  if (incident.status === "waiting" || incident.status === "withdrawn") return null
  return {
    alertId: event.eventId,
    revision: event.revision,
    environmentId: event.environmentId,
    type,
    severity: event.severity,
    status: incident.status,
    timestampMs: incident.raisedMs,
    beganMs: event.timestampMs,
    endedMs: incident.endedMs,
    resolution: incident.resolution,
    personId: event.personId,
    confidence: event.confidence,
    location: event.location,
    zone: event.zone,
    provenance: event.provenance,
  }
}
