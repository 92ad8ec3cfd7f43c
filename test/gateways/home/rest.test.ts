/**
 * Authentication, CORS and information about the home API over REST.
 * Numbers in brackets are those of a list of observed behaviour of Home Assistant.
 */
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { json, plain, said, text } from "./answers.ts"
import { token } from "./harness.ts"
import { servedHome } from "./served.ts"

const home = servedHome()

const routes: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/api/"],
  ["GET", "/api/config"],
  ["GET", "/api/states"],
  ["GET", "/api/states/light.a"],
  ["POST", "/api/states/light.a"],
  ["DELETE", "/api/states/light.a"],
  ["GET", "/api/services"],
  ["POST", "/api/services/test/count"],
  ["GET", "/api/events"],
  ["POST", "/api/events/tried"],
  ["GET", "/api/components"],
  ["GET", "/api/core/state"],
  ["GET", "/api/stream"],
  ["POST", "/api/template"],
  ["GET", "/api/history/period"],
  ["GET", "/api/history/period/2026-01-01T00:00:00"],
  ["GET", "/api/remote_homeassistant/discovery"],
]

describe("authentication", () => {
  it("[1] a valid token is answered that the API runs", async () => {
    expect(json(await home.ask("GET", "/api/"))).toEqual(said(200, "API running."))
  })

  it("[3] an unknown or empty token is 401", async () => {
    for (const wrong of ["", "unknown", `${token} `, ` ${token}`]) {
      const asked = await home.ask("GET", "/api/", { token: null, headers: { authorization: `Bearer ${wrong}` } })
      // A header's trailing space is not part of its value.
      expect(asked.status, JSON.stringify(wrong)).toBe(wrong === `${token} ` ? 200 : 401)
    }
    expect(plain(await home.ask("GET", "/api/", { token: null }))).toEqual(text(401, "401: Unauthorized"))
  })

  it("[5] [6] the scheme is exactly Bearer", async () => {
    const basic = `Basic ${btoa(`user:${token}`)}`
    for (const authorization of [`BEARER ${token}`, `bearer ${token}`, `Bearer  ${token}`, token, basic]) {
      const asked = await home.ask("GET", "/api/", { token: null, headers: { authorization } })
      expect(asked.status, authorization).toBe(401)
    }
  })

  it.each(routes)("[8] %s %s checks the token first", async (method, path) => {
    for (const shown of [null, "wrong"]) {
      const body = method === "POST" ? { body: "{" } : {}
      expect(plain(await home.ask(method, path, { token: shown, ...body }))).toEqual(text(401, "401: Unauthorized"))
    }
  })

  it.each(["/api", "/api/states/", "/api/config/", "/api/unknown", "/", "/api/states/light.a/more", "/api/states/%ff"])(
    "[10] %s is not known",
    async (path) => {
      expect(plain(await home.ask("GET", path))).toEqual(text(404, "404: Not Found"))
    },
  )

  it("[11] a wrong method is 405, with the allowed methods", async () => {
    const asked = await home.ask("PUT", "/api/states/light.a", { body: {} })
    expect(plain(asked)).toEqual(text(405, "405: Method Not Allowed"))
    expect(asked.headers.get("allow")).toBe("DELETE,GET,POST")
    expect((await home.ask("POST", "/api/config", { body: {} })).headers.get("allow")).toBe("GET")
    expect((await home.ask("POST", "/api/stream", { body: {} })).status).toBe(405)
  })

  it("[13] the WebSocket without an upgrade is 400, also without a token", async () => {
    expect((await home.ask("GET", "/api/websocket", { token: null })).status).toBe(400)
  })
})

describe("web pages of other origins", () => {
  const local = "http://localhost:8123"

  it("[15] may send a preflight request without a token", async () => {
    const asked = await home.ask("OPTIONS", "/api/states/light.a", {
      token: null,
      headers: {
        origin: local,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
      },
    })
    expect([200, 204]).toContain(asked.status)
    expect(asked.headers.get("access-control-allow-origin")).toBe(local)
    expect(asked.headers.get("access-control-allow-methods")).toBe("GET, POST, OPTIONS, DELETE")
    expect(asked.headers.get("access-control-allow-headers")).toBe("Authorization, Content-Type, Accept")
    expect(asked.headers.has("access-control-allow-credentials")).toBe(false)
  })

  it("may read answers, also rejections", async () => {
    const own = new URL(home.url).port
    for (const origin of [local, "http://localhost:5173", `http://127.0.0.1:${own}`]) {
      for (const shown of [token, null]) {
        const asked = await home.ask("GET", "/api/", { token: shown, headers: { origin } })
        expect(asked.headers.get("access-control-allow-origin"), origin).toBe(origin)
        expect(asked.headers.get("vary")).toBe("Origin")
      }
    }
  })

  it("[16] that are not on the list receive no CORS headers", async () => {
    for (const origin of ["https://example.org", "null", "http://localhost:8124", "https://localhost:8123"]) {
      const asked = await home.ask("GET", "/api/", { headers: { origin } })
      expect(asked.headers.has("access-control-allow-origin"), origin).toBe(false)
      const headers = { origin, "access-control-request-method": "GET" }
      const before = await home.ask("OPTIONS", "/api/", { token: null, headers })
      expect(before.status).toBe(403)
      expect(before.headers.has("access-control-allow-origin")).toBe(false)
    }
    const headers = { origin: local, "access-control-request-method": "PUT" }
    expect((await home.ask("OPTIONS", "/api/", { token: null, headers })).status).toBe(403)
  })
})

describe("information about the API", () => {
  it("[18] the configuration has all keys that clients expect", async () => {
    const { json: config, type } = await home.ask("GET", "/api/config")
    expect(type).toBe("application/json")
    expect(Object.keys(config).sort()).toEqual([
      "allowlist_external_dirs",
      "allowlist_external_urls",
      "components",
      "config_dir",
      "config_source",
      "country",
      "currency",
      "debug",
      "elevation",
      "external_url",
      "internal_url",
      "language",
      "latitude",
      "location_name",
      "longitude",
      "radius",
      "recovery_mode",
      "safe_mode",
      "state",
      "time_zone",
      "unit_system",
      "version",
      "whitelist_external_dirs",
    ])
    expect(config.state).toBe("RUNNING")
    expect(config.version).toMatch(/^\d{4}\.\d{1,2}\.\d+$/)
    for (const key of ["latitude", "longitude", "elevation"]) expect(typeof config[key], key).toBe("number")
    const units = [
      "length",
      "accumulated_precipitation",
      "area",
      "mass",
      "pressure",
      "temperature",
      "volume",
      "wind_speed",
    ]
    for (const unit of units) expect(typeof config.unit_system[unit], unit).toBe("string")
    expect((await home.ask("GET", "/api/components")).json).toEqual(config.components)
  })

  it("[20] [21] services are listed by domain, each with its fields and its use of a response", async () => {
    const { json: list } = await home.ask("GET", "/api/services")
    const domains = list.map(({ domain }: { domain: string }) => domain)
    expect(new Set(domains).size).toBe(domains.length)
    expect(domains).toContain("input_boolean")
    for (const { services } of list) {
      for (const service of Object.values<{ fields: unknown; response?: { optional: boolean } }>(services)) {
        expect(typeof service.fields).toBe("object")
        expect(service.response === undefined || typeof service.response.optional === "boolean").toBe(true)
      }
    }
    const own = list.find(({ domain }: { domain: string }) => domain === "test").services
    expect(own.answer.response).toEqual({ optional: false })
    expect(own.maybe_answer.response).toEqual({ optional: true })
    expect(own.count.response).toBeUndefined()
  })

  it("the state of the core, and the discovery of remote_homeassistant", async () => {
    expect((await home.ask("GET", "/api/core/state")).json).toEqual({
      state: "RUNNING",
      recorder_state: { migration_in_progress: false, migration_is_live: false },
    })
    const { json: found } = await home.ask("GET", "/api/remote_homeassistant/discovery")
    expect(found).toMatchObject({ location_name: "Test home", uuid: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(Object.keys(found).sort()).toEqual(["ha_version", "installation_type", "location_name", "uuid"])
  })

  it("long answers are compressed for clients that accept it", async () => {
    for (const [accepted, used] of [["gzip, deflate", "gzip"], ["deflate", "deflate"], ["br", null]] as const) {
      const headers = await new Promise<Record<string, unknown>>((resolve) => {
        const options = { headers: { authorization: `Bearer ${token}`, "accept-encoding": accepted } }
        request(`${home.url}/api/services`, options, (response) => {
          response.resume()
          resolve(response.headers)
        }).end()
      })
      expect(headers["content-encoding"] ?? null).toBe(used)
    }
  })
})
