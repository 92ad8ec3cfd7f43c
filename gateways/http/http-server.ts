/**
 * The one HTTP server of all edges, on `node:http`: connections and their bound, cross-origin requests, answers, upgrades, and an end in
 * bounded time. What distinguishes one edge from another is an `HttpFace`. It is thin on purpose: on the hot path it costs less than Effect's
 * own server.
 */
import { Effect, Fiber } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import type { Answer } from "./answer.ts"
import { isUncached, writeAnswer, writeRawAnswer } from "./answer-writer.ts"
import type { Encoding } from "./compression.ts"
import { corsHeaders, type CorsPolicy, isPreflight, preflightAnswer } from "./cors.ts"
import { closeServer, listen } from "./http-listener.ts"
import { makeRequestFibers } from "./request-fibers.ts"
import { type CertificateSource, makeEdgeServer } from "./tls.ts"

/** What distinguishes one HTTP edge from another. */
export interface HttpFace<R> {
  /** Answers a request; null: the whole response is written already, as a stream is. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Effect.Effect<Answer | null, never, R>
  /** Takes an upgrade over and returns null, or returns the answer that rejects it. Null: there are no upgrades. */
  readonly upgrade: ((request: IncomingMessage, socket: Duplex, head: Buffer) => Answer | null) | null
  /** The answer to a request of a connection that exceeds a bound. */
  readonly overloaded: (request: IncomingMessage, overload: Overloaded) => Answer
  /** The answer to bytes that are not a request; null: the runtime's own. */
  readonly malformed: ((socket: Socket) => Answer) | null
  /**
   * The answer to requests while the server closes, which then interrupts those under way. Null: those under way have a second to end, and
   * connections that are open are served meanwhile.
   */
  readonly closing: Answer | null
  /** Which web pages may call, by the port in use; null: those of the own origin alone. */
  readonly cors: ((port: number) => CorsPolicy) | null
  /** The answer to a preflight request that is not allowed; null: `answer` treats it like any request. */
  readonly preflightRejected: Answer | null
  /** Encodings that are offered, the preferred one first. */
  readonly encodings: ReadonlyArray<Encoding>
}

/** Counts connections, and says which are not served. */
interface ConnectionBound {
  /** Connections that are open at most, those that are rejected included. */
  readonly connectionsMax: number
  readonly joined: (socket: Socket) => void
  readonly refusal: (socket: Duplex) => Overloaded | null
}

/** Counts what an edge does. */
interface RequestCounter {
  /** A mark of the present moment. */
  readonly begin: () => bigint
  readonly answered: (began: bigint, method: string, route: string | null, status: number) => void
  readonly connected: (socket: Socket) => void
}

interface HttpServerOptions<R> {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** The setting that changes the port, for the error message. */
  readonly portVariable: string
  /** Null: the server speaks HTTP without TLS. */
  readonly tls: CertificateSource | null
  readonly guard: ConnectionBound
  /** Null: nothing is counted. */
  readonly traffic: RequestCounter | null
  readonly face: HttpFace<R>
}

/** The face's answer to a connection that exceeds a bound; the connection is closed. */
const overloadedAnswer = <R>(face: HttpFace<R>, request: IncomingMessage, overload: Overloaded): Answer => {
  const answer = face.overloaded(request, overload)
  return { ...answer, headers: { ...answer.headers, Connection: "close" } }
}

/** Sets the headers that a page of another origin needs. Returns the answer to a preflight request, else null. */
const applyCors = <R>(
  face: HttpFace<R>,
  policy: CorsPolicy,
  request: IncomingMessage,
  response: ServerResponse,
): Answer | null => {
  const headers = corsHeaders(policy, request.headers.origin ?? "")
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  return isPreflight(request) ? preflightAnswer(policy, request) ?? face.preflightRejected : null
}

/** A cache must not give a page what it got without an origin, because that lacks the permission. */
const varyByOrigin = (response: ServerResponse, answer: Answer): void => {
  if (!isUncached(answer) && !response.hasHeader("Vary")) response.setHeader("Vary", "Origin")
}

/** Listens until `close` is run, which takes a little over a second at most and ends all requests. */
export const serveHttp = Effect.fnUntraced(function* <R>(options: HttpServerOptions<R>) {
  const { face, guard, traffic } = options
  const run = Effect.runForkWith(yield* Effect.context<R>())
  const underWay = makeRequestFibers()
  const { connected, followCertificate, server } = makeEdgeServer(options.tls, guard.connectionsMax)
  let isClosing = false
  /** Known once the port is; null: no page of another origin may call. */
  let cors: CorsPolicy | null = null

  /** The answer to a request that never reaches the face; null: it does. */
  const rejectionOf = (request: IncomingMessage, response: ServerResponse): Answer | null => {
    if (isClosing && face.closing !== null) return face.closing
    const overload = guard.refusal(request.socket)
    if (overload !== null) return overloadedAnswer(face, request, overload)
    if (cors === null || request.headers.origin === undefined && request.method !== "OPTIONS") return null
    return applyCors(face, cors, request, response)
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const began = traffic?.begin() ?? 0n
    const write = (answer: Answer | null): void => {
      if (answer === null) return
      if (cors !== null) varyByOrigin(response, answer)
      writeAnswer(request, response, answer, face.encodings)
      traffic?.answered(began, request.method!, answer.route, answer.status)
    }
    const rejection = rejectionOf(request, response)
    if (rejection !== null) {
      request.resume()
      return write(rejection)
    }
    const fiber = run(Effect.map(face.answer(request, response), write))
    if (fiber.pollUnsafe() !== undefined) return
    underWay.add(fiber)
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const overload = guard.refusal(socket)
    const rejection = isClosing && face.closing !== null
      ? face.closing
      : overload !== null
      ? overloadedAnswer(face, request, overload)
      : face.upgrade!(request, socket, head)
    if (rejection !== null) writeRawAnswer(socket, rejection)
  }

  server.on(connected, guard.joined)
  if (traffic !== null) server.on(connected, traffic.connected)
  server.on("request", onRequest)
  if (face.upgrade !== null) server.on("upgrade", onUpgrade)
  const { malformed } = face
  if (malformed !== null) {
    server.on("clientError", (_error, socket) => writeRawAnswer(socket, malformed(socket as Socket)))
  }
  const { port } = yield* listen(server, options)
  cors = face.cors?.(port) ?? null
  const following = run(followCertificate)

  const close = Effect.suspend(() => {
    isClosing = true
    const closed = face.closing === null
      ? Effect.andThen(closeServer(server), underWay.endAll)
      : Effect.andThen(underWay.endAll, closeServer(server))
    return Effect.andThen(Fiber.interrupt(following), closed)
  })
  return { port, close }
})
