/**
 * The fields of a JSON schema as a flat list for readers: path, type in words, and notes.
 *
 * Pure. Invariant: the list is finite for every schema: it stops at a recursive reference and at depth `depthMax`.
 */

export type Json = Readonly<Record<string, unknown>>

export interface Field {
  /** Dotted. `[]` is every item of a list, `*` every name of a map. Empty: the value itself. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly notes: string
}

const depthMax = 10

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The schema that a reference names. */
const resolved = (schema: Json, schemas: Json): Json => {
  const reference = schema["$ref"]
  const named = typeof reference === "string" ? schemas[reference.split("/").at(-1)!] : undefined
  return isObject(named) ? named : schema
}

/** The members of a union without null, and whether null was a member. */
const alternatives = (
  schema: Json,
  schemas: Json,
): { readonly of: ReadonlyArray<Json>; readonly nullable: boolean } => {
  const members = list(schema["anyOf"] ?? schema["oneOf"]).filter(isObject).map((member) => resolved(member, schemas))
  const of = members.filter(({ type }) => type !== "null")
  return { of, nullable: of.length < members.length }
}

/** A schema and the members of its `allOf`, which apply together, e.g. several patterns. */
const parts = (schema: Json): ReadonlyArray<Json> => [schema, ...list(schema["allOf"]).filter(isObject)]

const limits: ReadonlyArray<readonly [string, string]> = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["exclusiveMinimum", "more than"],
  ["exclusiveMaximum", "less than"],
  ["minLength", "characters, at least"],
  ["maxLength", "characters, at most"],
  ["minItems", "items, at least"],
  ["maxItems", "items, at most"],
  ["pattern", "matches"],
  ["format", "format"],
]

const notesOf = (schema: Json): string => {
  const limited = parts(schema).flatMap((part) =>
    limits.flatMap(([key, words]) => part[key] === undefined ? [] : [`${words} ${String(part[key])}`])
  )
  const fallback = schema["default"] === undefined ? [] : [`default ${JSON.stringify(schema["default"])}`]
  const described = parts(schema).flatMap(({ description }) => typeof description === "string" ? [description] : [])
  return [...described, [...new Set([...limited, ...fallback])].join("; ")].filter((text) => text !== "").join(" ")
}

const typeOf = (schema: Json, schemas: Json): string => {
  const { nullable, of } = alternatives(schema, schemas)
  if (of.length > 0) {
    const types = [...new Set(of.map((member) => typeOf(member, schemas)))]
    return [...types, ...(nullable ? ["null"] : [])].join(" or ")
  }
  const values = list(schema["enum"])
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(", ")
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  const { type } = schema
  if (type === "array") {
    const { items } = schema
    return isObject(items) ? `list of ${typeOf(resolved(items, schemas), schemas)}` : "list"
  }
  return Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "any"
}

/** The fields of a schema in the order of their declaration. */
export const fieldsOf = (root: Json, schemas: Json): ReadonlyArray<Field> => {
  const fields: Array<Field> = []
  const walk = (given: Json, path: string, required: boolean, above: ReadonlyArray<Json>): void => {
    const schema = resolved(given, schemas)
    if (path !== "") {
      const notes = notesOf(given) || notesOf(schema)
      fields.push({ path, type: typeOf(schema, schemas), required, notes })
    }
    if (above.includes(schema) || above.length >= depthMax) return
    const inside = [...above, schema]
    const { of } = alternatives(schema, schemas)
    for (const member of of) members(member, path, inside)
    for (const part of parts(schema)) members(resolved(part, schemas), path, inside)
  }
  const members = (schema: Json, path: string, inside: ReadonlyArray<Json>): void => {
    const { additionalProperties, items, properties } = schema
    const needed = new Set(list(schema["required"]))
    const join = (name: string) => path === "" ? name : `${path}.${name}`
    if (isObject(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        if (isObject(property)) walk(property, join(name), needed.has(name), inside)
      }
    }
    if (isObject(items)) {
      const item = resolved(items, schemas)
      if (item["properties"] !== undefined || item["anyOf"] !== undefined) members(item, `${path}[]`, [...inside, item])
    }
    if (isObject(additionalProperties)) walk(additionalProperties, join("*"), false, inside)
  }
  walk(root, "", true, [])
  const seen = new Set<string>()
  return fields.filter(({ path, type }) => {
    const key = `${path} ${type}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
