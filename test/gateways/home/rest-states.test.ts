/**
 * States of the home API over REST.
 * Numbers in brackets are those of a list of observed behaviour of Home Assistant.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { StateChange } from "../../../protocols/domain/home.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { json, plain, said, text } from "./answers.ts"
import { servedHome } from "./served.ts"

const home = servedHome()

describe("states", () => {
  const set = (entityId: string, body: unknown) => home.ask("POST", `/api/states/${entityId}`, { body })
  const get = async (entityId: string) => (await home.ask("GET", `/api/states/${entityId}`)).json

  it("[23] [25] are listed in the order of creation, each once, in the same form as single states", async () => {
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

  it("[26] a missing state is 404, also under an invalid id", async () => {
    for (const id of ["sensor.nobody", "nonsense", "a.b.c", "%20"]) {
      expect(json(await home.ask("GET", `/api/states/${id}`)), id).toEqual(said(404, "Entity not found."))
    }
  })

  it("[28] [46] ids are converted to lower case", async () => {
    const made = await set("Light.Kitchen", { state: "on" })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe("/api/states/Light.Kitchen")
    expect(made.json.entity_id).toBe("light.kitchen")
    expect((await get("LIGHT.KITCHEN")).entity_id).toBe("light.kitchen")
  })

  it("[30] a write is 201 for a new state, then 200, and returns the state and its location", async () => {
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
  )("%s is rejected, and no state is created", async (_, body, words) => {
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

  it.each(["1.a", "1light.x", "a.1", "input_boolean.h_0123"])("[38] %s is a valid id", async (id) => {
    expect((await set(id, { state: "on" })).status).toBe(201)
  })

  it("[40] a state has at most 255 characters; a longer one does not replace the old", async () => {
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
  ])("[41] [43] the state %s becomes the text %s", async (given, state, status) => {
    const made = await set("sensor.texts", `{"state":${given}}`)
    expect({ status: made.status, state: made.json.state }).toEqual({ status, state })
  })

  it("[45] attributes are replaced as a whole", async () => {
    await set("sensor.attributes", { state: "1", attributes: { a: 1, b: { c: [1] } } })
    expect((await set("sensor.attributes", { state: "1", attributes: { d: 1 } })).json.attributes).toEqual({ d: 1 })
    expect((await set("sensor.attributes", { state: "1" })).json.attributes).toEqual({})
    expect((await set("sensor.attributes", { state: "1", attributes: null })).json.attributes).toEqual({})
  })

  it("[48] an identical write changes only last_reported", async () => {
    const first = (await set("sensor.same", { state: "1", attributes: { a: { x: 1, y: [2] }, b: 1 } })).json
    const again = await set("sensor.same", '{"state":"1","attributes":{"b":1.0,"a":{"y":[2],"x":1}}}')
    expect(again.status).toBe(200)
    expect({ ...again.json, last_reported: first.last_reported }).toEqual(first)
    expect(again.json.last_reported > first.last_reported).toBe(true)
    expect(await get("sensor.same")).toEqual(again.json)
  })

  it("[50] a forced write changes all times", async () => {
    const first = (await set("sensor.forced", { state: "1" })).json
    const forced = (await set("sensor.forced", { state: "1", force_update: true })).json
    expect(forced.last_changed > first.last_changed).toBe(true)
    expect(forced.last_updated).toBe(forced.last_changed)
    expect(forced.context.id).not.toBe(first.context.id)
  })

  it("[51] a write of only other attributes keeps last_changed", async () => {
    const first = (await set("sensor.updated", { state: "1" })).json
    const second = (await set("sensor.updated", { state: "1", attributes: { a: 1 } })).json
    expect(second.last_changed).toBe(first.last_changed)
    expect(second.last_updated > first.last_updated).toBe(true)
    expect(second.last_reported).toBe(second.last_updated)
  })

  it("[53] [58] a new state has one time, as ISO 8601 with offset, and a context with its user", async () => {
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

  it("[55] [56] a removed state is missing", async () => {
    await set("sensor.removed", { state: "1" })
    expect(json(await home.ask("DELETE", "/api/states/Sensor.removed"))).toEqual(said(200, "Entity removed."))
    for (const method of ["GET", "DELETE"]) {
      expect(json(await home.ask(method, "/api/states/sensor.removed"))).toEqual(said(404, "Entity not found."))
    }
    expect(json(await home.ask("DELETE", "/api/states/no.such.id"))).toEqual(said(404, "Entity not found."))
    expect((await set("sensor.removed", { state: "2" })).status).toBe(201)
  })

  it("a body of 16 MiB is accepted, a larger one is 413", async () => {
    const asked = await set("sensor.huge", { state: "1", attributes: { text: "x".repeat(16 * 1024 * 1024) } })
    expect(plain(asked)).toEqual(text(413, "413: Payload Too Large"))
    const large = await set("sensor.huge", { state: "1", attributes: { text: "x".repeat(1024 * 1024) } })
    expect(large.status).toBe(201)
    await home.ask("DELETE", "/api/states/sensor.huge")
  })

  it("the history of a period is returned", async () => {
    const first = (await set("sensor.history", { state: "1" })).json
    const second = (await set("sensor.history", { state: "2", attributes: { a: 1 } })).json
    const third = (await set("sensor.history", { state: "3" })).json
    await set("sensor.history", { state: "3" })
    const of = (path: string) => home.ask("GET", `/api/history/period${path}`)
    const filter = "filter_entity_id=sensor.history"
    const whole = await of(`?${filter}`)
    expect(whole.json).toEqual([[first, second, third]])
    // The state at the beginning of the period comes first.
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

  it("concurrent writes and removals of one entity are serialised", async () => {
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
