/**
 * The HTTP face of the pose API: what `gateways/http/http-server.ts` needs to serve it. Turns requests into `Incoming`, and writes the errors of
 * requests that never reach a route in the form that they ask for.
 */
import { Effect, Result } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { SwitchedOff } from "../../../protocols/domain/failure.ts"
import { jsonType } from "../../../protocols/pose-api/endpoint.ts"
import { MalformedRequest, MethodNotAllowed, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { errorBody, type Failure, statusOf } from "../../../protocols/pose-api/errors.ts"
import { errorText, type Form } from "../../../protocols/pose-api/forms.ts"
import { socketPath } from "../../../protocols/pose-api/socket-messages.ts"
import type { HeaderReader } from "../../access/authorise.ts"
import { clientAddress, type TrustedProxies } from "../../access/client-address.ts"
import type { ConnectionGuard } from "../../access/connection-guard.ts"
import { requestIdOf } from "../../access/request-id.ts"
import type { Answer, Headers } from "../../http/answer.ts"
import type { HttpFace } from "../../http/http-server.ts"
import { jsonBody } from "../../http/json-body.ts"
import { headerReader, splitTarget } from "../../http/request.ts"
import { failureHeaders } from "./failure-headers.ts"
import { answerHeaders, type Incoming } from "./respond.ts"
import { responseForm } from "./response-form.ts"

interface PoseFaceOptions<R> {
  readonly defaultForm: Form
  /** Whether the listener itself has TLS. */
  readonly isTls: boolean
  /** Origins of web pages that may call. */
  readonly origins: ReadonlyArray<string>
  readonly respond: (incoming: Incoming) => Effect.Effect<Answer, never, R>
  /** Answers requests for the web console; null: the path is not the console's. */
  readonly console: (request: { method: string; path: string; header: Incoming["header"] }) => Answer | null
  /** Completes the handshake of the WebSocket and returns null, or returns why the handshake is invalid. */
  readonly accept: (request: IncomingMessage, socket: Duplex, head: Buffer, form: Form) => string | null
  /** Why WebSockets are rejected at present; null: they are accepted. */
  readonly webSocketOff: () => SwitchedOff | null
  readonly guard: ConnectionGuard
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: TrustedProxies
  /** Counts a request that never reaches a route; returns the headers that state its limit. */
  readonly limitHeaders: (clientAddress: string) => Headers
  readonly uuid: () => string
  readonly nowMs: () => number
}

/** What a page of an allowed origin may send and read. */
const corsRules = {
  methods: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"],
  requestHeaders: [
    "Authorization",
    "Content-Type",
    "Accept",
    "If-Match",
    "If-None-Match",
    "X-API-Key",
    "X-Request-Id",
    "X-Response-Form",
  ],
  exposedHeaders: [
    "ETag",
    "Retry-After",
    "X-Request-Id",
    "X-Response-Form",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-RateLimit-Window",
  ],
}

/** The form that a request asks for, before it is read. */
const askedForm = (request: IncomingMessage, defaultForm: Form) => {
  const query = new URLSearchParams(splitTarget(request.url!).query)
  return responseForm(query.get("form"), headerReader(request)("x-response-form"), defaultForm)
}

const notHttp = new MalformedRequest({
  part: "request",
  message: "The request is not HTTP/1.1, or its head is too large.",
})

const noHeader: HeaderReader = () => undefined

const otherPath = new ResourceNotFound({ resource: "path", message: `The WebSocket is served at ${socketPath}.` })

export const makePoseFace = <R>(options: PoseFaceOptions<R>): HttpFace<R> => {
  const { defaultForm, guard, limitHeaders, nowMs, origins, trustedProxies, uuid } = options

  const addressOf = (request: IncomingMessage): string =>
    clientAddress(request.socket.remoteAddress, headerReader(request)("x-forwarded-for"), trustedProxies)

  const rejection = (
    failure: Failure,
    form: Form,
    requestId: string,
    address: string,
    header: HeaderReader,
  ): Answer => ({
    status: statusOf(failure._tag),
    body: errorText(form, errorBody(failure, form), { nowMs: nowMs(), requestId }),
    mediaType: jsonType,
    headers: { ...answerHeaders(form, requestId), ...limitHeaders(address), ...failureHeaders(failure, header) },
    route: null,
  })
  const rejectionOf = (request: IncomingMessage, failure: Failure): Answer => {
    const header = headerReader(request)
    const form = Result.getOrElse(askedForm(request, defaultForm), () => defaultForm)
    return rejection(failure, form, requestIdOf(header, uuid), addressOf(request), header)
  }

  return {
    answer: (request) => {
      const header = headerReader(request)
      // The API's own paths are the hot ones.
      const asset = request.url!.startsWith("/api/")
        ? null
        : options.console({ method: request.method!, path: splitTarget(request.url!).path, header })
      if (asset !== null) return Effect.succeed(asset)
      return options.respond({
        method: request.method!,
        target: request.url!,
        header,
        requestId: requestIdOf(header, uuid),
        clientAddress: () => addressOf(request),
        isSecure: () => options.isTls || header("x-forwarded-proto") === "https",
        authenticated: () => guard.authenticated(request.socket),
        jsonBody: (limitBytes) => jsonBody(request, limitBytes),
      })
    },
    upgrade: (request, socket, head) => {
      if (splitTarget(request.url!).path !== socketPath) return rejectionOf(request, otherPath)
      const off = options.webSocketOff()
      if (off !== null) return rejectionOf(request, off)
      if (request.method !== "GET") {
        return rejectionOf(request, new MethodNotAllowed({ method: request.method!.slice(0, 16), allowed: ["GET"] }))
      }
      const form = askedForm(request, defaultForm)
      if (Result.isFailure(form)) return rejectionOf(request, form.failure)
      const fault = options.accept(request, socket, head, form.success)
      return fault === null ? null : rejectionOf(request, new MalformedRequest({ part: "handshake", message: fault }))
    },
    overloaded: rejectionOf,
    malformed: ({ remoteAddress }) =>
      rejection(notHttp, defaultForm, uuid(), clientAddress(remoteAddress, undefined, trustedProxies), noHeader),
    closing: null,
    cors: origins.length === 0 ? null : () => ({ ...corsRules, origins: new Set(origins) }),
    preflightRejected: null,
    encodings: ["br", "gzip"],
  }
}
