/**
 * Times in the columns of a csv table: numbers in some unit, or dates.
 *
 * Owns the unit of a column: by its name, else by the size of its first value. A small integer without a unit in its name could be
 * anything, so it is not read, except from the fields of an ESP32's packet, whose time is in microseconds.
 */
import { daysOfMonth } from "../math/calendar-days.ts"

/** Microseconds per unit, or `date` for a text such as 2026-03-06T14:44:30.116699. */
export type TimeUnit = number | "date"

const unitOfEnding: ReadonlyArray<readonly [ending: RegExp, microseconds: number]> = [
  [/(^|_)(us|usec|micros|microseconds)$/, 1],
  [/(^|_)(ms|msec|millis|milliseconds)$/, 1e3],
  [/(^|_)(ns|nanoseconds)$/, 1e-3],
  [/(^|_)(s|sec|secs|seconds)$/, 1e6],
]

/** Times since 1970 between 2001 and 2100, in seconds. */
const unixS = { least: 1e9, most: 4.1e9 } as const

/** The unit that the name of a column states; null if none. */
export const unitOfName = (name: string): number | null =>
  unitOfEnding.find(([ending]) => ending.test(name))?.[1] ?? null

/** The unit of a time since 1970 of this size; null if it has none. */
const unitOfUnixTime = (value: number): number | null =>
  [1e6, 1e3, 1, 1e-3].find((unit) => value * unit / 1e6 >= unixS.least && value * unit / 1e6 < unixS.most) ?? null

/** The unit that the first value of a column shows; null if it shows none. */
export const unitOfValue = (text: string): TimeUnit | null => {
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.test(text)) return "date"
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  return unitOfUnixTime(value) ?? (text.includes(".") && value < unixS.least ? 1e6 : null)
}

/** The longest median step of times whose unit only their values show: a longer one may be short in another unit. */
const stepMaxS = 0.25

/**
 * The unit that all times of a capture show: those since 1970 by their size, others with fractions may be seconds; null if they show none.
 * The fractions of milliseconds, and clocks in microseconds of that size, would have steps as no capture has them.
 */
export const unitOfValues = (values: ArrayLike<number>): number | null => {
  const times = Array.from(values).filter(Number.isFinite)
  const steps = times.slice(1).map((value, i) => Math.abs(value - times[i]!)).sort((a, b) => a - b)
  const unit = unitOfUnixTime(times[0] ?? NaN) ?? (times.some((value) => value % 1 !== 0) ? 1e6 : null)
  return unit !== null && steps[steps.length >> 1]! * unit <= stepMaxS * 1e6 ? unit : null
}

/** A time in microseconds; NaN if the text is none. */
export const timeUsOf = (text: string, unit: TimeUnit): number => {
  if (unit !== "date") return /^-?\d+(\.\d+)?(e\+?\d+)?$/i.test(text) ? Math.round(Number(text) * unit) : NaN
  const parts = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?/.exec(text)
  if (parts === null) return NaN
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  // The zone does not matter: a capture begins at time 0.
  const seconds = 60 * (60 * (24 * (daysOfMonth({ year, month }) + day - 1) + hour) + minute) + second
  return 1e6 * seconds + Math.round(1e6 * Number(`0${parts[7] ?? ""}`))
}
