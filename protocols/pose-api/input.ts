/**
 * Reads foreign input: JSON values by a schema, and query strings as the JSON values of a schema.
 *
 * Every invalid field is reported, no field is dropped silently, and received values are shortened in errors.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { type FieldError, InvalidRequest } from "./edge-failures.ts"
import type { Fields } from "./endpoint.ts"

const fieldErrorsMax = 100
const receivedTextMax = 200

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The received value as an error shows it: a scalar, truncated; of a structure only its kind. */
const repeated = (value: unknown): unknown => {
  if (typeof value === "string") {
    return value.length > receivedTextMax ? `${value.slice(0, receivedTextMax)}…` : value
  }
  if (Array.isArray(value)) return `[array of ${value.length}]`
  if (typeof value === "object" && value !== null) return "[object]"
  return value ?? null
}

const at = (root: unknown, path: ReadonlyArray<PropertyKey>): unknown => {
  let value = root
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

const notAField = "is not a field of this request"

const messages: Record<string, string> = {
  "Missing key": "is missing",
  "Expected no excess property": notAField,
}

interface ReaderOptions {
  /** Path of the whole value in errors, e.g. `body`. */
  readonly whole: string
  /** Errors never repeat received values. */
  readonly secret?: boolean
  /** Unknown fields are dropped instead of rejected. */
  readonly lenient?: boolean
}

/** A reader of JSON values by a schema. */
export const reader = <A>(
  schema: Fields<A>,
  options: ReaderOptions,
): (raw: unknown) => Result.Result<A, InvalidRequest> => {
  const decode = Schema.decodeUnknownResult(schema, {
    errors: "all",
    onExcessProperty: options.lenient === true ? "ignore" : "error",
  })
  return (raw) =>
    Result.mapError(decode(raw), (error) => {
      const byField = new Map<string, FieldError>()
      for (const { path = [], message } of format(error.issue).issues) {
        if (byField.size === fieldErrorsMax) break
        const keys = path.map((step) => typeof step === "object" ? step.key : step)
        const field = keys.length === 0 ? options.whole : keys.map((key) => String(repeated(String(key)))).join(".")
        if (byField.has(field)) continue
        byField.set(field, {
          field,
          message: messages[message] ?? message,
          received: options.secret === true ? null : repeated(at(raw, keys)),
        })
      }
      return new InvalidRequest({ errors: [...byField.values()] })
    })
}

const numberPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** The JSON type of each query parameter, from the JSON schema of the schema. */
const kindsOf = (schema: Schema.Constraint): Map<string, string> => {
  const { schema: json } = Schema.toJsonSchemaDocument(schema)
  const properties = (json.properties ?? {}) as Record<string, { readonly type?: string }>
  return new Map(Object.entries(properties).map(([name, property]) => [name, property.type ?? "string"]))
}

const coerce = (text: string, kind: string | undefined): string | number | boolean => {
  if ((kind === "number" || kind === "integer") && numberPattern.test(text)) return Number(text)
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true"
  return text
}

/** Query parameters of every route, which are read before the route's own. */
const common = new Set(["form"])

/** A reader for routes without parameters, because an empty struct would accept any. */
const readNothing = (query: URLSearchParams): Result.Result<null, InvalidRequest> => {
  const errors = [...new Map(query)].filter(([name]) => !common.has(name)).slice(0, fieldErrorsMax)
    .map(([field, received]) => ({ field, message: notAField, received: repeated(received) }))
  return errors.length === 0 ? Result.succeed(null) : Result.fail(new InvalidRequest({ errors }))
}

/** A reader of query strings. Unknown parameters are rejected. */
export const queryReader = <A>(
  schema: Fields<A> | null,
): (query: URLSearchParams) => Result.Result<A, InvalidRequest> => {
  if (schema === null) return readNothing as (query: URLSearchParams) => Result.Result<A, InvalidRequest>
  const kinds = kindsOf(schema)
  const read = reader(schema, { whole: "query" })
  return (query) => {
    const raw: Record<string, unknown> = Object.create(null)
    for (const [name, text] of query) {
      if (common.has(name)) continue
      if (name in raw) {
        return Result.fail(InvalidRequest.of(name, "is given more than once", text.slice(0, receivedTextMax)))
      }
      raw[name] = coerce(text, kinds.get(name))
    }
    return read(raw)
  }
}
