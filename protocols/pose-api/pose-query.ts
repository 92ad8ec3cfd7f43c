/**
 * Endpoint of the group Pose data that answers what went on over time: frames one by one, or summed by stretches.
 */
import { Schema } from "effect"
import { Activity } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { Identifier } from "../domain/site.ts"
import type { Stretch, SummaryRow } from "../ports/frame-summaries.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableString, round3, round4, round4OrNull, Text, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

const metrics = ["person_count", "avg_confidence", "activities", "max_person_count", "fall_count"] as const
type Metric = (typeof metrics)[number]

/** What is told where nobody asks for certain metrics. */
export const defaultMetrics: ReadonlyArray<Metric> = ["person_count", "avg_confidence", "activities"]

/** Metrics that a single frame does not have. */
export const summaryMetrics: ReadonlySet<Metric> = new Set(["max_person_count", "fall_count"])

/** The types of aggregation, and what a row of each is about. */
export const stretchOfType = {
  none: "frame",
  minute_summary: "minute",
  hourly_summary: "hour",
  daily_summary: "day",
  weekly_summary: "week",
} as const satisfies Record<string, Stretch>
type AggregationType = keyof typeof stretchOfType
const aggregationTypes = Object.keys(stretchOfType) as Array<AggregationType>

export const defaultLimit = 1000
const limitMax = 10_000

const PersonCount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))

/** Further fields are ignored: what was applied is told in the answer. */
const Filters = Schema.StructWithRest(
  Schema.Struct({
    person_count: Schema.optionalKey(Schema.StructWithRest(
      Schema.Struct({ min: Schema.optionalKey(PersonCount), max: Schema.optionalKey(PersonCount) }),
      [Schema.Record(Schema.String, Schema.Unknown)],
    )),
    confidence: Schema.optionalKey(Schema.StructWithRest(
      Schema.Struct({
        min: Schema.optionalKey(Fraction.annotate({ description: "Least mean confidence of a frame's persons." })),
      }),
      [Schema.Record(Schema.String, Schema.Unknown)],
    )),
    activity: Schema.optionalKey(
      Schema.Array(Activity).check(Schema.isMaxLength(16)).annotate({
        description: "Somebody in the frame does one of these. Empty: no limit.",
      }),
    ),
  }),
  [Schema.Record(Schema.String, Schema.Unknown)],
)

const QueryBody = Schema.Struct({
  query: Schema.Struct({
    environment_id: Schema.optionalKey(
      Identifier.annotate({
        description: "Extension. Default: all environments that have frames. Each result names its environment.",
      }),
    ),
    time_range: Schema.Struct({
      start: Timestamp.annotate({ description: "First moment, included." }),
      end: Timestamp.annotate({ description: "Last moment, not included." }),
    }),
    filters: Schema.optionalKey(Filters.annotate({ description: "Which frames count." })),
    aggregation: Schema.optionalKey(Schema.Struct({
      type: Schema.optionalKey(
        Schema.Literals(aggregationTypes).annotate({
          default: "none",
          description:
            "`none`: one result a frame. Else one result for each environment and stretch of UTC that has frames; weeks begin on Monday.",
        }),
      ),
      metrics: Schema.optionalKey(
        Schema.Array(Schema.Literals(metrics)).check(Schema.isMaxLength(16)).annotate({
          description:
            "Default: person_count, avg_confidence and activities. The last two of all are of summaries only.",
        }),
      ),
    })),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limitMax })).annotate({
        default: defaultLimit,
        description: "Extension: results of one answer.",
      }),
    ),
    cursor: Schema.optionalKey(
      Text(1, 1024).annotate({
        description: "Extension: `next_cursor` of the answer before; all else stays as it was.",
      }),
    ),
  }),
})

export type PoseQueryBody = typeof QueryBody.Type

/** The filters that were applied; what was not given is missing. */
const AppliedFilters = Schema.Struct({
  person_count: Schema.optionalKey(
    Schema.Struct({ min: Schema.optionalKey(Count), max: Schema.optionalKey(Count) }),
  ),
  confidence: Schema.optionalKey(Schema.Struct({ min: Fraction })),
  activity: Schema.optionalKey(Schema.Array(Activity)),
})

/** An answer and how it is told. */
export interface PoseQueryAnswer {
  /** Null: all. */
  readonly environmentId: string | null
  readonly rows: ReadonlyArray<SummaryRow>
  readonly metrics: ReadonlySet<Metric>
  readonly filtersApplied: typeof AppliedFilters.Type
  readonly executionMs: number
  readonly recordsScanned: number
  readonly cacheHit: boolean
  readonly nextCursor: string | null
}

const QueryResult = Schema.Struct({
  timestamp: IsoTime.annotate({ description: "Of the frame, or the begin of the stretch." }),
  environment_id: Schema.String.annotate({ description: "Extension: the environment that this result is about." }),
  frame_id: Schema.optionalKey(Count.annotate({ description: "Extension, of single frames." })),
  person_count: Schema.optionalKey(Schema.Finite.annotate({ description: "Mean over the frames." })),
  avg_confidence: Schema.optionalKey(
    Schema.NullOr(Schema.Finite).annotate({ description: "Mean over persons and frames; null where nobody was." }),
  ),
  activities: Schema.optionalKey(
    Schema.Record(Schema.String, Fraction).annotate({
      description: "Share of the persons' time by activity; empty where nobody was.",
    }),
  ),
  max_person_count: Schema.optionalKey(Count),
  fall_count: Schema.optionalKey(
    Count.annotate({ description: "Falls that were alerted and began in this stretch, whatever the filters." }),
  ),
  provenance: Schema.Record(Source, Count).annotate({
    description: "Extension: frames of this result by where they came from.",
  }),
})

const QueryAnswer = Schema.Struct({
  results: Schema.Array(QueryResult),
  query_metadata: Schema.Struct({
    execution_time_ms: Schema.Finite,
    total_records_scanned: Count.annotate({
      description: "Rows read for this answer: frames, sums of minutes, falls. None for a remembered one.",
    }),
    cache_hit: Schema.Boolean,
    environment_id: NullableString.annotate({ description: "Extension: as it was asked for; null: all environments." }),
    filters_applied: AppliedFilters,
    has_more: Schema.Boolean,
    next_cursor: NullableString,
  }),
})

/** Share of the persons' time by activity, without those that nobody did. */
const sharesOf = ({ activities, personFrames }: SummaryRow): Record<string, number> =>
  Object.fromEntries(
    Object.entries(activities).filter(([, count]) => count > 0)
      .map(([activity, count]) => [activity, round4(count / personFrames)]),
  )

const resultOf = (row: SummaryRow, metrics: ReadonlySet<Metric>): typeof QueryResult.Type => ({
  timestamp: isoTime(row.timestampMs),
  environment_id: row.environmentId,
  ...(row.frameId === null ? {} : { frame_id: row.frameId }),
  ...(metrics.has("person_count") ? { person_count: round4(row.personFrames / row.frames) } : {}),
  ...(metrics.has("avg_confidence") ? { avg_confidence: round4OrNull(row.confidence) } : {}),
  ...(metrics.has("activities") ? { activities: sharesOf(row) } : {}),
  ...(metrics.has("max_person_count") ? { max_person_count: row.personMax } : {}),
  ...(row.falls === null ? {} : { fall_count: row.falls }),
  provenance: row.sources,
})

const codec = jsonCodec(QueryAnswer, (answer: PoseQueryAnswer) => ({
  results: answer.rows.map((row) => resultOf(row, answer.metrics)),
  query_metadata: {
    execution_time_ms: round3(answer.executionMs),
    total_records_scanned: answer.recordsScanned,
    cache_hit: answer.cacheHit,
    environment_id: answer.environmentId,
    filters_applied: answer.filtersApplied,
    has_more: answer.nextCursor !== null,
    next_cursor: answer.nextCursor,
  },
}))

export const poseQuery = endpoint({
  method: "POST",
  path: "/pose/query",
  group: "Pose data",
  summary: "What went on over time, from stored frames",
  access: "read",
  category: "pose-data",
  body: { schema: QueryBody, required: true },
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "ActorUnavailable", "AnswerTimeout"],
})
