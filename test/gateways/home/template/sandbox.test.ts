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
    ...["ns.a == ns.b", "flatten(ns.a)", "ns.a", "ns.a | to_json", "ns.a in [ns.b]", "[ns.a] | unique | list"].map((
      use,
    ) =>
      "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(30) %}{% set ns.a = [ns.a, ns.a] %}" +
      `{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ${use} }}`
    ),
    ...[
      "'x' * 262144",
    ].flatMap((text) =>
      ["x.upper()", "x | slugify", "x[::-1]", "x == y", "y in x", "x | length", "x.rfind('xy')", "[x, x] | join('')"]
        .map((use) =>
          `{% set x = ${text} %}{% set y = x ~ '' %}{% for i in range(30000) %}{% set z = ${use} %}{% endfor %}`
        )
    ),
    "{% for i in range(30000) %}{% set z = range(100000) %}{% endfor %}",
    "{% set ns = namespace(x=[]) %}{% for i in range(60000) %}{% set ns.x = ns.x + [i, i] %}{% endfor %}",
    "{{ ('a' * 200000) | regex_match('(a?){100}b') }}",
    "{{ '{0}' * 80000 }}{{ ('{0}' * 80000).format('x' * 262144) }}",
  ])("ends within its bounds: %s", (source) => {
    expect(rendered(source)).toMatch(/^! \w+: /)
  })

  it.each([
    ["{{ strptime('1' * 150, '%d' * 90 ~ 'x', 'none') }}", "none"],
    ["{{ ('1' * 262143 ~ 'x') | float(0) }}", "0"],
    ["{{ ('<' * 262144) | striptags | length }}", "262144"],
    ["{{ '{:,}'.format(1234567) }} {{ ('{:,}'.format('1' * 180000)) | length }}", "1,234,567 239999"],
    ["{{ '<b>a</b> <i' | striptags }}", "a <i"],
    [
      "{{ ['1_000', '.5', '5.', '-1e3', 'e5', '.', '1__', '+'] | map('float', 'no') | list }}",
      "[1000.0, 0.5, 5.0, -1000.0, 'no', 'no', 1.0, 'no']",
    ],
    [
      "{{ strptime('930', '%H%M', 'no') }} {{ strptime('2026-03-01 7:05 PM', '%Y-%m-%d %I:%M %p') }}",
      "1900-01-01 09:30:00 2026-03-01 19:05:00",
    ],
    ["{{ strptime('100% (1)', '%j%% (%d)') }} {{ strptime('x', '%Q', 'no') }}", "1900-01-01 00:00:00 no"],
  ])("takes time in proportion to its texts: %s", (source, text) => {
    expect(rendered(source)).toBe(text)
  })

  it("whose blocks have no end is rejected at once", () => {
    for (const open of ["{{ ", "{% ", "{# ", "{% raw %}"]) {
      expect(rendered(open.repeat(16_000 / open.length * 4))).toMatch(/^! TemplateSyntaxError: |^$/)
    }
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
