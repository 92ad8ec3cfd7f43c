import { Schema } from "effect"
import { connect } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { DensePose } from "../../../protocols/domain/pose.ts"
import { forms, IsoTime } from "../../../protocols/pose-api/forms.ts"
import { PoseFrameSchema } from "../../../protocols/pose-api/pose-schema.ts"
import { ServerMessage } from "../../../protocols/pose-api/socket-messages.ts"
import { makeFrame, makePerson, makeStanding, share } from "./frames.ts"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import { sessionIdOf } from "./accounts.ts"
import { ampleRules, apiKey, type Gateway, startGateway } from "./harness.ts"
import { connectSocket, type SocketClient } from "./socket-client.ts"

let gateway: Gateway
let token: string

beforeEach(async () => {
  gateway = await startGateway()
  token = await gateway.token("viewer")
})
afterEach(() => gateway.stop())

const updateFields = {
  type: Schema.Literal("pose_update"),
  subscription_id: Schema.String,
  dropped: Schema.Int,
  timestamp: IsoTime,
  environment_id: Schema.String,
}
const { bare, envelope } = PoseFrameSchema
const { timestamp: _, processing_time_ms: __, ...bareData } = bare.fields
const { timestamp: ___, processing_time_ms: ____, ...envelopeData } = envelope.fields
/** A `pose_update` in each form: its data is the frame of REST without what stands beside it or is not sent. */
const PoseUpdate = {
  bare: Schema.Struct({ ...updateFields, data: Schema.Struct(bareData) }),
  envelope: Schema.Struct({ ...updateFields, data: Schema.Struct(envelopeData) }),
}

const strictly = { onExcessProperty: "error" } as const

const established = async (query = ""): Promise<SocketClient> => {
  const client = await connectSocket(gateway.url, { query: `?token=${token}${query}` })
  await client.next("connection_established")
  return client
}

const watchers = () => gateway.world.watched.get("living-room")?.size ?? 0

const subscribed = async (client: SocketClient, filters?: Record<string, unknown>): Promise<string> => {
  client.send({ type: "subscribe", channel: "pose_updates", ...(filters === undefined ? {} : { filters }) })
  const { subscription_id } = await client.next("subscription_confirmed")
  await vi.waitFor(() => expect(watchers()).toBe(1))
  return subscription_id
}

const frame = (frameId: number) => share(makeFrame({ frameId, persons: [makePerson(41, 0.9), makePerson(42, 0.4)] }))

describe("connections are accepted from", () => {
  it("clients with a token in the query, the header or the first message, or an API key", async () => {
    const clients = await Promise.all([
      connectSocket(gateway.url, { query: `?token=${token}` }),
      connectSocket(gateway.url, { headers: { Authorization: `Bearer ${token}` } }),
      connectSocket(gateway.url, { headers: { "X-API-Key": apiKey } }),
      connectSocket(gateway.url),
    ])
    clients[3]!.send({ type: "auth", token })
    for (const client of clients) {
      const message = await client.next("connection_established")
      Schema.decodeUnknownSync(ServerMessage.connection_established)(message, strictly)
      expect(message.supported_protocols).toContain("pose_v1")
    }
  })

  it.each([
    ["a wrong token in the query", { query: "?token=abc.def.ghi" }, null],
    ["a wrong token in the header", { headers: { Authorization: "Bearer abc.def.ghi" } }, null],
    ["a wrong token in the first message", {}, { type: "auth", token: "abc.def.ghi" }],
    ["another first message", {}, { type: "ping" }],
    ["a first message that is no JSON", {}, "{"],
  ])("4401 for %s", async (_, options, message) => {
    const client = await connectSocket(gateway.url, options)
    if (message !== null) client.send(message)
    const error = await client.next("error")
    Schema.decodeUnknownSync(ServerMessage.error)(error, strictly)
    expect((await client.closed).code).toBe(4401)
    expect(client.received).toHaveLength(1)
  })

  it("at most ten connections of one account, over all its credentials", async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => established()))
    const refused = await connectSocket(gateway.url, { query: `?token=${token}&form=envelope` })
    expect(await refused.next("error")).toMatchObject({
      error: { code: "RATE_LIMIT_EXCEEDED", details: { limit: 10, window: null, reset_at: null } },
    })
    expect((await refused.closed).code).toBe(4429)
    const other = await connectSocket(gateway.url, { headers: { "X-API-Key": apiKey } })
    await other.next("connection_established")
    clients[0]!.socket.close()
    await clients[0]!.closed
    await vi.waitFor(async () => {
      const next = await connectSocket(gateway.url, { query: `?token=${token}` })
      await Promise.race([next.next("connection_established"), next.closed.then(() => expect.fail("refused"))])
    })
  })

  it.each([
    ["a sign-in that was ended", sessionIdOf("viewer"), {}],
    ["an API key that was revoked", "key-0", { headers: { "X-API-Key": apiKey } }],
  ])("nobody on, of %s: 4401", async (_, revoked, options) => {
    const client = await connectSocket(gateway.url, "headers" in options ? options : { query: `?token=${token}` })
    await client.next("connection_established")
    const other = await connectSocket(gateway.url, { query: `?token=${await gateway.token("operator")}` })
    gateway.world.revoked.add(revoked)
    expect(await client.next("error")).toMatchObject({ error: { code: "AUTHENTICATION_ERROR" } })
    expect((await client.closed).code).toBe(4401)
    other.send({ type: "ping" })
    await other.next("pong")
  })

  it("at most a hundred connections of one address", async () => {
    await gateway.stop()
    gateway = await startGateway({
      limits: { rules: ampleRules, connections: { ...defaultConnectionLimits, perAccount: Infinity } },
    })
    token = await gateway.token("viewer")
    const clients = await Promise.all(Array.from({ length: 100 }, () => established()))
    const refused = await connectSocket(gateway.url, { query: `?token=${token}` })
    expect((await refused.closed).code).toBe(4429)
    clients[0]!.socket.close()
    await clients[0]!.closed
    await vi.waitFor(async () => {
      const next = await connectSocket(gateway.url, { query: `?token=${token}` })
      await Promise.race([next.next("connection_established"), next.closed.then(() => expect.fail("refused"))])
    })
  })
})

describe("a ticket in the query", () => {
  it("opens one connection", async () => {
    const answer = await fetch(`${gateway.url}/api/v1/auth/ticket`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    })
    const { ticket } = await answer.json() as { readonly ticket: string }
    const client = await connectSocket(gateway.url, { query: `?ticket=${ticket}` })
    await client.next("connection_established")
    const second = await connectSocket(gateway.url, { query: `?ticket=${ticket}` })
    expect((await second.closed).code).toBe(4401)
  })
})

describe("pose updates", () => {
  it("are confirmed with the applied filters and carry the subscription's id", async () => {
    const client = await established()
    client.send({
      type: "subscribe",
      channel: "pose_updates",
      filters: { min_confidence: 0.5, include_dense_pose: true, colour: "red" },
    })
    const confirmed = await client.next("subscription_confirmed")
    Schema.decodeUnknownSync(ServerMessage.subscription_confirmed)(confirmed, strictly)
    expect(confirmed.filters_applied).toEqual({
      environment_id: null,
      min_confidence: 0.5,
      person_ids: null,
      include_keypoints: true,
      include_dense_pose: true,
      include_3d: false,
    })
    await vi.waitFor(() => expect(watchers()).toBe(1))
    gateway.world.publish(frame(1))
    const update = await client.next("pose_update")
    Schema.decodeUnknownSync(PoseUpdate.bare)(update, strictly)
    expect(update).toMatchObject({ subscription_id: confirmed.subscription_id, dropped: 0, data: { frame_id: 1 } })
    expect(update.data.persons.map(({ id }: { id: number }) => id)).toEqual([41])
  })

  it.each(forms)("cover all environments and name each; a filter selects one (%s)", async (form) => {
    gateway.world.environments.push({ environmentId: "attic", name: "Attic", geometry: null })
    const client = await established(`&form=${form}`)
    const all = await subscribed(client)
    client.send({ type: "subscribe", channel: "pose_updates", filters: { environment_id: "attic" } })
    const one = await client.next("subscription_confirmed")
    expect(one.filters_applied.environment_id).toBe("attic")
    await vi.waitFor(() => expect(gateway.world.watched.get("attic")?.size).toBe(1))
    gateway.world.publish(share(makeFrame({ frameId: 1 })))
    gateway.world.publish(share(makeFrame({ frameId: 1, environmentId: "attic" })))
    gateway.world.environments.push({ environmentId: "cellar", name: "Cellar", geometry: null })
    await vi.waitFor(() => expect(gateway.world.watched.get("cellar")?.size).toBe(1), { timeout: 5_000 })
    gateway.world.publish(share(makeFrame({ frameId: 1, environmentId: "cellar" })))
    await client.next("pose_update", ({ environment_id }) => environment_id === "cellar")
    const updates = client.received.filter(({ type }) => type === "pose_update")
    for (const update of updates) Schema.decodeUnknownSync(PoseUpdate[form])(update, strictly)
    const of = (id: string) =>
      updates.flatMap(({ environment_id, subscription_id }) => subscription_id === id ? [environment_id] : []).sort()
    expect(of(all)).toEqual(["attic", "cellar", "living-room"])
    expect(of(one.subscription_id)).toEqual(["attic"])
    client.send({ type: "unsubscribe", subscription_id: all })
    await vi.waitFor(() => expect([...gateway.world.watched.keys()]).toEqual(["attic"]))
  })

  it("can be subscribed to before any environment exists, and are rejected for an unknown one", async () => {
    gateway.world.environments = []
    const client = await established()
    client.send({ type: "subscribe", channel: "pose_updates" })
    expect((await client.next("subscription_confirmed")).filters_applied.environment_id).toBeNull()
    gateway.world.environments = [{ environmentId: "living-room", name: "Living room", geometry: null }]
    await vi.waitFor(() => expect(watchers()).toBe(1), { timeout: 5_000 })
    gateway.world.publish(frame(1))
    expect((await client.next("pose_update")).environment_id).toBe("living-room")
    client.send({ type: "subscribe", channel: "pose_updates", filters: { environment_id: "attic" } })
    expect((await client.next("error")).error.code).toBe("RESOURCE_NOT_FOUND")
  })

  it("are sent in the envelope form on request", async () => {
    const client = await established("&form=envelope")
    await subscribed(client, { person_ids: [42], include_keypoints: false, include_3d: true })
    gateway.world.publish(frame(1))
    const update = await client.next("pose_update")
    Schema.decodeUnknownSync(PoseUpdate.envelope)(update, strictly)
    expect(update.data.environment_id).toBe("living-room")
    expect(update.data.persons).toHaveLength(1)
    expect(update.data.persons[0].person_id).toBe(42)
    expect(update.data.persons[0].keypoints).toBeUndefined()
    expect(update.data.persons[0].keypoints_3d).toHaveLength(7)
  })

  it("are encoded once for all subscribers with the same filter, over one stream", async () => {
    const clients = await Promise.all(Array.from({ length: 5 }, () => established()))
    for (const client of clients) await subscribed(client)
    await subscribed(clients[0]!, { min_confidence: 0.8 })
    const made: Array<string> = []
    const shared = frame(1)
    gateway.world.publish({
      ...shared,
      memo: (key, make) =>
        shared.memo(key, (one) => {
          made.push(key)
          return make(one)
        }),
    })
    for (const client of clients) await client.next("pose_update")
    expect(watchers()).toBe(1)
    expect(made).toHaveLength(2)
  })

  it("have dense poses on request, rendered once for all", async () => {
    const shared = share(makeFrame({ frameId: 1, persons: [makeStanding(41, 0.9)] }))
    const rendered = new Set<DensePose>()
    const clients = await Promise.all(["", "", "&form=envelope", ""].map((query) => established(query)))
    for (const client of clients.slice(0, 3)) await subscribed(client, { include_dense_pose: true })
    await subscribed(clients[3]!)
    gateway.world.publish({
      ...shared,
      densePose: (person) => {
        const densePose = shared.densePose(person)
        rendered.add(densePose)
        return densePose
      },
    })
    const updates = await Promise.all(clients.map((client) => client.next("pose_update")))
    const [first, second, third, plain] = updates.map(({ data }) => data.persons[0])
    for (const update of updates.slice(0, 2)) Schema.decodeUnknownSync(PoseUpdate.bare)(update, strictly)
    Schema.decodeUnknownSync(PoseUpdate.envelope)(updates[2], strictly)
    expect(first.dense_pose.body_parts.length).toBeGreaterThan(10)
    expect(second.dense_pose).toEqual(first.dense_pose)
    expect(third.dense_pose.iuv_image).toMatch(/^iVBORw0KGgo/)
    expect(plain).not.toHaveProperty("dense_pose")
    expect(rendered.size).toBe(1)
  })

  it("end when they are cancelled, and the stream ends with the last one", async () => {
    const client = await established()
    const first = await subscribed(client)
    const second = await subscribed(client)
    client.send({ type: "unsubscribe", subscription_id: first })
    const message = await client.next("unsubscribed")
    Schema.decodeUnknownSync(ServerMessage.unsubscribed)(message, strictly)
    gateway.world.publish(frame(1))
    expect((await client.next("pose_update")).subscription_id).toBe(second)
    client.send({ type: "unsubscribe", subscription_id: second })
    await client.next("unsubscribed")
    await vi.waitFor(() => expect(watchers()).toBe(0))
    client.send({ type: "unsubscribe", subscription_id: second })
    expect((await client.next("error")).error.code).toBe("VALIDATION_ERROR")
  })

  it("end with the connection", async () => {
    const client = await established()
    await subscribed(client)
    client.socket.terminate()
    await vi.waitFor(() => expect(watchers()).toBe(0))
  })

  it("of a slow reader are dropped, oldest first, and counted; others are not delayed", async () => {
    const slow = connect(gateway.port, "127.0.0.1")
    slow.write(
      `GET /ws/pose?token=${token} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    )
    let text = ""
    slow.setEncoding("latin1")
    slow.on("data", (chunk) => text += chunk)
    await vi.waitFor(() => expect(text).toContain("connection_established"))
    slow.write(maskedText(JSON.stringify({ type: "subscribe", channel: "pose_updates" })))
    await vi.waitFor(() => expect(text).toContain("subscription_confirmed"))
    slow.pause()

    const quick = await established()
    await subscribed(quick)
    const persons = Array.from({ length: 200 }, (_, id) => makePerson(id, 0.9))
    const frames = 200
    for (let frameId = 1; frameId <= frames; frameId++) {
      gateway.world.publish(share(makeFrame({ frameId, persons })))
      await quick.next("pose_update", ({ data }) => data.frame_id === frameId)
    }
    slow.resume()
    await vi.waitFor(() => expect(text).toContain(`"frame_id":${frames},`), { timeout: 10_000 })
    const dropped = [...text.matchAll(/"dropped":(\d+)/g)].map((match) => Number(match[1]))
    const delivered = [...text.matchAll(/"frame_id":(\d+)/g)].map((match) => Number(match[1]))
    expect(delivered).toEqual([...delivered].sort((a, b) => a - b))
    expect(Math.max(...dropped)).toBeGreaterThan(0)
    expect(delivered.length + dropped.reduce((sum, count) => sum + count, 0)).toBe(frames)
    slow.destroy()
  }, 30_000)
})

/** A masked text frame of at most 125 bytes. */
const maskedText = (text: string): Uint8Array => {
  const payload = new TextEncoder().encode(text)
  return Uint8Array.from([0x81, 0x80 | payload.length, 0, 0, 0, 0, ...payload])
}

describe("system status", () => {
  it("is sent every second until it is cancelled", async () => {
    const client = await established()
    client.send({ type: "subscribe", channel: "system_status" })
    const { subscription_id } = await client.next("subscription_confirmed")
    const message = await client.next("system_status")
    Schema.decodeUnknownSync(ServerMessage.system_status)(message, strictly)
    expect(message).toMatchObject({
      subscription_id,
      status: { processing_fps: 10, active_persons: 2, system_health: "healthy", gpu_utilization: null },
    })
    expect(message["status"]).toMatchObject({ reasons: { gpu_utilization: expect.stringContaining("GPU") } })
    await client.next("system_status")
  })
})

describe("messages", () => {
  const errorFor = async (client: SocketClient, message: unknown) => {
    client.send(message)
    const error = await client.next("error")
    Schema.decodeUnknownSync(ServerMessage.error)(error, strictly)
    return error.error
  }

  it("that are invalid are answered with an error, and the connection stays open", async () => {
    const client = await established()
    const wrong: ReadonlyArray<readonly [unknown, string, string]> = [
      ["{", "VALIDATION_ERROR", "message"],
      ["[]", "VALIDATION_ERROR", "type"],
      ["null", "VALIDATION_ERROR", "type"],
      [{ type: "dance" }, "VALIDATION_ERROR", "type"],
      [{ type: "auth" }, "VALIDATION_ERROR", "token"],
      [{ type: "subscribe" }, "VALIDATION_ERROR", "channel"],
      [{ type: "subscribe", channel: "pose_updates", colour: "red" }, "VALIDATION_ERROR", "colour"],
      [
        { type: "subscribe", channel: "pose_updates", filters: { min_confidence: 2 } },
        "VALIDATION_ERROR",
        "min_confidence",
      ],
      [{ type: "unsubscribe", subscription_id: 5 }, "VALIDATION_ERROR", "subscription_id"],
    ]
    for (const [message, code, field] of wrong) {
      const error = await errorFor(client, message)
      expect([error.code, error.details.field_errors[0].field]).toEqual([code, field])
    }
    const unknown = { type: "subscribe", channel: "pose_updates", filters: { environment_id: "attic" } }
    expect((await errorFor(client, unknown)).code).toBe("RESOURCE_NOT_FOUND")
    client.send({ type: "ping" })
    Schema.decodeUnknownSync(ServerMessage.pong)(await client.next("pong"), strictly)
  })

  it("for an unknown channel are answered with the names of the channels", async () => {
    const client = await established()
    const error = await errorFor(client, { type: "subscribe", channel: "weather" })
    expect(error.message).toContain("pose_updates, alerts, system_status")
  })

  it("beyond 32 subscriptions are rejected", async () => {
    const client = await established()
    for (let count = 0; count < 32; count++) await subscribed(client)
    const error = await errorFor(client, { type: "subscribe", channel: "pose_updates" })
    expect(error.message).toContain("32")
  })

  it("over a mebibyte close the connection with 1009", async () => {
    const client = await established()
    client.send("x".repeat(1024 * 1024 + 1))
    expect((await client.closed).code).toBe(1009)
  })

  it("in binary close the connection with 1003", async () => {
    const client = await established()
    client.socket.send(new Uint8Array([1, 2, 3]))
    expect((await client.closed).code).toBe(1003)
  })
})

describe("stopping", () => {
  it("closes every client with 1001, including one that does not answer", async () => {
    const client = await established()
    const frozen = connect(gateway.port, "127.0.0.1")
    let text = ""
    frozen.on("data", (chunk) => text += chunk)
    frozen.write(
      `GET /ws/pose?token=${token} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    )
    await vi.waitFor(() => expect(text).toContain("connection_established"))
    await gateway.stop()
    expect((await client.closed).code).toBe(1001)
    frozen.destroy()
  })
})
