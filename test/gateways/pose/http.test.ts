/**
 * What holds of every request, whichever operation it asks for: the form of its answer, its path and method, and its id.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

describe("the form of an answer", () => {
  const formOf = async (path: string, headers: Record<string, string>) => {
    const answer = await call(gateway.url, { method: "GET", path, headers })
    return { status: answer.status, form: answer.headers.get("x-response-form"), wrapped: "success" in answer.json }
  }

  it("is the default without a request for one", async () => {
    expect(await formOf("/health", {})).toEqual({ status: 200, form: "bare", wrapped: false })
  })

  it("is the header's, and the query takes precedence", async () => {
    const headers = { "X-Response-Form": "envelope" }
    expect(await formOf("/health", headers)).toEqual({ status: 200, form: "envelope", wrapped: true })
    expect(await formOf("/health?form=bare", headers)).toEqual({ status: 200, form: "bare", wrapped: false })
  })

  it("is rejected when it does not exist", async () => {
    expect(await formOf("/health?form=xml", {})).toEqual({ status: 422, form: "bare", wrapped: false })
    expect(await formOf("/health", { "X-Response-Form": "xml" })).toEqual({ status: 422, form: "bare", wrapped: false })
  })
})

describe("paths and methods", () => {
  it("answers 404 in the requested form", async () => {
    for (const path of ["/nope", "/pose/latest/", "/auth/api-keys/", "/auth/api-keys/%ff", "/__proto__"]) {
      const answer = await call(gateway.url, { method: "GET", path, form: "envelope" })
      expect([answer.status, answer.json.success, answer.json.error.code]).toEqual([404, false, "RESOURCE_NOT_FOUND"])
    }
  })

  it("answers 405 with the allowed methods", async () => {
    const answer = await call(gateway.url, { method: "DELETE", path: "/auth/api-keys" })
    expect([answer.status, answer.json.error.code]).toEqual([405, "METHOD_NOT_ALLOWED"])
    expect(answer.headers.get("allow")).toBe("POST, GET, HEAD")
  })

  it("answers HEAD as GET without a body", async () => {
    const answer = await call(gateway.url, { method: "HEAD", path: "/health" })
    expect([answer.status, answer.json]).toEqual([200, null])
  })
})

describe("the request id", () => {
  const idOf = async (given: string) => {
    const answer = await call(gateway.url, { method: "GET", path: "/nope", headers: { "X-Request-Id": given } })
    expect(answer.json.error.request_id).toBe(answer.headers.get("x-request-id"))
    return answer.headers.get("x-request-id")
  }

  it("is the client's if valid, else a UUIDv7", async () => {
    expect(await idOf("order-66_a.b")).toBe("order-66_a.b")
    for (const bad of ["a b", "x".repeat(129), "ä"]) {
      expect(await idOf(bad)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})
