/**
 * Endpoint of the group Analytics that sums up a range.
 */
import { Schema } from "effect"
import type { SummaryReport } from "../../core/analytics/summary.ts"
import {
  analyticsGroup,
  type Asked,
  provenanceOf,
  rangeFields,
  Reasons,
  reasonsOf,
  ReportProvenance,
  TimePeriod,
  timePeriodOf,
} from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, round4OrNull } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

interface SummaryAnswer {
  readonly asked: Asked
  readonly report: SummaryReport
}

const NullableCount = Schema.NullOr(Count)
const NullableFraction = Schema.NullOr(Fraction)

const SummaryBody = Schema.Struct({
  time_period: TimePeriod,
  detection_stats: Schema.Struct({
    total_detections: Count.annotate({ description: "Persons, counted in each frame anew." }),
    unique_persons: NullableCount.annotate({ description: "Where the tracks leave one number." }),
    average_confidence: NullableFraction,
    peak_occupancy: NullableCount,
    peak_occupancy_time: Schema.NullOr(IsoTime),
  }),
  activity_stats: Schema.Struct({
    total_movement_events: Count.annotate({ description: "Changes of activity, and zones entered and left." }),
    fall_detections: Count,
    alert_count: Count.annotate({ description: "Incidents of which somebody was told." }),
    average_activity_level: NullableFraction.annotate({
      description: "The walking part of the time in which the activity was known.",
    }),
  }),
  system_stats: Schema.Struct({
    uptime_percentage: NullableFinite.annotate({
      description: "Percent of the minutes passed, of each environment asked about, that hold frames.",
    }),
    average_processing_time: NullableFinite.annotate({ description: "Milliseconds a frame." }),
    frames_processed: Count,
    error_count: NullableCount.annotate({ description: "Requests that this node answered with a 5xx status." }),
  }),
  hourly_breakdown: Schema.Array(Schema.Struct({
    hour: IsoTime.annotate({ description: "Begin of the bucket, of the granularity asked for." }),
    detections: Count,
    unique_persons: NullableCount,
    average_confidence: NullableFraction,
    frames: Count.annotate({ description: "Extension: 0 where nothing was looked at." }),
    tracks: Count.annotate({ description: "Extension: tracks that lived in the bucket." }),
  })),
  environment_id: Schema.NullOr(Schema.String),
  provenance: ReportProvenance,
  reasons: Reasons,
})

const codec = jsonCodec(SummaryBody, ({ asked, report }: SummaryAnswer): typeof SummaryBody.Type => ({
  time_period: timePeriodOf(asked.range),
  detection_stats: {
    total_detections: report.detections,
    unique_persons: report.uniquePersons,
    average_confidence: round4OrNull(report.averageConfidence),
    peak_occupancy: report.peakOccupancy,
    peak_occupancy_time: isoTimeOrNull(report.peakOccupancyTimeMs),
  },
  activity_stats: {
    total_movement_events: report.events.movements,
    fall_detections: report.events.falls,
    alert_count: report.events.alerts,
    average_activity_level: round4OrNull(report.averageActivityLevel),
  },
  system_stats: {
    uptime_percentage: round4OrNull(report.uptimePercentage),
    average_processing_time: round4OrNull(report.averageProcessingMs),
    frames_processed: report.frames,
    error_count: report.errors,
  },
  hourly_breakdown: report.breakdown.map((bucket) => ({
    hour: isoTime(bucket.startMs),
    detections: bucket.detections,
    unique_persons: bucket.uniquePersons,
    average_confidence: round4OrNull(bucket.averageConfidence),
    frames: bucket.frames,
    tracks: bucket.tracks,
  })),
  environment_id: asked.environmentId,
  provenance: provenanceOf(report.origins),
  reasons: reasonsOf(report.reasons),
}))

export const summaryAnalytics = endpoint({
  method: "GET",
  path: "/analytics/summary",
  group: analyticsGroup,
  summary: "What was seen, what happened and how the system did in a range",
  access: "read",
  category: "analytics",
  query: Schema.Struct({
    ...rangeFields,
    granularity: Schema.optionalKey(Schema.Literals(["hour", "day", "week"]).annotate({ default: "hour" })),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
