/**
 * Reads times and durations of templates from texts.
 */
import { spend } from "./budget.ts"
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

/** A part of a form: what it accepts, of which lengths, and what its text sets. */
interface Part {
  readonly accepts: RegExp
  readonly least: number
  readonly most: number
  readonly name: string | null
}

const part = (pattern: string, least: number, most: number, name: string): Part => ({
  accepts: new RegExp(`^(?:${pattern})$`),
  least,
  most,
  name,
})
const digits = (least: number, most: number, name: string): Part => part("\\d+", least, most, name)

const letters: ReadonlyMap<string, Part> = new Map([
  ["Y", digits(4, 4, "year")],
  ["y", digits(2, 2, "shortYear")],
  ["m", part("0?[1-9]|1[0-2]", 1, 2, "month")],
  ["d", part("0?[1-9]|[12]\\d|3[01]", 1, 2, "day")],
  ["H", part("[01]?\\d|2[0-3]", 1, 2, "hour")],
  ["I", part("0?[1-9]|1[0-2]", 1, 2, "hour12")],
  ["M", part("[0-5]?\\d", 1, 2, "minute")],
  ["S", part("[0-5]?\\d", 1, 2, "second")],
  ["f", digits(1, 6, "fraction")],
  ["p", part("[AaPp][Mm]", 2, 2, "half")],
  ["b", part("[A-Za-z]+", 3, 3, "monthName")],
  ["B", part("[A-Za-z]+", 1, 9, "monthName")],
  ["a", part("[A-Za-z]+", 3, 3, "ignored")],
  ["A", part("[A-Za-z]+", 1, 9, "ignored")],
  ["j", digits(1, 3, "ignored")],
  ["z", part("Z|[+-]\\d{2}:?\\d{2}", 1, 6, "zone")],
])

const lengthMax = 200
const literal = (text: string): Part => ({
  ...part("", text.length, text.length, ""),
  accepts: literalOf(text),
  name: null,
})
const literalOf = (text: string): RegExp => new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`)
const space: Part = { ...part("\\s+", 1, lengthMax, ""), name: null }

const partsOf = (form: string): ReadonlyArray<Part> =>
  [...form.matchAll(/%[A-Za-z%]|\s+|[\s\S]/g)].map(([text]) => {
    if (/^\s/.test(text)) return space
    return text === "%%" ? literal("%") : (text.length === 2 ? letters.get(text[1]!) : undefined) ?? literal(text)
  })

/** The text of each part, longest first; null if the text does not have the form. Each part is tried once at each place. */
const split = (text: string, parts: ReadonlyArray<Part>): ReadonlyArray<string> | null => {
  const failed = new Set<number>()
  const from = (index: number, at: number): ReadonlyArray<string> | null => {
    if (index === parts.length) return at === text.length ? [] : null
    const key = index * (lengthMax + 1) + at
    if (failed.has(key)) return null
    spend(1)
    const { accepts, least, most } = parts[index]!
    for (let length = Math.min(most, text.length - at); length >= least; length--) {
      const found = text.slice(at, at + length)
      const rest = accepts.test(found) ? from(index + 1, at + length) : null
      if (rest !== null) return [found, ...rest]
    }
    failed.add(key)
    return null
  }
  return from(0, 0)
}

/** A time in a form such as `%Y-%m-%d %H:%M`; null if the text does not have it. */
export const strptime = (text: string, form: string): DateTime | null => {
  const given = partsOf(form.slice(0, lengthMax))
  const found = split(text.slice(0, lengthMax), given)
  if (found === null) return null
  const parts = new Map(given.flatMap(({ name }, i) => name === null ? [] : [[name, found[i]!] as const]))
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
