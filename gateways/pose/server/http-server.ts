/**
 * The listener of the pose API on `node:http`: turns requests into `Incoming`, writes answers, hands upgrades over, and
 * closes in bounded time. A thin shell on purpose: on the hot path it costs less than Effect's own server.
 */
import { Effect, Fiber, Result } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { SwitchedOff } from "../../../protocols/domain/failure.ts"
import { jsonType } from "../../../protocols/pose-api/endpoint.ts"
import {
  errorBody,
  type Failure,
  MalformedRequest,
  type Overloaded,
  ResourceNotFound,
  statusOf,
} from "../../../protocols/pose-api/errors.ts"
import { errorText, type Form } from "../../../protocols/pose-api/forms.ts"
import { clientAddress, type TrustedProxies } from "../../access/client-address.ts"
import { type ConnectionGuard, retryAfterS } from "../../access/connection-guard.ts"
import { closeServer, listen, serverTimeouts } from "../../http/http-listener.ts"
import { jsonBody } from "../../http/json-body.ts"
import { responseForm } from "./response-form.ts"
import type { Answer, Incoming } from "./respond.ts"
import type { HttpCounters } from "../telemetry/http-counters.ts"

interface HttpServerOptions<R> {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly defaultForm: Form
  readonly respond: (incoming: Incoming) => Effect.Effect<Answer, never, R>
  /** The path of the WebSocket and who takes it. */
  readonly upgradePath: string
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Why no WebSocket is taken at present; null: they are. */
  readonly upgradeRefusal: () => SwitchedOff | null
  /** Counts connections, and says which are served. */
  readonly guard: ConnectionGuard
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: TrustedProxies
  /** Counts what never becomes a request; answers the headers that say so. */
  readonly limitHeaders: (clientAddress: string) => Readonly<Record<string, string>>
  readonly uuid: () => string
  readonly nowMs: () => number
  readonly traffic: HttpCounters
}

const headerOf = (request: IncomingMessage) => (name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/** The form that a request asks for, of one that is refused before it is read. */
const askedForm = (request: IncomingMessage, defaultForm: Form): Form => {
  const query = new URLSearchParams(request.url!.split("?", 2)[1] ?? "")
  return Result.getOrElse(
    responseForm(query.get("form"), headerOf(request)("x-response-form"), defaultForm),
    () => defaultForm,
  )
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const write = (
  response: ServerResponse,
  requestId: string,
  { status, form, text, mediaType, headers }: Answer,
): void => {
  const common = {
    "X-Response-Form": form,
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    ...headers,
  }
  if (text === null) {
    response.writeHead(status, common).end()
    return
  }
  const bytes = Buffer.byteLength(text)
  response.writeHead(status, {
    "Content-Type": mediaType,
    "Content-Length": bytes,
    ...common,
    // A byte a character is ASCII, and that is written faster as Latin-1.
  }).end(text, bytes === text.length ? "latin1" : "utf8")
}

const retryHeaders = ({ _tag }: Failure): Readonly<Record<string, string>> =>
  _tag === "Overloaded" ? { "Retry-After": String(retryAfterS) } : {}

/** A whole answer on a socket that never became a request. */
const writeRaw = (
  socket: Duplex,
  status: string,
  { form, headers, requestId, text }: {
    readonly form: Form
    readonly requestId: string
    readonly headers: Readonly<Record<string, string>>
    readonly text: string
  },
): void => {
  socket.on("error", () => socket.destroy())
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end([
    `HTTP/1.1 ${status}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Response-Form: ${form}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    text,
  ].join("\r\n"))
}

/** Listens until `close` is run, which takes a little over a second at most; requests run in the scope in context. */
export const serveHttp = Effect.fnUntraced(function* <R>(options: HttpServerOptions<R>) {
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<R>())
  const { defaultForm: form, guard, uuid, nowMs, traffic } = options

  const addressOf = (request: IncomingMessage): string =>
    clientAddress(request.socket.remoteAddress, headerOf(request)("x-forwarded-for"), options.trustedProxies)

  const requestIdOf = (request: IncomingMessage): string => {
    const given = headerOf(request)("x-request-id")
    return given !== undefined && requestIdPattern.test(given) ? given : uuid()
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const overload = guard.refusal(request.socket)
    if (overload !== null) return refuse(request, response, overload)
    const requestId = requestIdOf(request)
    const began = traffic.begin()
    const incoming: Incoming = {
      method: request.method!,
      target: request.url!,
      header: headerOf(request),
      requestId,
      clientAddress: () => addressOf(request),
      authenticated: () => guard.authenticated(request.socket),
      jsonBody: (limitBytes) => jsonBody(request, limitBytes),
    }
    const answered = Effect.map(options.respond(incoming), (answer) => {
      write(response, requestId, answer)
      traffic.answered(began, incoming.method, answer.route, answer.status)
    })
    const fiber = run(answered)
    if (fiber.pollUnsafe() !== undefined) return
    Fiber.runIn(fiber, scope)
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }

  const failureText = (failure: Failure, asked: Form, requestId: string): string =>
    errorText(asked, errorBody(failure, asked), { nowMs: nowMs(), requestId })

  /** What is told on a socket that never became a request. */
  const refuseRaw = (request: IncomingMessage, socket: Duplex, status: string, failure: Failure): void => {
    const requestId = requestIdOf(request)
    const asked = askedForm(request, form)
    writeRaw(socket, status, {
      form: asked,
      requestId,
      headers: { ...options.limitHeaders(addressOf(request)), ...retryHeaders(failure) },
      text: failureText(failure, asked, requestId),
    })
  }

  /** Answers a request of a connection that is one too many, and closes it. */
  const refuse = (request: IncomingMessage, response: ServerResponse, failure: Overloaded): void => {
    const began = traffic.begin()
    const requestId = requestIdOf(request)
    const asked = askedForm(request, form)
    const status = statusOf(failure._tag)
    request.resume()
    write(response, requestId, {
      status,
      form: asked,
      text: failureText(failure, asked, requestId),
      mediaType: jsonType,
      route: null,
      headers: { ...options.limitHeaders(addressOf(request)), ...retryHeaders(failure), Connection: "close" },
    })
    traffic.answered(began, request.method!, null, status)
  }

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const overload = guard.refusal(socket)
    if (overload !== null) return refuseRaw(request, socket, "503 Service Unavailable", overload)
    if (request.url!.split("?")[0] !== options.upgradePath) {
      const message = `The WebSocket is served at ${options.upgradePath}.`
      return refuseRaw(request, socket, "404 Not Found", new ResourceNotFound({ resource: "path", message }))
    }
    const refusal = options.upgradeRefusal()
    if (refusal !== null) return refuseRaw(request, socket, "503 Service Unavailable", refusal)
    options.upgrade(request, socket, head)
  }

  const onClientError = (_error: Error, socket: Duplex): void => {
    const requestId = uuid()
    const failure = new MalformedRequest({
      part: "request",
      message: "The request is not HTTP/1.1, or its head is too large.",
    })
    writeRaw(socket, "400 Bad Request", {
      form,
      requestId,
      headers: options.limitHeaders(clientAddress((socket as Socket).remoteAddress, undefined, options.trustedProxies)),
      text: failureText(failure, form, requestId),
    })
  }

  const server = createServer(serverTimeouts, onRequest)
  server.on("connection", guard.joined)
  server.on("connection", traffic.connected)
  server.on("upgrade", onUpgrade)
  server.on("clientError", onClientError)
  const { port } = yield* listen(server, { host: options.host, port: options.port, variable: "WAVEPOSE_PORT" })
  return { port, close: closeServer(server) }
})
