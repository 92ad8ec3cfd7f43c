/**
 * Which time a report is about. Pure.
 *
 * The service makes occupancy of any range, and the other reports of an hour, day, week or month of UTC.
 */
import { datePattern, dayOf, type HistoryRange, minuteMs } from "../history/history-range.ts"
import { dateMinuteText } from "../state/time-text.ts"

const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const periodMs = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
export type Period = keyof typeof periodMs

/** Titles of the periods of UTC, and of a range of occupancy that has a date. */
export const periods = { hour: "Hour", day: "Day", week: "Week", month: "Month" } as const
/** Titles of the ranges of occupancy that end now. */
export const lastPeriods = { hour: "Last hour", day: "24 hours", week: "7 days", month: "30 days" } as const

export interface Asked {
  readonly period: Period
  /** A day of the browser's time zone, as `2026-11-25`; null: now. */
  readonly date: string | null
}

export const intervals = { hour: "5min", day: "1hour", week: "1hour", month: "1hour" } as const

/** The period and the date of a query. Values that cannot be read count as not given. */
export const askedOf = (query: URLSearchParams): Asked => {
  const [period, date] = [query.get("period") ?? "", query.get("date") ?? ""]
  return {
    period: Object.hasOwn(periodMs, period) ? period as Period : "day",
    date: datePattern.test(date) && !Number.isNaN(Date.parse(date)) ? date : null,
  }
}

/** Noon: the period of UTC that contains it has more of the day than the one before or after it. */
const noonMs = (date: string): number => new Date(`${date}T12:00`).getTime()

/** The range of a report of occupancy: the day, the hour from its noon, or the days up to it; without a date up to now, in whole intervals. */
export const occupancyRange = ({ date, period }: Asked, nowMs: number): HistoryRange => {
  if (date !== null && period === "day") return dayOf(date)
  const intervalMs = period === "hour" ? 5 * minuteMs : hourMs
  const toMs = date === null
    ? Math.ceil(nowMs / intervalMs) * intervalMs
    : period === "hour"
    ? Math.min(noonMs(date) + hourMs, Math.ceil(nowMs / intervalMs) * intervalMs)
    : dayOf(date).toMs
  return { fromMs: toMs - periodMs[period], toMs }
}

/** The query of a report of a period of UTC. */
export const periodQuery = ({ date, period }: Asked): { readonly period: Period; readonly date?: string } => ({
  period,
  ...(date === null ? {} : { date: new Date(noonMs(date)).toISOString() }),
})

/** @param about what the range is, besides its times; empty: nothing more */
export const rangeText = ({ fromMs, toMs }: HistoryRange, about: string, nowMs: number, timeZone?: string): string =>
  [
    `From ${dateMinuteText(fromMs, timeZone)} to ${dateMinuteText(toMs, timeZone)}`,
    about === "" ? "" : ` (${about})`,
    toMs > nowMs ? ", so far." : ".",
  ].join("")
