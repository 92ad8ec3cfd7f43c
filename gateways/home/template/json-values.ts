/**
 * JSON and values of templates. The notation of a number tells an integer from a float.
 */
import type { Schema } from "effect"
import { copy, visit } from "./budget.ts"
import { floatText, rawNumberText } from "../../../protocols/domain/exact-json.ts"
import { TemplateError } from "./template-error.ts"
import { DateTime } from "./times.ts"
import { isDict, isList, PyObject, textOf, type Value } from "./values.ts"

interface JsonForm {
  readonly isPretty: boolean
  readonly isSorted: boolean
}

const depthMax = 64

const written = (value: Value, form: JsonForm, indent: string): string => {
  if (indent.length > depthMax * 2) throw new TemplateError("ValueError", `The value nests deeper than ${depthMax}.`)
  visit()
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value)
  if (typeof value === "string") {
    copy(value.length)
    return JSON.stringify(value)
  }
  if (typeof value === "number") return Number.isFinite(value) ? floatText(value) : "null"
  if (value instanceof DateTime) return JSON.stringify(value.iso())
  const inner = `${indent}  `
  const [open, close] = form.isPretty ? [`\n${inner}`, `\n${indent}`] : ["", ""]
  const between = form.isPretty ? `,\n${inner}` : ","
  if (isDict(value)) {
    const entries = [...value].map(([key, part]) => [textOf(key), part] as const)
    const sorted = form.isSorted ? entries.sort(([a], [b]) => a < b ? -1 : 1) : entries
    const colon = form.isPretty ? ": " : ":"
    const parts = sorted.map(([key, part]) => `${JSON.stringify(key)}${colon}${written(part, form, inner)}`)
    return parts.length === 0 ? "{}" : `{${open}${parts.join(between)}${close}}`
  }
  const items = isList(value) ? value : value instanceof PyObject ? value.items() : null
  if (items === null) return JSON.stringify(textOf(value))
  const parts = [...items].map((part) => written(part, form, inner))
  return parts.length === 0 ? "[]" : `[${open}${parts.join(between)}${close}]`
}

/** A value as JSON text. */
export const toJson = (value: Value, form: JsonForm): string => written(value, form, "")

/** A JSON value; an integer is one whose notation has neither a point nor an exponent. */
type Exact = null | boolean | number | bigint | string | ReadonlyArray<Exact> | { readonly [key: string]: Exact }

const integer = /^-?\d+$/

const ofExact = (value: Exact): Value => {
  visit()
  if (Array.isArray(value)) return value.map(ofExact)
  if (typeof value !== "object" || value === null) return value as Value
  return new Map(Object.entries(value).map(([key, part]) => [key, ofExact(part)]))
}

/** The value of a JSON text; undefined if it is not JSON. */
export const fromJson = (text: string): Value | undefined => {
  const keep = (_: string, value: Exact, context?: { readonly source?: string }): Exact =>
    typeof value === "number" && context?.source !== undefined && integer.test(context.source)
      ? BigInt(context.source)
      : value
  visit(text.length)
  let exact: Exact
  try {
    exact = (JSON.parse as (text: string, reviver: typeof keep) => Exact)(text, keep)
  } catch {
    return undefined
  }
  return ofExact(exact)
}

/** A JSON value of the home, whose floats without a fraction are raw JSON. */
export const ofJson = (value: Schema.Json): Value => {
  visit()
  const raw = rawNumberText(value)
  if (raw !== null) return integer.test(raw) ? BigInt(raw) : Number(raw)
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(ofJson)
  if (typeof value !== "object" || value === null) return value as Value
  return new Map(Object.entries(value).map(([key, part]) => [key, ofJson(part as Schema.Json)]))
}
