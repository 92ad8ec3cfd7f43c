/**
 * The named schemas of a document (OpenAPI, AsyncAPI): each is added once under its name, with the schemas that it refers to.
 *
 * Invariant: two different schemas never have one name. Pure.
 */
import { Schema } from "effect"
import { componentMeanings } from "./meanings/components.ts"
import { documented, enumSchema, type Json, schemaPath } from "./openapi-schemas.ts"

interface SchemaSet {
  readonly schemas: Record<string, unknown>
  /** Adds a schema, and returns a reference to it. `closed`: unknown fields are rejected. */
  readonly add: (name: string, schema: Schema.Constraint, closed: boolean) => Json
}

const formSuffix = /\.(bare|envelope)$/

/** The description of a component whose schema has none. */
const meaningOfComponent = (name: string): Json => {
  const description = componentMeanings[name.replace(formSuffix, "")]
  return description === undefined ? {} : { description }
}

const isReference = (json: Json): boolean => typeof json["$ref"] === "string" && Object.keys(json).length === 1

/** An empty set. `nameIn`: the name in this document of a schema, which may end in its form (`Person.bare`). */
export const makeSchemaSet = (nameIn: (name: string) => string): SchemaSet => {
  const schemas: Record<string, unknown> = {}
  const referenceTo = (name: string): Json => ({ $ref: schemaPath + nameIn(name) })
  const define = (name: string, json: Json, closed: boolean, definitions: Json): void => {
    const key = nameIn(name)
    const schema = documented({ ...json, ...("description" in json ? {} : meaningOfComponent(name)) }, {
      name: name.replace(formSuffix, ""),
      closed,
      isDescribed: (of) => "description" in { ...definitions[of] as Json, ...meaningOfComponent(of) },
      nameOf: nameIn,
      enumUsed: (of) => schemas[of] = { ...enumSchema(of), ...meaningOfComponent(of) },
    })
    if (key in schemas && JSON.stringify(schemas[key]) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas have the name ${key}.`)
    }
    schemas[key] = schema
  }
  const add: SchemaSet["add"] = (name, of, closed) => {
    const { definitions, schema } = Schema.toJsonSchemaDocument(of, { onExcessProperty: closed ? "error" : "ignore" })
    for (const [key, definition] of Object.entries(definitions)) {
      define(key, definition as Json, closed, definitions)
    }
    if (isReference(schema)) return referenceTo(String(schema["$ref"]).replace("#/$defs/", ""))
    define(name, schema, closed, definitions)
    return referenceTo(name)
  }
  return { schemas, add }
}
