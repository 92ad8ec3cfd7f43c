/**
 * What the endpoints of the group Analytics share: their query fields, and what every report says beside its figures.
 *
 * Every report carries `provenance` (from which sources its frames came) and `reasons` (why a figure is null, by its path).
 */
import { Schema } from "effect"
import { hourMs, minuteMs, periods, type TimeRange } from "../../core/analytics/calendar.ts"
import type { Origins } from "../../core/analytics/figures.ts"
import type { ReasonMap } from "../../core/analytics/reasons.ts"
import { Identifier } from "../domain/site.ts"
import { Count, epochMsOf, Fraction, round4, round4OrNull, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

export const analyticsGroup = "Analytics"

export const environmentField = Schema.optionalKey(
  Identifier.annotate({ description: "Default: all environments together." }),
)

const datePattern = /^\d{4}-\d\d-\d\d$/

/** A day that exists, in years that have four digits all through their periods. */
const isDate = (text: string): boolean =>
  datePattern.test(text) && text < "9999" && !Number.isNaN(Date.parse(text)) &&
  new Date(Date.parse(text)).toISOString().startsWith(text)

const isTime = Schema.is(Timestamp)

/** A day, or a time of one. */
const DateField = Schema.String.check(
  Schema.makeFilter((text: string) => isDate(text) || (isTime(text) && text < "9998"), {
    expected: "a date like 2026-01-05, or an ISO 8601 time with Z or an offset",
  }),
)

export const periodFields = {
  period: Schema.optionalKey(Schema.Literals(periods).annotate({ default: "day" })),
  date: Schema.optionalKey(
    DateField.annotate({
      description: "A date or a time within the period, UTC; of a date alone its first hour. Default: now.",
    }),
  ),
  environment_id: environmentField,
}

/** Required times of a range, of `start_time` on and before `end_time`. */
export const rangeFields = { start_time: Timestamp, end_time: Timestamp, environment_id: environmentField }

/** Milliseconds since the Unix epoch of a `date`; a date without a time is its begin, UTC. */
export const dateMsOf = (date: string): number => epochMsOf(datePattern.test(date) ? `${date}T00:00:00Z` : date)

/** Longest range of a report, and most buckets of one. */
export const rangeMsMax = 366 * 24 * hourMs
export const bucketsMax = 10_000

export const TimePeriod = Schema.Struct({ start: IsoTime, end: IsoTime, duration_hours: Schema.Finite })

export const timePeriodOf = ({ fromMs, toMs }: TimeRange): typeof TimePeriod.Type => ({
  start: isoTime(fromMs),
  end: isoTime(toMs),
  duration_hours: round4((toMs - fromMs) / hourMs),
})

const share = Schema.NullOr(Fraction)

export const ReportProvenance = Schema.Struct({
  frames: Count.annotate({ description: "Frames that the report counts; all shares are of them." }),
  live: share,
  replay: share,
  simulated: share,
})

export const provenanceOf = ({ frames, live, replay, simulated }: Origins): typeof ReportProvenance.Type => ({
  frames,
  live: round4OrNull(live),
  replay: round4OrNull(replay),
  simulated: round4OrNull(simulated),
})

export const Reasons = Schema.Record(Schema.String, Schema.String).annotate({
  description: "Extension: why a figure is null, or how it is meant, by the path of its field.",
})

/** Reasons by the names of fields in answers, below `prefix`. */
export const reasonsOf = (reasons: ReasonMap, prefix = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(reasons).map((
      [path, reason],
    ) => [prefix + path.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`), reason]),
  )

/** Fields of every report of a period beside its metrics. */
export const periodShape = {
  period: Schema.Literals(periods),
  date: Schema.String.annotate({ format: "date", description: "The first day of the period, UTC." }),
  time_period: TimePeriod,
  environment_id: Schema.NullOr(Schema.String),
  provenance: ReportProvenance,
  reasons: Reasons,
}

/** Which time and place a report is of. */
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

/** A width of buckets that a query may name. */
export const bucketWidthsMs = {
  "5min": 5 * minuteMs,
  "15min": 15 * minuteMs,
  "1hour": hourMs,
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
} as const
