import { expect, it } from "vitest"
import { domainOf, homeTime, isEntityId, isSlug } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"

it("a time has six decimals, or none", () => {
  const second = Date.UTC(2026, 10, 20, 22, 10, 9) * 1_000
  expect(homeTime(second + 123_456)).toBe("2026-11-20T22:10:09.123456+00:00")
  expect(homeTime(second + 7)).toBe("2026-11-20T22:10:09.000007+00:00")
  expect(homeTime(second)).toBe("2026-11-20T22:10:09+00:00")
})

it("an id is a domain and a name", () => {
  for (const id of ["light.kitchen", "1.a", "1light.x", "a.1", "input_boolean.h_0123", `a.${"b".repeat(253)}`]) {
    expect(isEntityId(id), id).toBe(true)
  }
  const wrong = [
    "",
    ".",
    "light",
    "light.",
    ".a",
    "Light.a",
    "light.A",
    "a.b.c",
    "a._b",
    "a.b_",
    "_a.b",
    "a_.b",
    "a.b__c",
  ]
  for (const id of [...wrong, "a b.c", "ä.b", "a.b\n", `a.${"b".repeat(254)}`]) expect(isEntityId(id), id).toBe(false)
  expect(domainOf("light.kitchen")).toBe("light")
  expect([isSlug("turn_on"), isSlug("turn__on"), isSlug("_on"), isSlug("")]).toEqual([true, false, false, false])
})

it("JSON is equal however its keys are ordered", () => {
  expect(equalJson({ a: [1, { b: null }], c: 1 }, { c: 1.0, a: [1, { b: null }] })).toBe(true)
  const pairs: ReadonlyArray<readonly [unknown, unknown]> = [
    [1, "1"],
    [1, true],
    [null, {}],
    [[], {}],
    [{ a: 1 }, { b: 1 }],
    [[
      1,
      2,
    ], [2, 1]],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ toString: 1 }, {}],
  ]
  for (const [a, b] of pairs) {
    expect(equalJson(a as string, b as string), JSON.stringify([a, b])).toBe(false)
    expect(equalJson(b as string, a as string)).toBe(false)
  }
})
