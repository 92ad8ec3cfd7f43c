/** The bridge at its bounds of open connections. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Exit, Scope, Stream } from "effect"
import { afterEach, expect, it } from "vitest"
import { type BridgeOptions, serveBridge } from "../../../gateways/bridge/server.ts"
import { EdgeFeed } from "../../../protocols/ports/edge-feed.ts"
import { type RawClient, rawClients, rawRequest } from "../../harness/raw-http.ts"

let scope: Scope.Closeable
let port: number
const clients = rawClients()
afterEach(async () => {
  clients.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const start = async (options: Pick<BridgeOptions, "bounds" | "origins" | "token">): Promise<void> => {
  scope = Scope.makeUnsafe()
  const served = await Effect.runPromise(
    serveBridge({ host: "127.0.0.1", port: 0, tls: null, version: "test", ...options }).pipe(
      Effect.provideService(EdgeFeed, EdgeFeed.of({ watch: () => Stream.never, current: () => Effect.succeed([]) })),
      Effect.provide(NodeCrypto.layerSecureRandom),
      Scope.provide(scope),
    ),
  )
  port = Number(new URL(served.url).port)
}
const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, kept?: RawClient) => {
  const client = kept ?? await clients.join(port)
  return { client, ...(await client.ask(rawRequest("GET", path, headers))) }
}

it("a connection above the limit is answered 503 with a hint, and closed", async () => {
  await start({ bounds: { openMax: 1, unauthenticatedMax: 100 }, token: null })
  expect((await ask("/health")).status).toBe(200)
  const refused = await ask("/health")
  await refused.client.closed
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"])
  expect(JSON.parse(refused.body)).toMatchObject({ error: expect.any(String), hint: expect.stringContaining("1 conn") })
})

it("with a token, clients that have not sent it are limited; without one, all clients count as authenticated", async () => {
  await start({ bounds: { openMax: 100, unauthenticatedMax: 4 }, token: "good" })
  const first = await ask("/health")
  expect([first.status, (await ask("/health")).status]).toEqual([200, 503])
  expect((await ask("/api/v1/edge/registry", { Authorization: "Bearer bad" }, first.client)).status).toBe(401)
  expect((await ask("/health")).status).toBe(503)
  expect((await ask("/api/v1/edge/registry", { Authorization: "Bearer good" }, first.client)).status).toBe(200)
  expect((await ask("/health")).status).toBe(200)
  clients.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await start({ bounds: { openMax: 100, unauthenticatedMax: 4 }, token: null })
  expect([(await ask("/health")).status, (await ask("/health")).status]).toEqual([200, 200])
})

it("answers pages of the origins on its list", async () => {
  const origin = "https://console.example"
  await start({ origins: [origin], token: "good" })
  const client = await clients.join(port)
  const preflight = {
    Origin: origin,
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "authorization",
  }
  const asked = await client.ask(rawRequest("OPTIONS", "/api/v1/edge/registry", preflight))
  expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([200, origin])
  const answered = await ask("/api/v1/edge/registry", { Authorization: "Bearer good", Origin: origin }, client)
  expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([200, origin])
  const other = await ask("/health", { Origin: "https://example.org" }, client)
  expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([200, undefined])
})
