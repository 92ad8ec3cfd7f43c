/**
 * Fields of a service as data: clients draw a form from them, and the schema that checks calls is derived from them.
 *
 * A selector names a type of value and its limits, in the terms of home-automation clients. Values are parsed as leniently as those
 * clients need: a number as text, "on" for true.
 */
import { Schema, SchemaTransformation } from "effect"

const Text = Schema.String.check(Schema.isMaxLength(4096))

/** The type of a value; exactly one key. */
const Selector = Schema.Union([
  Schema.Struct({ text: Schema.Struct({ multiline: Schema.optionalKey(Schema.Boolean) }) }),
  Schema.Struct({
    number: Schema.Struct({
      min: Schema.optionalKey(Schema.Finite),
      max: Schema.optionalKey(Schema.Finite),
      step: Schema.optionalKey(Schema.Finite),
      mode: Schema.optionalKey(Schema.Literals(["box", "slider"])),
      unit_of_measurement: Schema.optionalKey(Text),
    }),
  }),
  Schema.Struct({ boolean: Schema.Struct({}) }),
  Schema.Struct({
    select: Schema.Struct({
      options: Schema.Array(Text).check(Schema.isMinLength(1), Schema.isMaxLength(256)),
      multiple: Schema.optionalKey(Schema.Boolean),
    }),
  }),
  /** Entity ids: always a list after parsing. */
  Schema.Struct({ entity: Schema.Struct({ domain: Schema.optionalKey(Schema.Array(Text)) }) }),
  /** Any JSON. */
  Schema.Struct({ object: Schema.Struct({}) }),
])
type Selector = typeof Selector.Type

const Field = Schema.Struct({
  name: Schema.optionalKey(Text),
  description: Schema.optionalKey(Text),
  required: Schema.optionalKey(Schema.Boolean),
  example: Schema.optionalKey(Schema.Json),
  selector: Selector,
})
type Field = typeof Field.Type

const fieldsMax = 64
export const Fields = Schema.Record(Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/u)), Field).check(
  Schema.makeFilter((fields) => Object.keys(fields).length <= fieldsMax, { expected: `at most ${fieldsMax} fields` }),
)
export type Fields = typeof Fields.Type

type ValueOf<S> = S extends { readonly text: unknown } ? string
  : S extends { readonly number: unknown } ? number
  : S extends { readonly boolean: unknown } ? boolean
  : S extends { readonly select: { readonly multiple: true } } ? ReadonlyArray<string>
  : S extends { readonly select: { readonly options: ReadonlyArray<infer Option> } } ? Option
  : S extends { readonly entity: unknown } ? ReadonlyArray<string>
  : Schema.Json

/** The data of a call, after the schema of these fields. */
export type DataOf<F extends Fields> =
  & {
    readonly [Name in keyof F as F[Name] extends { readonly required: true } ? Name : never]: ValueOf<
      F[Name]["selector"]
    >
  }
  & {
    readonly [Name in keyof F as F[Name] extends { readonly required: true } ? never : Name]?: ValueOf<
      F[Name]["selector"]
    >
  }

/** Text, and unquoted values where text is expected. */
const looseText = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (value) => value === true ? "True" : value === false ? "False" : String(value),
      encode: (text) => text,
    }),
  ),
)

const trueWords = ["1", "true", "yes", "on", "enable"] as const
const falseWords = ["0", "false", "no", "off", "disable"] as const
const looseBoolean = Schema.Union([
  Schema.Boolean,
  Schema.Literals([0, 1]),
  Schema.String.check(
    Schema.makeFilter((word) => [...trueWords, ...falseWords].some((each) => each === word.toLowerCase()), {
      expected: "on or off, or another word for true or false",
    }),
  ),
]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (value) =>
        typeof value === "string" ? trueWords.some((word) => word === value.toLowerCase()) : Boolean(value),
      encode: (value) => value,
    }),
  ),
)

const entityIds = Schema.Union([Schema.String, Schema.Array(Schema.String)]).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transform({
      decode: (value: string | ReadonlyArray<string>): ReadonlyArray<string> =>
        (typeof value === "string" ? value.split(",") : value).map((id) => id.trim().toLowerCase())
          .filter((id) => id !== ""),
      encode: (ids: ReadonlyArray<string>): string | ReadonlyArray<string> => ids,
    }),
  ),
)

const numberWithin = ({ max, min }: { readonly min?: number; readonly max?: number }) => {
  const number = Schema.Union([Schema.Finite, Schema.FiniteFromString])
  const least = min === undefined ? number : number.check(Schema.isGreaterThanOrEqualTo(min))
  return max === undefined ? least : least.check(Schema.isLessThanOrEqualTo(max))
}

const valueSchema = (selector: Selector): Schema.Codec<unknown, unknown> => {
  if ("text" in selector) return looseText
  if ("number" in selector) return numberWithin(selector.number)
  if ("boolean" in selector) return looseBoolean
  if ("entity" in selector) return entityIds
  if ("object" in selector) return Schema.Json
  const options = Schema.Literals(selector.select.options)
  return selector.select.multiple === true ? Schema.Array(options) : options
}

/** The schema of a call's data. Unknown fields are rejected. */
export const schemaOfFields = (fields: Fields): Schema.Codec<unknown, unknown> => {
  // A structure without fields would accept any field.
  if (Object.keys(fields).length === 0) return Schema.Record(Schema.String, Schema.Never)
  return Schema.Struct(Object.fromEntries(
    Object.entries(fields).map(([name, { required, selector }]) => {
      const schema = valueSchema(selector)
      return [name, required === true ? schema : Schema.optionalKey(schema)]
    }),
  ))
}
