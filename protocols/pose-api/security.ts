/**
 * Endpoint of the group Analytics for watch.
 */
import { Schema } from "effect"
import type { SecurityReport } from "../../core/analytics/security.ts"
import { type ActivityEvent, IncidentStatus, Severity } from "../domain/event.ts"
import { Source } from "../domain/provenance.ts"
import { analyticsGroup, type AskedPeriod, periodBody, periodFields, periodShape } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableFinite, NullableString, round4OrNull } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

/** An intrusion with what a report needs of its incident. */
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

/** Persons of a crowd where the query names no number. */
export const crowdSizeDefault = 4

const NullableCount = Schema.NullOr(Count)

const SecurityBody = Schema.Struct({
  ...periodShape,
  metrics: Schema.Struct({
    intrusion_events: Schema.Struct({
      count: Count,
      events: Schema.Array(Schema.Struct({
        timestamp: IsoTime,
        zone: NullableString.annotate({ description: "Name of the zone; null where the whole place was armed." }),
        person_count: Count.annotate({ description: "The most at a time; 0 where presence alone told." }),
        threat_level: Severity,
        response_time_seconds: Schema.NullOr(
          Schema.Finite.annotate({ description: "From the alert to its first acknowledgement." }),
        ),
        event_id: Schema.String,
        environment_id: Schema.String,
        zone_id: NullableString,
        status: Schema.NullOr(IncidentStatus),
        source: Source,
        reason: NullableString.annotate({ description: "Why there is no response time." }),
      })).annotate({ description: "The newest first." }),
    }),
    perimeter_monitoring: Schema.Struct({
      total_detections: NullableCount.annotate({
        description: "Entries into zones that are watched or have the role `entrance`.",
      }),
      authorized_entries: NullableCount.annotate({
        description:
          "Entries through zones of role `entrance` while no intrusion went on: they broke no rule, whoever it was.",
      }),
      unauthorized_attempts: Count.annotate({ description: "Intrusions that began." }),
      false_positives: NullableCount,
    }),
    crowd_analysis: Schema.Struct({
      max_occupancy: NullableCount,
      average_occupancy: NullableFinite,
      crowd_formation_events: NullableCount.annotate({
        description: "How often an environment came to hold `crowd_size` persons, by five minutes.",
      }),
    }),
  }),
})

const intrusionBody = ({ event, reason, responseTimeS }: SecurityAnswer["report"]["intrusions"]["newest"][number]) => ({
  timestamp: isoTime(event.timestampMs),
  zone: event.zone?.name ?? null,
  person_count: event.detail.type === "intrusion_detection" ? event.detail.personCount : 0,
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
  summary: "Intrusions, entries and crowds in a period",
  access: "read",
  category: "analytics",
  query: Schema.Struct({
    ...periodFields,
    crowd_size: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 100 })).annotate({
        default: crowdSizeDefault,
        description: "Extension: persons from which on it is a crowd.",
      }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
