/**
 * Endpoint of the group Analytics with the summary of a range.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import type { SummaryReport } from "../../core/analytics/summary.ts"
import {
  analyticsGroup,
  type Asked,
  bucketsMax,
  provenanceOf,
  rangeDaysMax,
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
    total_detections: NullableCount.annotate({ description: "Number of persons, counted once per frame." }),
    unique_persons: NullableCount.annotate({
      description: "Number of distinct persons, if the tracks determine it; else null.",
    }),
    average_confidence: NullableFraction,
    peak_occupancy: NullableCount,
    peak_occupancy_time: Schema.NullOr(IsoTime),
  }),
  activity_stats: Schema.Struct({
    total_movement_events: Count.annotate({
      description: "Number of changes of activity, and of entries to and exits from zones.",
    }),
    fall_detections: Count,
    alert_count: Count.annotate({ description: "Number of incidents that raised an alert." }),
    average_activity_level: NullableFraction.annotate({
      description: "Fraction of the time with a known activity that was spent walking.",
    }),
  }),
  system_stats: Schema.Struct({
    uptime_percentage: NullableFinite.annotate({
      description: "Percentage of the elapsed minutes of each requested environment that have frames.",
    }),
    average_processing_time: NullableFinite.annotate({ description: "Mean processing time per frame, in ms." }),
    frames_processed: Count,
    error_count: NullableCount.annotate({
      description: "Number of requests that this node answered with a 5xx status.",
    }),
  }),
  hourly_breakdown: Schema.Array(Schema.Struct({
    hour: IsoTime.annotate({ description: "Start of the bucket, whose width is the granularity." }),
    detections: NullableCount,
    unique_persons: NullableCount,
    average_confidence: NullableFraction,
    frames: Count.annotate({ description: "Number of frames in the bucket." }),
    tracks: Count.annotate({ description: "Number of tracks that existed in the bucket." }),
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
  rules: [requestRules.range, `the range has at most ${bucketsMax} intervals and ${rangeDaysMax} days`],
  group: analyticsGroup,
  summary: "Get a summary of a range: persons, events and system performance",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    ...rangeFields,
    granularity: Schema.optionalKey(Schema.Literals(["hour", "day", "week"]).annotate({ default: "hour" })),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
