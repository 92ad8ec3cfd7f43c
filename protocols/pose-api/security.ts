/**
 * Endpoint of the group Analytics for security.
 */
import { Schema } from "effect"
import type { SecurityReport } from "../../core/analytics/security.ts"
import { type ActivityEvent, IncidentStatus, intrudersOf, Severity } from "../domain/event.ts"
import { Source } from "../domain/provenance.ts"
import { analyticsGroup, type AskedPeriod, periodBody, periodFields, periodShape } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { uncountedReason } from "./event-json.ts"
import { Count, NullableFinite, NullableString, round4OrNull, Uuid } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

/** An intrusion, with the times of its incident. */
interface IntrusionIncident {
  readonly event: ActivityEvent
  readonly timestampMs: number
  readonly raisedMs: number | null
  readonly acknowledgedMs: number | null
}

interface SecurityAnswer {
  readonly asked: AskedPeriod
  readonly report: SecurityReport<IntrusionIncident>
}

/** Default number of persons of a crowd. */
export const crowdSizeDefault = 4

const NullableCount = Schema.NullOr(Count)

const SecurityBody = Schema.Struct({
  ...periodShape,
  metrics: Schema.Struct({
    intrusion_events: Schema.Struct({
      count: Count,
      events: Schema.Array(Schema.Struct({
        timestamp: IsoTime,
        zone: NullableString.annotate({ description: "Name of the zone; null if the whole environment was armed." }),
        person_count: NullableCount.annotate({
          description: "Maximum number of persons at a time; null if only presence was detected.",
        }),
        person_count_reason: NullableString.annotate({ description: "Why there is no number of persons; else null." }),
        threat_level: Severity,
        response_time_seconds: Schema.NullOr(
          Schema.Finite.annotate({ description: "Seconds from the alert to its first acknowledgement." }),
        ),
        event_id: Uuid,
        environment_id: Schema.String,
        zone_id: NullableString,
        status: Schema.NullOr(IncidentStatus),
        source: Source,
        reason: NullableString.annotate({ description: "Why there is no response time; else null." }),
      })).annotate({ description: "Intrusions of the period, newest first." }),
    }),
    perimeter_monitoring: Schema.Struct({
      total_detections: NullableCount.annotate({
        description: "Number of entries into zones that are watched or have the role `entrance`.",
      }),
      authorized_entries: NullableCount.annotate({
        description:
          "Number of entries through zones of role `entrance` without an intrusion in progress. The identity of persons is unknown.",
      }),
      unauthorized_attempts: Count.annotate({ description: "Number of intrusions that began in the period." }),
      false_positives: NullableCount,
    }),
    crowd_analysis: Schema.Struct({
      max_occupancy: NullableCount,
      average_occupancy: NullableFinite,
      crowd_formation_events: NullableCount.annotate({
        description: "Number of times that an environment reached `crowd_size` persons, by intervals of five minutes.",
      }),
    }),
  }),
})

const intrusionBody = ({ event, reason, responseTimeS }: SecurityAnswer["report"]["intrusions"]["newest"][number]) => ({
  timestamp: isoTime(event.timestampMs),
  zone: event.zone?.name ?? null,
  person_count: intrudersOf(event.detail),
  person_count_reason: uncountedReason(event.detail),
  threat_level: event.severity,
  response_time_seconds: responseTimeS,
  event_id: event.eventId,
  environment_id: event.environmentId,
  zone_id: event.zone?.zoneId ?? null,
  status: event.incident?.status ?? null,
  source: event.provenance.source,
  reason,
})

const securityBody = ({ asked, report }: SecurityAnswer): typeof SecurityBody.Type => ({
  ...periodBody(asked, report.origins, report.reasons),
  metrics: {
    intrusion_events: { count: report.intrusions.count, events: report.intrusions.newest.map(intrusionBody) },
    perimeter_monitoring: {
      total_detections: report.perimeter.detections,
      authorized_entries: report.perimeter.authorizedEntries,
      unauthorized_attempts: report.perimeter.unauthorizedAttempts,
      false_positives: report.perimeter.falsePositives,
    },
    crowd_analysis: {
      max_occupancy: report.crowd.maxOccupancy,
      average_occupancy: round4OrNull(report.crowd.averageOccupancy),
      crowd_formation_events: report.crowd.formations,
    },
  },
})

const codec = jsonCodec(SecurityBody, securityBody)

export const securityAnalytics = endpoint({
  method: "GET",
  path: "/analytics/security",
  group: analyticsGroup,
  summary: "Get the intrusions, entries and crowds of a period",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    ...periodFields,
    crowd_size: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 100 })).annotate({
        default: crowdSizeDefault,
        description: "Minimum number of persons of a crowd.",
      }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
