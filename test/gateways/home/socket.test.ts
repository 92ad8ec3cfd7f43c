/**
 * Authentication and framing of the home WebSocket.
 * Numbers in brackets are those of a list of observed behaviour of Home Assistant.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { token } from "./harness.ts"
import { servedClient, servedHome } from "./served.ts"
import { connectHome, type HomeSocketClient, openSocket, refused, result } from "./socket-client.ts"

const home = servedHome()
const client = servedClient(home)

const set = (entityId: string, body: unknown) => home.ask("POST", `/api/states/${entityId}`, { body })
const authenticated = () => connectHome(home.url, token)

describe("authentication", () => {
  it("[78] the server sends the first message", async () => {
    const { next, socket } = await openSocket(home.url)
    const first = await next(() => true)
    expect(first).toEqual({ type: "auth_required", ha_version: expect.stringMatching(/^\d{4}\.\d{1,2}\.\d+$/) })
    socket.terminate()
  })

  it("[86] a valid token is answered auth_ok, also if the client sends first", async () => {
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
  ])("%s is answered auth_invalid, and the connection ends", async (_, message) => {
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
  }])("another first message (%j) is answered auth_invalid", async (message) => {
    const { closed, next, received, send } = await openSocket(home.url)
    send(JSON.stringify(message))
    const invalid = await next(({ type }) => type !== "auth_required")
    expect(invalid.type).toBe("auth_invalid")
    expect(invalid.message).toMatch(/^Auth message incorrectly formatted: /)
    await closed
    expect(received).toHaveLength(2)
  })

  it("[83] invalid JSON or a binary frame ends the connection without a message", async () => {
    for (const message of ["{", Buffer.from(JSON.stringify({ type: "auth", access_token: token }))]) {
      const { closed, received, socket } = await openSocket(home.url)
      socket.send(message)
      await closed
      expect(received.map(({ type }) => type)).toEqual(["auth_required"])
    }
  })

  it("[88] a token in the header of the upgrade does not replace the first message", async () => {
    const { next, send, closed } = await openSocket(home.url, { authorization: `Bearer ${token}` })
    expect((await next(() => true)).type).toBe("auth_required")
    send({ id: 1, type: "get_states" })
    expect((await next(({ type }) => type !== "auth_required")).type).toBe("auth_invalid")
    await closed
  })

  it("a registered token is accepted, and its revocation ends the connection", async () => {
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
  it("[90] [91] [103] a command without a type or a positive integer id is rejected under its id", async () => {
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

  it("[93] [95] [96] ids must increase, may have gaps, and an unknown command does not use its id", async () => {
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
    // A rejected command has used its id.
    expect(await answerTo({ id: 12, type: "ping", more: 1 })).toMatchObject({ id: 12, ...refused("invalid_format") })
    expect(await answerTo({ id: 12, type: "ping" })).toMatchObject(refused("id_reuse"))
    socket.close()
  })

  it("[98] [100] unknown and missing keys are rejected", async () => {
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

  it("one frame may contain several commands, which start in order", async () => {
    const { next, send, socket } = await authenticated()
    send([{ id: 1, type: "ping" }, { id: 2, type: "nonsense" }, { id: 3, type: "ping" }])
    const ids = []
    for (let i = 0; i < 3; i++) ids.push((await next(({ id }) => id !== undefined)).id)
    expect(ids).toEqual([1, 2, 3])
    socket.close()
  })

  it("[101] invalid JSON ends the connection; a binary message is ignored", async () => {
    const { call, closed, send, socket } = await authenticated()
    socket.send(Buffer.from([1, 2, 3]))
    expect(await call("ping")).toMatchObject({ type: "pong" })
    send("{")
    await closed
  })

  it("[148] 300 concurrent commands get one answer each", async () => {
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

  it("[150] a frame of 5 MiB ends only its own connection, and an attribute of 200 KB is accepted", async () => {
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

  it("[105] are negotiated under any id; then the messages of one turn are one array, in order", async () => {
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

  it("[106] without the feature, a frame is never an array", async () => {
    const frames = await burst(await authenticated())
    expect(frames.length).toBeGreaterThan(2)
    for (const frame of frames) expect(frame[0]).toBe("{")
  })
})
