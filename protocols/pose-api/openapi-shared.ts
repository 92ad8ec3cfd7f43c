/**
 * Shared properties of an OpenAPI document: the schema of a property that occurs often becomes a component with the name of the property,
 * e.g. `EnvironmentId`, so that a client has one type for it. Pure.
 */
import { isJson, type Json, schemaPath } from "./openapi-schemas.ts"

/** A property is shared if the document becomes smaller by this many characters. */
const gainMin = 10

/** `environment_id` as `EnvironmentId`; of a dotted name, the last part. */
const typeNameOf = (property: string): string =>
  property.split(".").at(-1)!.split(/[^A-Za-z0-9]+/).map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join(
    "",
  )

interface Occurrence {
  readonly property: string
  readonly schema: Json
  count: number
}

/** Calls `each` for every property of objects in a schema. */
const eachProperty = (json: unknown, each: (name: string, schema: Json) => void): void => {
  if (Array.isArray(json)) return json.forEach((item) => eachProperty(item, each))
  if (!isJson(json)) return
  for (const [key, value] of Object.entries(json)) {
    if (key === "properties" && isJson(value)) {
      for (const [name, schema] of Object.entries(value)) if (isJson(schema)) each(name, schema)
    }
    eachProperty(value, each)
  }
}

/** A schema whose properties are replaced; null: the property stays. */
const replaced = (json: unknown, replacement: (name: string, schema: Json) => Json | null): unknown => {
  if (Array.isArray(json)) return json.map((item) => replaced(item, replacement))
  if (!isJson(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]): [string, unknown] => {
      if (key !== "properties" || !isJson(value)) return [key, replaced(value, replacement)]
      const properties = Object.entries(value).map(([name, schema]): [string, unknown] => [
        name,
        isJson(schema) ? replacement(name, schema) ?? replaced(schema, replacement) : schema,
      ])
      return [key, Object.fromEntries(properties)]
    }),
  )
}

/** Characters that a reference saves. */
const gainOf = ({ count, property, schema }: Occurrence): number => {
  const size = JSON.stringify(schema).length
  const reference = JSON.stringify({ $ref: schemaPath + typeNameOf(property) }).length
  return count * (size - reference) - size
}

/** Objects are not shared: their schemas have names where they are declared. */
const isShareable = (schema: Json): boolean => !("$ref" in schema || "properties" in schema)

/** The schemas with their shared properties as further components. */
export const withSharedProperties = (schemas: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const occurrences = new Map<string, Occurrence>()
  eachProperty(schemas, (property, schema) => {
    if (!isShareable(schema)) return
    const key = `${typeNameOf(property)} ${JSON.stringify(schema)}`
    const known = occurrences.get(key)
    if (known === undefined) occurrences.set(key, { property, schema, count: 1 })
    else known.count++
  })
  const shared: Record<string, unknown> = {}
  const worthwhile = [...occurrences].filter(([, occurrence]) => gainOf(occurrence) >= gainMin)
    .sort(([, a], [, b]) => gainOf(b) - gainOf(a))
  const references = new Map<string, Json>()
  for (const [key, { property, schema }] of worthwhile) {
    const name = typeNameOf(property)
    if (name in shared || name in schemas) continue
    shared[name] = schema
    references.set(key, { $ref: schemaPath + name })
  }
  const named = replaced(
    schemas,
    (property, schema) => references.get(`${typeNameOf(property)} ${JSON.stringify(schema)}`) ?? null,
  )
  return { ...named as Record<string, unknown>, ...shared }
}

/** Operations whose parameters that occur more than once are components, named by the parameter and numbered if several have its name. */
export const withSharedParameters = (
  paths: Readonly<Record<string, Json>>,
): { readonly paths: Record<string, Json>; readonly parameters: Record<string, Json> } => {
  const counts = new Map<string, number>()
  const each = (of: (parameter: Json) => Json): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => {
            if (!isJson(operation) || !("parameters" in operation)) return [method, operation]
            return [method, { ...operation, parameters: (operation["parameters"] as ReadonlyArray<Json>).map(of) }]
          }),
        ),
      ]),
    )
  each((parameter) => {
    const text = JSON.stringify(parameter)
    counts.set(text, (counts.get(text) ?? 0) + 1)
    return parameter
  })
  const names = new Map<string, string>()
  const parameters: Record<string, Json> = {}
  for (const [text, count] of counts) {
    if (count < 2) continue
    const parameter = JSON.parse(text) as Json
    const name = typeNameOf(String(parameter["name"]))
    const taken = Object.keys(parameters).filter((other) => other.replace(/\d+$/, "") === name).length
    const key = taken === 0 ? name : name + (taken + 1)
    names.set(text, key)
    parameters[key] = parameter
  }
  const shared = each((parameter) => {
    const key = names.get(JSON.stringify(parameter))
    return key === undefined ? parameter : { $ref: `#/components/parameters/${key}` }
  })
  return { paths: shared, parameters }
}
