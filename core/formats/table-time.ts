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

/** The unit that the first value of a column shows; null if it shows none. */
export const unitOfValue = (text: string): TimeUnit | null => {
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.test(text)) return "date"
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  for (const unit of [1e6, 1e3, 1, 1e-3]) {
    const seconds = value * unit / 1e6
    if (seconds >= unixS.least && seconds < unixS.most) return unit
  }
  return text.includes(".") && value < unixS.least ? 1e6 : null
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
