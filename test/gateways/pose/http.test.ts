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

describe("documents that do not change", () => {
  const documents = ["/api/v1/openapi.json", "/docs", "/docs/style.css"]
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${await gateway.token("viewer")}`, ...headers },
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it.each(documents)("%s is sent once to a client that keeps its tag", async (path) => {
    const first = await get(path)
    const tag = first.headers.get("etag")!
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-cache"])
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/)
    for (const known of [tag, tag.replace("W/", ""), `"other", ${tag}`, "*"]) {
      const again = await get(path, { "if-none-match": known })
      expect([again.status, again.text, again.headers.get("etag")], known).toEqual([304, "", tag])
    }
    expect((await get(path, { "if-none-match": `"other"` })).text).toBe(first.text)
  })

  it("are not cached without being asked for again, and other answers not at all", async () => {
    expect((await get("/api/v1/health")).headers.get("cache-control")).toBe("no-store")
  })
})

describe("pages of other origins", () => {
  const origin = "https://console.example"
  const ask = (url: string, method: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1/pose/latest`, { method, headers: { origin, ...headers } })
  const preflight = { "access-control-request-method": "GET", "access-control-request-headers": "authorization" }

  it("may not call by default", async () => {
    for (const [method, status] of [["GET", 401], ["OPTIONS", 405]] as const) {
      const answer = await ask(gateway.url, method, method === "GET" ? {} : preflight)
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, null])
      await answer.body?.cancel()
    }
  })

  it("may call where they are on the list", async () => {
    const open = await startGateway({ origins: [origin] })
    const asked = await ask(open.url, "OPTIONS", preflight)
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([200, origin])
    expect(asked.headers.get("access-control-allow-headers")).toContain("X-API-Key")
    const refused = await ask(open.url, "GET")
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    expect(refused.headers.get("access-control-expose-headers")).toContain("X-RateLimit-Remaining")
    await refused.body?.cancel()
    const wrong = await ask(open.url, "OPTIONS", { ...preflight, "access-control-request-method": "PATCH" })
    expect([wrong.status, await wrong.json()]).toMatchObject([405, { error: { code: "METHOD_NOT_ALLOWED" } }])
    await open.stop()
  })
})
