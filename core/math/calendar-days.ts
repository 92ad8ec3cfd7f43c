/**
 * Days of the proleptic Gregorian calendar. Pure arithmetic: the core has no clock and no time zone.
 */

interface Month {
  readonly year: number
  /** 1..12 */
  readonly month: number
}

/**
 * Days since the Unix epoch of a month's first day. Years are counted from March, so that a leap day is the last of its year, in eras of
 * 400 years = 146,097 days (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
 */
export const daysOfMonth = ({ month, year }: Month): number => {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5)
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** The month of a day since the Unix epoch; the inverse of the above. */
export const monthOfDay = (day: number): Month => {
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
