/**
 * Bounds the open connections of a listener of HTTP or gRPC, and those of them that are not authenticated.
 *
 * Owns the counts of one listener. Its server reports new connections and valid credentials, and asks before it does any work for a
 * connection. Boundary: `http-listener.ts` bounds the time of a request, and `rate-limiter.ts` the number of requests.
 *
 * Invariants:
 * 1. At most `openMax` connections are served. Further ones are rejected: over HTTP their first request is answered 503 and they are closed.
 *    At most `rejectedMax` wait for that answer; others are closed at once.
 * 2. At most `unauthenticatedMax` of the served ones are unauthenticated, with a share of each network (`network-bound.ts`).
 * 3. A connection is counted until it is closed. Once it is authenticated, it stays so.
 */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import { clientAddress, type TrustedProxies } from "./client-address.ts"
import { NetworkBound } from "./network-bound.ts"

export interface ConnectionBounds {
  /** Connections that are open at one time, WebSockets included. */
  readonly openMax: number
  /** Maximum of unauthenticated ones among them. It is high: many clients of one site connect at once when a node restarts. */
  readonly unauthenticatedMax: number
}

export const defaultConnectionBounds: ConnectionBounds = { openMax: 4_096, unauthenticatedMax: 3_072 }

/** Rejected connections that may wait for their answer. */
const rejectedMax = 64

/** How long a rejected client should wait, in seconds. */
export const retryAfterS = 5

const tooManyOpen = (limit: number) =>
  new Overloaded({
    limit,
    message: `This node has ${limit} connections open, which is its limit. Try again shortly, or use another node.`,
  })

const tooManyUnauthenticated = (limit: number) =>
  new Overloaded({
    limit,
    message: `${limit} unauthenticated connections are open, which is the limit. Try again shortly, and reuse a ` +
      "connection once it is authenticated.",
  })

export interface ConnectionGuard {
  /** Connections that are open at most, those that are rejected included. */
  readonly connectionsMax: number
  /** Counts a connection from its beginning to its end. */
  readonly joined: (socket: Socket) => void
  /** Why this connection is rejected; null: it is served. */
  readonly refusal: (socket: Duplex) => Overloaded | null
  /** Called when its client has sent valid credentials. */
  readonly authenticated: (socket: Duplex) => void
}

/** @param isTrusted whether an address is that of a proxy, whose connections stand for many clients */
export const makeConnectionGuard = (
  { openMax, unauthenticatedMax }: ConnectionBounds,
  isTrusted: TrustedProxies,
): ConnectionGuard => {
  const rejected = new Map<Duplex, Overloaded>()
  /** Unauthenticated connections with the network that each counts for. */
  const unauthenticated = new Map<Duplex, string | null>()
  const bound = new NetworkBound(unauthenticatedMax, isTrusted)
  let open = 0

  const refusalOf = (network: string | null): Overloaded | null => {
    if (open >= openMax) return tooManyOpen(openMax)
    const limit = bound.exceeded(network)
    return limit === null ? null : tooManyUnauthenticated(limit)
  }

  const authenticate = (socket: Duplex): void => {
    const network = unauthenticated.get(socket)
    if (unauthenticated.delete(socket)) bound.leave(network ?? null)
  }

  const serve = (socket: Socket, network: string | null): void => {
    open++
    unauthenticated.set(socket, network)
    bound.enter(network)
    socket.once("close", () => {
      open--
      authenticate(socket)
    })
  }

  return {
    connectionsMax: openMax + rejectedMax,
    joined: (socket) => {
      const network = bound.networkOf(clientAddress(socket.remoteAddress, undefined, isTrusted))
      const refusal = refusalOf(network)
      if (refusal === null) return serve(socket, network)
      if (rejected.size >= rejectedMax) return void socket.destroy()
      rejected.set(socket, refusal)
      socket.once("close", () => rejected.delete(socket))
    },
    refusal: (socket) => rejected.size === 0 ? null : rejected.get(socket) ?? null,
    authenticated: authenticate,
  }
}
