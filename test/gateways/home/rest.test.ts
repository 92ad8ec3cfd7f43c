/** The home API over REST. Numbers in brackets are those of the conformance list in the sheet on Home Assistant. */
import { Effect } from "effect"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { StateChange } from "../../../protocols/domain/home.ts"
import { HomeRuntime } from "../../../protocols/messages/home-runtime.ts"
import { type Asked, type HomeGateway, startHome, token } from "./harness.ts"

let home: HomeGateway
beforeAll(async () => {
  home = await startHome()
}, 60_000)
afterAll(() => home.stop(), 30_000)

const message = (text: string) => ({ message: text })
const json = (asked: Asked) => ({ status: asked.status, type: asked.type, body: asked.json })
const plain = (asked: Asked) => ({ status: asked.status, type: asked.type, body: asked.text })
const text = (status: number, body: string) => ({ status, type: "text/plain; charset=utf-8", body })
const said = (status: number, words: string) => ({ status, type: "application/json", body: message(words) })

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

describe("who may come in", () => {
  it("[1] a good token is told that the API runs", async () => {
    expect(json(await home.ask("GET", "/api/"))).toEqual(said(200, "API running."))
  })

  it("[3] an unknown or empty token is 401", async () => {
    for (const wrong of ["", "unknown", `${token} `, ` ${token}`]) {
      const asked = await home.ask("GET", "/api/", { token: null, headers: { authorization: `Bearer ${wrong}` } })
      // A header's last space is no part of it.
      expect(asked.status, JSON.stringify(wrong)).toBe(wrong === `${token} ` ? 200 : 401)
    }
    expect(plain(await home.ask("GET", "/api/", { token: null }))).toEqual(text(401, "401: Unauthorized"))
  })

  it("[5] [6] the scheme is Bearer, written so, and nothing else", async () => {
    const basic = `Basic ${btoa(`user:${token}`)}`
    for (const authorization of [`BEARER ${token}`, `bearer ${token}`, `Bearer  ${token}`, token, basic]) {
      const asked = await home.ask("GET", "/api/", { token: null, headers: { authorization } })
      expect(asked.status, authorization).toBe(401)
    }
  })

  it.each(routes)("[8] %s %s asks for a token before it looks at anything else", async (method, path) => {
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

  it("[11] a wrong method is 405 and says which are right", async () => {
    const asked = await home.ask("PUT", "/api/states/light.a", { body: {} })
    expect(plain(asked)).toEqual(text(405, "405: Method Not Allowed"))
    expect(asked.headers.get("allow")).toBe("DELETE,GET,POST")
    expect((await home.ask("POST", "/api/config", { body: {} })).headers.get("allow")).toBe("GET")
    expect((await home.ask("POST", "/api/stream", { body: {} })).status).toBe(405)
  })

  it("[13] the WebSocket without an upgrade is 400, and asks for no token", async () => {
    expect((await home.ask("GET", "/api/websocket", { token: null })).status).toBe(400)
  })
})

describe("web pages of other origins", () => {
  const local = "http://localhost:8123"

  it("[15] may ask before they call, without a token", async () => {
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

  it("may read answers, also those that refuse", async () => {
    const own = new URL(home.url).port
    for (const origin of [local, "http://localhost:5173", `http://127.0.0.1:${own}`]) {
      for (const shown of [token, null]) {
        const asked = await home.ask("GET", "/api/", { token: shown, headers: { origin } })
        expect(asked.headers.get("access-control-allow-origin"), origin).toBe(origin)
        expect(asked.headers.get("vary")).toBe("Origin")
      }
    }
  })

  it("[16] that are not on the list are told nothing", async () => {
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

describe("what the API says of itself", () => {
  it("[18] the configuration has every key that clients know", async () => {
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

  it("templates are off, and say so after the checks that clients know", async () => {
    expect(json(await home.ask("POST", "/api/template", { body: "{" }))).toEqual(said(400, "Invalid JSON specified."))
    expect(json(await home.ask("POST", "/api/template", { body: [] }))).toEqual(
      said(400, "Template data should be a JSON object."),
    )
    const { json: answer, status } = await home.ask("POST", "/api/template", { body: { template: "{{ 1 }}" } })
    expect({ status, says: answer.message.startsWith("Error rendering template: ") }).toEqual({
      status: 400,
      says: true,
    })
  })

  it("long answers are compressed for who asks for that", async () => {
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

describe("states", () => {
  const set = (entityId: string, body: unknown) => home.ask("POST", `/api/states/${entityId}`, { body })
  const get = async (entityId: string) => (await home.ask("GET", `/api/states/${entityId}`)).json

  it("[23] [25] are listed in the order in which they came to be, each once, as each is alone", async () => {
    const ids = ["sensor.order_z", "sensor.order_a", "light.order_m"]
    for (const id of ids) await set(id, { state: "1" })
    await set("sensor.order_z", { state: "2" })
    const { json: all } = await home.ask("GET", "/api/states")
    const listed = all.map(({ entity_id }: { entity_id: string }) => entity_id)
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed.filter((id: string) => ids.includes(id))).toEqual(ids)
    expect(await get("sensor.order_z")).toEqual(
      all.find(({ entity_id }: { entity_id: string }) => entity_id === "sensor.order_z"),
    )
    await home.ask("DELETE", "/api/states/sensor.order_z")
    await set("sensor.order_z", { state: "3" })
    const again = (await home.ask("GET", "/api/states")).json.map(({ entity_id }: { entity_id: string }) => entity_id)
    expect(again.filter((id: string) => ids.includes(id))).toEqual([
      "sensor.order_a",
      "light.order_m",
      "sensor.order_z",
    ])
  })

  it("[26] one that is not there is 404, also under an id that cannot be", async () => {
    for (const id of ["sensor.nobody", "nonsense", "a.b.c", "%20"]) {
      expect(json(await home.ask("GET", `/api/states/${id}`)), id).toEqual(said(404, "Entity not found."))
    }
  })

  it("[28] [46] ids are in lower case, however they are written", async () => {
    const made = await set("Light.Kitchen", { state: "on" })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe("/api/states/Light.Kitchen")
    expect(made.json.entity_id).toBe("light.kitchen")
    expect((await get("LIGHT.KITCHEN")).entity_id).toBe("light.kitchen")
  })

  it("[30] a write is 201 for a new one, then 200, and answers the state and where it is", async () => {
    const body = { state: "20.5", attributes: { unit_of_measurement: "°C" } }
    const first = await set("sensor.written", body)
    expect([first.status, first.headers.get("location")]).toEqual([201, "/api/states/sensor.written"])
    const second = await set("sensor.written", { ...body, state: "21" })
    expect([second.status, second.headers.get("location")]).toEqual([200, "/api/states/sensor.written"])
    expect(second.json).toMatchObject({ entity_id: "sensor.written", state: "21", attributes: body.attributes })
    expect(await get("sensor.written")).toEqual(second.json)
  })

  it.each(
    [
      ["[31] no state", {}, "No state specified."],
      ["no state but null", { state: null }, "No state specified."],
      ["[33] an empty body", "", "State data should be a JSON object."],
      ["[35] a string", '"on"', "State data should be a JSON object."],
      ["[35] an array", "[1]", "State data should be a JSON object."],
      ["[35] a number", "7", "State data should be a JSON object."],
      ["[35] null", "null", "State data should be a JSON object."],
      ["no JSON", "{", "Invalid JSON specified."],
      ["no UTF-8", "\ud800", "Invalid JSON specified."],
      ["attributes that are a list", { state: "on", attributes: [1] }, "State attributes should be a JSON object."],
    ] as ReadonlyArray<[string, unknown, string]>,
  )("%s is refused, and nothing is made", async (_, body, words) => {
    const given = body === "\ud800" ? '{"state":"\ufffd"' : body
    expect(json(await set("sensor.refused", given))).toEqual(said(400, words))
    expect(json(await home.ask("GET", "/api/states/sensor.refused"))).toEqual(said(404, "Entity not found."))
  })

  it.each([
    "bad.entity.id",
    "nodot",
    ".a",
    "a.",
    "light._x",
    "light.x_",
    "_light.x",
    "light.a__b",
    "li-ght.x",
    "light.ä",
  ])(
    "[36] %s can be no id",
    async (id) => {
      expect(json(await set(encodeURIComponent(id), { state: "on" }))).toEqual(
        said(400, "Invalid entity ID specified."),
      )
    },
  )

  it.each(["1.a", "1light.x", "a.1", "input_boolean.h_0123"])("[38] %s can", async (id) => {
    expect((await set(id, { state: "on" })).status).toBe(201)
  })

  it("[40] a state has 255 characters at most; a longer one leaves the old", async () => {
    expect((await set("sensor.long", { state: "ä".repeat(255) })).status).toBe(201)
    expect(json(await set("sensor.long", { state: "x".repeat(256) }))).toEqual(said(400, "Invalid state specified."))
    expect((await get("sensor.long")).state).toBe("ä".repeat(255))
    expect(json(await set("sensor.longer", { state: "x".repeat(256) }))).toEqual(said(400, "Invalid state specified."))
    expect(json(await set("not.an.id", { state: "x".repeat(256) }))).toEqual(said(400, "Invalid entity ID specified."))
  })

  it.each([
    ["0", "0", 201],
    ["0.0", "0.0", 200],
    ["21.5", "21.5", 200],
    ["1e3", "1000.0", 200],
    ["-5", "-5", 200],
    ["12345678901234567890", "12345678901234567890", 200],
    ["1E+30", "1e+30", 200],
    ["0.00001", "1e-05", 200],
    ["true", "True", 200],
    ["false", "False", 200],
    ['""', "", 200],
    ['[1,"a",null]', "[1, 'a', None]", 200],
  ])("[41] [43] the state %s is the text %s", async (given, state, status) => {
    const made = await set("sensor.texts", `{"state":${given}}`)
    expect({ status: made.status, state: made.json.state }).toEqual({ status, state })
  })

  it("[45] attributes are replaced whole", async () => {
    await set("sensor.attributes", { state: "1", attributes: { a: 1, b: { c: [1] } } })
    expect((await set("sensor.attributes", { state: "1", attributes: { d: 1 } })).json.attributes).toEqual({ d: 1 })
    expect((await set("sensor.attributes", { state: "1" })).json.attributes).toEqual({})
    expect((await set("sensor.attributes", { state: "1", attributes: null })).json.attributes).toEqual({})
  })

  it("[48] an identical write leaves all but the report as it was", async () => {
    const first = (await set("sensor.same", { state: "1", attributes: { a: { x: 1, y: [2] }, b: 1 } })).json
    const again = await set("sensor.same", '{"state":"1","attributes":{"b":1.0,"a":{"y":[2],"x":1}}}')
    expect(again.status).toBe(200)
    expect({ ...again.json, last_reported: first.last_reported }).toEqual(first)
    expect(again.json.last_reported > first.last_reported).toBe(true)
    expect(await get("sensor.same")).toEqual(again.json)
  })

  it("[50] a forced write moves everything", async () => {
    const first = (await set("sensor.forced", { state: "1" })).json
    const forced = (await set("sensor.forced", { state: "1", force_update: true })).json
    expect(forced.last_changed > first.last_changed).toBe(true)
    expect(forced.last_updated).toBe(forced.last_changed)
    expect(forced.context.id).not.toBe(first.context.id)
  })

  it("[51] a write of other attributes alone keeps last_changed", async () => {
    const first = (await set("sensor.updated", { state: "1" })).json
    const second = (await set("sensor.updated", { state: "1", attributes: { a: 1 } })).json
    expect(second.last_changed).toBe(first.last_changed)
    expect(second.last_updated > first.last_updated).toBe(true)
    expect(second.last_reported).toBe(second.last_updated)
  })

  it("[53] [58] a new one has one time, as ISO 8601 with its offset, and a context of its user", async () => {
    const { json: made } = await set("sensor.times", { state: "1" })
    expect(made.last_changed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/)
    expect(made.last_updated).toBe(made.last_changed)
    expect(made.last_reported).toBe(made.last_changed)
    expect(made.context).toEqual({
      id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      parent_id: null,
      user_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(Object.keys(made).sort()).toEqual([
      "attributes",
      "context",
      "entity_id",
      "last_changed",
      "last_reported",
      "last_updated",
      "state",
    ])
  })

  it("[55] [56] one that is removed is gone", async () => {
    await set("sensor.removed", { state: "1" })
    expect(json(await home.ask("DELETE", "/api/states/Sensor.removed"))).toEqual(said(200, "Entity removed."))
    for (const method of ["GET", "DELETE"]) {
      expect(json(await home.ask(method, "/api/states/sensor.removed"))).toEqual(said(404, "Entity not found."))
    }
    expect(json(await home.ask("DELETE", "/api/states/no.such.id"))).toEqual(said(404, "Entity not found."))
    expect((await set("sensor.removed", { state: "2" })).status).toBe(201)
  })

  it("a body of 16 MiB is taken, a larger one is 413", async () => {
    const asked = await set("sensor.huge", { state: "1", attributes: { text: "x".repeat(16 * 1024 * 1024) } })
    expect(plain(asked)).toEqual(text(413, "413: Payload Too Large"))
    const large = await set("sensor.huge", { state: "1", attributes: { text: "x".repeat(1024 * 1024) } })
    expect(large.status).toBe(201)
    await home.ask("DELETE", "/api/states/sensor.huge")
  })

  it("what a state was is told of a period", async () => {
    const first = (await set("sensor.history", { state: "1" })).json
    const second = (await set("sensor.history", { state: "2", attributes: { a: 1 } })).json
    const third = (await set("sensor.history", { state: "3" })).json
    await set("sensor.history", { state: "3" })
    const of = (path: string) => home.ask("GET", `/api/history/period${path}`)
    const filter = "filter_entity_id=sensor.history"
    const whole = await of(`?${filter}`)
    expect(whole.json).toEqual([[first, second, third]])
    // What held when the period began comes first.
    expect((await of(`/${encodeURIComponent(second.last_updated)}?${filter},sensor.nobody`)).json).toEqual([[
      first,
      second,
      third,
    ]])
    const short = await of(`?${filter}&minimal_response&no_attributes`)
    expect(short.json).toEqual([[
      first,
      { state: "2", last_changed: second.last_changed },
      { ...third, attributes: {} },
    ]])
    for (
      const [path, words] of [
        ["/yesterday", "Invalid datetime"],
        [`?${filter}&end_time=tomorrow`, "Invalid end_time"],
        ["", "filter_entity_id is missing"],
        ["?filter_entity_id=nonsense", "Invalid filter_entity_id"],
      ] as const
    ) expect(json(await of(path)), path).toEqual(said(400, words))
  })

  it("writes and removals of one entity that come at once are made one after the other", async () => {
    const replica = await home.run(Effect.flatMap(HomeRuntime, (runtime) => runtime.replica))
    const changes: Array<StateChange> = []
    const stop = replica.listen((entries) => {
      for (const entry of entries) if (entry.kind === "changed" && entry.entityId === "sensor.busy") changes.push(entry)
    })
    const answers = await Promise.all(
      Array.from(
        { length: 60 },
        (_, n) =>
          n % 20 === 19
            ? home.ask("DELETE", "/api/states/sensor.busy")
            : home.ask("POST", "/api/states/sensor.busy", { body: { state: String(n) } }),
      ),
    )
    stop()
    expect(answers.every(({ status }) => status < 300 || status === 404)).toBe(true)
    expect(changes).toHaveLength(answers.filter(({ status }) => status !== 404).length)
    expect(changes.slice(1).map(({ oldState }) => oldState)).toEqual(
      changes.slice(0, -1).map(({ newState }) => newState),
    )
  })
})

describe("events", () => {
  it("[60] a fired event is told with its data, its origin and its user", async () => {
    const heard = new Promise<string>((resolve) => {
      request(
        `${home.url}/api/stream?restrict=tried`,
        { headers: { authorization: `Bearer ${token}` } },
        (response) => {
          let held = ""
          response.on("data", (chunk) => {
            held += chunk
            if (held === "data: ping\n\n") void home.ask("POST", "/api/events/tried", { body: { a: [1] } })
            if (!held.includes("tried")) return
            response.destroy()
            resolve(held)
          })
          expect(response.headers["content-type"]).toBe("text/event-stream")
        },
      ).end()
    })
    const [ping, event] = (await heard).split("\n\n")
    // [75] the stream begins with a ping; [76] and tells only what was asked for.
    expect(ping).toBe("data: ping")
    expect(JSON.parse(event!.slice("data: ".length))).toEqual({
      event_type: "tried",
      data: { a: [1] },
      origin: "REMOTE",
      time_fired: expect.stringMatching(/\+00:00$/),
      context: { id: expect.any(String), parent_id: null, user_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    })
  })

  it("[61] are refused with data that are no object", async () => {
    const fire = (body?: string) => home.ask("POST", "/api/events/tried", body === undefined ? {} : { body })
    expect(json(await fire())).toEqual(said(200, "Event tried fired."))
    for (const body of ['"a"', "[1]", "7"]) {
      expect(json(await fire(body)), body).toEqual(said(400, "Event data should be a JSON object"))
    }
    expect(json(await fire("{"))).toEqual(said(400, "Event data should be valid JSON."))
    expect((await home.ask("POST", `/api/events/${"x".repeat(65)}`)).status).toBe(400)
    expect(await (await home.ask("GET", "/api/events")).json).toEqual([])
  })

  it("[75] [76] a stream that is not restricted tells all, and counts among the listeners", async () => {
    const got: Array<string> = []
    await new Promise<void>((resolve) => {
      request(`${home.url}/api/stream`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.on("data", (chunk) => {
          got.push(String(chunk))
          if (got.length === 1) {
            void home.ask("GET", "/api/events").then(({ json: counts }) => {
              expect(counts).toEqual([{ event: "*", listener_count: 1 }])
              return home.ask("POST", "/api/states/sensor.streamed", { body: { state: 1 } })
            }).then(() => home.ask("POST", "/api/states/sensor.streamed", { body: { state: 1 } }))
              .then(() => home.ask("POST", "/api/events/last"))
          }
          if (!got.join("").includes('"last"')) return
          response.destroy()
          resolve()
        })
      }).end()
    })
    const types = got.join("").split("\n\n").filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice("data: ".length)).event_type)
    // A write that says the same is no event for those who listen to all.
    expect(types).toEqual(["state_changed", "last"])
  })
})

describe("service calls", () => {
  const call = (path: string, body?: unknown) =>
    home.ask("POST", `/api/services/${path}`, body === undefined ? {} : { body })

  it("[63] [65] an unknown service, and data that do not fit, are a bad request", async () => {
    for (const path of ["nobody/knows", "test/nobody"]) {
      expect(plain(await call(path)), path).toEqual(text(400, "400: Bad Request"))
    }
    for (const value of ["high", null, undefined]) {
      const asked = await call("input_number/set_value", { entity_id: "input_number.a", value })
      expect(plain(asked)).toEqual(text(400, "400: Bad Request"))
    }
    expect(plain(await call("test/count", [1]))).toEqual(text(400, "400: Bad Request"))
    expect(json(await call("nobody/knows", "{"))).toEqual(said(400, "Data should be valid JSON."))
  })

  it("[66] a call answers the states that it changed, and names are in any case", async () => {
    const before = home.counts.count
    for (const body of [undefined, "{}", "null"]) {
      expect(json(await call("Test/COUNT", body))).toMatchObject({ status: 200, body: [] })
    }
    expect(home.counts.count).toBe(before + 3)
    const { json: changed } = await call("test/touch")
    expect(changed).toHaveLength(1)
    expect(changed[0]).toMatchObject({ entity_id: "sensor.touched" })
    expect((await home.ask("GET", "/api/states/sensor.touched")).json).toEqual(changed[0])
  })

  it("[68] a response is not to be asked of a service that has none; it is not run", async () => {
    const before = home.counts.count
    expect(json(await call("test/count?return_response"))).toEqual(
      said(400, "Service does not support responses. Remove return_response from request."),
    )
    expect(home.counts.count).toBe(before)
    expect(json(await call("test/answer"))).toEqual(
      said(
        400,
        "Service call requires responses but caller did not ask for responses. Add ?return_response to query parameters.",
      ),
    )
  })

  it("[70] [71] a response comes beside the changed states when it is asked for", async () => {
    expect((await call("test/answer?return_response")).json).toEqual({
      changed_states: [],
      service_response: { answer: 42 },
    })
    const asked = (await call("test/maybe_answer?return_response=true")).json
    expect(asked).toEqual({
      changed_states: [expect.objectContaining({ entity_id: "sensor.maybe" })],
      service_response: { answer: 42 },
    })
    expect((await call("test/maybe_answer")).json).toEqual([expect.objectContaining({ entity_id: "sensor.maybe" })])
  })

  it("a service that refuses, fails or breaks is told so", async () => {
    expect(json(await call("test/refuse"))).toEqual(said(400, "Not on Sundays"))
    expect(json(await call("test/fail"))).toEqual(said(500, "It is stuck"))
    expect(plain(await call("test/break"))).toEqual(
      text(500, "500 Internal Server Error\n\nServer got itself in trouble"),
    )
  })

  it("[73] a client that hangs up does not end its service", async () => {
    const hungUp = new Promise<void>((resolve) => {
      const asking = request(`${home.url}/api/services/test/wait`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      })
      asking.on("error", () => resolve())
      asking.on("close", () => resolve())
      asking.end()
      void begun().then(() => asking.destroy())
    })
    await hungUp
    expect(home.counts.wait).toBe(0)
    home.letGo()
    await eventually(() => home.counts.wait === 1)
  })

  /** Resolves when the service has been told to begin. */
  const begun = () =>
    new Promise<void>((resolve) => {
      request(
        `${home.url}/api/stream?restrict=call_service`,
        { headers: { authorization: `Bearer ${token}` } },
        (response) => {
          response.on("data", (chunk) => {
            if (!String(chunk).includes('"wait"')) return
            response.destroy()
            resolve()
          })
        },
      ).end()
    })

  const eventually = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  }
})
