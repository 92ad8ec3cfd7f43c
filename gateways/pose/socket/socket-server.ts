/**
 * WebSocket connections of the pose API: accepts and bounds them, and connects each to its outbox and its handler.
 *
 * Invariants: connections per client address and per account are limited, counted on this node; a client that answers no ping for two
 * intervals is disconnected.
 */
import { type WebSocket, WebSocketServer } from "@effect/platform-node/NodeWS"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { Sharding } from "effect/cluster"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import type { Directory } from "../../../protocols/ports/directory.ts"
import {
  channelAccess,
  channels,
  clientMessages,
  closeCode,
  messageAccess,
} from "../../../protocols/pose-api/socket-messages.ts"
import type { EnrolledEnvironments } from "../../frames/enrolled-environments.ts"
import type { Authenticator } from "../../access/authenticator.ts"
import { assertDeclared } from "../../access/authorise.ts"
import { clientAddress, clientNetwork, type TrustedProxies } from "../../access/client-address.ts"
import { makeUuids } from "../../http/uuid.ts"
import type { SocketTickets } from "../../access/socket-tickets.ts"
import type { ConnectionGuard } from "../../access/connection-guard.ts"
import { makeInbox, type SocketInbox } from "../../http/socket-inbox.ts"
import { closeClients, pingClients } from "../../http/web-sockets.ts"
import { makeAlertFeeds } from "./alert-feeds.ts"
import type { Client } from "./socket-auth.ts"
import { accountKey, CallerLimits } from "../../access/caller-limits.ts"
import type { ConnectionCounter } from "../../access/connection-limits.ts"
import { serveClient } from "./connection.ts"
import { makeOutbox } from "./outbox.ts"
import { makePoseFeeds } from "./pose-feeds.ts"
import { makeResumedUpdates } from "./resumed-updates.ts"
import { makeStatusFeed } from "./status-feed.ts"
import type { Feeds } from "./subscriptions.ts"

interface SocketOptions {
  readonly trustedProxies: TrustedProxies
  readonly guard: ConnectionGuard
}

const messageBytesMax = 1024 * 1024
/** Bytes of the messages of a client that wait. */
const inboxBytesMax = 1024 * 1024
const pingInterval = "30 seconds"

interface SocketServer {
  /** Completes the handshake of a request for `/ws/pose` and returns null, or returns why the handshake is invalid. */
  readonly accept: (request: IncomingMessage, socket: Duplex, head: Buffer, form: Form) => string | null
  /** Closes the open connections with 1001. */
  readonly disconnectAll: (reason: string) => void
  /** Closes every connection with 1001. Connections that are still open after a second are cut. */
  readonly close: Effect.Effect<void>
}

/** `ws` closes the connection after an error. Without a listener the event would end the process. */
const ignore = () => {}

/** The next message. A binary one ends the connection. */
const nextText = (inbox: SocketInbox): Effect.Effect<string> =>
  Effect.flatMap(inbox.next, (text) => {
    if (text !== null) return Effect.succeed(text)
    inbox.close(closeCode.notText, "messages must be JSON text")
    return Effect.never
  })

/** The client of a socket. */
const makeClient = (
  webSocket: WebSocket,
  socket: Duplex,
  inbox: SocketInbox,
  request: IncomingMessage,
  id: string,
  { accounts, authenticated, form }: {
    readonly accounts: ConnectionCounter
    readonly authenticated: () => void
    readonly form: Form
  },
) => {
  const query = new URL(request.url!, "http://host").searchParams
  const header = (name: string) => request.headers[name] as string | undefined
  const client: Client = {
    id,
    form,
    header,
    token: query.get("token"),
    ticket: query.get("ticket"),
    outbox: makeOutbox({
      send: (text) => {
        if (webSocket.readyState === webSocket.OPEN) webSocket.send(text, { binary: false })
      },
      // Bypasses `ws`. The order is kept because `ws` writes at once when nothing is compressed.
      sendShared: (head, tail) => {
        if (webSocket.readyState !== webSocket.OPEN) return
        socket.write(tail.frameOf(head))
        // The operating system reads the rest of these bytes later.
        if (socket.writableLength > 0) tail.held()
      },
      waitingBytes: () => socket.writableLength,
      closeTooSlow: () => inbox.close(closeCode.tooSlow, "too slow"),
    }),
    next: nextText(inbox),
    close: inbox.close,
    enter: (caller) => {
      authenticated()
      inbox.authenticated()
      if (webSocket.readyState !== webSocket.OPEN) return null
      const account = accountKey(caller)
      if (!accounts.enter(account)) return accounts.perKeyMax
      webSocket.on("close", () => accounts.leave(account))
      return null
    },
    subscriptions: new Map(),
  }
  return client
}

/** The network of the client behind a request, by which connections are counted. */
const networkOf = (request: IncomingMessage, trustedProxies: TrustedProxies): string => {
  const forwarded = request.headers["x-forwarded-for"]
  return clientNetwork(clientAddress(
    request.socket.remoteAddress,
    Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    trustedProxies,
  ))
}

/** The request of an open connection, and the form of its messages. */
interface Handshake {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly form: Form
}

/** Completes handshakes, and returns why one is invalid, which `ws` says before `handleUpgrade` returns. */
const makeUpgrade = (server: WebSocketServer) => {
  let fault: string | null = null
  server.on("wsClientError", ({ message }) => {
    fault = `The handshake of the WebSocket is rejected: ${message}.`
  })
  return (request: IncomingMessage, socket: Duplex, head: Buffer, opened: (webSocket: WebSocket) => void) => {
    fault = null
    server.handleUpgrade(request, socket, head, opened)
    return fault
  }
}

/** A socket server whose fibers live in the scope in context. */
export const makeSocketServer = Effect.fnUntraced(
  function* ({ guard, trustedProxies }: SocketOptions) {
    assertDeclared(channels, channelAccess)
    assertDeclared(Object.keys(clientMessages), messageAccess)
    const feeds: Feeds = {
      poses: yield* makePoseFeeds,
      resumed: yield* makeResumedUpdates,
      alerts: yield* makeAlertFeeds,
      status: yield* makeStatusFeed,
      uuid: yield* makeUuids,
    }
    const scope = yield* Effect.scope
    const run = Effect.runForkWith(
      yield* Effect.context<Authenticator | SocketTickets | EnrolledEnvironments | Directory | Sharding.Sharding>(),
    )
    const server = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax, perMessageDeflate: false })
    const { accounts, addresses } = yield* CallerLimits
    const pinged = yield* pingClients(server, pingInterval)
    let closing = false
    const upgrade = makeUpgrade(server)

    const serve = (webSocket: WebSocket, inbox: SocketInbox, { form, request, socket }: Handshake): void => {
      const client = makeClient(webSocket, socket, inbox, request, feeds.uuid(), {
        accounts,
        authenticated: () => guard.authenticated(socket),
        form,
      })
      pinged.joined(webSocket)
      socket.on("drain", client.outbox.drained)
      const fiber = Fiber.runIn(run(serveClient(client, feeds)), scope)
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
          inbox.close(closeCode.internalError, "unexpected error")
        }
      })
      webSocket.on("close", () => {
        fiber.interruptUnsafe()
        for (const end of client.subscriptions.values()) end()
        client.subscriptions.clear()
      })
    }

    const accept: SocketServer["accept"] = (request, socket, head, form) => {
      if (closing) {
        socket.destroy()
        return null
      }
      const address = networkOf(request, trustedProxies)
      return upgrade(request, socket, head, (webSocket) => {
        webSocket.on("error", ignore)
        const inbox = makeInbox(webSocket, socket, inboxBytesMax)
        if (!addresses.enter(address)) return inbox.close(closeCode.tooMany, "too many connections from this address")
        webSocket.on("close", () => addresses.leave(address))
        serve(webSocket, inbox, { form, request, socket })
      })
    }

    const close = Effect.suspend(() => {
      closing = true
      return closeClients(server)
    })

    const disconnectAll = (reason: string): void => {
      for (const webSocket of server.clients) webSocket.close(closeCode.goingAway, reason)
    }

    return { accept, disconnectAll, close } satisfies SocketServer
  },
)
