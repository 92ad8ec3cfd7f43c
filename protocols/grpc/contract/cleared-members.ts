/**
 * What a change cannot say in a message, where an empty list and null are missing members, which stay: the field `clear` names the members
 * that become an empty list, or null. Pure.
 */
import type { AnyEndpoint } from "../../pose-api/endpoint.ts"
import { type FieldShape, type JsonSchema, type SchemaDocument, schemaDocument } from "./message-shape.ts"

export const clearField = "clear"

/** The values of cleared members by their paths, such as `zones` or `environment.id`. */
type Clearable = ReadonlyMap<string, readonly [] | null>

const addMembers = (
  found: Map<string, readonly [] | null>,
  prefix: string,
  given: JsonSchema,
  definitions: SchemaDocument["definitions"],
): void => {
  const resolved = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : definitions[schema.$ref.replace("#/$defs/", "")] ?? {}
  const { properties = {}, required = [] } = given
  for (const [member, schema] of Object.entries(properties)) {
    // Members with a dot repeat a nested one.
    if (member.includes(".")) continue
    const path = `${prefix}${member}`
    const isNullable = schema.anyOf?.some(({ type }) => type === "null") === true
    const value = resolved(schema.anyOf?.find(({ type }) => type !== "null") ?? schema)
    if (!required.includes(member) && isNullable) found.set(path, null)
    else if (!required.includes(member) && value.type === "array" && (value.minItems ?? 0) === 0) found.set(path, [])
    else if (value.properties !== undefined) addMembers(found, `${path}.`, value, definitions)
  }
}

/** The members that an operation can clear: those of a change that may be missing. */
export const clearableOf = ({ body, method }: Pick<AnyEndpoint, "body" | "method">): Clearable => {
  const found = new Map<string, readonly [] | null>()
  if (method !== "PUT" || body === null) return found
  const { definitions, schema } = schemaDocument(body.schema)
  addMembers(found, "", schema, definitions)
  return found
}

/** The field of a request that can clear members; null if there are none. */
export const clearFieldOf = (endpoint: AnyEndpoint): FieldShape | null => {
  const paths = [...clearableOf(endpoint).keys()]
  return paths.length === 0 ? null : {
    name: clearField,
    type: { kind: "scalar", name: "string" },
    label: "repeated",
    comment: `Members that become an empty list, or null: ${paths.join(", ")}. A missing member stays as it is.`,
  }
}

type Json = Readonly<Record<string, unknown>>

/** Whether a body has the member of this path. */
export const hasMember = (body: Json, path: string): boolean => {
  const member = path.split(".").reduce<unknown>((found, name) => (found as Json | undefined)?.[name], body)
  return member !== undefined
}

/** A body with the member of this path cleared. */
export const withCleared = (body: Json, path: string, value: readonly [] | null): Json => {
  const [member, ...rest] = path.split(".") as [string, ...ReadonlyArray<string>]
  if (rest.length === 0) return { ...body, [member]: value }
  return { ...body, [member]: withCleared((body[member] ?? {}) as Json, rest.join("."), value) }
}
