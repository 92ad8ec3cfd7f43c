/**
 * The home API as `gateways/http/http-server.ts` serves it.
 */
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { type ConnectionGuard, retryAfterS } from "../../access/connection-guard.ts"
import { emptyAnswer } from "../../http/answer.ts"
import type { CorsPolicy } from "../../http/cors.ts"
import type { HttpFace } from "../../http/http-server.ts"
import { bodyBytes } from "../../http/json-body.ts"
import { headerReader, splitTarget } from "../../http/request.ts"
import { plainAnswer } from "./answer.ts"
import { makeRespond } from "./respond.ts"
import type { HomeRoute } from "./route.ts"

const bodyBytesMax = 16 * 1024 * 1024

interface HomeFaceOptions<R> {
  readonly routes: ReadonlyArray<HomeRoute<R>>
  /** Origins of web pages that may call; null: the usual local ones. */
  readonly origins: ReadonlyArray<string> | null
  readonly guard: ConnectionGuard
  /** The path of the WebSocket. */
  readonly socketPath: string
  /** Completes the handshake of the WebSocket. */
  readonly accept: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Ports of development servers and of Home Assistant, on this machine. */
const localPorts = [3000, 5173, 8080, 8123]

/** The origins that are allowed by default: local ones, with the usual ports and the API's own port. */
const defaultOrigins = (port: number): ReadonlyArray<string> =>
  [...new Set([...localPorts, port])].flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`])

const corsRules: Omit<CorsPolicy, "origins"> = {
  methods: ["GET", "POST", "OPTIONS", "DELETE"],
  requestHeaders: ["Authorization", "Content-Type", "Accept"],
  exposedHeaders: [],
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a body in UTF-8, with its byte order mark, which JSON does not allow; null for other bytes. */
const textOf = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

const overloaded = plainAnswer(503, { "Retry-After": String(retryAfterS) })

export const makeHomeFace = <R>(
  { accept, guard, origins, routes, socketPath }: HomeFaceOptions<R>,
): HttpFace<R | HomeTokens> => {
  const respond = makeRespond(routes)
  return {
    answer: (request, response) =>
      respond({
        method: request.method!,
        target: request.url!,
        header: headerReader(request),
        authenticated: () => guard.authenticated(request.socket),
        body: Effect.map(bodyBytes(request, bodyBytesMax), textOf),
        response,
      }),
    upgrade: (request, socket, head) => {
      if (splitTarget(request.url!).path !== socketPath) return plainAnswer(404)
      accept(request, socket, head)
      return null
    },
    overloaded: () => overloaded,
    malformed: null,
    closing: emptyAnswer(503, { Connection: "close" }),
    cors: (port) => ({ ...corsRules, origins: new Set(origins ?? defaultOrigins(port)) }),
    preflightRejected: plainAnswer(403),
    encodings: ["gzip", "deflate"],
  }
}
