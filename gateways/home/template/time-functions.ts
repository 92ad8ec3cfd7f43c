/**
 * Home Assistant's functions on times.
 */
import { argumentOf } from "./filters.ts"
import { floatOf, type HomeFunction, otherwiseOf } from "./numbers.ts"
import { TemplateError } from "./template-error.ts"
import { parseDuration, parseTime, strptime } from "./time-parsing.ts"
import { DateTime, dayUs, strftime, TimeDelta } from "./times.ts"
import { isNumber, textOf, type Value } from "./values.ts"

/** The clock of a rendering. */
interface Clock {
  /** The time of the rendering, in microseconds since the Unix epoch; it is the same in all of it. */
  readonly now: () => number
}

const ofSeconds = (seconds: number): DateTime => new DateTime(seconds * 1_000_000, true)

/** A value as a time: a time, a text of one, or seconds since the Unix epoch. */
const timeOf = (value: Value | undefined): DateTime | null => {
  if (value instanceof DateTime) return value
  const text = typeof value === "string" ? parseTime(value) : null
  if (text !== null) return text
  const seconds = floatOf(value)
  return seconds === null || !Number.isFinite(seconds) ? null : ofSeconds(seconds)
}

const asTimestamp: HomeFunction = (args, named, tools) => {
  const time = timeOf(args[0])
  return time === null ? otherwiseOf("as_timestamp", args, named, 1, tools) : time.us / 1_000_000
}

const asDatetime: HomeFunction = (args, named) => {
  const time = timeOf(args[0])
  if (time !== null) return time
  const otherwise = args[1] === undefined ? named.get("default") : args[1]
  return otherwise === undefined ? null : otherwise
}

/** Seconds since the Unix epoch in a form, as a filter. */
const timestamp =
  (name: string, show: (time: DateTime, args: ReadonlyArray<Value>) => Value): HomeFunction => (args, named, tools) => {
    const seconds = floatOf(args[0])
    if (seconds !== null && Number.isFinite(seconds)) return show(ofSeconds(seconds), args)
    return otherwiseOf(name, args, named, name === "timestamp_custom" ? 3 : 1, tools)
  }

const units = [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3_600], ["minute", 60], [
  "second",
  1,
]] as const

/** A duration in its `precision` largest units, e.g. `2 hours`. */
const ageText = (us: number, precision: number): string => {
  let rest = Math.round(Math.abs(us) / 1_000_000)
  const parts: Array<string> = []
  for (const [name, seconds] of units) {
    const count = Math.floor(rest / seconds)
    if (count === 0 || (precision > 0 && parts.length >= precision)) continue
    rest -= count * seconds
    parts.push(`${count} ${name}${count === 1 ? "" : "s"}`)
  }
  return parts.length === 0 ? "0 seconds" : parts.join(" ")
}

const timedelta: HomeFunction = (args, named) => {
  const names = ["days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks"]
  const sizes = [dayUs, 1_000_000, 1, 1_000, 60_000_000, 3_600_000_000, 7 * dayUs]
  const us = names.map((name, i) => {
    const given = args[i] ?? named.get(name)
    if (given === undefined) return 0
    if (!isNumber(given)) throw new TemplateError("TypeError", `unsupported type for timedelta ${name} component`)
    return Number(given) * sizes[i]!
  })
  return new TimeDelta(us.reduce((a, b) => a + b, 0))
}

/** The functions; the flag says whether each is a global, a filter, or both. */
export const timeFunctions = (
  { now }: Clock,
): ReadonlyArray<readonly [name: string, run: HomeFunction, use: "global" | "filter" | "both"]> => {
  const age = (name: string, sign: 1 | -1): readonly [string, HomeFunction, "both"] => [name, (args, named) => {
    const [value = null] = args
    const us = value instanceof DateTime ? sign * (now() - value.us) : -1
    if (!(value instanceof DateTime) || us < 0) return value
    const precision = argumentOf(args, named, 1, "precision")
    return ageText(us, name === "relative_time" ? 1 : typeof precision === "bigint" ? Number(precision) : 1)
  }, "both"]

  return [
    ["now", () => new DateTime(now(), true), "global"],
    ["utcnow", () => new DateTime(now(), true), "global"],
    ["today_at", ([time = ""]) => {
      const since = parseDuration(textOf(time) === "" ? "0:00" : textOf(time))
      if (since === null) throw new TemplateError("ValueError", `could not convert str to datetime: '${textOf(time)}'`)
      return new DateTime(Math.floor(now() / dayUs) * dayUs + since.us, true)
    }, "both"],
    ["as_timestamp", asTimestamp, "both"],
    ["as_datetime", asDatetime, "both"],
    ["as_timedelta", ([value = ""]) => value instanceof TimeDelta ? value : parseDuration(textOf(value)), "both"],
    ["as_local", ([value = null]) => value instanceof DateTime ? new DateTime(value.us, true) : value, "both"],
    ["timedelta", timedelta, "global"],
    [
      "strptime",
      (args, named, tools) =>
        strptime(textOf(args[0] ?? ""), textOf(args[1] ?? "")) ?? otherwiseOf("strptime", args, named, 2, tools),
      "both",
    ],
    [
      "timestamp_custom",
      timestamp(
        "timestamp_custom",
        (time, [, form]) => strftime(time, form === undefined ? "%Y-%m-%d %H:%M:%S" : textOf(form)),
      ),
      "filter",
    ],
    ["timestamp_local", timestamp("timestamp_local", (time) => time.iso()), "filter"],
    ["timestamp_utc", timestamp("timestamp_utc", (time) => time.iso()), "filter"],
    age("relative_time", 1),
    age("time_since", 1),
    age("time_until", -1),
  ]
}
