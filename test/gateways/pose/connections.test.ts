/** The pose API at its limits of open connections: answers to further ones over HTTP and WebSocket. */
import { afterEach, describe, expect, it } from "vitest"
import type { PoseGatewayOptions } from "../../../gateways/pose/gateway.ts"
import { type RawClient, rawClients, rawRequest, upgradeHeaders } from "../../harness/raw-http.ts"
import { type Gateway, startGateway } from "./harness.ts"
import { connectSocket } from "./socket-client.ts"

let gateway: Gateway
const clients = rawClients()
afterEach(async () => {
  clients.end()
  await gateway.stop()
})

const start = async (bounds: NonNullable<PoseGatewayOptions["bounds"]>): Promise<void> => {
  gateway = await startGateway({ bounds })
}
const join = (): Promise<RawClient> => clients.join(gateway.port)
const latest = async (headers: Readonly<Record<string, string>> = {}, query = ""): Promise<string> =>
  rawRequest("GET", `/api/v1/pose/latest${query}`, {
    Authorization: `Bearer ${await gateway.token("viewer")}`,
    ...headers,
  })

describe("a node at its limit of connections", () => {
  it.each(
    [
      ["bare", { "X-Response-Form": "bare" }, ""],
      ["envelope", {}, "?form=envelope"],
    ] as const,
  )("answers a further connection with 503 and closes it, %s", async (form, headers, query) => {
    await start({ openMax: 1, unauthenticatedMax: 100 })
    const served = await join()
    expect((await served.ask(await latest())).status).toBe(200)
    const extra = await join()
    const refused = await extra.ask(await latest({ ...headers, "X-Request-Id": "mine" }, query))
    await extra.closed
    const json = JSON.parse(refused.body)
    expect(refused.status).toBe(503)
    expect(json.error).toMatchObject({ code: "SERVICE_UNAVAILABLE", details: { limit: 1 } })
    expect([json.success, form === "bare" ? json.error.request_id : json.request_id]).toEqual([
      form === "bare" ? undefined : false,
      "mine",
    ])
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      connection: "close",
      "retry-after": "5",
      "x-response-form": form,
      "x-ratelimit-limit": expect.stringMatching(/^\d+$/),
    })
    expect((await served.ask(await latest())).status).toBe(200)
  })

  it("rejects a WebSocket before its handshake, and accepts one after another closes", async () => {
    await start({ openMax: 1, unauthenticatedMax: 100 })
    const token = await gateway.token("viewer")
    const first = await connectSocket(gateway.url, { query: `?token=${token}` })
    await first.next("connection_established")
    const extra = await join()
    const refused = await extra.ask(rawRequest("GET", `/ws/pose?token=${token}`, upgradeHeaders))
    await extra.closed
    expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, "SERVICE_UNAVAILABLE"])
    expect(refused.headers.get("retry-after")).toBe("5")
    first.socket.close()
    await first.closed
    // The node may notice later than the client that the connection is gone.
    const request = await latest()
    while ((await (await join()).ask(request)).status === 503);
  })
})

describe("connections without credentials", () => {
  const health = rawRequest("GET", "/api/v1/health")

  it("above the limit are rejected; a valid token frees a place, a wrong one and a public route do not", async () => {
    await start({ openMax: 100, unauthenticatedMax: 4 })
    const stranger = await join()
    expect((await stranger.ask(health)).status).toBe(200)
    expect((await stranger.ask(await latest({ Authorization: "Bearer a.b.c" }))).status).toBe(401)
    expect((await (await join()).ask(health)).status).toBe(503)
    expect((await stranger.ask(await latest())).status).toBe(200)
    expect((await (await join()).ask(health)).status).toBe(200)
  })

  it("include a WebSocket until it sends its token", async () => {
    await start({ openMax: 100, unauthenticatedMax: 4 })
    const client = await connectSocket(gateway.url)
    expect((await (await join()).ask(health)).status).toBe(503)
    client.send({ type: "auth", token: await gateway.token("viewer") })
    await client.next("connection_established")
    expect((await (await join()).ask(health)).status).toBe(200)
    client.socket.close()
    await client.closed
  })

  it("are cut when their first message is longer than a token", async () => {
    await start({ openMax: 100, unauthenticatedMax: 100 })
    const client = await connectSocket(gateway.url)
    client.send({ type: "auth", token: "x".repeat(1_000_000) })
    expect([(await client.closed).code, client.received]).toEqual([1006, []])
  })
})

it("a client that sends more messages at once than may wait is read later, and keeps its connection", async () => {
  await start({ openMax: 100, unauthenticatedMax: 100 })
  const client = await connectSocket(gateway.url, { query: `?token=${await gateway.token("viewer")}` })
  await client.next("connection_established")
  for (let id = 1; id <= 2_000; id++) client.send({ type: "ping", id })
  await client.next("pong", ({ id }) => id === 2_000)
  expect(client.received.flatMap(({ id, type }) => type === "pong" ? [id] : [])).toEqual(
    Array.from({ length: 2_000 }, (_, i) => 1 + i),
  )
  client.socket.close()
  await client.closed
})
