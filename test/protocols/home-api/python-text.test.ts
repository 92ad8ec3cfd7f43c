import { expect, it } from "vitest"
import { parseExact } from "../../../protocols/domain/exact-json.ts"
import { pythonText } from "../../../protocols/home-api/python-text.ts"

// What `str(orjson.loads(text))` gives in CPython: integers of more than 64 bits are floats.
it.each([
  ["0", "0"],
  ["-0", "0"],
  ["-0.0", "-0.0"],
  ["1.50", "1.5"],
  ["100", "100"],
  ["1e2", "100.0"],
  ["9007199254740993", "9007199254740993"],
  ["123456789012345678901234567890", "1.2345678901234568e+29"],
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
  expect(pythonText(parseExact(source))).toBe(text)
})

it.each<[unknown, string]>([
  [null, "None"],
  [true, "True"],
  [[1, "a", [false]], "[1, 'a', [False]]"],
  [parseExact("[1.0, 1]"), "[1.0, 1]"],
  [{ a: "it's", b: null }, `{'a': "it's", 'b': None}`],
  [["both ' and \"", "line\n"], `['both \\' and "', 'line\\n']`],
])("%j is written %s", (value, text) => {
  expect(pythonText(value as string)).toBe(text)
})
