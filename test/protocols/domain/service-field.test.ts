/** The fields of a service as a schema: what a call may bring. */
import { Option, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { type Fields, schemaOfFields } from "../../../protocols/domain/service-field.ts"

const takes = (fields: Fields, data: unknown): boolean =>
  Option.isSome(Schema.decodeUnknownOption(schemaOfFields(fields), { onExcessProperty: "error" })(data))

describe("the data of a call", () => {
  it("hold the required fields, of their kind and within their bounds", () => {
    const fields: Fields = {
      level: { required: true, selector: { number: { min: 0, max: 10 } } },
      mode: { selector: { select: { options: ["home", "away"] } } },
    }
    expect(takes(fields, { level: 3 })).toBe(true)
    expect(takes(fields, { level: 3, mode: "away" })).toBe(true)
    expect([{}, { level: 11 }, { level: 3, mode: "party" }].map((data) => takes(fields, data))).toEqual([
      false,
      false,
      false,
    ])
  })

  it("hold nothing that no field is for, of a service without fields either", () => {
    expect(takes({ on: { selector: { boolean: {} } } }, { on: true, off: true })).toBe(false)
    expect([{}, { on: true }].map((data) => takes({}, data))).toEqual([true, false])
  })
})
