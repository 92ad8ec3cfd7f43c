/** The home API over its WebSocket. Numbers in brackets are those of the conformance list in the sheet on Home Assistant. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { HomeRegistries } from "../../../protocols/messages/home-registries.ts"
import { HomeRuntime } from "../../../protocols/messages/home-runtime.ts"
import { HomeTokens } from "../../../protocols/messages/home-tokens.ts"
import { type HomeGateway, manifest, startHome, token } from "./harness.ts"
import { connectHome, type HomeSocketClient, openSocket } from "./socket-client.ts"

let home: HomeGateway
/** A client that is in, for what needs no other. */
let client: HomeSocketClient
beforeAll(async () => {
  home = await startHome()
  client = await connectHome(home.url, token)
}, 60_000)
afterAll(() => home.stop(), 30_000)

const result = (value: unknown) => ({ type: "result", success: true, result: value })
const refused = (code: string, message?: string) => ({
  type: "result",
  success: false,
  error: { code, ...(message === undefined ? {} : { message }) },
})
const set = (entityId: string, body: unknown) => home.ask("POST", `/api/states/${entityId}`, { body })
const authenticated = () => connectHome(home.url, token)

describe("who may come in", () => {
  it("[78] the server speaks first", async () => {
    const { next, socket } = await openSocket(home.url)
    const first = await next(() => true)
    expect(first).toEqual({ type: "auth_required", ha_version: expect.stringMatching(/^\d{4}\.\d{1,2}\.\d+$/) })
    socket.terminate()
  })

  it("[86] a good token is told auth_ok, also when it comes first", async () => {
    const { next, send, socket } = await openSocket(home.url)
    send({ type: "auth", access_token: token })
    const ok = await next(({ type }) => type === "auth_ok")
    expect(Object.keys(ok)).toEqual(["type", "ha_version"])
    socket.close()
  })

  it.each([
    ["[80] a wrong token", { type: "auth", access_token: "wrong" }],
    ["[81] an empty token", { type: "auth", access_token: "" }],
    ["[81] no token", { type: "auth" }],
    ["[81] a password", { type: "auth", api_password: "secret" }],
  ])("%s is auth_invalid, and then the end", async (_, message) => {
    const { closed, next, send } = await openSocket(home.url)
    send(message)
    expect(await next(({ type }) => type !== "auth_required")).toEqual({
      type: "auth_invalid",
      message: "Invalid access token or password",
    })
    expect((await closed).code).toBe(1000)
  })

  it.each([{ id: 1, type: "get_states" }, [], "auth", { type: "auth", access_token: 7 }, {
    type: "auth",
    access_token: token,
    more: 1,
  }])("another first message (%j) is told so", async (message) => {
    const { closed, next, received, send } = await openSocket(home.url)
    send(JSON.stringify(message))
    const invalid = await next(({ type }) => type !== "auth_required")
    expect(invalid.type).toBe("auth_invalid")
    expect(invalid.message).toMatch(/^Auth message incorrectly formatted: /)
    await closed
    expect(received).toHaveLength(2)
  })

  it("[83] what is no JSON, or no text, is the end without a word", async () => {
    for (const message of ["{", Buffer.from(JSON.stringify({ type: "auth", access_token: token }))]) {
      const { closed, received, socket } = await openSocket(home.url)
      socket.send(message)
      await closed
      expect(received.map(({ type }) => type)).toEqual(["auth_required"])
    }
  })

  it("[88] a token in the header of the upgrade does not spare the first message", async () => {
    const { next, send, closed } = await openSocket(home.url, { authorization: `Bearer ${token}` })
    expect((await next(() => true)).type).toBe("auth_required")
    send({ id: 1, type: "get_states" })
    expect((await next(({ type }) => type !== "auth_required")).type).toBe("auth_invalid")
    await closed
  })

  it("a token that is registered opens the door, and one that is revoked closes it", async () => {
    const { text, token: registered } = await home.run(
      Effect.flatMap(HomeTokens, ({ register }) => register("tablet", "anna")),
    )
    const { call, closed } = await connectHome(home.url, text)
    expect((await call("auth/current_user")).result).toMatchObject({ id: registered.tokenId, name: "tablet" })
    expect((await home.ask("GET", "/api/", { token: text })).status).toBe(200)
    expect(await home.run(Effect.flatMap(HomeTokens, ({ revoke }) => revoke(registered.tokenId)))).toBe(true)
    await closed
    expect((await home.ask("GET", "/api/", { token: text })).status).toBe(401)
    expect(await home.run(Effect.flatMap(HomeTokens, ({ revoke }) => revoke(registered.tokenId)))).toBe(false)
  })
})

describe("framing", () => {
  it("[90] [91] [103] a command has a whole id from 1 on and a type, or it is told so under its id", async () => {
    const { call, next, send, socket } = await authenticated()
    const wrong: ReadonlyArray<readonly [object, unknown]> = [
      [{ id: 0, type: "ping" }, 0],
      [{ id: -1, type: "ping" }, -1],
      [{ id: 1.5, type: "ping" }, 1.5],
      [{ id: "7", type: "ping" }, "7"],
      [{ id: true, type: "ping" }, true],
      [{ id: null, type: "ping" }, null],
      [{ type: "ping" }, null],
      [{ id: 5 }, 5],
      [{ id: 5, type: 7 }, 5],
      [{ id: 5, type: "" }, 5],
      [{ type: "auth", access_token: token }, null],
    ]
    for (const [message, id] of wrong) {
      send(message)
      const answer = await next(({ type }) => type === "result")
      expect(answer, JSON.stringify(message)).toEqual({
        id,
        ...refused("invalid_format", "Message incorrectly formatted."),
      })
    }
    for (const message of ["7", '"ping"', "null", "[7]"]) {
      send(message)
      expect(await next(({ type }) => type === "result"), message).toMatchObject({
        id: 0,
        ...refused("invalid_format"),
      })
    }
    expect(await call("ping")).toEqual({ id: 1, type: "pong" })
    socket.close()
  })

  it("[93] [95] [96] ids rise, with gaps, and an unknown command uses none up", async () => {
    const { next, send, socket } = await authenticated()
    const answerTo = (message: object) => {
      send(message)
      return next(({ type }) => type === "result" || type === "pong")
    }
    expect(await answerTo({ id: 10, type: "ping" })).toEqual({ id: 10, type: "pong" })
    for (const id of [10, 3]) {
      expect(await answerTo({ id, type: "ping" })).toEqual({
        id,
        ...refused("id_reuse", "Identifier values have to increase."),
      })
    }
    expect(await answerTo({ id: 11, type: "nonsense" })).toEqual({
      id: 11,
      ...refused("unknown_command", "Unknown command."),
    })
    expect(await answerTo({ id: 11, type: "ping" })).toEqual({ id: 11, type: "pong" })
    // A command that is refused has used its id up.
    expect(await answerTo({ id: 12, type: "ping", more: 1 })).toMatchObject({ id: 12, ...refused("invalid_format") })
    expect(await answerTo({ id: 12, type: "ping" })).toMatchObject(refused("id_reuse"))
    socket.close()
  })

  it("[98] [100] other keys than a command has, and keys that are missing, are refused", async () => {
    for (
      const [type, fields] of [
        ["get_states", { more: 1 }],
        ["call_service", { domain: "test" }],
        ["call_service", { domain: "test", service: "count", service_data: null }],
        ["fire_event", {}],
        ["subscribe_events", { event_type: 7 }],
        ["unsubscribe_events", {}],
        ["subscribe_entities", { entity_ids: 7 }],
        ["subscribe_trigger", { trigger: { platform: "sun" } }],
        ["manifest/get", {}],
      ] as const
    ) expect(await client.call(type, fields), type).toMatchObject(refused("invalid_format"))
  })

  it("several commands may come in one frame, and are begun in their order", async () => {
    const { next, send, socket } = await authenticated()
    send([{ id: 1, type: "ping" }, { id: 2, type: "nonsense" }, { id: 3, type: "ping" }])
    const ids = []
    for (let i = 0; i < 3; i++) ids.push((await next(({ id }) => id !== undefined)).id)
    expect(ids).toEqual([1, 2, 3])
    socket.close()
  })

  it("[101] what is no JSON is the end; a binary message is passed over", async () => {
    const { call, closed, send, socket } = await authenticated()
    socket.send(Buffer.from([1, 2, 3]))
    expect(await call("ping")).toMatchObject({ type: "pong" })
    send("{")
    await closed
  })

  it("[148] 300 commands at a time get an answer each", async () => {
    const { call, socket } = await authenticated()
    const types = ["ping", "get_config", "get_services", "auth/current_user", "config/area_registry/list", "nonsense"]
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => call(types[i % types.length]!)))
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
    answers.forEach((answer, i) => {
      const type = types[i % types.length]
      expect(answer.type).toBe(type === "ping" ? "pong" : "result")
      if (type === "auth/current_user") expect(answer.result.is_admin).toBe(true)
      if (type === "nonsense") expect(answer.error.code).toBe("unknown_command")
    })
    socket.close()
  })

  it("[150] a frame of 5 MiB ends its connection alone, and 200 KB of an attribute pass", async () => {
    const { call, closed, send } = await authenticated()
    const large = "x".repeat(200_000)
    expect((await call("fire_event", { event_type: "large", event_data: { large } })).success).toBe(true)
    await set("sensor.large", { state: "1", attributes: { large } })
    const { result: states } = await call("get_states")
    expect(states.find(({ entity_id }: { entity_id: string }) => entity_id === "sensor.large").attributes.large).toBe(
      large,
    )
    send({ id: 1_000, type: "ping", more: "x".repeat(5 * 1024 * 1024) })
    expect((await closed).code).toBe(1009)
    expect(await client.call("ping")).toMatchObject({ type: "pong" })
  })
})

describe("features", () => {
  const burst = async ({ call, eventsUntilNow, frames, socket }: HomeSocketClient): Promise<ReadonlyArray<string>> => {
    await call("subscribe_events", { event_type: "burst" })
    const { id } = await call("subscribe_events", { event_type: "burst" })
    const before = frames.length
    await call("fire_event", { event_type: "burst" })
    expect(await eventsUntilNow(id)).toHaveLength(1)
    socket.close()
    return frames.slice(before)
  }

  it("[105] are agreed on under any id; then what comes in one turn comes as one array, in order", async () => {
    const client = await authenticated()
    client.send({ id: 3, type: "get_panels" })
    client.send({ id: 7, type: "supported_features", features: { coalesce_messages: 1 } })
    expect(await client.next(({ id }) => id === 7)).toEqual({ id: 7, ...result(null) })
    client.send([{ id: 8, type: "subscribe_events", event_type: "burst" }, {
      id: 9,
      type: "subscribe_events",
      event_type: "burst",
    }])
    await client.next(({ id }) => id === 9)
    const before = client.frames.length
    client.send({ id: 10, type: "fire_event", event_type: "burst" })
    await client.next(({ id }) => id === 10)
    const arrays = client.frames.slice(before).map((text) => JSON.parse(text)).filter(Array.isArray)
    expect(arrays.length).toBeGreaterThan(0)
    expect(client.received.filter(({ type }) => type === "event").map(({ id }) => id)).toEqual([8, 9])
    client.socket.close()
  })

  it("[106] without that, a frame is never an array", async () => {
    const frames = await burst(await authenticated())
    expect(frames.length).toBeGreaterThan(2)
    for (const frame of frames) expect(frame[0]).toBe("{")
  })
})

describe("commands that ask", () => {
  it("[108] states, configuration and services are those of REST", async () => {
    await set("sensor.asked", { state: "1" })
    expect((await client.call("get_states")).result).toEqual((await home.ask("GET", "/api/states")).json)
    expect((await client.call("get_config")).result).toEqual((await home.ask("GET", "/api/config")).json)
    const { result: services } = await client.call("get_services")
    const list = (await home.ask("GET", "/api/services")).json
    expect(services).toEqual(
      Object.fromEntries(list.map(({ domain, services }: { domain: string; services: object }) => [domain, services])),
    )
    expect((await client.call("get_panels")).result).toEqual({})
  })

  it("[110] a user is an owner and an administrator", async () => {
    expect((await client.call("auth/current_user")).result).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: expect.any(String),
      is_owner: true,
      is_admin: true,
      credentials: [],
      mfa_modules: [],
    })
  })

  it("manifests are listed and found", async () => {
    expect((await client.call("manifest/list")).result).toEqual([manifest])
    expect((await client.call("manifest/list", { integrations: ["other"] })).result).toEqual([])
    expect((await client.call("manifest/get", { integration: "wavepose" })).result).toEqual(manifest)
    expect(await client.call("manifest/get", { integration: "other" })).toMatchObject(
      refused("not_found", "Integration not found"),
    )
  })

  it("the five registries list what was registered, and tell of it", async () => {
    const listened = await client.call("subscribe_events", { event_type: "device_registry_updated" })
    const device = {
      deviceId: "node7",
      identifiers: [["wavepose", "node7"]] as const,
      connections: [["mac", "aa:bb:cc:dd:ee:ff"]] as const,
      name: "Sensing node 7",
      nameByUser: null,
      manufacturer: "wavepose",
      model: "edge node",
      swVersion: "1.0",
      serialNumber: null,
      areaId: "hall",
      viaDeviceId: null,
      labels: [],
    }
    const entity = {
      entityId: "binary_sensor.hall_presence",
      uniqueId: "node7_presence",
      platform: "wavepose",
      name: null,
      originalName: "Presence",
      hasEntityName: true,
      icon: null,
      deviceId: "node7",
      areaId: null,
      labels: ["quiet"],
      entityCategory: "diagnostic" as const,
      translationKey: null,
    }
    const area = { areaId: "hall", name: "Hall", floorId: "ground", icon: null, picture: null, aliases: [], labels: [] }
    await home.run(Effect.gen(function* () {
      const registries = yield* HomeRegistries
      const context = yield* (yield* HomeRuntime).context(null)
      yield* registries.put("device", [device], context)
      yield* registries.put("device", [device], context)
      yield* registries.put("entity", [entity], context)
      yield* registries.put("area", [area], context)
      yield* registries.put(
        "floor",
        [{ floorId: "ground", name: "Ground", level: 0, icon: null, aliases: [] }],
        context,
      )
      yield* registries.put(
        "label",
        [{ labelId: "quiet", name: "Quiet", color: null, description: null, icon: null }],
        context,
      )
      yield* registries.put("device", [{ ...device, name: "Seven" }], context)
      yield* registries.remove("label", ["quiet", "unknown"], context)
    }))
    const told = await client.eventsUntilNow(listened.id)
    expect(told.map(({ data }) => data)).toEqual([
      { action: "create", device_id: "node7" },
      { action: "update", device_id: "node7" },
    ])
    const list = async (name: string) => (await client.call(`config/${name}_registry/list`)).result
    expect(await list("device")).toEqual([expect.objectContaining({
      id: "node7",
      identifiers: [["wavepose", "node7"]],
      connections: [["mac", "aa:bb:cc:dd:ee:ff"]],
      name: "Seven",
      name_by_user: null,
      area_id: "hall",
      sw_version: "1.0",
      config_entry_id: null,
      via_device_id: null,
    })])
    expect(await list("entity")).toEqual([expect.objectContaining({
      entity_id: entity.entityId,
      unique_id: entity.uniqueId,
      platform: "wavepose",
      device_id: "node7",
      labels: ["quiet"],
      disabled_by: null,
      hidden_by: null,
      options: {},
      categories: {},
    })])
    expect(await list("area")).toEqual([expect.objectContaining({ area_id: "hall", name: "Hall", floor_id: "ground" })])
    expect(await list("floor")).toEqual([expect.objectContaining({ floor_id: "ground", name: "Ground", level: 0 })])
    expect(await list("label")).toEqual([])
    expect((await client.call("config/entity_registry/list_for_display")).result).toEqual({
      entity_categories: { 0: "config", 1: "diagnostic" },
      entities: [{ ei: entity.entityId, pl: "wavepose", lb: ["quiet"], di: "node7", ec: 1, hn: true, en: "Presence" }],
    })
  })
})

describe("commands that do", () => {
  it("[111] a call answers its context", async () => {
    const { result: user } = await client.call("auth/current_user")
    const answer = await client.call("call_service", { domain: "Test", service: "COUNT" })
    expect(answer).toMatchObject(result({ context: { id: expect.any(String), parent_id: null, user_id: user.id } }))
    expect(Object.keys(answer.result)).toEqual(["context"])
  })

  it("[113] [116] [118] [120] one that cannot be done says why", async () => {
    const call = (service: string, more: object = {}) =>
      client.call("call_service", { domain: "test", service, ...more })
    expect(await call("nobody")).toMatchObject(refused("not_found", "Service test.nobody not found."))
    const wrong = {
      domain: "input_number",
      service: "set_value",
      service_data: { entity_id: "input_number.a", value: "high" },
    }
    expect(await client.call("call_service", wrong)).toMatchObject(refused("invalid_format"))
    expect(await call("answer")).toMatchObject(refused("service_validation_error"))
    expect((await call("answer")).error.message).toMatch(/^Validation error: /)
    expect(await call("count", { return_response: true })).toMatchObject(refused("service_validation_error"))
    expect(await call("refuse")).toMatchObject(refused("service_validation_error", "Validation error: Not on Sundays"))
    expect(await call("fail")).toMatchObject(refused("home_assistant_error", "It is stuck"))
    expect(await call("break")).toMatchObject(refused("unknown_error", "the wheel came off"))
  })

  it("one that answers with data does so when it is asked to", async () => {
    const call = (more: object) => client.call("call_service", { domain: "test", service: "maybe_answer", ...more })
    expect((await call({ return_response: true })).result.response).toEqual({ answer: 42 })
    expect((await call({})).result).not.toHaveProperty("response")
  })

  it("[115] a template is no target", async () => {
    const answer = await client.call("call_service", {
      domain: "input_boolean",
      service: "turn_on",
      target: { entity_id: "{{ states.light.a }}" },
    })
    expect(answer).toMatchObject(refused("invalid_format"))
  })

  it("[123] what a call changes is told before its answer; the call itself before both", async () => {
    await set("input_boolean.lamp", { state: "off" })
    const { call, received, socket } = await authenticated()
    await call("subscribe_events")
    const answer = await call("call_service", {
      domain: "input_boolean",
      service: "turn_on",
      target: { entity_id: "input_boolean.lamp" },
    })
    const at = (fits: (message: { event?: { event_type: string } }) => boolean) => received.findIndex(fits)
    const called = at(({ event }) => event?.event_type === "call_service")
    const changed = at(({ event }) => event?.event_type === "state_changed")
    expect(called).toBeGreaterThanOrEqual(0)
    expect(changed).toBeGreaterThan(called)
    expect(received.indexOf(answer)).toBeGreaterThan(changed)
    expect(received[changed].event.context).toEqual(answer.result.context)
    expect(received[changed].event.data.new_state.state).toBe("on")
    socket.close()
  })

  it("[121] a fired event is local, with the context of the answer and the data", async () => {
    const { id } = await client.call("subscribe_events", { event_type: "fired" })
    const { result: answered } = await client.call("fire_event", { event_type: "fired", event_data: { a: 1 } })
    expect(await client.event(id)).toEqual({
      event_type: "fired",
      data: { a: 1 },
      origin: "LOCAL",
      time_fired: expect.stringMatching(/\+00:00$/),
      context: answered.context,
    })
    await client.call("fire_event", { event_type: "fired" })
    expect((await client.event(id)).data).toEqual({})
    expect(await client.call("fire_event", { event_type: "x".repeat(65) })).toMatchObject(
      refused("home_assistant_error"),
    )
  })
})

describe("subscriptions to events", () => {
  it("[125] [133] tell one type, until they end", async () => {
    const { id } = await client.call("subscribe_events", { event_type: "wanted" })
    await client.call("fire_event", { event_type: "unwanted" })
    await client.call("fire_event", { event_type: "wanted" })
    expect((await client.eventsUntilNow(id)).map(({ event_type }) => event_type)).toEqual(["wanted"])
    expect(await client.call("unsubscribe_events", { subscription: id })).toMatchObject(result(null))
    await client.call("fire_event", { event_type: "wanted" })
    expect(await client.eventsUntilNow(id)).toHaveLength(1)
    for (const subscription of [id, 999_999]) {
      expect(await client.call("unsubscribe_events", { subscription })).toMatchObject(
        refused("not_found", "Subscription not found."),
      )
    }
  })

  it("[126] [128] [130] [131] tell all but reports, with what was and what is", async () => {
    const every = await client.call("subscribe_events")
    const star = await client.call("subscribe_events", { event_type: "*" })
    const reports = await client.call("subscribe_events", { event_type: "state_reported" })
    const id = "sensor.told"
    const first = (await set(id, { state: "1", attributes: { a: 1, b: 2 } })).json
    const same = (await set(id, '{"attributes":{"b":2,"a":1},"state":"1"}')).json
    const forced = (await set(id, { state: "1", attributes: { a: 1, b: 2 }, force_update: true })).json
    const other = (await set(id, { state: "1", attributes: { a: 2 } })).json
    await home.ask("DELETE", `/api/states/${id}`)
    const told = await client.eventsUntilNow(every.id)
    expect(told.map(({ data, event_type }) => [event_type, data.old_state, data.new_state])).toEqual([
      ["state_changed", null, first],
      ["state_changed", same, forced],
      ["state_changed", forced, other],
      ["state_changed", other, null],
    ])
    expect(told.map(({ time_fired }) => time_fired).slice(0, 3)).toEqual(
      [first, forced, other].map(({ last_updated }) => last_updated),
    )
    expect(told.map(({ origin }) => origin)).toEqual(["LOCAL", "LOCAL", "LOCAL", "LOCAL"])
    expect(forced.last_changed > first.last_changed).toBe(true)
    expect(other.last_changed).toBe(forced.last_changed)
    // Who removes over REST does so for nobody.
    expect(told[3].context).toMatchObject({ parent_id: null, user_id: null })
    expect(await client.eventsUntilNow(star.id)).toEqual(told)
    expect((await client.eventsUntilNow(reports.id)).map(({ data }) => data)).toEqual([{
      entity_id: id,
      last_reported: same.last_reported,
      old_last_reported: first.last_reported,
      new_state: same,
    }])
    for (const { id: subscription } of [every, star, reports]) await client.call("unsubscribe_events", { subscription })
  })
})

describe("subscriptions to entities", () => {
  const seconds = (time: string): number =>
    Number((Date.parse(`${time.slice(0, 19)}Z`) / 1000 + Number(`0${time.slice(19, -6)}`)).toFixed(6))

  it("[135] [136] [138] [140] tell all states at first, and then what differs", async () => {
    const id = "sensor.compressed"
    const first = (await set(id, { state: "1", attributes: { a: 1, b: { c: [1] }, d: 2 } })).json
    const { id: subscription, ...answer } = await client.call("subscribe_entities")
    expect(answer).toEqual(result(null))
    const { a } = await client.event(subscription)
    expect(Object.keys(a)).toEqual(
      (await client.call("get_states")).result.map(({ entity_id }: { entity_id: string }) => entity_id),
    )
    expect(a[id]).toEqual({ s: "1", a: first.attributes, c: first.context, lc: seconds(first.last_changed) })

    const second = (await set(id, { state: "1", attributes: { a: 2, b: { c: [1] }, e: 3 } })).json
    expect(await client.event(subscription)).toEqual({
      c: {
        [id]: { "+": { lu: seconds(second.last_updated), c: second.context.id, a: { a: 2, e: 3 } }, "-": { a: ["d"] } },
      },
    })
    await set(id, { state: "1", attributes: { a: 2, b: { c: [1] }, e: 3 } })
    const third = (await set(id, { state: "2", attributes: { a: 2, b: { c: [1] }, e: 3 } })).json
    // The write between them has told nothing.
    expect(await client.event(subscription)).toEqual({
      c: { [id]: { "+": { s: "2", lc: seconds(third.last_changed), c: third.context.id } } },
    })
    await home.ask("DELETE", `/api/states/${id}`)
    expect(await client.event(subscription)).toEqual({ r: [id] })
    const again = (await set(id, { state: "3" })).json
    expect(await client.event(subscription)).toEqual({
      a: { [id]: { s: "3", a: {}, c: again.context, lc: seconds(again.last_changed) } },
    })
    await client.call("unsubscribe_events", { subscription })
  })

  it("[136] a context of nobody is its id alone, and what became of whom is told in parts", async () => {
    const id = "sensor.contexts"
    const write = (state: string, userId: string | null) =>
      home.run(Effect.gen(function* () {
        const runtime = yield* HomeRuntime
        const context = yield* runtime.context(userId)
        yield* runtime.write(id, { state, attributes: {}, forceUpdate: false, context })
        return context
      }))
    const first = await write("1", null)
    const { id: subscription } = await client.call("subscribe_entities", { entity_ids: [id] })
    expect((await client.event(subscription)).a[id].c).toBe(first.id)
    const second = await write("2", "somebody")
    expect((await client.event(subscription)).c[id]["+"].c).toEqual({ user_id: "somebody", id: second.id })
    const third = await write("3", "somebody")
    expect((await client.event(subscription)).c[id]["+"].c).toBe(third.id)
    const updated = await home.ask("POST", `/api/states/${id}`, { body: { state: "3", attributes: { a: 1 } } })
    const late = await client.call("subscribe_entities", { entity_ids: [id] })
    expect((await client.event(late.id)).a[id].lu).toBe(seconds(updated.json.last_updated))
    for (const { id: one } of [late, { id: subscription }]) {
      await client.call("unsubscribe_events", { subscription: one })
    }
  })

  it("[141] tell only of the entities that are meant", async () => {
    for (const id of ["light.one", "light.two", "switch.one"]) await set(id, { state: "0" })
    const filters: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [{ entity_ids: ["light.one", "light.unknown"] }, ["light.one"]],
      [{ entity_ids: "switch.one" }, ["switch.one"]],
      [{ entity_ids: ["light.unknown"] }, []],
      [{ include: { domains: ["light"] }, exclude: { entities: ["light.two"] } }, ["light.one"]],
      [{ include: { entity_globs: ["*.one"] } }, ["light.one", "switch.one"]],
      [{ include: { domains: "switch", entities: "light.two" } }, ["light.two", "switch.one"]],
    ]
    const ids: Array<number> = []
    for (const [filter, wanted] of filters) {
      const { id } = await client.call("subscribe_entities", filter)
      ids.push(id)
      const { a } = await client.event(id)
      const known = Object.keys(a).filter((id) => /^(light|switch)\.(one|two)$/.test(id))
      expect(known, JSON.stringify(filter)).toEqual(wanted)
      if (!JSON.stringify(filter).includes("glob")) expect(Object.keys(a)).toEqual(wanted)
    }
    for (const id of ["light.one", "light.two", "switch.one"]) await set(id, { state: "1" })
    for (const [i, [filter, wanted]] of filters.entries()) {
      const changed = (await client.eventsUntilNow(ids[i]!)).flatMap(({ c }) => c === undefined ? [] : Object.keys(c))
      expect(changed, JSON.stringify(filter)).toEqual(wanted)
    }
    for (const subscription of ids) await client.call("unsubscribe_events", { subscription })
  })

  it("leave no gap and no double, however many writes are under way when they begin", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `sensor.busy_${i}`)
    const writes = ids.map(async (id) => {
      for (let i = 1; i <= 10; i++) await set(id, { state: String(i) })
    })
    const { id: subscription } = await client.call("subscribe_entities", { include: { entity_globs: "sensor.busy_*" } })
    const { a } = await client.event(subscription)
    await Promise.all(writes)
    const seen = new Map(Object.entries<{ s: string }>(a).map(([id, { s }]) => [id, [Number(s)]]))
    for (const event of await client.eventsUntilNow(subscription)) {
      if (event.a === a) continue
      for (const [id, { s }] of Object.entries<{ s: string }>(event.a ?? {})) seen.set(id, [Number(s)])
      for (const [id, change] of Object.entries<{ "+": { s: string } }>(event.c ?? {})) {
        seen.get(id)!.push(Number(change["+"].s))
      }
    }
    for (const id of ids) {
      const from = seen.get(id)![0]!
      expect(seen.get(id), id).toEqual(Array.from({ length: 11 - from }, (_, i) => from + i))
    }
    await client.call("unsubscribe_events", { subscription })
  })
})

describe("triggers of states", () => {
  it("fire on what they are about, and tell what was and what is", async () => {
    const id = "binary_sensor.door"
    const first = (await set(id, { state: "off", attributes: { level: 1 } })).json
    const subscribe = async (fields: object) =>
      (await client.call("subscribe_trigger", { trigger: { platform: "state", entity_id: id, ...fields } })).id
    const any = await subscribe({})
    const opened = await subscribe({ from: "off", to: ["on", "open"] })
    const changed = await subscribe({ to: null })
    const level = await subscribe({ attribute: "level" })
    const second = (await set(id, { state: "on", attributes: { level: 1 } })).json
    await set(id, { state: "on", attributes: { level: 2 } })
    await set(id, { state: "off", attributes: { level: 2 } })
    await set("binary_sensor.window", { state: "on" })
    const states = async (subscription: number) =>
      (await client.eventsUntilNow(subscription)).map(({ variables: { trigger } }) => trigger.to_state.state)
    expect(await states(any)).toEqual(["on", "on", "off"])
    expect(await states(opened)).toEqual(["on"])
    expect(await states(changed)).toEqual(["on", "off"])
    expect(await states(level)).toEqual(["on"])
    const [event] = await client.eventsUntilNow(opened)
    expect(event).toEqual({
      variables: {
        trigger: {
          id: "0",
          idx: "0",
          alias: null,
          platform: "state",
          entity_id: id,
          for: null,
          attribute: null,
          description: `state of ${id}`,
          from_state: first,
          to_state: second,
        },
      },
      context: second.context,
    })
  })

  it("wait for as long as `for` says, unless the subscription ends", async () => {
    const id = "binary_sensor.gate"
    await set(id, { state: "closed" })
    const trigger = (fields: object) => ({ trigger: { trigger: "state", entity_id: id, to: "open", ...fields } })
    const held = (await client.call("subscribe_trigger", trigger({ for: { milliseconds: 20 } }))).id
    const never = (await client.call("subscribe_trigger", trigger({ for: "00:10:00" }))).id
    const opened = (await set(id, { state: "open" })).json
    const event = await client.event(held)
    expect(event).toMatchObject({
      variables: {
        trigger: { for: { __type: "<class 'datetime.timedelta'>", total_seconds: 0.02 }, to_state: opened },
      },
      context: opened.context,
    })
    expect(await client.call("unsubscribe_events", { subscription: never })).toMatchObject({ success: true })
    expect(await client.eventsUntilNow(never)).toEqual([])
    for (const wrong of ["soon", "{{ 5 }}", null, -1, { weeks: 1 }]) {
      const answer = await client.call("subscribe_trigger", trigger({ for: wrong }))
      expect(answer, JSON.stringify(wrong)).toMatchObject({ success: false, error: { code: "invalid_format" } })
    }
    const many = Array.from({ length: 1_025 }, (_, n) => `sensor.n${n}`)
    expect(await client.call("subscribe_trigger", trigger({ entity_id: many, for: 1 })))
      .toMatchObject({ success: false, error: { code: "not_allowed" } })
  })
})
