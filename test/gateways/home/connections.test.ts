/** The listener of the home API at its limits of open connections, over HTTP and WebSocket. */
import { Effect, Exit, Scope } from "effect"
import { afterEach, expect, it } from "vitest"
import { WebSocket } from "ws"
import { jsonAnswer } from "../../../gateways/home/server/answer.ts"
import { makeHomeFace } from "../../../gateways/home/server/http-face.ts"
import { route } from "../../../gateways/home/server/route.ts"
import { makeHomeSocketServer, socketPath } from "../../../gateways/home/socket/server.ts"
import { serveHttp } from "../../../gateways/http/http-server.ts"
import { type ConnectionBounds, makeConnectionGuard } from "../../../gateways/access/connection-guard.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { type RawClient, rawClients, rawRequest, upgradeHeaders } from "../../harness/raw-http.ts"

const token = "good"
const tokens = HomeTokens.of({
  check: (shown) => Effect.succeed(shown === token ? { tokenId: "t", name: "test", ownerId: "o" } as never : null),
  ended: () => Effect.never,
  all: Effect.succeed([]),
  register: () => Effect.die("not part of this double"),
  revoke: () => Effect.succeed(false),
})

let scope: Scope.Closeable
let port: number
const clients = rawClients()
afterEach(async () => {
  clients.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const start = async (bounds: ConnectionBounds): Promise<void> => {
  scope = Scope.makeUnsafe()
  const guard = makeConnectionGuard(bounds, () => false)
  const serve = Effect.gen(function* () {
    const sockets = yield* makeHomeSocketServer<never>(new Map(), guard)
    const face = makeHomeFace({
      routes: [route("GET", "/api/", () => Effect.succeed(jsonAnswer("{}")))],
      origins: [],
      guard,
      socketPath,
      accept: sockets.accept,
    })
    const options = {
      host: "127.0.0.1",
      port: 0,
      portVariable: "WAVEPOSE_HOME_PORT",
      tls: null,
      guard,
      traffic: null,
      face,
    }
    const server = yield* serveHttp(options)
    yield* Effect.addFinalizer(() => Effect.andThen(sockets.close, server.close))
    return server.port
  })
  port = await Effect.runPromise(serve.pipe(Effect.provideService(HomeTokens, tokens), Scope.provide(scope)))
}
const join = (): Promise<RawClient> => clients.join(port)
const ping = (shown = token) => rawRequest("GET", "/api/", { Authorization: `Bearer ${shown}` })

it("a connection above the limit is answered 503 and closed, as a request and as an upgrade", async () => {
  await start({ openMax: 1, unauthenticatedMax: 100 })
  const served = await join()
  expect((await served.ask(ping())).status).toBe(200)
  for (const text of [ping(), rawRequest("GET", socketPath, upgradeHeaders)]) {
    const extra = await join()
    const refused = await extra.ask(text)
    await extra.closed
    expect([refused.status, refused.body]).toEqual([503, "503: Service Unavailable"])
  }
  expect((await served.ask(ping())).status).toBe(200)
})

it("a valid token frees a place for an unauthenticated client, an invalid one does not", async () => {
  await start({ openMax: 100, unauthenticatedMax: 4 })
  const stranger = await join()
  expect((await stranger.ask(ping("bad"))).status).toBe(401)
  expect((await (await join()).ask(ping())).status).toBe(503)
  expect((await stranger.ask(ping())).status).toBe(200)
  expect((await (await join()).ask(ping("bad"))).status).toBe(401)
})

it("a WebSocket counts as unauthenticated until it has sent its token", async () => {
  await start({ openMax: 100, unauthenticatedMax: 4 })
  const socket = new WebSocket(`ws://127.0.0.1:${port}${socketPath}`)
  const next = () =>
    new Promise((resolve) => socket.once("message", (data) => resolve(JSON.parse(data.toString()).type)))
  expect(await next()).toBe("auth_required")
  expect((await (await join()).ask(ping())).status).toBe(503)
  const answered = next()
  socket.send(JSON.stringify({ type: "auth", access_token: token }))
  expect(await answered).toBe("auth_ok")
  expect((await (await join()).ask(ping())).status).toBe(200)
  socket.terminate()
})

it("a client whose first message is longer than a token is disconnected before it is read", async () => {
  await start({ openMax: 100, unauthenticatedMax: 100 })
  const socket = new WebSocket(`ws://127.0.0.1:${port}${socketPath}`)
  const received: Array<string> = []
  socket.on("message", (data) => received.push(JSON.parse(data.toString()).type))
  socket.on("error", () => {})
  socket.on("open", () => socket.send(JSON.stringify({ type: "auth", access_token: "x".repeat(1_000_000) })))
  const code = await new Promise((resolve) => socket.on("close", resolve))
  expect([code, received]).toEqual([1006, ["auth_required"]])
})
