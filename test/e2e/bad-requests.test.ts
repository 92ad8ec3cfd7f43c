/**
 * Invalid requests to every route of a real service with its real store, derived from its OpenAPI document: each is rejected clearly, and none
 * causes a server error.
 */
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { methodsOf } from "../gateways/pose/contract.ts"
import { signIn, startService, type TestService } from "../harness/service.ts"

// deno-lint-ignore no-explicit-any
type Json = any

interface Operation {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  /** Names of a body's fields, at any depth. */
  readonly fields: ReadonlyArray<string>
  readonly hasBody: boolean
}

const seed = 20260105
const runsOfOperation = 25
/** Operations that watch the service for seconds before they answer. */
const slowRuns: Readonly<Record<string, number>> = { "GET /api/v1/system/findings": 1 }

/** Rejections of the client are equal here; server errors are not. */
const refusals = [400, 401, 403, 404, 405, 409, 412, 413, 422, 429]
/** A request that was valid by chance. */
const successes = [200, 201, 202, 204]
/** The system produces no frames, or has no encryption key. */
const notReady = [503]

/** The target of a reference. */
const lookUp = (document: Json, reference: string): Json =>
  reference.slice(2).split("/").reduce((at: Json, step: string) => at?.[step], document)

/** The property names of a schema, at any depth. */
const namesIn = (schema: Json, document: Json, seen = new Set<string>()): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  if (typeof schema.$ref === "string") {
    if (seen.has(schema.$ref)) return []
    return namesIn(lookUp(document, schema.$ref), document, new Set([...seen, schema.$ref]))
  }
  const own = Object.keys(schema.properties ?? {})
  return [...own, ...Object.values(schema).flatMap((part) => namesIn(part, document, seen))]
}

const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  Object.entries(document.paths as Record<string, Json>).flatMap(([path, operations]) =>
    methodsOf(operations).map((method) => [method, operations[method]] as const).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      query: (operation.parameters ?? []).map((one: Json) => "$ref" in one ? lookUp(document, one.$ref) : one)
        .flatMap((one: Json) => one.in === "query" ? [one.name] : []),
      fields: [...new Set(namesIn(operation.requestBody, document))],
      hasBody: operation.requestBody !== undefined,
    }))
  )

const injections = ["' OR 1=1 --", "\u0000", "../../etc/passwd", "${7*7}", "<script>", "%00", "\ud800".toWellFormed()]
const times = ["2026-13-45T99:99:99Z", "yesterday", "2026-01-05T00:00:00Z", "0000-00-00", "+275760-09-13T00:00:00Z"]
const numbers = ["1e999", "-0", "NaN", "9007199254740993", "-1", "0.1", String(Number.MAX_VALUE)]
const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...injections, ...times, ...numbers, "true", ""))

const valueFor = (fields: ReadonlyArray<string>): fc.Arbitrary<unknown> => {
  const names = fields.length === 0 ? fc.string() : fc.oneof(fc.constantFrom(...fields), fc.constant("__proto__"))
  return fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.oneof(texts, fc.double(), fc.boolean(), fc.constant(null), fc.constant(Number.MAX_SAFE_INTEGER)),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(names, tie("any"), { maxKeys: 4 }),
    ),
  })).any
}

describe("invalid requests", () => {
  let service: TestService
  let token: string
  let operations: ReadonlyArray<Operation>

  beforeAll(async () => {
    service = await startService()
    const api = await signIn(service)
    token = api.token
    operations = operationsOf((await api.get("/openapi.json")).body)
  }, 60_000)
  afterAll(() => service?.stop())

  const send = async ({ method, path }: Operation, query: Record<string, string>, id: string, body: unknown) => {
    const where = path.replace(/\{\w+\}/g, encodeURIComponent(id))
    const response = await fetch(`${service.pose}${where}?${new URLSearchParams(query)}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }

  it("are rejected by every route, without a server error", async () => {
    expect(operations.length).toBeGreaterThan(40)
    for (const operation of operations) {
      const queries = operation.query.length === 0
        ? fc.constant<Record<string, string>>({})
        : fc.dictionary(fc.oneof(fc.constantFrom(...operation.query), fc.constant("unknown")), texts, { maxKeys: 3 })
      // Rotated keys would end this client's own token.
      const fields = operation.fields.filter((name) => name !== "revoke_old")
      await fc.assert(
        fc.asyncProperty(
          queries,
          texts.filter((id) => id !== "" && !/^\.+$/.test(id)),
          operation.hasBody ? valueFor(fields) : fc.constant(undefined),
          async (query, id, body) => {
            const { status, text } = await send(operation, query, id.toWellFormed(), body)
            const known = [...refusals, ...successes, ...notReady]
            expect(known, `${operation.method} ${operation.path}: ${text.slice(0, 300)}`).toContain(status)
            if (status >= 400) {
              expect(JSON.parse(text).error).toMatchObject({
                code: expect.stringMatching(/^[A-Z_]+$/),
                message: expect.stringMatching(/./),
              })
              expect(text).not.toMatch(/at .*\.ts:\d+|SELECT |INSERT /)
            }
          },
        ),
        { seed, numRuns: slowRuns[`${operation.method} ${operation.path}`] ?? runsOfOperation },
      )
    }
    const own = { method: "GET", path: "/api/v1/health/detailed", query: [], fields: [], hasBody: false }
    expect((await send(own, {}, "x", undefined)).status).toBe(200)
  }, 120_000)

  it("are answered with the name of the wrong field", async () => {
    const wrong = [
      ["POST", "/api/v1/pose/query", { query: { time_range: { start: "yesterday", end: 5 } } }, "time_range.start"],
      ["PUT", "/api/v1/config", { detection: { max_persons: "many" } }, "detection.max_persons"],
      ["POST", "/api/v1/webhooks", { url: "file:///etc/passwd", event_types: ["fall_detection"] }, "url"],
      ["POST", "/api/v1/auth/users", { username: "a", role: "god", password: "long enough, or is it" }, "role"],
    ] as const
    for (const [method, path, body, field] of wrong) {
      const operation = { method, path, query: [], fields: [], hasBody: true }
      const { status, text } = await send(operation, {}, "x", body)
      expect({ path, status }).toEqual({ path, status: 422 })
      expect(text).toContain(field)
    }
  })
})
