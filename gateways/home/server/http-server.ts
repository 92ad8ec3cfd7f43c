/**
 * The listener of the home API on `node:http`: requests in, answers out, compressed where the client asks for that; upgrades and streams
 * are handed over.
 */
import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { promisify } from "node:util"
import { deflate, gzip } from "node:zlib"
import { type ConnectionGuard, retryAfterS } from "../../access/connection-guard.ts"
import { closeServer, listen, serverTimeouts } from "../../http/http-listener.ts"
import { bodyBytes } from "../../http/json-body.ts"
import { makeRequestFibers } from "../../http/request-fibers.ts"
import { type Answer, emptyAnswer, plainAnswer } from "./answer.ts"
import type { HomeRequest } from "./respond.ts"

const bodyBytesMax = 16 * 1024 * 1024
/** Shorter answers are smaller as they are. */
const compressedBytesMin = 1_024

const encoders = { gzip: promisify(gzip), deflate: promisify(deflate) }

interface HomeHttpOptions<R> {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** What answers, once the port is known. */
  readonly respond: (port: number) => (request: HomeRequest) => Effect.Effect<Answer, never, R>
  readonly guard: ConnectionGuard
  readonly socketPath: string
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly streamPath: string
  /** Takes a request for the stream over, or answers why not. */
  readonly stream: (request: IncomingMessage, response: ServerResponse) => Effect.Effect<Answer | null, never, R>
}

const headerOf = (request: IncomingMessage) => (name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** The text of a body in UTF-8; null for bytes that are none. */
const textOf = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** The compression that a client asks for, of those that are offered. */
const encodingOf = (accepted: string | undefined): keyof typeof encoders | null => {
  const names = (accepted ?? "").toLowerCase().split(",").map((part) => part.split(";")[0]!.trim())
  return names.includes("gzip") ? "gzip" : names.includes("deflate") ? "deflate" : null
}

/** Writes an answer; `accepted` is the header `Accept-Encoding`. Null: it is done. */
const write = (response: ServerResponse, answer: Answer, accepted: string | undefined): Promise<void> | null => {
  const { headers, mediaType, status, text } = answer
  const type = text === "" ? {} : { "Content-Type": mediaType }
  const bytes = Buffer.byteLength(text)
  const encoding = bytes < compressedBytesMin ? null : encodingOf(accepted)
  if (encoding !== null) {
    return encoders[encoding](text).then((body) => {
      const compressed = { "Content-Encoding": encoding, "Content-Length": body.length }
      response.writeHead(status, { ...type, ...compressed, ...headers }).end(body)
    })
  }
  // A text goes out with its head in one piece.
  response.writeHead(status, { ...type, "Content-Length": bytes, ...headers }).end(text)
  return null
}

/** A connection is one too many. */
const overloaded = plainAnswer(503, { Connection: "close", "Retry-After": String(retryAfterS) })

/** Refuses an upgrade as if it had been a request. */
const refuseUpgrade = (socket: Duplex, { text }: Answer): void => {
  socket.on("error", () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${text.replace(": ", " ")}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

/** Listens until `close` is run, which ends the requests as well. While it closes, everybody is told 503. */
export const serveHome = Effect.fnUntraced(function* <R>(options: HomeHttpOptions<R>) {
  const underWay = makeRequestFibers()
  const run = Effect.runForkWith(yield* Effect.context<R>())
  const { guard } = options
  let closing = false

  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    answering: Effect.Effect<Answer | null, never, R>,
  ) => {
    const fiber = run(
      Effect.flatMap(answering, (answer) => {
        const writing = answer === null ? null : write(response, answer, headerOf(request)("accept-encoding"))
        return writing === null ? Effect.void : Effect.promise(() => writing)
      }),
    )
    if (fiber.pollUnsafe() !== undefined) return
    underWay.add(fiber)
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }

  const server = createServer(serverTimeouts)
  server.on("connection", guard.joined)
  const { port } = yield* listen(server, { ...options, variable: "WAVEPOSE_HOME_PORT" })
  const respond = options.respond(port)

  server.on("request", (request, response) => {
    const path = request.url!.split("?")[0]
    if (closing) return answer(request, response, Effect.succeed(emptyAnswer(503, { Connection: "close" })))
    if (guard.refusal(request.socket) !== null) return answer(request, response, Effect.succeed(overloaded))
    if (path === options.streamPath || path === options.socketPath) {
      if (request.method !== "GET") return answer(request, response, Effect.succeed(plainAnswer(405, { Allow: "GET" })))
      return answer(
        request,
        response,
        path === options.streamPath ? options.stream(request, response) : Effect.succeed(plainAnswer(400)),
      )
    }
    answer(
      request,
      response,
      respond({
        method: request.method!,
        target: request.url!,
        header: headerOf(request),
        authenticated: () => guard.authenticated(request.socket),
        body: Effect.map(bodyBytes(request, bodyBytesMax), textOf),
      }),
    )
  })
  server.on("upgrade", (request, socket, head) => {
    if (closing || guard.refusal(socket) !== null) return refuseUpgrade(socket, plainAnswer(503))
    if (request.url!.split("?")[0] === options.socketPath) return options.upgrade(request, socket, head)
    refuseUpgrade(socket, plainAnswer(404))
  })
  return {
    port,
    close: Effect.suspend(() => {
      closing = true
      return Effect.andThen(underWay.endAll, closeServer(server))
    }),
  }
})
