/**
 * Periods and buckets of reports: the proleptic Gregorian calendar in UTC, weeks from Monday.
 *
 * Times are milliseconds since the Unix epoch. Pure arithmetic: the core has no clock and no time zone.
 */

import { daysOfMonth, monthOfDay } from "../math/calendar-days.ts"

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
export const weekMs = 7 * dayMs

export const periods = ["hour", "day", "week", "month"] as const
export type Period = (typeof periods)[number]

/** From `fromMs`, before `toMs`. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** 2001-01-01, a Monday: the origin of buckets of an hour, a day and a week. */
export const bucketOriginMs = 978_307_200_000

/** Start of the bucket of this width that contains a time. */
export const floorTo = (timeMs: number, widthMs: number): number =>
  bucketOriginMs + Math.floor((timeMs - bucketOriginMs) / widthMs) * widthMs

/** The period that contains a time. */
export const periodOf = (period: Period, timeMs: number): TimeRange => {
  if (period === "month") {
    const { month, year } = monthOfDay(Math.floor(timeMs / dayMs))
    const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 }
    return { fromMs: daysOfMonth({ year, month }) * dayMs, toMs: daysOfMonth(next) * dayMs }
  }
  const widthMs = { hour: hourMs, day: dayMs, week: weekMs }[period]
  const fromMs = floorTo(timeMs, widthMs)
  return { fromMs, toMs: fromMs + widthMs }
}

/** Number of buckets that overlap a range. */
export const bucketCount = ({ fromMs, toMs }: TimeRange, widthMs: number): number =>
  toMs <= fromMs ? 0 : Math.ceil((toMs - floorTo(fromMs, widthMs)) / widthMs)

/** Starts of the buckets that overlap a range. The first may start before the range. */
export const bucketStarts = (range: TimeRange, widthMs: number): ReadonlyArray<number> => {
  const first = floorTo(range.fromMs, widthMs)
  return Array.from({ length: bucketCount(range, widthMs) }, (_, i) => first + i * widthMs)
}
