/** Expressions whose values follow from Python's and Jinja's rules. `contract.test.ts` compares others with Home Assistant itself. */
import { describe, expect, it } from "vitest"
import { noRegistries } from "../../../../gateways/home/template/places.ts"
import { type HomeFacts, renderTemplate } from "../../../../gateways/home/template/render.ts"

const facts: HomeFacts = { states: { one: () => null, all: () => [] }, registries: noRegistries, nowUs: 0 }

const rendered = (expression: string): string => {
  const variables = { x: "a", n: 7, list: ["a", "b"], dict: { list: ["a"], a: "a" } }
  const rendering = renderTemplate(facts, { source: `{{ ${expression} }}`, variables, strict: false })
  return rendering._tag === "Rendered" ? rendering.text : `! ${rendering.message}`
}

describe("an expression", () => {
  it.each([
    ["(1 > 2) == (3 > 4)", "True"],
    ["(n | int(0) > 5) == true", "True"],
    ["('a' in list) != ('z' in list)", "True"],
    ["('a' in list) in [true]", "True"],
    ["('a' in list) not in [false]", "True"],
    ["((1 < 2)) == true", "True"],
    ["1 < 2 < 3", "True"],
    ["1 < 3 < 2", "False"],
    ["3 > 2 == true", "False"],
    ["(1, 2) == (1, 2)", "True"],
    ["range(3) == range(3)", "True"],
    ["(x).upper() == 'A'", "True"],
    ["not (1 > 2) == false", "False"],
    ["-(1 + 1) < 0", "True"],
    ["x ~ (1 > 2) == 'aFalse'", "True"],
  ])("compares what is in parentheses as one value: %s", (expression, value) => {
    expect(rendered(expression)).toBe(value)
  })

  it.each([
    ["x is in dict.list", "True"],
    ["x is in dict['list']", "True"],
    ["x is not in dict.list", "False"],
    ["x is eq dict.a", "True"],
    ["x is eq dict.get('a')", "True"],
    ["x is eq ['b', 'a'][1]", "True"],
    ["x is in dict.list and n is eq 7", "True"],
    ["n is divisibleby 7 and n is number", "True"],
    [
      "'z' is in state_attr('input_select.mode', 'options') or true",
      "! TypeError: argument of type 'NoneType' is not a container or iterable",
    ],
    ["n is sameas n if (n > 5) == true else 0", "True"],
  ])("has tests with a value as their argument: %s", (expression, value) => {
    expect(rendered(expression)).toBe(value)
  })
})
