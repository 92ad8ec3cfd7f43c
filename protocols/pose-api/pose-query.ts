/**
 * Endpoint of the group Pose data for queries over time: single frames, or summaries of intervals.
 */
import { Schema } from "effect"
import { ratio } from "../../core/analytics/figures.ts"
import { requestRules } from "./request-rules.ts"
import { Activity } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { Identifier } from "../domain/site.ts"
import type { Stretch, SummaryRow } from "../ports/frame-summaries.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableString, round3, round4, round4OrNull, Text, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

const metrics = [
  "person_count",
  "avg_confidence",
  "activities",
  "max_person_count",
  "fall_count",
  "presence",
  "motion",
] as const
type Metric = (typeof metrics)[number]

/** The metrics of an answer by default. */
export const defaultMetrics: ReadonlyArray<Metric> = ["person_count", "avg_confidence", "activities"]

/** Metrics that a single frame does not have. */
export const summaryMetrics: ReadonlySet<Metric> = new Set(["max_person_count", "fall_count"])

/** The types of aggregation, and the interval of a row of each. */
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

/** Unknown fields are ignored; the answer contains the applied filters. */
const Filters = Schema.StructWithRest(
  Schema.Struct({
    person_count: Schema.optionalKey(Schema.StructWithRest(
      Schema.Struct({ min: Schema.optionalKey(PersonCount), max: Schema.optionalKey(PersonCount) }),
      [Schema.Record(Schema.String, Schema.Unknown)],
    )),
    confidence: Schema.optionalKey(Schema.StructWithRest(
      Schema.Struct({
        min: Schema.optionalKey(
          Fraction.annotate({ description: "Minimum mean confidence of a frame's persons, 0 to 1." }),
        ),
      }),
      [Schema.Record(Schema.String, Schema.Unknown)],
    )),
    activity: Schema.optionalKey(
      Schema.Array(Activity).check(Schema.isMaxLength(16)).annotate({
        description: "Only frames with a person in one of these activities. Empty: all frames.",
      }),
    ),
  }),
  [Schema.Record(Schema.String, Schema.Unknown)],
)

const QueryBody = Schema.Struct({
  query: Schema.Struct({
    environment_id: Schema.optionalKey(
      Identifier.annotate({
        description: "Extension. Default: all environments with frames. Each result names its environment.",
      }),
    ),
    time_range: Schema.Struct({
      start: Timestamp.annotate({ description: "Start of the range, included." }),
      end: Timestamp.annotate({ description: "End of the range, not included." }),
    }),
    filters: Schema.optionalKey(Filters.annotate({ description: "The frames that are included." })),
    aggregation: Schema.optionalKey(Schema.Struct({
      type: Schema.optionalKey(
        Schema.Literals(aggregationTypes).annotate({
          default: "none",
          description:
            "`none`: one result per frame. Else one result per environment and UTC interval with frames. Weeks begin on Monday.",
        }),
      ),
      metrics: Schema.optionalKey(
        Schema.Array(Schema.Literals(metrics)).check(Schema.isMaxLength(16)).annotate({
          description:
            "Default: person_count and avg_confidence. Results always have activities. The metrics max_person_count and fall_count are available in summaries only.",
        }),
      ),
    })),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limitMax })).annotate({
        default: defaultLimit,
        description: "Maximum number of results in one answer.",
      }),
    ),
    cursor: Schema.optionalKey(
      Text(1, 1024).annotate({
        description: "`next_cursor` of the previous answer. All other fields must stay the same.",
      }),
    ),
  }),
})

export type PoseQueryBody = typeof QueryBody.Type

/** The applied filters, without those that were not given. */
const AppliedFilters = Schema.Struct({
  person_count: Schema.optionalKey(
    Schema.Struct({ min: Schema.optionalKey(Count), max: Schema.optionalKey(Count) }),
  ),
  confidence: Schema.optionalKey(Schema.Struct({ min: Fraction })),
  activity: Schema.optionalKey(Schema.Array(Activity)),
}).annotate({ identifier: "AppliedFilters" })

/** An answer and its encoding options. */
export interface PoseQueryAnswer {
  /** Null: all environments. */
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
  timestamp: IsoTime.annotate({ description: "Time of the frame, or start of the interval." }),
  environment_id: Schema.String.annotate({ description: "The environment of this result." }),
  frame_id: Schema.optionalKey(
    Count.annotate({ description: "Id of the frame, in results of single frames." }),
  ),
  person_count: Schema.optionalKey(
    Schema.NullOr(Schema.Finite).annotate({
      description: "Mean number of persons over the frames; null: not counted.",
    }),
  ),
  avg_confidence: Schema.optionalKey(
    Schema.NullOr(Schema.Finite).annotate({
      description: "Mean confidence over persons and frames; null without persons.",
    }),
  ),
  activities: Schema.optionalKey(
    Schema.Record(Schema.String, Fraction).annotate({
      description: "Fraction of the persons' time by activity; empty without persons.",
    }),
  ),
  max_person_count: Schema.optionalKey(Schema.NullOr(Count)),
  fall_count: Schema.optionalKey(
    Count.annotate({
      description: "Number of falls that raised an alert and began in this interval. The filters do not apply.",
    }),
  ),
  presence: Schema.optionalKey(
    Schema.Struct({
      present: Fraction.annotate({ description: "Fraction of the frames that state presence." }),
      absent: Fraction.annotate({ description: "Fraction of the frames that state absence." }),
    }).annotate({
      description: "What the frames state. The rest makes no statement.",
    }),
  ),
  motion: Schema.optionalKey(
    Schema.NullOr(Schema.Finite).annotate({ description: "Mean motion, 0 to 1; null if no frame has a value." }),
  ),
  provenance: Schema.Record(Source, Count).annotate({
    description: "Number of frames of this result by source.",
  }),
})

export const QueryAnswer = Schema.Struct({
  results: Schema.Array(QueryResult),
  query_metadata: Schema.Struct({
    execution_time_ms: Schema.Finite,
    total_records_scanned: Count.annotate({
      description: "Number of rows (frames, minute sums, falls) that were read for this answer; 0 for a cached answer.",
    }),
    cache_hit: Schema.Boolean,
    environment_id: NullableString.annotate({
      description: "The requested environment; null: all environments.",
    }),
    filters_applied: AppliedFilters,
    has_more: Schema.Boolean,
    next_cursor: NullableString,
  }),
})

/** Fraction of the persons' time by activity, without zeros. */
const sharesOf = ({ activities, personFrames }: SummaryRow): Record<string, number> =>
  Object.fromEntries(
    Object.entries(activities).filter(([, count]) => count > 0)
      .map(([activity, count]) => [activity, round4(count / personFrames)]),
  )

const resultOf = (row: SummaryRow, metrics: ReadonlySet<Metric>): typeof QueryResult.Type => ({
  timestamp: isoTime(row.timestampMs),
  environment_id: row.environmentId,
  ...(row.frameId === null ? {} : { frame_id: row.frameId }),
  ...(metrics.has("person_count") ? { person_count: round4OrNull(ratio(row.personFrames, row.countedFrames)) } : {}),
  ...(metrics.has("avg_confidence") ? { avg_confidence: round4OrNull(row.confidence) } : {}),
  ...(metrics.has("activities") ? { activities: sharesOf(row) } : {}),
  ...(metrics.has("max_person_count") ? { max_person_count: row.personMax } : {}),
  ...(row.falls === null ? {} : { fall_count: row.falls }),
  ...(metrics.has("presence")
    ? { presence: { present: round4(row.present / row.frames), absent: round4(row.absent / row.frames) } }
    : {}),
  ...(metrics.has("motion") ? { motion: round4OrNull(row.motion) } : {}),
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
  rules: ["`end` is after `start`", "`person_count.max` is not below `min`", requestRules.cursor, requestRules.aliases],
  group: "Pose data",
  summary: "Query stored frames, singly or as summaries of intervals",
  access: "read:poses",
  category: "pose-data",
  body: { schema: QueryBody, required: true },
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "ActorUnavailable", "AnswerTimeout"],
})
