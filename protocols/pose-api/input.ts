/**
 * Reads foreign input: JSON values against a schema, and a query string as the JSON values its schema asks for.
 *
 * Every wrong field is reported, none is silently dropped, and what is repeated to the caller is short.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { type FieldError, InvalidRequest } from "./errors.ts"
import type { Fields } from "./endpoint.ts"

const fieldErrorsMax = 100
const receivedTextMax = 200

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is repeated of a received value: a scalar, cut where it is long; of a structure only what it is. */
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
  /** Path of the value itself, e.g. `body`, where it is wrong as a whole. */
  readonly whole: string
  /** Never repeat what was received. */
  readonly secret?: boolean
  /** Unknown fields are dropped instead of refused. */
  readonly lenient?: boolean
}

/** A reader of JSON values of a schema. */
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

/** Which JSON type each query parameter is written as, from the schema's own JSON schema. */
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

/** Query parameters that every route takes; they are read before the route's own. */
const common = new Set(["form"])

/** A reader for routes without parameters: a struct of no fields would take any. */
const readNothing = (query: URLSearchParams): Result.Result<null, InvalidRequest> => {
  const errors = [...new Map(query)].filter(([name]) => !common.has(name)).slice(0, fieldErrorsMax)
    .map(([field, received]) => ({ field, message: notAField, received: repeated(received) }))
  return errors.length === 0 ? Result.succeed(null) : Result.fail(new InvalidRequest({ errors }))
}

/** A reader of query strings; parameters that the route does not have are refused. */
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
