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

/** From `fromMs`, inclusive, to `toMs`, exclusive, epoch ms. */
export interface HistoryRange {
  readonly fromMs: number
  readonly toMs: number
}

export const minuteMs = 60_000
const hourMs = 3_600_000

const isSpan = (text: string | null): text is Span => spans.some((span) => span === text)

export const datePattern = /^\d{4}-\d{2}-\d{2}$/

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

/** A day of the browser's time zone. */
export const dayOf = (date: string): HistoryRange => {
  const begin = new Date(`${date}T00:00`)
  const end = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + 1)
  return { fromMs: begin.getTime(), toMs: end.getTime() }
}

/** The end of an hour with a moment in its middle. */
export const hourAround = (ms: number): number => ms + hourMs / 2

const hoursOf = { hour: 1, "six-hours": 6, day: 24 } as const

/** The range of a view at `nowMs`, epoch ms. It ends with a whole minute. */
export const rangeOf = ({ date, endMs, span }: HistoryView, nowMs: number): HistoryRange => {
  if (span === "date") return dayOf(date ?? dateOf(nowMs))
  const toMs = Math.ceil((endMs ?? nowMs) / minuteMs) * minuteMs
  return { fromMs: toMs - hoursOf[span] * hourMs, toMs }
}
