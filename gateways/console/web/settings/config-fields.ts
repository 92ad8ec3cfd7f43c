/** The fields of the settings form, from the schema of the configuration. Pure. */

type Value = string | number | boolean | null

/** The part of JSON Schema that the configuration uses. */
export interface JsonSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly description?: string
}

/** The values of the configuration, nested as its schema. */
export interface Values {
  readonly [name: string]: Value | Values
}

export interface Field {
  /** Dotted name. */
  readonly name: string
  readonly title: string
  readonly kind: "switch" | "choice" | "number" | "text" | "optional-switch" | "report"
  readonly value: Value
  readonly standard: Value
  readonly description: string
  /** The values that can be chosen; empty for other kinds. */
  readonly choices: ReadonlyArray<string>
  readonly minimum: number | null
  readonly maximum: number | null
  readonly isInteger: boolean
  readonly isOptional: boolean
}

export interface FieldGroup {
  readonly title: string
  readonly fields: ReadonlyArray<Field>
}

/** Words that are not written as usual. */
const spellings: Readonly<Record<string, string>> = { mqtt: "MQTT", websocket: "WebSocket", csi: "CSI" }

const titleOf = (name: string): string => {
  const words = name.split("_").map((word) => spellings[word] ?? word).join(" ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The service says of a field that it only reports. */
const reported = /^Reported only/

const kindOf = ({ description = "", enum: choices, type }: JsonSchema, isOptional: boolean): Field["kind"] => {
  if (reported.test(description)) return "report"
  if (choices !== undefined) return "choice"
  if (type === "boolean") return isOptional ? "optional-switch" : "switch"
  return type === "number" || type === "integer" ? "number" : "text"
}

const valueAt = (values: Values, path: ReadonlyArray<string>): Value => {
  let at: Value | Values = values
  for (const name of path) at = typeof at === "object" && at !== null ? at[name] ?? null : null
  return typeof at === "object" ? null : at
}

const fieldOf = (path: ReadonlyArray<string>, schema: JsonSchema, values: Values, standards: Values): Field => {
  const isOptional = schema.anyOf?.some(({ type }) => type === "null") ?? false
  const inner = schema.anyOf?.find(({ type }) => type !== "null") ?? schema
  const { description = "" } = schema
  return {
    name: path.join("."),
    title: path.length > 1 ? path.slice(1).map(titleOf).join(": ") : titleOf(path[0]!),
    kind: kindOf({ ...inner, description }, isOptional),
    value: valueAt(values, path),
    standard: valueAt(standards, path),
    description,
    choices: inner.enum ?? [],
    minimum: inner.minimum ?? null,
    maximum: inner.maximum ?? null,
    isInteger: inner.type === "integer",
    isOptional,
  }
}

const fieldsOf = (
  path: ReadonlyArray<string>,
  schema: JsonSchema,
  values: Values,
  standards: Values,
): ReadonlyArray<Field> =>
  schema.properties === undefined
    ? [fieldOf(path, schema, values, standards)]
    : Object.entries(schema.properties).flatMap(([name, inner]) => fieldsOf([...path, name], inner, values, standards))

/** The fields by the first part of their names. */
export const groupsOf = (schema: JsonSchema, values: Values, standards: Values): ReadonlyArray<FieldGroup> =>
  Object.entries(schema.properties ?? {}).map(([name, inner]) => ({
    title: titleOf(name),
    fields: fieldsOf([name], inner, values, standards),
  }))

/** What a field of the form says; undefined: nothing that can be sent. */
export const parsedValue = ({ isOptional, kind }: Field, text: string): Value | undefined => {
  if (kind === "number") return text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text)
  if (kind === "optional-switch") return text === "" ? null : text === "true"
  return text === "" && isOptional ? null : text
}
