/**
 * The sandbox of templates: every rendering ends, stays within its bounds, and reaches nothing of the service.
 * `contract.test.ts` compares what templates print with Home Assistant.
 */
import { describe, expect, it } from "vitest"
import { noRegistries } from "../../../../gateways/home/template/places.ts"
import { type HomeFacts, renderTemplate, templateProblem } from "../../../../gateways/home/template/render.ts"

const facts: HomeFacts = { states: { one: () => null, all: () => [] }, registries: noRegistries, nowUs: 0 }

const rendered = (source: string, variables = {}): string => {
  const rendering = renderTemplate(facts, { source, variables, strict: false })
  return rendering._tag === "Rendered" ? rendering.text : `! ${rendering.message}`
}

describe("a template", () => {
  it.each([
    "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% for i in range(99) %}{{ m() }}{% endfor %}{% endmacro %}{{ m() }}",
    "{{ 'x' * 1000000000 }}",
    "{{ [1] * 1000000000 }}",
    "{{ 10 ** 1000000000 }}",
    "{% set ns = namespace(x='x') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=9) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '{:>1000000000}'.format(1) }}",
    "{{ 'x'.center(1000000000) }}",
    "{{ ('x' * 200000).replace('x', 'y' * 200000) }}",
    "{{ range(100000) | map('multiply', 2) | map('multiply', 2) | map('multiply', 2) | list }}",
    `{{ ${"(".repeat(5_000)}1${")".repeat(5_000)} }}`,
    `{{ ${"-".repeat(50_000)}1 }}`,
    `{{ ${"[".repeat(90)}1${"]".repeat(90)} ${"| list ".repeat(20_000)} }}`,
    "{{ (range(400) | list | to_json) * 600 }}",
  ])("ends within its bounds: %s", (source) => {
    expect(rendered(source)).toMatch(/^! \w+: /)
  })

  it("with a regular expression that would backtrack for ever ends at once", () => {
    expect(rendered("{{ ('a' * 5000) | regex_match('(a+)+$') }} {{ ('a' * 5000 ~ 'b') | regex_match('(a+)+$') }}"))
      .toBe("True False")
  })

  it.each([
    "{{ range.constructor('return process')() }}",
    "{{ ''.constructor.constructor('return process')() }}",
    "{{ states.constructor('return 1')() }}",
    "{{ x.constructor.constructor('return 1')() }}",
    "{{ namespace().values.set('a', 1) }}",
    "{{ {}.set('a', 1) }}",
    "{{ [].push(1) }}",
    "{{ now().valueOf() }}",
    "{{ range.call(1) }}",
  ])("reaches no property of an object: %s", (source) => {
    expect(rendered(source, { x: { a: 1 } })).toMatch(/^! (UndefinedError|SecurityError|TypeError): /)
  })

  it("cannot set a property that other values share", () => {
    expect(rendered("{% set ns = namespace() %}{% set ns.__proto__ = 1 %}{{ ns.toString is defined }}")).toBe("False")
    expect(rendered("{{ dict(__proto__=1).toString is defined }} {{ x.toString is defined }}", { x: {} })).toBe(
      "False False",
    )
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined()
  })

  it.each([
    "{% break %}",
    "{% continue %}",
    "{{ x | urlencode }}",
  ])("that fails in another way ends with a message, too: %s", (source) => {
    expect(rendered(source, { x: "\ud83d" })).toMatch(/^! \w+: /)
  })

  it("slices texts by characters", () => {
    expect(rendered("{{ ('a😀b')[:2] | urlencode }} {{ 'a😀b'[1] }} {{ 'a😀b'[::-1] }} {{ 'a'.removeprefix() }}"))
      .toBe("a%F0%9F%98%80 😀 b😀a a")
  })

  it("is checked without being rendered", () => {
    expect(templateProblem("{{ states('sensor.a') }}")).toBeNull()
    expect(templateProblem("{{ broken")).toMatch(/^TemplateSyntaxError: /)
  })
})
