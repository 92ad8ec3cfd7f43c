import * as fc from "fast-check"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

let gateway: Gateway
let token: string

beforeAll(async () => {
  gateway = await startGateway()
  token = await gateway.token("admin")
})
afterAll(() => gateway.stop())

const runs = { seed: 20260105, numRuns: 150 }

const bodies = ["/auth/token", "/auth/api-keys", "/system/start", "/system/stop", "/system/calibration"]

/** Bodies near what is expected: known names with wrong values, unknown ones, and anything else. */
const nearMisses = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom("configuration", "username", "password", "name", "role", "force", "__proto__", "expires_at"),
    fc.oneof(
      fc.jsonValue(),
      fc.record({ domain: fc.jsonValue(), detection_settings: fc.jsonValue(), toString: fc.jsonValue() }),
    ),
  ),
)

describe("bad input never ends in 500", () => {
  it("in bodies", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...bodies), nearMisses, async (path, body) => {
        gateway.world.session = { ...gateway.world.session, status: "stopped" }
        const answer = await call(gateway.url, { method: "POST", path, token, body: JSON.stringify(body) })
        expect(answer.status).toBeLessThan(500)
      }),
      runs,
    ))

  it("in text that is not JSON", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...bodies), fc.string({ unit: "binary", maxLength: 64 }), async (path, body) => {
        const answer = await call(gateway.url, { method: "POST", path, token, body })
        expect(answer.status).toBeLessThan(500)
      }),
      runs,
    ))

  it("in queries", () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.oneof(
            fc.constantFrom("environment_id", "min_confidence", "include_3d", "form", "__proto__", "constructor"),
            fc.string(),
          ),
          fc.oneof(fc.string(), fc.double().map(String), fc.constantFrom("true", "1e999", "-0", "NaN", "%")),
        ),
        async (query) => {
          const path = `/pose/latest?${new URLSearchParams(query)}`
          const answer = await call(gateway.url, { method: "GET", path, token })
          expect(answer.status).toBeLessThan(500)
        },
      ),
      runs,
    ))

  it("in paths", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (segment) => {
        const answer = await call(gateway.url, {
          method: "DELETE",
          path: `/auth/api-keys/${encodeURIComponent(segment.replace(/^\.+$/, "x").toWellFormed())}`,
          token,
        })
        expect([404, 405, 422]).toContain(answer.status)
      }),
      runs,
    ))

  it("in deeply nested JSON", async () => {
    const answer = await call(gateway.url, {
      method: "POST",
      path: "/system/start",
      token,
      body: `{"configuration":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
    })
    expect([400, 422]).toContain(answer.status)
  })

  it("in a thousand invalid fields: the answer stays short", async () => {
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field-${index}`, "x".repeat(900)]))
    const answer = await call(gateway.url, { method: "POST", path: "/system/start", token, body })
    expect(answer.status).toBe(422)
    expect(answer.json.error.details.field_errors).toHaveLength(100)
    expect(JSON.stringify(answer.json).length).toBeLessThan(100_000)
  })
})

/** What a server answers to these bytes. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(gateway.port, "127.0.0.1", () => socket.write(bytes))
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => text += chunk)
    socket.on("close", () => resolve(text))
    socket.on("error", reject)
  })

describe("a request that is not HTTP or not a WebSocket", () => {
  it("is answered with an error body", async () => {
    const answer = await raw("HELLO\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("to upgrade another path is answered with 404", async () => {
    const answer = await raw(
      "GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).toContain("RESOURCE_NOT_FOUND")
  })
})
