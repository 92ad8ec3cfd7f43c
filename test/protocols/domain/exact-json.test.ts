import { Schema } from "effect"
import { expect, it } from "vitest"
import { fromExactJsonString, inexactJson, parseExact } from "../../../protocols/domain/exact-json.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"

it.each([
  ["[1.0,2.00,0.5,10]", "[1.0,2.0,0.5,10]"],
  ["[9007199254740993,-9007199254740993]", "[9007199254740993,-9007199254740993]"],
  ["[9007199254740991,1764128037851123]", "[9007199254740991,1764128037851123]"],
  ["18446744073709551615", "18446744073709551615"],
  ["18446744073709551616", "1.8446744073709552e+19"],
  ["[1e3,-0.0,-0]", "[1000.0,-0.0,0]"],
  ['{"1.0":"9007199254740993"}', '{"1.0":"9007199254740993"}'],
])("%s is written %s", (text, written) => {
  expect(JSON.stringify(parseExact(text))).toBe(written)
  const schema = fromExactJsonString(Schema.Json)
  expect(Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(text))).toBe(written)
  expect(inexactJson(parseExact(text))).toEqual(JSON.parse(text))
})

it.each([
  ["1.0", "1", true],
  ["[9007199254740993]", "[9007199254740993]", true],
  ["9007199254740993", "9007199254740992", false],
  ["9007199254740993", "9007199254740992.0", false],
  ["1e16", "10000000000000000", true],
  ["1.0", '{"rawJSON":"1.0"}', false],
  ["1.0", '"1.0"', false],
])("%s equals %s: %s", (one, other, equal) => {
  expect(equalJson(parseExact(one), parseExact(other))).toBe(equal)
  expect(equalJson(parseExact(other), parseExact(one))).toBe(equal)
})
