/** The nulls of answers in an OpenAPI document that nothing explains. Pure. */
type Json = Record<string, unknown>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields whose reason is a sibling with another name. */
const reasonOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  person_reason: ["confidence", "bounding_box", "activity", "location", "location_sigma_m"],
}

/** Whether one of these properties gives the reason of the property: `reason`, `reasons` by path, `total_reason` of `total_pages`. */
const hasReason = (name: string, properties: Iterable<string>): boolean =>
  [...properties].some((other) =>
    other === "reason" || other === "reasons" || (reasonOf[other]?.includes(name) ?? false) ||
    (other.endsWith("_reason") && other !== name && name.startsWith(other.replace(/_reason$/, "")))
  )

/**
 * The paths of properties of answers that may be null, whose description does not say what null means, and which have no reason beside
 * them or, as `reasons`, around them.
 */
export const unexplainedNulls = (document: Json): ReadonlyArray<string> => {
  const look = (json: unknown): Json => {
    if (!isJson(json)) return {}
    if (typeof json["$ref"] !== "string") return json
    const named = json["$ref"].slice(2).split("/").reduce<unknown>((at, key) => (at as Json)[key], document)
    return { ...look(named), ...json, $ref: undefined }
  }
  const membersOf = (schema: Json): ReadonlyArray<Json> =>
    [schema["anyOf"], schema["allOf"]].flatMap((members) => (members ?? []) as ReadonlyArray<unknown>).map(look)
  const isNullable = (schema: Json): boolean =>
    (Array.isArray(schema["type"]) && schema["type"].includes("null")) ||
    membersOf(schema).some(({ type }) => type === "null")
  const saysNull = (schema: Json): boolean => /null/i.test(String(schema["description"] ?? ""))

  const within = (given: unknown, path: string, explains: boolean): ReadonlyArray<string> => {
    if (!isJson(given)) return []
    const schema = look(given)
    const properties = (schema["properties"] ?? {}) as Json
    const names = Object.keys(properties)
    const explained = explains || names.includes("reasons")
    return [
      ...names.flatMap((name) => {
        const property = look(properties[name])
        const isOpen = isNullable(property) && !saysNull(property) && !explained && !hasReason(name, names)
        return [...(isOpen ? [`${path}.${name}`] : []), ...within(property, `${path}.${name}`, explained)]
      }),
      ...membersOf(schema).flatMap((member) => within(member, path, explained)),
      ...["items", "additionalProperties"].flatMap((key) => within(schema[key], `${path}[]`, explained)),
    ]
  }
  return Object.entries(document["paths"] as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).flatMap(([method, operation]) =>
      Object.entries(look((operation as Json)["responses"])).flatMap(([status, response]) => {
        const content = look(response)["content"] as Record<string, Json> | undefined
        return within(content?.["application/json"]?.["schema"], `${method.toUpperCase()} ${path} ${status}`, false)
      })
    )
  )
}
