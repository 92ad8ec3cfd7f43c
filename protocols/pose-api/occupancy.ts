/**
 * Endpoint of the group Analytics with the number of persons over time.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import type { OccupancyReport } from "../../core/analytics/occupancy.ts"
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
} from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, round4OrNull } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

interface OccupancyAnswer {
  readonly asked: Asked
  readonly report: OccupancyReport
}

const Percent = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })))

const distributionNames = ["0_persons", "1_person", "2_persons", "3_persons", "4_plus_persons"] as const

const OccupancyBody = Schema.Struct({
  summary: Schema.Struct({
    average_occupancy: NullableFinite,
    peak_occupancy: Schema.NullOr(Count),
    peak_time: Schema.NullOr(IsoTime),
    total_person_hours: NullableFinite,
  }),
  time_series: Schema.Array(Schema.Struct({
    timestamp: IsoTime.annotate({ description: "Start of the interval." }),
    occupancy: NullableFinite.annotate({ description: "Mean number of persons in the interval." }),
    confidence: Schema.NullOr(Fraction),
    frames: Count.annotate({ description: "Number of frames in the interval." }),
  })),
  distribution: Schema.Struct({
    "0_persons": Percent,
    "1_person": Percent,
    "2_persons": Percent,
    "3_persons": Percent,
    "4_plus_persons": Percent,
  }).annotate({ description: "Percentage of the frames that count persons, by number of persons." }),
  environment_id: Schema.NullOr(Schema.String),
  provenance: ReportProvenance,
  reasons: Reasons,
})

const codec = jsonCodec(OccupancyBody, ({ asked, report }: OccupancyAnswer): typeof OccupancyBody.Type => ({
  summary: {
    average_occupancy: round4OrNull(report.averageOccupancy),
    peak_occupancy: report.peakOccupancy,
    peak_time: isoTimeOrNull(report.peakTimeMs),
    total_person_hours: round4OrNull(report.totalPersonHours),
  },
  time_series: report.timeSeries.map(({ confidence, frames, occupancy, startMs }) => ({
    timestamp: isoTime(startMs),
    occupancy: round4OrNull(occupancy),
    confidence: round4OrNull(confidence),
    frames,
  })),
  distribution: Object.fromEntries(
    distributionNames.map((name, i) => [name, round4OrNull(report.distribution[i]!)]),
  ) as typeof OccupancyBody.Type["distribution"],
  environment_id: asked.environmentId,
  provenance: provenanceOf(report.origins),
  reasons: reasonsOf(report.reasons),
}))

export const occupancyAnalytics = endpoint({
  method: "GET",
  path: "/analytics/occupancy",
  rules: [requestRules.range, `the range has at most ${bucketsMax} intervals and ${rangeDaysMax} days`],
  group: analyticsGroup,
  summary: "Get the number of persons over a range",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    ...rangeFields,
    interval: Schema.optionalKey(Schema.Literals(["5min", "15min", "1hour"]).annotate({ default: "1hour" })),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
