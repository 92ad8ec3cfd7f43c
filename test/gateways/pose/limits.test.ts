/**
 * Limits as a client meets them: which is counted, what the headers say, and that every answer has them.
 */
import { connect } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import type { RuleName } from "../../../protocols/domain/rate-limit.ts"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { type Answer, call, readContract, type Request } from "./contract.ts"
import { ampleRules, apiKey, type Gateway, password, startGateway, users } from "./harness.ts"

let gateway: Gateway
afterEach(() => gateway.stop())

/** A gateway with these limits, and ample ones for the rest. */
const start = async (limits: Partial<Record<RuleName, number>>, over: Parameters<typeof startGateway>[0] = {}) => {
  const rules = { ...ampleRules }
  for (const [name, limit] of Object.entries(limits)) rules[name as RuleName] = { ...rules[name as RuleName], limit }
  gateway = await startGateway({ limits: { rules, connections: defaultConnectionLimits }, ...over })
}

const names = ["limit", "remaining", "reset", "window"] as const
const limitsIn = ({ headers }: Pick<Answer, "headers">): Record<string, number> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(`x-ratelimit-${name}`)
      return value === null ? [] : [[name, Number(value)]]
    }),
  )

const latest = { method: "GET", path: "/pose/latest" }
const signIn = { method: "POST", path: "/auth/token", body: { username: users.viewer, password } }

describe("an authenticated caller", () => {
  it("has one limit for all categories in the bare form, and one per category in the envelope form", async () => {
    await start({ rest: 3, "pose-data": 2, health: 5 })
    const token = await gateway.token("viewer")
    const remaining = async (path: string, form: Form) =>
      limitsIn(await call(gateway.url, { method: "GET", path, form, token }))
    expect(await remaining("/pose/latest", "bare")).toMatchObject({ limit: 3, remaining: 2, window: 3600 })
    expect(await remaining("/system/status", "bare")).toMatchObject({ limit: 3, remaining: 1, window: 3600 })
    expect(await remaining("/pose/latest", "envelope")).toMatchObject({ limit: 2, remaining: 1, window: 3600 })
    expect(await remaining("/system/status", "envelope")).toMatchObject({ limit: 5, remaining: 4, window: 3600 })
    expect(await remaining("/pose/latest", "bare")).toMatchObject({ remaining: 0 })
  })

  it.each(forms)("that has reached it gets 429, %s, and others do not", async (form) => {
    await start({ rest: 1, "pose-data": 1 })
    const contract = await readContract(gateway)
    const token = await gateway.token("operator")
    const request: Request = { ...latest, form, token }
    expect((await call(gateway.url, request)).status).toBe(200)
    const refused = await call(gateway.url, request)
    expect(refused.status).toBe(429)
    expect(contract.disagreements(request, "/pose/latest", refused)).toEqual([])
    const { limit, remaining, reset, window } = limitsIn(refused)
    expect([limit, remaining, window]).toEqual([1, 0, 3600])
    const { code, details } = refused.json.error
    const resetAt = new Date(reset! * 1000).toISOString()
    expect(code).toBe("RATE_LIMIT_EXCEEDED")
    expect(details).toEqual(
      form === "bare"
        ? { limit: 1, window_seconds: 3600, reset_time: resetAt }
        : { limit: 1, window: 3600, reset_at: resetAt },
    )
    const retryAfter = Number(refused.headers.get("retry-after"))
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(3600)
    expect((await call(gateway.url, { ...latest, form, headers: { "X-API-Key": apiKey } })).status).toBe(200)
  })

  it("has a limit of its own for the pages of the console", async () => {
    await start({ rest: 2, console: 9 })
    const opened = await call(gateway.url, {
      method: "POST",
      path: "/auth/session",
      body: { username: users.viewer, password },
    })
    const token: string = opened.json.access_token
    const limitOf = async (token: string, headers: Record<string, string>) =>
      limitsIn(await call(gateway.url, { ...latest, token, headers })).limit
    const ofPage = { "Sec-Fetch-Site": "same-origin" }
    expect(await limitOf(token, ofPage)).toBe(9)
    // Over plain HTTP in a network, browsers do not send Sec-Fetch-Site.
    expect(await limitOf(token, {})).toBe(9)
    expect(await limitOf(token, { Origin: gateway.url })).toBe(9)
    expect(await limitOf(token, { Origin: "http://127.0.0.1:1" })).toBe(2)
    expect(await limitOf(token, { "Sec-Fetch-Site": "cross-site" })).toBe(2)
    expect(await limitOf(await gateway.token("operator"), ofPage)).toBe(2)
  })

  it("is counted before authorisation and validation", async () => {
    await start({ rest: 2 })
    const token = await gateway.token("viewer")
    const statuses: Array<number> = []
    for (const path of ["/auth/users", "/pose/latest?colour=red", "/auth/users"]) {
      statuses.push((await call(gateway.url, { method: "GET", path, token })).status)
    }
    expect(statuses).toEqual([403, 422, 429])
  })
})

describe("monitoring", () => {
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(gateway.url + path, { headers })).status
  const scraper = { "X-API-Key": apiKey }

  it("has a limit of its own: probes by address, scrapes by key, in both forms", async () => {
    await start({ health: 1, rest: 1 })
    for (let n = 0; n < 5; n++) {
      for (const path of ["/health/live", "/health/ready", "/api/v1/health/ready?form=envelope"]) {
        expect(await statusOf(path)).toBe(200)
      }
      expect(await statusOf("/metrics", scraper)).toBe(200)
      expect(await statusOf("/metrics?form=envelope", scraper)).toBe(200)
    }
    const answer = await fetch(`${gateway.url}/health/live`)
    expect(limitsIn(answer)).toMatchObject({ limit: 1_000_000, window: 1 })
    expect(await statusOf("/api/v1/health")).toBe(200)
    expect(await statusOf("/api/v1/system/status", scraper)).toBe(200)
    expect(await statusOf("/api/v1/health")).toBe(429)
    expect(await statusOf("/api/v1/system/status", scraper)).toBe(429)
    expect(await statusOf("/health/live")).toBe(200)
  })

  it("counts scrapes with a wrong key by address, as other guesses", async () => {
    await start({ health: 2 })
    const guess = { "X-API-Key": "wrong" }
    const statuses: Array<number> = []
    for (let n = 0; n < 3; n++) statuses.push(await statusOf("/metrics", guess))
    expect(statuses).toEqual([401, 401, 429])
    expect(await statusOf("/metrics", scraper)).toBe(200)
  })
})

describe("an unauthenticated caller", () => {
  it("is counted by address and category, in both forms together", async () => {
    await start({ authentication: 2, health: 3 })
    expect(limitsIn(await call(gateway.url, { ...signIn, form: "bare" }))).toMatchObject({ limit: 2, remaining: 1 })
    expect(limitsIn(await call(gateway.url, { ...signIn, form: "envelope" }))).toMatchObject({ limit: 2, remaining: 0 })
    expect((await call(gateway.url, signIn)).status).toBe(429)
    expect(limitsIn(await call(gateway.url, { method: "GET", path: "/health" }))).toMatchObject({ remaining: 2 })
  })

  it("is limited with wrong credentials and on unknown paths", async () => {
    await start({ "pose-data": 2, rest: 2 })
    const statuses = async (request: Request) => {
      const answers: Array<number> = []
      for (let n = 0; n < 3; n++) answers.push((await call(gateway.url, request)).status)
      return answers
    }
    expect(await statuses({ ...latest, token: "a.b.c" })).toEqual([401, 401, 429])
    expect(await statuses({ method: "GET", path: "/nothing" })).toEqual([404, 404, 429])
    const token = await gateway.token("viewer")
    expect((await call(gateway.url, { ...latest, token })).status).toBe(200)
  })

  it("is the client behind a trusted proxy, and an untrusted proxy itself", async () => {
    await start({ health: 1 }, { trustedProxies: ["127.0.0.0/8", "::1"] })
    const from = async (address: string) =>
      (await call(gateway.url, { method: "GET", path: "/health", headers: { "X-Forwarded-For": address } })).status
    expect([await from("198.51.100.1"), await from("198.51.100.2"), await from("198.51.100.1")]).toEqual([
      200,
      200,
      429,
    ])
    await gateway.stop()
    await start({ health: 1 })
    expect([await from("198.51.100.1"), await from("198.51.100.2")]).toEqual([200, 429])
  })
})

/** What a raw request is answered. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ""
    const socket = connect(gateway.port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (bytes) => answer += String(bytes))
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
  })

describe("the headers", () => {
  it("are on every answer", async () => {
    await start({})
    const token = await gateway.token("viewer")
    const requests: ReadonlyArray<readonly [number, Request]> = [
      [200, { ...latest, token }],
      [200, { method: "HEAD", path: "/health" }],
      [204, { method: "POST", path: "/auth/logout", body: { refresh_token: "x" } }],
      [400, { ...signIn, body: "{" }],
      [401, latest],
      [403, { method: "GET", path: "/auth/users", token }],
      [404, { method: "GET", path: "/nothing" }],
      [404, { method: "GET", path: "/pose/latest?environment_id=attic", token }],
      [405, { method: "DELETE", path: "/health" }],
      [413, { ...signIn, body: "x".repeat(1024 * 1024 + 1) }],
      [422, { method: "GET", path: "/health?form=xml" }],
      [422, { ...signIn, body: {} }],
    ]
    for (const form of forms) {
      for (const [status, request] of requests) {
        const answer = await call(gateway.url, { form, ...request })
        expect([request.path, answer.status, Object.keys(limitsIn(answer))]).toEqual([request.path, status, [...names]])
      }
    }
    gateway.world.latest = () => "broken"
    const broken = await call(gateway.url, { ...latest, token })
    expect([broken.status, Object.keys(limitsIn(broken))]).toEqual([500, [...names]])
    for (
      const text of [
        "nonsense\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      ]
    ) {
      const answer = await raw(text)
      for (const name of names) expect(answer.toLowerCase()).toMatch(new RegExp(`x-ratelimit-${name}: \\d+`))
    }
  })

  it("are absent if limits are off", async () => {
    gateway = await startGateway({ limits: null })
    const token = await gateway.token("viewer")
    for (const request of [{ ...latest, token }, latest, { method: "GET", path: "/nothing" }]) {
      expect(limitsIn(await call(gateway.url, request))).toEqual({})
    }
  })
})
