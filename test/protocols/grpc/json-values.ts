/** JSON values of a JSON schema, made by fast-check. */
import * as fc from "fast-check"
import type { JsonSchema, SchemaDocument } from "../../../protocols/grpc/contract/message-shape.ts"

/** Any value of a schema. Texts are not held to patterns, which messages do not have. */
export const jsonValues = ({ definitions, schema }: SchemaDocument): fc.Arbitrary<unknown> => {
  const of = (schema: JsonSchema): fc.Arbitrary<unknown> => {
    if (schema.$ref !== undefined) return of(definitions[schema.$ref.replace("#/$defs/", "")]!)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(of))
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    switch (schema.type) {
      case "null":
        return fc.constant(null)
      case "boolean":
        return fc.boolean()
      case "integer": {
        const { maximum = Number.MAX_SAFE_INTEGER, minimum = Number.MIN_SAFE_INTEGER } = schema
        return fc.integer({ min: minimum, max: maximum })
      }
      case "number":
        return fc.double({ noNaN: true, noDefaultInfinity: true })
      case "string":
        return schema.format === "date-time"
          ? fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") }).map((at) =>
            at.toISOString()
          )
          : fc.string()
      case "array": {
        const { maxItems = 3, minItems = 0 } = schema
        return fc.array(of(schema.items ?? schema.prefixItems?.[0] ?? {}), { minLength: minItems, maxLength: maxItems })
      }
      case "object": {
        const { additionalProperties, properties = {}, required = [] } = schema
        if (Object.keys(properties).length > 0) {
          const members: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, of(member)]),
          )
          return fc.record(members, { requiredKeys: [...required] })
        }
        const value = typeof additionalProperties === "object" ? of(additionalProperties) : fc.jsonValue()
        return fc.dictionary(fc.string({ minLength: 1 }), value as fc.Arbitrary<unknown>, { maxKeys: 3 })
      }
      default:
        return fc.jsonValue()
    }
  }
  return of(schema)
}
