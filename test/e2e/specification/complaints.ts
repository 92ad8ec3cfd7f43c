/** The differences between an answer and the fields that the specification lists. */
import type { Fields, FieldType } from "./fields.ts"

// deno-lint-ignore no-explicit-any
type Json = any

const isTimestamp = (value: Json): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)

const is: Record<FieldType, (value: Json) => boolean> = {
  string: (value) => typeof value === "string" && value !== "",
  text: (value) => ["string", "number", "object"].includes(typeof value) && value !== null,
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
  timestamp: isTimestamp,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
}

/** The values at a path, or an error message if the path ends early. */
const valuesAt = (body: Json, path: ReadonlyArray<string>): ReadonlyArray<{ value: Json } | { complaint: string }> => {
  const [step, ...rest] = path
  if (step === undefined) return [{ value: body }]
  const [, name = "", each = "", optional = ""] = /^([^[\]{}*]*)(\[\]|\{\})?(\*)?$/.exec(step)!
  if (name !== "" && (typeof body !== "object" || body === null || !(name in body))) {
    return [{ complaint: `${name} is missing` }]
  }
  const found = name === "" ? body : body[name]
  if (each === "") return valuesAt(found, rest)
  if (each === "[]" ? !Array.isArray(found) : !is.object(found)) return [{ complaint: `${name} is no ${each}` }]
  const entries: ReadonlyArray<Json> = each === "[]" ? found : Object.values(found)
  if (entries.length === 0 && optional === "") return [{ complaint: `${name || "the answer"} is empty` }]
  return entries.flatMap((entry) => valuesAt(entry, rest))
}

/** The differences between an answer and these fields. */
export const complaintsOf = (body: Json, fields: Fields): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([path, said]) => {
    const type = said.replace("?", "") as FieldType
    return valuesAt(body, path.split(".")).flatMap((at) => {
      if ("complaint" in at) return [`${path}: ${at.complaint}`]
      if (at.value === null && said.endsWith("?")) return []
      return is[type](at.value) ? [] : [`${path}: ${JSON.stringify(at.value)?.slice(0, 80)} is no ${type}`]
    })
  })
