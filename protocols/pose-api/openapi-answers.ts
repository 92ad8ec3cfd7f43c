/**
 * The schemas of answers without the limits of their values (`minimum`, `maxLength`, `pattern` …), in the documents for generators of clients,
 * which do not check answers. Requests keep all limits. Pure.
 */
import { isJson, schemaPath } from "./openapi-schemas.ts"

const limits: ReadonlySet<string> = new Set(["minimum", "maximum", "minLength", "maxLength", "pattern"])

const referencesIn = (json: unknown): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap(referencesIn)
  if (!isJson(json)) return []
  return Object.entries(json).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [value.replace(schemaPath, "")] : referencesIn(value)
  )
}

const withoutLimits = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutLimits)
  if (!isJson(json)) return json
  return Object.fromEntries(
    Object.entries(json)
      // A property may have the name of a limit.
      .filter(([key, value]) => !limits.has(key) || isJson(value))
      .map(([key, value]) => [key, withoutLimits(value)]),
  )
}

/** `requests`: the names of the schemas of request bodies, which keep their limits with all that they refer to. */
export const withoutAnswerLimits = (
  schemas: Readonly<Record<string, unknown>>,
  requests: ReadonlySet<string>,
): Record<string, unknown> => {
  const kept = new Set<string>()
  const keep = (name: string): void => {
    if (kept.has(name)) return
    kept.add(name)
    referencesIn(schemas[name]).forEach(keep)
  }
  requests.forEach(keep)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, kept.has(name) ? schema : withoutLimits(schema)]),
  )
}
