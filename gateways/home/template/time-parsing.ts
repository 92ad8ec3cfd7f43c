/**
 * Reads times and durations of templates from texts.
 */
import { DateTime, TimeDelta } from "./times.ts"

const isoTime =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,6})\d*)?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/

const offsetUs = (zone: string): number => {
  if (zone === "Z" || zone === "z") return 0
  const [, sign, hours, minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) * 1_000_000
}

/** A date or time of ISO 8601; without a zone it has none. Null if it is not one. */
export const parseTime = (text: string): DateTime | null => {
  const found = isoTime.exec(text.trim())
  if (found === null) return null
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] = found
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const ms = Date.UTC(y, mo - 1, d, h, mi, s)
  // Numbers that are no date, such as month 13, would be carried over.
  if (new Date(ms).getUTCDate() !== d || mo < 1 || mo > 12 || h > 23 || mi > 59 || s > 59) return null
  const us = ms * 1000 + Number(fraction.padEnd(6, "0"))
  return new DateTime(zone === undefined ? us : us - offsetUs(zone), zone !== undefined)
}

const period =
  /^([+-])?P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const clock = /^(?:(-?\d+) (?:days?, )?)?([+-])?(\d+):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?$/

/** A duration such as `PT1H30M` or `1 01:30:00`; null if it is not one. */
export const parseDuration = (text: string): TimeDelta | null => {
  const iso = period.exec(text)
  if (iso !== null) {
    const [, sign, weeks = "0", days = "0", hours = "0", minutes = "0", seconds = "0"] = iso
    const total = Number(weeks) * 604_800 + Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 +
      Number(seconds)
    return new TimeDelta((sign === "-" ? -1 : 1) * total * 1_000_000)
  }
  const found = clock.exec(text)
  if (found === null) return null
  const [, days = "0", sign, hours, minutes, seconds = "0", fraction = ""] = found
  const within = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}0`)
  return new TimeDelta((Number(days) * 86_400 + (sign === "-" ? -1 : 1) * within) * 1_000_000)
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** The pattern of each letter of a form, and what its text sets. */
const letters: Readonly<Record<string, readonly [pattern: string, name: string]>> = {
  Y: ["\\d{4}", "year"],
  y: ["\\d{2}", "shortYear"],
  m: ["\\d{1,2}", "month"],
  d: ["\\d{1,2}", "day"],
  H: ["\\d{1,2}", "hour"],
  I: ["\\d{1,2}", "hour12"],
  M: ["\\d{1,2}", "minute"],
  S: ["\\d{1,2}", "second"],
  f: ["\\d{1,6}", "fraction"],
  p: ["[AaPp][Mm]", "half"],
  b: ["[A-Za-z]{3}", "monthName"],
  B: ["[A-Za-z]+", "monthName"],
  a: ["[A-Za-z]{3}", "ignored"],
  A: ["[A-Za-z]+", "ignored"],
  j: ["\\d{1,3}", "ignored"],
  z: ["Z|[+-]\\d{2}:?\\d{2}", "zone"],
}

/** A time in a form such as `%Y-%m-%d %H:%M`; null if the text does not have it. */
export const strptime = (text: string, form: string): DateTime | null => {
  const names: Array<string> = []
  const pattern = form.slice(0, 200).replace(/%([A-Za-z%])|([\\^$.*+?()[\]{}|])|\s+/g, (whole, letter, special) => {
    if (special !== undefined) return `\\${special}`
    if (letter === undefined) return "\\s+"
    if (letter === "%") return "%"
    const known = letters[letter as string]
    if (known === undefined) return whole
    names.push(known[1])
    return `(${known[0]})`
  })
  const found = new RegExp(`^${pattern}$`).exec(text.slice(0, 200))
  if (found === null) return null
  const parts = new Map(names.map((name, i) => [name, found[i + 1]!]))
  const number = (name: string, otherwise: number) => parts.has(name) ? Number(parts.get(name)) : otherwise
  const half = parts.get("half")?.toLowerCase()
  const hour = parts.has("hour12") ? number("hour12", 0) % 12 + (half === "pm" ? 12 : 0) : number("hour", 0)
  const short = number("shortYear", 0)
  const year = parts.has("shortYear") ? short + (short < 69 ? 2000 : 1900) : number("year", 1900)
  const month = parts.has("monthName")
    ? monthNames.indexOf(parts.get("monthName")!.slice(0, 3).toLowerCase()) + 1
    : number("month", 1)
  const shown = [month, number("day", 1)].map((value) => String(value).padStart(2, "0")).join("-")
  const time = [hour, number("minute", 0), number("second", 0)].map((value) => String(value).padStart(2, "0")).join(":")
  const fraction = parts.has("fraction") ? `.${parts.get("fraction")}` : ""
  return parseTime(`${String(year).padStart(4, "0")}-${shown}T${time}${fraction}${parts.get("zone") ?? ""}`)
}
