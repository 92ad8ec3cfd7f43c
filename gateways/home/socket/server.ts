/**
 * Connections of the home WebSocket: accepts them, bounds them, and joins each to its outbox and its handler.
 *
 * Invariants: at most `socketsMax` connections; a client that answers no ping for two intervals is disconnected.
 */
import { type WebSocket, WebSocketServer } from "@effect/platform-node/NodeWS"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import type { ConnectionGuard } from "../../access/connection-guard.ts"
import { makeInbox, type SocketInbox } from "../../http/socket-inbox.ts"
import { closeClients, pingClients } from "../../http/web-sockets.ts"
import { type Commands, serveConnection } from "./connection.ts"
import { SocketOutbox } from "./outbox.ts"

export const socketPath = "/api/websocket"

const messageBytesMax = 4 * 1024 * 1024
const socketsMax = 1_024
/** Bytes of the messages of a client that wait. */
const inboxBytesMax = 4 * 1024 * 1024
const pingInterval = "55 seconds"
const normalClose = 1000
const tryAgainLater = 1013

/** `ws` closes the connection after an error. Without a listener the event would end the process. */
const ignore = () => {}

/** The process's own timers. */
export const afterMs = (ms: number, then: () => void): () => void => {
  const timer = setTimeout(then, ms)
  return () => clearTimeout(timer)
}

const makeSocket = (webSocket: WebSocket, stream: Duplex, inbox: SocketInbox, guard: ConnectionGuard) => {
  const outbox = new SocketOutbox({
    // Without compression `ws` writes each of its own frames in one piece, so these frames can go between them.
    send: (frames) => {
      if (webSocket.readyState !== webSocket.OPEN) return
      if (frames.length > 1) stream.cork()
      for (const frame of frames) stream.write(frame)
      if (frames.length > 1) stream.uncork()
    },
    waitingBytes: () => stream.writableLength,
    endTooSlow: () => webSocket.terminate(),
    nextTurn: (then) => void setImmediate(then),
    after: afterMs,
  })
  stream.on("drain", () => outbox.drained())
  return {
    next: inbox.next,
    outbox,
    authenticated: () => {
      guard.authenticated(stream)
      inbox.authenticated()
    },
    close: () => {
      outbox.drained()
      inbox.close(normalClose)
    },
  }
}

/** A server whose fibers live in the scope in context. */
export const makeHomeSocketServer = Effect.fnUntraced(function* <R>(commands: Commands<R>, guard: ConnectionGuard) {
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<R | HomeTokens>())
  const server = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax, perMessageDeflate: false })
  const pinged = yield* pingClients(server, pingInterval)

  const serve = (webSocket: WebSocket, stream: Duplex, inbox: SocketInbox): void => {
    const socket = makeSocket(webSocket, stream, inbox, guard)
    const fiber = Fiber.runIn(run(serveConnection(socket, commands)), scope)
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) webSocket.terminate()
      else socket.close()
    })
    webSocket.on("close", () => {
      socket.outbox.close()
      fiber.interruptUnsafe()
    })
  }

  return {
    /** Completes the handshake of a request. */
    accept: (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
      server.handleUpgrade(request, stream, head, (webSocket) => {
        webSocket.on("error", ignore)
        const inbox = makeInbox(webSocket, stream, inboxBytesMax)
        if (server.clients.size > socketsMax) return inbox.close(tryAgainLater, "too many connections")
        pinged.joined(webSocket)
        serve(webSocket, stream, inbox)
      })
    },
    close: closeClients(server),
  }
})
