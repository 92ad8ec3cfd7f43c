/**
 * Endpoint of the group Analytics for healthcare.
 */
import { Schema } from "effect"
import type { HealthcareReport } from "../../core/analytics/healthcare.ts"
import { type ActivityEvent, IncidentStatus, Severity } from "../domain/event.ts"
import { Source } from "../domain/provenance.ts"
import { analyticsGroup, type AskedPeriod, periodBody, periodFields, periodShape } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, NullableString, round3, round4OrNull, Uuid } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"
import { Point } from "./pose-schema.ts"

export const healthcareMetrics = ["fall_events", "activity_summary", "mobility_score", "sleep_quality"] as const
export type HealthcareMetric = (typeof healthcareMetrics)[number]

/** A fall, with the times of its incident. */
interface Fall {
  readonly event: ActivityEvent
  readonly timestampMs: number
  readonly raisedMs: number | null
  readonly acknowledgedMs: number | null
}

interface HealthcareAnswer {
  readonly asked: AskedPeriod
  readonly metrics: ReadonlySet<HealthcareMetric>
  readonly report: HealthcareReport<Fall>
}

const Place = Schema.NullOr(Point)

const metricShapes = {
  fall_events: Schema.Struct({
    count: Count,
    events: Schema.Array(Schema.Struct({
      timestamp: IsoTime,
      person_id: Schema.NullOr(Schema.Int),
      severity: Severity,
      response_time_seconds: Schema.NullOr(
        Schema.Finite.annotate({ description: "Seconds from the alert to its first acknowledgement." }),
      ),
      location: Place,
      event_id: Uuid,
      environment_id: Schema.String,
      status: Schema.NullOr(IncidentStatus),
      source: Source,
      reason: NullableString.annotate({ description: "Why there is no response time; else null." }),
    })).annotate({ description: "Falls of the period, newest first." }),
  }),
  activity_summary: Schema.Struct({
    walking_minutes: NullableFinite,
    sitting_minutes: NullableFinite,
    lying_minutes: NullableFinite,
    standing_minutes: NullableFinite,
    unknown_minutes: NullableFinite.annotate({ description: "Person-minutes with an unknown activity." }),
  }).annotate({ description: "Person-minutes by activity: two persons who walk for one minute count as two." }),
  mobility_score: Schema.NullOr(Fraction).annotate({
    description:
      "(min(1, walking share / 0.15) + min(1, mean walking speed / 1.2 m/s)) / 2. The share refers to the time with a known activity.",
  }),
  sleep_quality: Schema.Struct({
    total_sleep_hours: NullableFinite,
    sleep_efficiency: Schema.NullOr(Fraction),
    restlessness_events: Schema.NullOr(Count),
    sleeps: Count,
  }).annotate({
    description:
      "Rests that end in the period: at least three hours of lying, with pauses of at most half an hour. CSI cannot distinguish sleep from lying awake. " +
      "Efficiency is the fraction of the observed time spent lying. A restlessness event is five minutes of which at least a tenth is not spent lying.",
  }),
}

const HealthcareBody = Schema.Struct({
  ...periodShape,
  metrics: Schema.Struct({
    fall_events: Schema.optionalKey(metricShapes.fall_events),
    activity_summary: Schema.optionalKey(metricShapes.activity_summary),
    mobility_score: Schema.optionalKey(metricShapes.mobility_score),
    sleep_quality: Schema.optionalKey(metricShapes.sleep_quality),
  }),
})

const fallBody = ({ event, reason, responseTimeS }: HealthcareReport<Fall>["falls"]["newest"][number]) => ({
  timestamp: isoTime(event.timestampMs),
  person_id: event.personId,
  severity: event.severity,
  response_time_seconds: responseTimeS,
  location: event.location === null ? null : { x: round3(event.location.x), y: round3(event.location.y) },
  event_id: event.eventId,
  environment_id: event.environmentId,
  status: event.incident?.status ?? null,
  source: event.provenance.source,
  reason,
})

const healthcareBody = ({ asked, metrics, report }: HealthcareAnswer): typeof HealthcareBody.Type => {
  const { activityMinutes: minutes, falls, sleepQuality: sleep } = report
  const all = {
    fall_events: { count: falls.count, events: falls.newest.map(fallBody) },
    activity_summary: {
      walking_minutes: round4OrNull(minutes.walking),
      sitting_minutes: round4OrNull(minutes.sitting),
      lying_minutes: round4OrNull(minutes.lying),
      standing_minutes: round4OrNull(minutes.standing),
      unknown_minutes: round4OrNull(minutes.unknown),
    },
    mobility_score: round4OrNull(report.mobilityScore),
    sleep_quality: {
      total_sleep_hours: round4OrNull(sleep.totalSleepHours),
      sleep_efficiency: round4OrNull(sleep.sleepEfficiency),
      restlessness_events: sleep.restlessnessEvents,
      sleeps: sleep.sleeps,
    },
  }
  const body = periodBody(asked, report.origins, report.reasons)
  return {
    ...body,
    reasons: Object.fromEntries(
      Object.entries(body.reasons).filter(([path]) =>
        path.startsWith("provenance.") || metrics.has(path.split(".")[1] as HealthcareMetric)
      ),
    ),
    metrics: Object.fromEntries(healthcareMetrics.filter((name) => metrics.has(name)).map((name) => [name, all[name]])),
  }
}

const codec = jsonCodec(HealthcareBody, healthcareBody)

const metricsPattern = new RegExp(`^(${healthcareMetrics.join("|")})(,(${healthcareMetrics.join("|")}))*$`, "u")

export const healthcareAnalytics = endpoint({
  method: "GET",
  path: "/analytics/healthcare",
  group: analyticsGroup,
  summary: "Get the falls, activities, mobility and rest of a period",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    ...periodFields,
    metrics: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(metricsPattern)).annotate({
        description: `Comma-separated list of metrics: ${healthcareMetrics.join(", ")}. Default: all.`,
      }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
