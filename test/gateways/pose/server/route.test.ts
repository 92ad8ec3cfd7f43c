import { Effect, Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { lineReader } from "../../../../gateways/pose/server/request-line.ts"
import { route, routeTable } from "../../../../gateways/pose/server/route.ts"
import { endpoint, jsonCodec } from "../../../../protocols/pose-api/endpoint.ts"

const codec = jsonCodec(Schema.Null, () => null)

const declared = endpoint({
  method: "GET",
  path: "/things/{thing_id}",
  group: "Things",
  summary: "A thing",
  access: "read:poses",
  category: "pose-data",
  params: Schema.Struct({ thing_id: Schema.String }),
  query: Schema.Struct({ depth: Schema.optionalKey(Schema.Int) }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})

const served = route(declared, () => Effect.succeed(null))

describe("a table of routes", () => {
  it("rejects an endpoint without access", () => {
    const { access: _, ...undeclared } = declared
    const open = route(undeclared as typeof declared, () => Effect.succeed(null))
    expect(() => routeTable([open])).toThrow("declares no access")
    const misspelt = route({ ...declared, access: "raed" } as unknown as typeof declared, () => Effect.succeed(null))
    expect(() => routeTable([misspelt])).toThrow("declares no access")
  })

  it("rejects an endpoint without a rate limit category", () => {
    const { category: _, ...uncounted } = declared
    const free = route(uncounted as typeof declared, () => Effect.succeed(null))
    expect(() => routeTable([free])).toThrow("declares no rate-limit category")
  })

  it("rejects two routes with the same method and path", () => {
    const twin = route({ ...declared, path: "/things/{id}" }, () => Effect.succeed(null))
    expect(() => routeTable([served, twin])).toThrow("declared twice")
  })

  it("finds a route and decodes its parameters", () => {
    const found = Result.getOrThrow(routeTable([served])("GET", "/api/v1/things/a%20b"))
    expect(found.params).toEqual({ thing_id: "a b" })
  })

  it("does not accept braces as a parameter's name", () => {
    const found = Result.getOrThrow(routeTable([served])("GET", "/api/v1/things/{}"))
    expect(found.params).toEqual({ thing_id: "{}" })
  })
})

describe("request lines", () => {
  it("without an error are parsed once", () => {
    const read = lineReader(routeTable([served]))
    const target = "/api/v1/things/a?depth=3&form=bare"
    const line = read({ method: "GET", target })
    expect(line).toMatchObject({
      form: "bare",
      query: { bare: Result.succeed({ depth: 3 }), envelope: Result.succeed({ depth: 3 }) },
    })
    expect(read({ method: "GET", target })).toBe(line)
  })

  it("with an error, or long ones, are parsed again", () => {
    const read = lineReader(routeTable([served]))
    for (const target of ["/api/v1/things/a?depth=x", `/api/v1/things/${"a".repeat(300)}`, "/api/v1/nothing"]) {
      expect(read({ method: "GET", target })).not.toBe(read({ method: "GET", target }))
    }
  })
})
