/**
 * JSON whose numbers keep what JavaScript's lose: that a whole number is a float (1.0), and the digits of integers beyond 2^53.
 *
 * Such a number is raw JSON (`JSON.rawJSON`), which `JSON.stringify` writes as it is. Its text is Home Assistant's: `2.0`, `1e+16`, and an
 * integer of more than 64 bits is a float. All other values are those of `JSON.parse`. Code that
 * calculates with a number calls `inexactNumber`.
 */
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

interface RawNumber {
  readonly rawJSON: string
}

const { isRawJSON, rawJSON } = JSON as unknown as {
  readonly isRawJSON: (value: unknown) => value is RawNumber
  readonly rawJSON: (text: string) => Schema.Json
}

/** A float in the fewest digits that restore it, in the notation of Python and of Home Assistant's JSON. */
export const floatText = (value: number): string => {
  if (Number.isNaN(value)) return "nan"
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf"
  const size = Math.abs(value)
  if (value !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits = "", power = ""] = value.toExponential().split("e")
    return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`
  }
  const text = Object.is(value, -0) ? "-0" : String(value)
  return text.includes(".") ? text : `${text}.0`
}

const integerMin = -(2n ** 63n)
const integerMax = 2n ** 64n - 1n

const numberOf = (value: number, source: string): Schema.Json => {
  if (!Number.isInteger(value)) return value
  if (/^-?\d+$/.test(source)) {
    if (Number.isSafeInteger(value)) return value
    const integer = BigInt(source)
    if (integer >= integerMin && integer <= integerMax) return rawJSON(source)
  }
  return rawJSON(floatText(value))
}

/** A text that may contain a number of the kind that is kept. */
const suspect = /\d\.0*(?!\d)|\d[eE][-+]?\d|[^\d.](?:9\d{15}|\d{17})|^\d{16}/

/** The value of a JSON text. Throws a SyntaxError. */
export const parseExact = (text: string): Schema.Json => {
  if (!suspect.test(text)) return JSON.parse(text) as Schema.Json
  const keep = (_: string, value: Schema.Json, context?: { readonly source?: string }): Schema.Json =>
    typeof value === "number" && context?.source !== undefined ? numberOf(value, context.source) : value
  return (JSON.parse as (text: string, reviver: typeof keep) => Schema.Json)(text, keep)
}

const exactJsonText = SchemaTransformation.transformEffect({
  decode: (text: string, options) =>
    Effect.try({
      try: (): unknown => parseExact(text),
      catch: () => new SchemaIssue.InvalidValue({ expected: "a valid JSON string" }, text, options),
    }),
  encode: (value: unknown) => Effect.succeed(JSON.stringify(value)),
})

/** A schema of JSON text, as `Schema.fromJsonString`, that keeps such numbers. */
export const fromExactJsonString = <S extends Schema.Constraint>(schema: S) =>
  Schema.String.pipe(Schema.decodeTo(schema, exactJsonText))

/** A whole number of any size as a JSON number. */
export const exactInteger = (value: bigint): Schema.Json => rawJSON(String(value))

/** The text of a number that is raw JSON; null for every other value. */
export const rawNumberText = (value: unknown): string | null => isRawJSON(value) ? value.rawJSON : null

/** A number as JavaScript calculates with it; every other value as it is. */
export const inexactNumber = <Value>(value: Value): Value | number => isRawJSON(value) ? Number(value.rawJSON) : value

/** A value with JavaScript's numbers only. */
export const inexactJson = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (isRawJSON(value)) return Number(value.rawJSON)
  if (Array.isArray(value)) return value.map(inexactJson)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inexactJson(part)]))
}
