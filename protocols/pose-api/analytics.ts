/**
 * The parts that endpoints of the group Analytics share: query fields, and the fields of every report.
 *
 * Every report has `provenance` (the sources of its frames) and `reasons` (why a value is null, by path).
 */
import { Schema } from "effect"
import { hourMs, minuteMs, periods, type TimeRange } from "../../core/analytics/calendar.ts"
import type { Origins } from "../../core/analytics/figures.ts"
import type { ReasonMap } from "../../core/analytics/reasons.ts"
import { Identifier } from "../domain/site.ts"
import { Count, epochMsOf, Fraction, isDay, round4, round4OrNull, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

export const analyticsGroup = "Analytics"

export const environmentField = Schema.optionalKey(
  Identifier.annotate({ description: "The environment to report on. Default: all environments together." }),
)

const datePattern = /^\d{4}-\d\d-\d\d$/

/** An existing day, in years whose periods have four-digit years throughout. */
const isDate = (text: string): boolean => datePattern.test(text) && text < "9999" && isDay(text)

const isTime = Schema.is(Timestamp)

/** A day, or a time of a day. */
const DateField = Schema.String.check(
  Schema.makeFilter((text: string) => isDate(text) || (isTime(text) && text < "9998"), {
    expected: "a date like 2026-01-05, or an ISO 8601 time with Z or an offset",
    toJsonSchema: () => ({ pattern: "^(?!999[89])", anyOf: [{ format: "date" }, { format: "date-time" }] }),
  }),
)

export const periodFields = {
  period: Schema.optionalKey(Schema.Literals(periods).annotate({ default: "day" })),
  date: Schema.optionalKey(
    DateField.annotate({
      description: "A date or a time (UTC) within the period. A date alone selects its first hour. Default: now.",
    }),
  ),
  environment_id: environmentField,
}

/** The required times of a range: `start_time` is included, `end_time` is not. */
export const rangeFields = { start_time: Timestamp, end_time: Timestamp, environment_id: environmentField }

/** Milliseconds since the Unix epoch of a `date`. A date without a time is its start, UTC. */
export const dateMsOf = (date: string): number => epochMsOf(datePattern.test(date) ? `${date}T00:00:00Z` : date)

/** Maximum range and maximum number of buckets of a report. */
export const rangeDaysMax = 366
export const rangeMsMax = rangeDaysMax * 24 * hourMs
export const bucketsMax = 10_000

export const TimePeriod = Schema.Struct({ start: IsoTime, end: IsoTime, duration_hours: Schema.Finite }).annotate({
  identifier: "TimePeriod",
})

export const timePeriodOf = ({ fromMs, toMs }: TimeRange): typeof TimePeriod.Type => ({
  start: isoTime(fromMs),
  end: isoTime(toMs),
  duration_hours: round4((toMs - fromMs) / hourMs),
})

const share = Schema.NullOr(Fraction)

export const ReportProvenance = Schema.Struct({
  frames: Count.annotate({ description: "Number of frames in the report, to which all shares refer." }),
  live: share,
  replay: share,
  simulated: share,
}).annotate({ identifier: "ReportProvenance" })

export const provenanceOf = ({ frames, live, replay, simulated }: Origins): typeof ReportProvenance.Type => ({
  frames,
  live: round4OrNull(live),
  replay: round4OrNull(replay),
  simulated: round4OrNull(simulated),
})

export const Reasons = Schema.Record(Schema.String, Schema.String).annotate({
  identifier: "Reasons",
  description: "Extension: why a value is null or how it was determined, by the path of its field.",
})

/** Reasons by the names of the answer's fields: those of the figures are below `prefix`. */
export const reasonsOf = (reasons: ReasonMap, prefix = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(reasons).map((
      [path, reason],
    ) => [
      (path.startsWith("provenance.") ? "" : prefix) + path.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      reason,
    ]),
  )

/** The fields of every report of a period, besides its metrics. */
export const periodShape = {
  period: Schema.Literals(periods),
  date: Schema.String.annotate({ format: "date", description: "The first day of the period, UTC." }),
  time_period: TimePeriod,
  environment_id: Schema.NullOr(Schema.String),
  provenance: ReportProvenance,
  reasons: Reasons,
}

/** The period and environment of a report. */
export interface Asked {
  readonly range: TimeRange
  readonly environmentId: string | null
}

export interface AskedPeriod extends Asked {
  readonly period: (typeof periods)[number]
}

export const periodBody = ({ environmentId, period, range }: AskedPeriod, origins: Origins, reasons: ReasonMap) => ({
  period,
  date: isoTime(range.fromMs).slice(0, 10),
  time_period: timePeriodOf(range),
  environment_id: environmentId,
  provenance: provenanceOf(origins),
  reasons: reasonsOf(reasons, "metrics."),
})

/** A width of buckets that a query may select. */
export const bucketWidthsMs = {
  "5min": 5 * minuteMs,
  "15min": 15 * minuteMs,
  "1hour": hourMs,
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
} as const
