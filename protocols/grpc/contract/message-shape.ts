/**
 * The messages that a schema describes: the JSON schema of an endpoint as protobuf messages, without field numbers. Pure.
 *
 * Rules: a field has the name of the JSON member; a JSON `null` and a missing member are an absent field; a list of names is an enum; a
 * date-time is a `Timestamp`; a schema with an identifier is a message of the package, any other object a message inside its parent.
 * Boundary: `proto-text.ts` writes the messages as text, and `transcode.ts` applies the same rules to values.
 */
import { Schema } from "effect"

type Scalar = "string" | "double" | "bool" | "int32" | "int64" | "uint32" | "uint64"

/** The type of a field; `message` and `enum` are names. */
type FieldType =
  | { readonly kind: "scalar"; readonly name: Scalar }
  | { readonly kind: "well-known"; readonly name: "Timestamp" | "Struct" | "Value" }
  | { readonly kind: "message"; readonly name: string }
  | { readonly kind: "enum"; readonly name: string }

export interface FieldShape {
  readonly name: string
  readonly type: FieldType
  /** `optional`: absent values are told from zeros. Messages always are. */
  readonly label: "single" | "optional" | "repeated" | "map"
  readonly comment: string
}

export interface EnumShape {
  readonly name: string
  /** As in JSON. */
  readonly values: ReadonlyArray<string>
}

export interface MessageShape {
  readonly name: string
  readonly comment: string
  readonly fields: ReadonlyArray<FieldShape>
  readonly messages: ReadonlyArray<MessageShape>
  readonly enums: ReadonlyArray<EnumShape>
}

/** The part of JSON Schema that Effect makes. */
export interface JsonSchema {
  readonly type?: string
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly prefixItems?: ReadonlyArray<JsonSchema>
}

/** A schema and the definitions that it refers to. */
export interface SchemaDocument {
  readonly schema: JsonSchema
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

export const schemaDocument = (schema: Schema.Constraint): SchemaDocument =>
  Schema.toJsonSchemaDocument(schema) as unknown as SchemaDocument

const pascal = (name: string): string =>
  name.split(/[^A-Za-z0-9]+/).filter((part) => part !== "").map((part) => part[0]!.toUpperCase() + part.slice(1)).join(
    "",
  )

/** `PoseFrame` as `pose_frame`. */
export const snake = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_").toLowerCase()

/** The field of a JSON member: `4_plus_persons` as `n4_plus_persons`, because names begin with a letter. */
export const fieldName = (member: string): string => /^[0-9]/.test(member) ? `n${member}` : member

/** Members with a dot repeat a nested member, for clients of JSON. They have no field. */
const isField = (member: string): boolean => !member.includes(".")

/** The message of a definition: its identifier, without the form. */
export const messageOfReference = (reference: string): string =>
  pascal(reference.replace("#/$defs/", "").replace(/\.(bare|envelope)$/, ""))

const definitionOf = (reference: string, definitions: SchemaDocument["definitions"]): JsonSchema | undefined =>
  definitions[reference.replace("#/$defs/", "")]

/** Whether a definition is a message. Names and numbers with a definition of their own are scalars. */
export const isMessage = ({ enum: names, type }: JsonSchema): boolean => names === undefined && type !== "string"

/** The name of an enum's value: that of the enum, and the JSON text. */
export const enumValueName = (enumName: string, value: string): string =>
  `${snake(enumName)}_${value.replace(/[^A-Za-z0-9]+/g, "_")}`.toUpperCase()

/** A schema without null, and whether it allows null. */
const withoutNull = (schema: JsonSchema): { readonly schema: JsonSchema; readonly nullable: boolean } => {
  const { anyOf, ...outside } = schema
  if (anyOf === undefined) return { schema, nullable: schema.type === "null" }
  const members = anyOf.filter(({ type }) => type !== "null")
  const nullable = members.length < anyOf.length
  if (members.length !== 1) throw new Error(`A choice of ${members.length} schemas has no protobuf form.`)
  return { schema: { ...outside, ...members[0]! }, nullable }
}

/** The name of the single field of a message that stands for a list inside a list. */
export const innerListField = "values"

const isName = (value: unknown): value is string => typeof value === "string" && /^[a-z0-9_]+$/.test(value)

const integerOf = ({ maximum = Infinity, minimum = -Infinity }: JsonSchema): Scalar => {
  if (minimum >= 0) return maximum < 2 ** 32 ? "uint32" : "uint64"
  return minimum >= -(2 ** 31) && maximum < 2 ** 31 ? "int32" : "int64"
}

/** Collects what is declared inside a message. */
interface Inside {
  readonly messages: Array<MessageShape>
  readonly enums: Array<EnumShape>
}

interface MessageOptions {
  /** Every scalar tells a missing value from zero: requests, so that the service can name what is missing. */
  readonly explicit: boolean
  /** The definitions that the schema refers to. */
  readonly definitions: SchemaDocument["definitions"]
}

const listOf = (schema: JsonSchema): JsonSchema => schema.items ?? schema.prefixItems?.[0] ?? {}

const typeOf = (schema: JsonSchema, name: string, inside: Inside, options: MessageOptions): FieldType => {
  if (schema.$ref !== undefined) {
    const named = definitionOf(schema.$ref, options.definitions)
    return named === undefined || isMessage(named)
      ? { kind: "message", name: messageOfReference(schema.$ref) }
      : typeOf(named, name, inside, options)
  }
  if (schema.enum !== undefined && schema.enum.every(isName)) {
    const of = { name: pascal(name), values: schema.enum }
    inside.enums.push(of)
    return { kind: "enum", name: of.name }
  }
  switch (schema.type) {
    case "string":
      return schema.format === "date-time"
        ? { kind: "well-known", name: "Timestamp" }
        : { kind: "scalar", name: "string" }
    case "number":
      return { kind: "scalar", name: "double" }
    case "integer":
      return { kind: "scalar", name: integerOf(schema) }
    case "boolean":
      return { kind: "scalar", name: "bool" }
    case "array": {
      const row = pascal(`${name}_row`)
      inside.messages.push(messageShape(row, { properties: { [innerListField]: schema }, type: "object" }, options))
      return { kind: "message", name: row }
    }
    case "object":
      if (schema.properties === undefined) return { kind: "well-known", name: "Struct" }
      inside.messages.push(messageShape(pascal(name), schema, options))
      return { kind: "message", name: pascal(name) }
    default:
      return { kind: "well-known", name: "Value" }
  }
}

export const isMap = ({ additionalProperties, properties = {}, type }: JsonSchema): boolean =>
  type === "object" && typeof additionalProperties === "object" && Object.keys(properties).length === 0

const fieldOf = (
  [member, given]: readonly [string, JsonSchema],
  required: boolean,
  inside: Inside,
  options: MessageOptions,
): FieldShape => {
  const { nullable, schema: stated } = withoutNull(given)
  // A map has no message of its own.
  const named = options.definitions[stated.$ref?.replace("#/$defs/", "") ?? ""]
  const schema = named !== undefined && isMap(named) ? named : stated
  const name = fieldName(member)
  const comment = given.description ?? schema.description ?? ""
  if (schema.type === "array") {
    return { name, type: typeOf(withoutNull(listOf(schema)).schema, name, inside, options), label: "repeated", comment }
  }
  if (isMap(schema)) {
    const value = withoutNull(schema.additionalProperties as JsonSchema).schema
    return { name, type: typeOf(value, name, inside, options), label: "map", comment }
  }
  const type = typeOf(schema, name, inside, options)
  const explicit = options.explicit || nullable || !required
  return {
    name,
    type,
    label: explicit && (type.kind === "scalar" || type.kind === "enum") ? "optional" : "single",
    comment,
  }
}

/** The message of an object's schema. Throws for what has no protobuf form: a mistake of the programmer. */
export const messageShape = (name: string, schema: JsonSchema, options: MessageOptions): MessageShape => {
  const inside: Inside = { messages: [], enums: [] }
  const required = new Set(schema.required ?? [])
  const members = Object.entries(schema.properties ?? {}).filter(([member]) => isField(member))
  const fields = members.map((entry) => fieldOf(entry, required.has(entry[0]), inside, options))
  return { name, comment: schema.description ?? "", fields, ...inside }
}
