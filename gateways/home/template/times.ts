/**
 * Times and durations of templates: Python's `datetime` and `timedelta`, in UTC or without a zone. The time zone of the home is UTC.
 */
import { TemplateError } from "./template-error.ts"
import { isNumber, PyFunction, PyObject, typeNameOf, type Value } from "./values.ts"

export const dayUs = 86_400_000_000
/** The first and the last year. */
const usMin = -62_135_596_800_000_000
const usMax = Date.UTC(9999, 11, 31, 23, 59, 59) * 1000

const two = (value: number): string => String(value).padStart(2, "0")

/** `.123456`; nothing if it is zero. */
const fraction = (us: number): string => us === 0 ? "" : `.${String(us).padStart(6, "0")}`

const modulo = (value: number, by: number): number => ((value % by) + by) % by

/** A duration in microseconds. */
export class TimeDelta extends PyObject {
  readonly typeName = "timedelta"
  readonly us: number
  constructor(us: number) {
    super()
    this.us = Math.round(us)
  }
  text() {
    const days = Math.floor(this.us / dayUs)
    const rest = modulo(this.us, dayUs)
    const seconds = Math.floor(rest / 1_000_000)
    const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
    const shown = clock + fraction(rest % 1_000_000)
    return days === 0 ? shown : `${days} day${Math.abs(days) === 1 ? "" : "s"}, ${shown}`
  }
  override repr() {
    const parts = { days: Math.floor(this.us / dayUs), seconds: Math.floor(modulo(this.us, dayUs) / 1_000_000) }
    const shown = Object.entries(parts).filter(([, value]) => value !== 0).map(([name, value]) => `${name}=${value}`)
    return `datetime.timedelta(${shown.length === 0 ? "0" : shown.join(", ")})`
  }
  override isTrue() {
    return this.us !== 0
  }
  override attribute(name: string): Value | undefined {
    if (name === "days") return BigInt(Math.floor(this.us / dayUs))
    if (name === "seconds") return BigInt(Math.floor(modulo(this.us, dayUs) / 1_000_000))
    if (name === "microseconds") return BigInt(modulo(this.us, 1_000_000))
    return name === "total_seconds" ? new PyFunction(name, () => this.us / 1_000_000) : undefined
  }
}

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
const months = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
]

/** The parts of a time in UTC. */
const partsOf = (us: number) => {
  const date = new Date(Math.floor(us / 1000))
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    microsecond: modulo(us, 1_000_000),
    /** Monday is 0. */
    weekday: (date.getUTCDay() + 6) % 7,
    dayOfYear: Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1,
  }
}
type Parts = ReturnType<typeof partsOf>

/** The ISO year and week of a date. */
const isoWeek = (us: number): { readonly year: number; readonly week: number } => {
  const thursday = us + (3 - partsOf(us).weekday) * dayUs
  return { year: partsOf(thursday).year, week: Math.floor((partsOf(thursday).dayOfYear - 1) / 7) + 1 }
}

const usOf = (
  { day, hour, microsecond, minute, month, second, year }: Omit<Parts, "weekday" | "dayOfYear">,
): number => {
  const ms = Date.UTC(2000, month - 1, day, hour, minute, second)
  const date = new Date(ms)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() * 1000 + microsecond
}

/** A time in microseconds since the Unix epoch; `isAware` if its zone is UTC, else it has no zone. */
export class DateTime extends PyObject {
  readonly typeName = "datetime"
  readonly us: number
  readonly isAware: boolean
  /** Which part it shows: a date, a time of day, or both. */
  readonly shape: "both" | "date" | "time"
  constructor(us: number, isAware: boolean, shape: DateTime["shape"] = "both") {
    super()
    if (!(us >= usMin && us <= usMax)) throw new TemplateError("OverflowError", "date value out of range")
    this.us = Math.round(us)
    this.isAware = isAware
    this.shape = shape
  }
  text() {
    return this.#iso(" ")
  }
  #iso(separator: string): string {
    const { day, hour, microsecond, minute, month, second, year } = partsOf(this.us)
    const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`
    const clock = `${two(hour)}:${two(minute)}:${two(second)}${fraction(microsecond)}`
    if (this.shape === "date") return date
    return (this.shape === "time" ? clock : `${date}${separator}${clock}`) + (this.isAware ? "+00:00" : "")
  }
  override repr() {
    const { day, hour, microsecond, minute, month, second, year } = partsOf(this.us)
    const clock = microsecond > 0
      ? [hour, minute, second, microsecond]
      : second > 0
      ? [hour, minute, second]
      : [hour, minute]
    const parts = { both: [year, month, day, ...clock], date: [year, month, day], time: clock }[this.shape].join(", ")
    const name = this.shape === "both" ? "datetime" : this.shape
    return `datetime.${name}(${parts}${this.isAware ? ", tzinfo=datetime.timezone.utc" : ""})`
  }
  override attribute(name: string): Value | undefined {
    const parts = partsOf(this.us)
    if (["year", "month", "day", "hour", "minute", "second", "microsecond"].includes(name)) {
      return BigInt(parts[name as keyof Parts])
    }
    if (name === "tzinfo") return this.isAware ? "UTC" : null
    const method = Object.hasOwn(dateMethods, name) ? dateMethods[name] : undefined
    return method === undefined ? undefined : new PyFunction(name, (args, named) => method(this, args, named))
  }
  /** `isoformat()`. */
  iso(separator = "T") {
    return this.#iso(separator)
  }
}

const letters: Readonly<Record<string, (parts: Parts, time: DateTime) => string>> = {
  a: ({ weekday }) => weekdays[weekday]!.slice(0, 3),
  A: ({ weekday }) => weekdays[weekday]!,
  w: ({ weekday }) => String((weekday + 1) % 7),
  u: ({ weekday }) => String(weekday + 1),
  d: ({ day }) => two(day),
  e: ({ day }) => String(day).padStart(2, " "),
  b: ({ month }) => months[month - 1]!.slice(0, 3),
  h: ({ month }) => months[month - 1]!.slice(0, 3),
  B: ({ month }) => months[month - 1]!,
  m: ({ month }) => two(month),
  y: ({ year }) => two(year % 100),
  Y: ({ year }) => String(year),
  H: ({ hour }) => two(hour),
  I: ({ hour }) => two(hour % 12 === 0 ? 12 : hour % 12),
  p: ({ hour }) => hour < 12 ? "AM" : "PM",
  M: ({ minute }) => two(minute),
  S: ({ second }) => two(second),
  f: ({ microsecond }) => String(microsecond).padStart(6, "0"),
  z: (_, { isAware }) => isAware ? "+0000" : "",
  Z: (_, { isAware }) => isAware ? "UTC" : "",
  j: ({ dayOfYear }) => String(dayOfYear).padStart(3, "0"),
  U: ({ dayOfYear, weekday }) => two(Math.floor((dayOfYear + 6 - (weekday + 1) % 7) / 7)),
  W: ({ dayOfYear, weekday }) => two(Math.floor((dayOfYear + 6 - weekday) / 7)),
  G: (_, { us }) => String(isoWeek(us).year),
  V: (_, { us }) => two(isoWeek(us).week),
  s: (_, { us }) => String(Math.floor(us / 1_000_000)),
  c: (parts, time) => strftime(time, `%a %b ${String(parts.day).padStart(2, " ")} %H:%M:%S %Y`),
  D: (_, time) => strftime(time, "%m/%d/%y"),
  F: (_, time) => strftime(time, "%Y-%m-%d"),
  R: (_, time) => strftime(time, "%H:%M"),
  T: (_, time) => strftime(time, "%H:%M:%S"),
  x: (_, time) => strftime(time, "%m/%d/%y"),
  X: (_, time) => strftime(time, "%H:%M:%S"),
  "%": () => "%",
}

/** A time in a form such as `%Y-%m-%d`; `%-d` is without the leading zero. */
export const strftime = (time: DateTime, form: string): string => {
  const parts = partsOf(time.us)
  return form.slice(0, 1_000).replace(/%(-?)([A-Za-z%])/g, (whole, short: string, letter: string) => {
    const shown = Object.hasOwn(letters, letter) ? letters[letter]!(parts, time) : undefined
    if (shown === undefined) return whole
    return short === "-" ? shown.replace(/^[0 ]+(?=.)/, "") : shown
  })
}

type DateMethod = (time: DateTime, args: ReadonlyArray<Value>, named: ReadonlyMap<string, Value>) => Value

const dateMethods: Readonly<Record<string, DateMethod>> = {
  isoformat: (time, [separator]) => time.iso(typeof separator === "string" ? separator : "T"),
  strftime: (time, [form]) => strftime(time, typeof form === "string" ? form : ""),
  timestamp: (time) => time.us / 1_000_000,
  weekday: (time) => BigInt(partsOf(time.us).weekday),
  isoweekday: (time) => BigInt(partsOf(time.us).weekday + 1),
  date: (time) => new DateTime(Math.floor(time.us / dayUs) * dayUs, false, "date"),
  time: (time) => new DateTime(modulo(time.us, dayUs), false, "time"),
  astimezone: (time) => new DateTime(time.us, true),
  utcoffset: (time) => time.isAware ? new TimeDelta(0) : null,
  replace: (time, args, named) => {
    const order = ["year", "month", "day", "hour", "minute", "second", "microsecond"] as const
    const given = new Map([...order.slice(0, args.length).map((name, i) => [name, args[i]!] as const), ...named])
    const parts = { ...partsOf(time.us) }
    for (const name of order) {
      const value = given.get(name)
      if (isNumber(value ?? null)) parts[name] = Number(value)
    }
    const zone = given.get("tzinfo")
    return new DateTime(usOf(parts), zone === undefined ? time.isAware : zone !== null, time.shape)
  },
}

export const isTimeValue = (value: Value): value is DateTime | TimeDelta =>
  value instanceof DateTime || value instanceof TimeDelta

/** The sum of two times; at most one is a point in time. */
export const addTimes = (a: Value, b: Value): Value => {
  if (a instanceof TimeDelta && b instanceof TimeDelta) return new TimeDelta(a.us + b.us)
  const [time, delta] = a instanceof DateTime ? [a, b] : [b, a]
  if (time instanceof DateTime && delta instanceof TimeDelta) {
    return new DateTime(time.us + delta.us, time.isAware, time.shape)
  }
  throw new TemplateError(
    "TypeError",
    `unsupported operand type(s) for +: '${typeNameOf(a)}' and '${typeNameOf(b)}'`,
  )
}

const sameAwareness = (a: DateTime, b: DateTime, what: string): void => {
  if (a.isAware !== b.isAware) {
    throw new TemplateError("TypeError", `can't ${what} offset-naive and offset-aware datetimes`)
  }
}

/** The difference of two times. */
export const subtractTimes = (a: DateTime | TimeDelta, b: DateTime | TimeDelta): Value => {
  if (a instanceof TimeDelta && b instanceof TimeDelta) return new TimeDelta(a.us - b.us)
  if (a instanceof DateTime && b instanceof TimeDelta) return new DateTime(a.us - b.us, a.isAware, a.shape)
  if (a instanceof DateTime && b instanceof DateTime) {
    sameAwareness(a, b, "subtract")
    return new TimeDelta(a.us - b.us)
  }
  throw new TemplateError(
    "TypeError",
    `unsupported operand type(s) for -: '${typeNameOf(a)}' and '${typeNameOf(b)}'`,
  )
}

/** The order of two times or two durations; null for other values. */
export const compareTimes = (a: Value, b: Value): number | null => {
  if (a instanceof TimeDelta && b instanceof TimeDelta) return a.us - b.us
  if (!(a instanceof DateTime && b instanceof DateTime)) return null
  sameAwareness(a, b, "compare")
  return a.us - b.us
}
