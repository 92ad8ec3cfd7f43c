/**
 * What a webhook is sent: an event as it is told outside, with its provenance, and the alert that it is, where it is one.
 */
import { Schema } from "effect"
import { type ActivityEvent, alertOf, AlertStatus, AlertType, Severity } from "../domain/event.ts"
import { WebhookEventType } from "../domain/webhook.ts"
import { NullableString, round4 } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"
import { ProvenanceShape } from "./pose-json.ts"

export const WebhookMessage = Schema.Struct({
  type: WebhookEventType,
  /** Of this revision of the event. */
  timestamp: IsoTime,
  data: Schema.Struct({
    event_id: Schema.String,
    revision: Schema.Int,
    type: WebhookEventType,
    severity: Severity,
    timestamp: IsoTime,
    environment_id: Schema.String,
    person_id: Schema.NullOr(Schema.Int),
    track_id: Schema.NullOr(Schema.Int),
    confidence: Schema.Finite,
    location: Schema.NullOr(Schema.Struct({ x: Schema.Finite, y: Schema.Finite })),
    zone: Schema.NullOr(Schema.Struct({ zone_id: Schema.String, zone_name: Schema.String })),
    metadata: Schema.Record(Schema.String, Schema.Unknown),
    /** Null for what is no alert. */
    alert: Schema.NullOr(Schema.Struct({
      alert_id: Schema.String,
      alert_type: AlertType,
      status: AlertStatus,
      raised_at: IsoTime,
      ended_at: Schema.NullOr(IsoTime),
      resolution: NullableString,
    })),
    provenance: ProvenanceShape,
  }),
})
export type WebhookMessage = typeof WebhookMessage.Type

/** What an event of its type says beside what all say. */
const metadataOf = ({ detail }: ActivityEvent): Record<string, unknown> => {
  switch (detail.type) {
    case "fall_detection":
      return {
        fall_duration: detail.fallDurationS,
        impact_severity: detail.impactSeverity,
        recovery_detected: detail.recoveryDetected,
      }
    case "inactivity_detection":
      return { inactive_seconds: detail.inactiveS, recovery_detected: detail.recoveryDetected }
    case "intrusion_detection":
      return { person_count: detail.personCount, duration_seconds: detail.durationS }
    case "activity_change":
      return { from: detail.from, to: detail.to }
    case "zone_entered":
      return {}
    case "zone_left":
      return { dwell_seconds: detail.dwellS }
  }
}

const alertBody = (event: ActivityEvent): WebhookMessage["data"]["alert"] => {
  const alert = alertOf(event)
  return alert === null ? null : {
    alert_id: alert.alertId,
    alert_type: alert.type,
    status: alert.status,
    raised_at: isoTime(alert.timestampMs),
    ended_at: isoTimeOrNull(alert.endedMs),
    resolution: alert.resolution,
  }
}

/** The message of an event, at the time of its sending. */
export const webhookMessage = (event: ActivityEvent, nowMs: number): WebhookMessage => ({
  type: event.detail.type,
  timestamp: isoTime(event.revisedMs),
  data: {
    event_id: event.eventId,
    revision: event.revision,
    type: event.detail.type,
    severity: event.severity,
    timestamp: isoTime(event.timestampMs),
    environment_id: event.environmentId,
    person_id: event.personId,
    track_id: event.personId,
    confidence: round4(event.confidence),
    location: event.location,
    zone: event.zone === null ? null : { zone_id: event.zone.zoneId, zone_name: event.zone.name },
    metadata: metadataOf(event),
    alert: alertBody(event),
    provenance: {
      source: event.provenance.source,
      calibrated: event.provenance.calibrated,
      age_ms: Math.max(0, Math.round(nowMs - event.revisedMs)),
      model_version: event.provenance.modelVersion,
      links_used: event.provenance.linksUsed,
    },
  },
})
