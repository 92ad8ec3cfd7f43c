/**
 * The range of time that the history page shows, read from the query of its address and written back to it. Pure.
 */

export const spans = ["hour", "six-hours", "day", "date"] as const
type Span = (typeof spans)[number]

/** What the address asks for. */
export interface HistoryView {
  /** Null: the first room. */
  readonly environmentId: string | null
  readonly span: Span
  /** End of an hour or of hours that are not the last ones, epoch ms; null: now. */
  readonly endMs: number | null
  /** The day of span `date`: `2026-11-25`, in the time zone of the browser; null: today. */
  readonly date: string | null
}

export interface HistoryRange {
  readonly fromMs: number
  readonly toMs: number
  readonly bucketMs: number
  /** The type of aggregation of the query whose results are the buckets. */
  readonly aggregation: "minute_summary" | "hourly_summary"
}

export const minuteMs = 60_000
export const hourMs = 3_600_000

const isSpan = (text: string | null): text is Span => spans.some((span) => span === text)

const datePattern = /^\d{4}-\d{2}-\d{2}$/

/** The view of a query. Values that cannot be read count as not given. */
export const viewOf = (query: URLSearchParams): HistoryView => {
  const [span, date] = [query.get("span"), query.get("date")]
  const endMs = Date.parse(query.get("end") ?? "")
  return {
    environmentId: query.get("room"),
    span: isSpan(span) ? span : "hour",
    endMs: Number.isNaN(endMs) ? null : endMs,
    date: date !== null && datePattern.test(date) && !Number.isNaN(Date.parse(date)) ? date : null,
  }
}

/** The hash of a view, which `viewOf` reads again. */
export const hashOf = ({ date, endMs, environmentId, span }: HistoryView): string => {
  const query = new URLSearchParams({
    ...(environmentId === null ? {} : { room: environmentId }),
    span,
    ...(endMs === null ? {} : { end: new Date(endMs).toISOString() }),
    ...(date === null ? {} : { date }),
  })
  return `#/history?${query}`
}

/** A day of the browser's time zone, as an input of type `date` writes it. */
export const dateOf = (ms: number): string => {
  const day = new Date(ms)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

const endOf = (endMs: number | null, nowMs: number, bucketMs: number): number =>
  Math.ceil((endMs ?? nowMs) / bucketMs) * bucketMs

const dayOf = (date: string): HistoryRange => {
  const begin = new Date(`${date}T00:00`)
  const end = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + 1)
  return { fromMs: begin.getTime(), toMs: end.getTime(), bucketMs: hourMs, aggregation: "hourly_summary" }
}

/** The range of a view at `nowMs`, epoch ms. A day is shown by hours, less by minutes. */
export const rangeOf = ({ date, endMs, span }: HistoryView, nowMs: number): HistoryRange => {
  if (span === "date") return dayOf(date ?? dateOf(nowMs))
  if (span === "day") {
    const toMs = endOf(endMs, nowMs, hourMs)
    return { fromMs: toMs - 24 * hourMs, toMs, bucketMs: hourMs, aggregation: "hourly_summary" }
  }
  const toMs = endOf(endMs, nowMs, minuteMs)
  const hours = span === "hour" ? 1 : 6
  return { fromMs: toMs - hours * hourMs, toMs, bucketMs: minuteMs, aggregation: "minute_summary" }
}
