/**
 * Periods and buckets of reports: the proleptic Gregorian calendar in UTC, weeks from Monday.
 *
 * Times are milliseconds since the Unix epoch. Pure arithmetic: the core has no clock and no time zone.
 */

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

interface Month {
  readonly year: number
  /** 1..12 */
  readonly month: number
}

/**
 * Days since the Unix epoch of a month's first day. Years are counted from March, so that a leap day is the last of its year, in eras of
 * 400 years = 146,097 days (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
 */
const daysOfMonth = ({ month, year }: Month): number => {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5)
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** The month of a day since the Unix epoch; the inverse of the above. */
const monthOfDay = (day: number): Month => {
  const days = day + 719_468
  const era = Math.floor(days / 146_097)
  const dayOfEra = days - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month }
}

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
