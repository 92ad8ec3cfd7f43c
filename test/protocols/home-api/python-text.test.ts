import { expect, it } from "vitest"
import { numberSource, numberText, pythonText } from "../../../protocols/home-api/python-text.ts"

// What CPython's `str(json.loads(text))` gives.
it.each([
  ["0", "0"],
  ["-0", "0"],
  ["-0.0", "-0.0"],
  ["1.50", "1.5"],
  ["100", "100"],
  ["1e2", "100.0"],
  ["123456789012345678901234567890", "123456789012345678901234567890"],
  ["1e15", "1000000000000000.0"],
  ["1e16", "1e+16"],
  ["1.5e300", "1.5e+300"],
  ["0.0001", "0.0001"],
  ["0.00001", "1e-05"],
  ["1.25e-7", "1.25e-07"],
  ["-3.14e-5", "-3.14e-05"],
  ["0.1", "0.1"],
  ["1e999", "inf"],
])("the number %s is written %s", (source, text) => {
  expect(numberText(source)).toBe(text)
})

it.each<[unknown, string]>([
  [null, "None"],
  [true, "True"],
  [[1, "a", [false]], "[1, 'a', [False]]"],
  [{ a: "it's", b: null }, `{'a': "it's", 'b': None}`],
  [["both ' and \"", "line\n"], `['both \\' and "', 'line\\n']`],
])("%j is written %s", (value, text) => {
  expect(pythonText(value as string)).toBe(text)
})

it("the writing of a number is that of the outermost object", () => {
  const text = '{"attributes":{"state":5.0},"state":1.0,"list":[{"state":7}]}'
  expect(numberSource(text, "state")).toBe("1.0")
  expect(numberSource('{"attributes":{"state":5.0}}', "state")).toBeNull()
})
