/**
 * Field schemas that several groups share. They describe JSON values, and their checks appear in the OpenAPI document.
 */
import { Schema } from "effect"

/** A number from 0 to 1, both included. */
export const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const NullableFinite = Schema.NullOr(Schema.Finite)

export const NullableString = Schema.NullOr(Schema.String)

/** The id of something that the service creates. */
export const Uuid = Schema.String.annotate({ format: "uuid" })

/** Text with a length between the two, both included, without the character 0, which the store cannot hold. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.check(
    // A schema counts characters, of which a text has at most as many as code units. By default the limit is half of it.
    Schema.isMinLength(minimum, { toJsonSchema: () => ({ minLength: minimum }) }),
    Schema.isMaxLength(maximum),
    // deno-lint-ignore no-control-regex
    Schema.isPattern(/^[^\u0000]*$/u),
  )

const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Whether it is a day of the calendar. `Date.parse` reads February 30 as March 2. */
export const isDay = (text: string): boolean => {
  const ms = Date.parse(`${text}T00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** A time in a request: ISO 8601 with `Z` or an offset, on an existing day. */
export const Timestamp = Schema.String.check(
  Schema.makeFilter(
    (text: string) => isoPattern.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10)),
    {
      expected: "an ISO 8601 time with Z or an offset, e.g. 2026-01-05T09:30:00Z",
      toJsonSchema: () => ({ format: "date-time" }),
    },
  ),
)

/** Milliseconds since the Unix epoch of a `Timestamp`. */
export const epochMsOf = (timestamp: string): number => Date.parse(timestamp)

/** Microseconds since the Unix epoch of a `Timestamp`, truncated. */
export const epochUsOf = (timestamp: string): number => {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? ""
  return Date.parse(timestamp.replace(/\.\d+/, "")) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6))
}

/** A number rounded to three places (metres to the millimetre), and to four. */
export const round3 = (value: number): number => Math.round(value * 1e3) / 1e3
export const round4 = (value: number): number => Math.round(value * 1e4) / 1e4
export const round3OrNull = (value: number | null): number | null => value === null ? null : round3(value)
export const round4OrNull = (value: number | null): number | null => value === null ? null : round4(value)
