/** The connection limits of a real listener: rejected and closed connections, and freed places. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Result } from "effect"
import { afterEach, expect, it } from "vitest"
import { trustedProxies } from "../../../gateways/access/client-address.ts"
import { type ConnectionBounds, makeConnectionGuard } from "../../../gateways/access/connection-guard.ts"
import { type RawClient, rawClients, rawRequest } from "../../harness/raw-http.ts"

let server: Server
let port: number
const clients = rawClients()
/** Open connections of the server, including rejected ones. */
let atServer: Set<Socket>

const listen = async (bounds: ConnectionBounds, proxies: ReadonlyArray<string> = []): Promise<void> => {
  const guard = makeConnectionGuard(bounds, Result.getOrThrow(trustedProxies(proxies)))
  const sockets = atServer = new Set()
  server = createServer((request, response) => {
    const refusal = guard.refusal(request.socket)
    if (request.url === "/known") guard.authenticated(request.socket)
    const body = refusal === null ? "served" : String(refusal.limit)
    response.writeHead(refusal === null ? 200 : 503, { "Content-Length": body.length }).end(body)
  })
  server.on("connection", guard.joined)
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => {
      sockets.delete(socket)
      server.emit("left")
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  port = (server.address() as AddressInfo).port
}

afterEach(async () => {
  clients.end()
  server.close()
  await once(server, "close")
})

const join = (from?: string): Promise<RawClient> => clients.join(port, from)
const ask = async (client: RawClient, path = "/"): Promise<string> => {
  const { body, status } = await client.ask(rawRequest("GET", path))
  return `${status} ${body}`
}
/** Ends a client's connection, and waits until the server has noticed. */
const leave = async (client: RawClient): Promise<void> => {
  const left = once(server, "left")
  client.end()
  await left
}

it("keeps connections up to the limit, rejects further ones until one closes, and serves the open ones", async () => {
  await listen({ openMax: 2, unauthenticatedMax: 100 })
  const [first, second] = [await join(), await join()]
  expect([await ask(first), await ask(second)]).toEqual(["200 served", "200 served"])
  const third = await join()
  expect(await ask(third)).toBe("503 2")
  expect(await ask(first)).toBe("200 served")
  // A rejected connection stays rejected when a place becomes free.
  await leave(second)
  expect(await ask(third)).toBe("503 2")
  expect(await ask(await join())).toBe("200 served")
  expect(await ask(await join())).toBe("503 2")
})

it("reserves places for authenticated clients: others are rejected, and an authentication frees a place", async () => {
  await listen({ openMax: 100, unauthenticatedMax: 8 })
  const strangers = await Promise.all(
    ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"].flatMap((from) => [join(from), join(from)]),
  )
  expect(await Promise.all(strangers.map((client) => ask(client)))).toEqual(Array(8).fill("200 served"))
  expect(await ask(await join("127.0.0.5"))).toBe("503 8")
  expect(await ask(strangers[0]!, "/known")).toBe("200 served")
  expect(await ask(await join("127.0.0.5"))).toBe("200 served")
  // Being known twice makes no second place.
  expect(await ask(strangers[0]!, "/known")).toBe("200 served")
  expect(await ask(await join("127.0.0.6"))).toBe("503 8")
  // Nor does the end of one who was known.
  await leave(strangers[0]!)
  expect(await ask(await join("127.0.0.6"))).toBe("503 8")
})

it("gives one network a quarter of the unknown, and a trusted proxy as many as there are", async () => {
  await listen({ openMax: 100, unauthenticatedMax: 8 }, ["127.0.0.9"])
  const [first, second] = [await join(), await join()]
  expect([await ask(first), await ask(second)]).toEqual(["200 served", "200 served"])
  expect(await ask(await join())).toBe("503 2")
  const proxied = await Promise.all(Array.from({ length: 6 }, () => join("127.0.0.9")))
  expect(await Promise.all(proxied.map((client) => ask(client)))).toEqual(Array(6).fill("200 served"))
  expect(await ask(await join("127.0.0.9"))).toBe("503 8")
})

it("closes a connection at once when 64 rejected ones wait for their answer", async () => {
  await listen({ openMax: 1, unauthenticatedMax: 100 })
  await join()
  const refused = await Promise.all(Array.from({ length: 64 }, () => join()))
  const cut = await join()
  await cut.closed
  expect(atServer.size).toBe(65)
  expect(await ask(refused[63]!)).toBe("503 1")
})
