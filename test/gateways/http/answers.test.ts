/** What the HTTP server does for every edge: security headers, compression, CORS, and its end. */
import { Effect, Exit, Scope } from "effect"
import { request } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import type { Answer } from "../../../gateways/http/answer.ts"
import { originsOf } from "../../../gateways/http/cors.ts"
import { encodingOf } from "../../../gateways/http/compression.ts"
import { type HttpFace, serveHttp } from "../../../gateways/http/http-server.ts"
import { rawClients, rawRequest } from "../../harness/raw-http.ts"

const long = JSON.stringify({ text: "ä".repeat(600) })
const answers: Readonly<Record<string, Partial<Answer>>> = {
  "/short": { body: "{}" },
  "/long": { body: long },
  "/picture": { body: new Uint8Array(4_096), mediaType: "image/png" },
  "/compressed": { body: new Uint8Array(4_096), headers: { "Content-Encoding": "br" } },
  "/nothing": { status: 204, body: null },
  "/empty": { status: 404, body: null },
}

const origin = "https://console.example"
const clients = rawClients()
let scope: Scope.Closeable
let port: number

const standard: Answer = { status: 200, body: "", mediaType: "application/json", headers: {}, route: null }

const face: HttpFace<never> = {
  answer: ({ url }) => Effect.succeed({ ...standard, ...answers[url!] }),
  upgrade: () => ({ ...standard, status: 404, body: "{}" }),
  overloaded: () => standard,
  malformed: () => ({ ...standard, status: 400, body: "{}" }),
  closing: null,
  cors: () => ({
    origins: new Set([origin]),
    methods: ["GET", "PUT"],
    requestHeaders: ["Authorization"],
    exposedHeaders: ["ETag"],
  }),
  preflightRejected: { ...standard, status: 403, body: "{}" },
  encodings: ["br", "gzip"],
}

const start = async (face: HttpFace<never>): Promise<void> => {
  const guard = { connectionsMax: 100, joined: () => {}, refusal: () => null }
  const served = await Effect.runPromise(
    serveHttp({ host: "127.0.0.1", port: 0, portVariable: "PORT", tls: null, guard, traffic: null, face }),
  )
  port = served.port
  await Effect.runPromise(Scope.addFinalizer(scope, served.close))
}

beforeEach(async () => {
  scope = Scope.makeUnsafe()
  await start(face)
})
afterEach(async () => {
  clients.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** Asks without decoding. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>((resolve, reject) => {
    request({ port, host: "127.0.0.1", path, headers, method }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk) => chunks.push(chunk))
      response.on("end", () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string | undefined>,
          body: Buffer.concat(chunks),
        }))
    }).once("error", reject).end()
  })

const security = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
}

describe("security headers", () => {
  it("are on every answer, with a body, without one, compressed", async () => {
    for (const path of Object.keys(answers)) {
      expect((await ask(path, { "accept-encoding": "br" })).headers, path).toMatchObject(security)
    }
  })

  it("are on answers to upgrades and to bytes that are not HTTP", async () => {
    for (
      const text of [rawRequest("GET", "/ws", { Connection: "Upgrade", Upgrade: "websocket" }), "nonsense\r\n\r\n"]
    ) {
      const client = await clients.join(port)
      const answer = await client.ask(text)
      expect([answer.status, answer.headers.get("connection")]).toEqual([text.startsWith("GET") ? 404 : 400, "close"])
      expect(Object.fromEntries(answer.headers)).toMatchObject(security)
      await client.closed
    }
  })
})

describe("lengths", () => {
  it("are stated in bytes, and left out where a status has no body", async () => {
    const length = async (path: string) => (await ask(path)).headers["content-length"]
    expect([await length("/long"), await length("/short"), await length("/empty"), await length("/nothing")]).toEqual([
      String(Buffer.byteLength(long)),
      "2",
      "0",
      undefined,
    ])
  })
})

describe("compression", () => {
  it("uses the server's favourite among what the client accepts", async () => {
    const brotli = await ask("/long", { "accept-encoding": "gzip, deflate, br" })
    expect([brotli.headers["content-encoding"], brotli.headers["vary"]]).toEqual(["br", "Origin, Accept-Encoding"])
    expect(String(brotliDecompressSync(brotli.body))).toBe(long)
    expect(Number(brotli.headers["content-length"])).toBe(brotli.body.byteLength)
    const gzip = await ask("/long", { "accept-encoding": "gzip;q=0.5, br;q=0" })
    expect(gzip.headers["content-encoding"]).toBe("gzip")
    expect(String(gunzipSync(gzip.body))).toBe(long)
  })

  it("leaves short bodies, incompressible types and compressed bodies as they are", async () => {
    for (const path of ["/short", "/picture", "/compressed"]) {
      const { body, headers } = await ask(path, { "accept-encoding": "br, gzip" })
      expect([path, headers["content-encoding"], headers["vary"]]).toEqual([
        path,
        path === "/compressed" ? "br" : undefined,
        "Origin",
      ])
      expect(body.byteLength).toBe(path === "/short" ? 2 : 4_096)
    }
  })

  it("has a Vary header also if it is not compressed", async () => {
    const { body, headers } = await ask("/long")
    expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, "Origin, Accept-Encoding"])
    expect(String(body)).toBe(long)
  })

  it("reads Accept-Encoding in any case and with qualities", () => {
    const offered = ["br", "gzip"] as const
    expect(encodingOf("GZIP", offered)).toBe("gzip")
    expect(encodingOf("gzip; q=1.0, br; q=0.000", offered)).toBe("gzip")
    expect(["", "identity", "deflate", "br;q=0", undefined].map((text) => encodingOf(text, offered))).toEqual(
      [null, null, null, null, null],
    )
  })
})

describe("pages of other origins", () => {
  it("that are allowed may read answers and ask before", async () => {
    const { headers } = await ask("/short", { origin })
    expect(headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "ETag",
      vary: "Origin",
    })
    expect((await ask("/long", { origin, "accept-encoding": "br" })).headers["vary"]).toBe("Origin, Accept-Encoding")
    const asked = { origin, "access-control-request-method": "PUT", "access-control-request-headers": "authorization" }
    const preflight = await ask("/anything", asked, "OPTIONS")
    expect([preflight.status, preflight.body.byteLength]).toEqual([200, 0])
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, PUT",
      "access-control-allow-headers": "Authorization",
      "access-control-max-age": "600",
    })
  })

  it("that are not, or ask for more, get no permission", async () => {
    const other = "https://example.org"
    const { headers } = await ask("/short", { origin: other })
    expect(headers).not.toHaveProperty("access-control-allow-origin")
    expect(headers["vary"]).toBe("Origin")
    for (
      const asked of [
        { origin: other, "access-control-request-method": "GET" },
        { origin, "access-control-request-method": "DELETE" },
        { origin, "access-control-request-method": "GET", "access-control-request-headers": "x-other" },
      ]
    ) {
      expect((await ask("/short", asked, "OPTIONS")).status, JSON.stringify(asked)).toBe(403)
    }
  })

  it("are read from a list with commas", () => {
    expect(originsOf(" https://a.example/, http://b:8080 ,,")).toEqual(["https://a.example", "http://b:8080"])
    expect(originsOf("")).toEqual([])
  })
})

describe("a server with an answer for the time of its end", () => {
  it("gives it to new requests, and interrupts those under way", async () => {
    const asked = Promise.withResolvers<void>()
    const interrupted = Promise.withResolvers<void>()
    const { promise: later, resolve: goOn } = Promise.withResolvers<void>()
    await start({
      ...face,
      closing: { ...standard, status: 503, headers: { Connection: "close" } },
      answer: ({ url }) =>
        url === "/endless"
          ? Effect.onInterrupt(
            Effect.andThen(Effect.sync(() => asked.resolve()), Effect.never),
            () => Effect.promise(() => later).pipe(Effect.andThen(Effect.sync(() => interrupted.resolve()))),
          )
          : Effect.succeed(standard),
    })
    const kept = await clients.join(port)
    expect((await kept.ask(rawRequest("GET", "/short"))).status).toBe(200)
    const endless = await clients.join(port)
    const cut = expect(endless.ask(rawRequest("GET", "/endless"))).rejects.toThrow()
    await asked.promise
    // The interruption waits until the answer has come, so that the server is still closing.
    const stopping = Effect.runPromise(Scope.close(scope, Exit.void))
    expect((await kept.ask(rawRequest("GET", "/short"))).status).toBe(503)
    goOn()
    await interrupted.promise
    await stopping
    await cut
  })
})
