/**
 * How many connections a listener of HTTP or gRPC keeps open at one time, and how many of them may be of clients that nobody knows yet.
 *
 * Owns the counts of one listener; its server tells it who comes and who has shown good credentials, and asks before it does any work for
 * a connection. Boundary: how long a client may take is `http-listener.ts`, and what it may ask for is `rate-limiter.ts`.
 *
 * Invariants:
 * 1. At most `openMax` connections are served. One more is refused: over HTTP it is told so at its first request, and closed, and at most
 *    `refusedMax` wait for that answer; others are cut off at once.
 * 2. At most `unauthenticatedMax` of those that are served have shown no credentials yet, and one network has at most `networkShare` of
 *    them, so that nobody alone keeps others out. A trusted proxy brings many clients and has no share.
 * 3. A connection is counted until it is closed, and once it is known it stays so.
 */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import { clientAddress, clientNetwork, type TrustedProxies } from "./client-address.ts"

export interface ConnectionBounds {
  /** Connections that are open at one time, WebSockets among them. */
  readonly openMax: number
  /** Of those, connections that have shown no good credentials yet: many clients of one house come at once when a node starts again. */
  readonly unauthenticatedMax: number
}

export const defaultConnectionBounds: ConnectionBounds = { openMax: 4_096, unauthenticatedMax: 3_072 }

/** Refused connections that may wait for their answer. */
const refusedMax = 64

/** Of the connections of clients that nobody knows yet, what one network may have. */
const networkShare = 0.25

/** How long a refused client does well to wait, in seconds. */
export const retryAfterS = 5

const tooManyOpen = (limit: number) =>
  new Overloaded({
    limit,
    message: `This node keeps ${limit} connections open, and has them. Try again shortly, or ask another node.`,
  })

const tooManyUnknown = (limit: number) =>
  new Overloaded({
    limit,
    message:
      `${limit} connections are open that have shown no credentials yet, which is the most. Try again shortly, and reuse a ` +
      "connection once it is authenticated.",
  })

export interface ConnectionGuard {
  /** Counts a connection from its beginning to its end. */
  readonly joined: (socket: Socket) => void
  /** Why nothing is done for this connection; null: it is served. */
  readonly refusal: (socket: Duplex) => Overloaded | null
  /** Its client has shown good credentials. */
  readonly authenticated: (socket: Duplex) => void
}

/** Counts what is open under each key. */
const makeCounts = () => {
  const counts = new Map<string, number>()
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    add: (key: string, difference: 1 | -1): void => {
      const count = (counts.get(key) ?? 0) + difference
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
  }
}

/** @param isTrusted proxies, whose connections are those of many clients */
export const makeConnectionGuard = (
  { openMax, unauthenticatedMax }: ConnectionBounds,
  isTrusted: TrustedProxies,
): ConnectionGuard => {
  const networkMax = Math.max(1, Math.floor(networkShare * unauthenticatedMax))
  const refused = new Map<Duplex, Overloaded>()
  /** Those that are not known yet, with the networks that they count under; null: a trusted proxy's. */
  const unknown = new Map<Duplex, string | null>()
  const networks = makeCounts()
  let open = 0

  const refusalOf = (network: string | null): Overloaded | null => {
    if (open >= openMax) return tooManyOpen(openMax)
    if (unknown.size >= unauthenticatedMax) return tooManyUnknown(unauthenticatedMax)
    return network !== null && networks.of(network) >= networkMax ? tooManyUnknown(networkMax) : null
  }

  const known = (socket: Duplex): void => {
    const network = unknown.get(socket)
    if (!unknown.delete(socket)) return
    if (typeof network === "string") networks.add(network, -1)
  }

  const serve = (socket: Socket, network: string | null): void => {
    open++
    unknown.set(socket, network)
    if (network !== null) networks.add(network, 1)
    socket.once("close", () => {
      open--
      known(socket)
    })
  }

  return {
    joined: (socket) => {
      const address = clientAddress(socket.remoteAddress, undefined, isTrusted)
      const network = isTrusted(address) ? null : clientNetwork(address)
      const refusal = refusalOf(network)
      if (refusal === null) return serve(socket, network)
      if (refused.size >= refusedMax) return void socket.destroy()
      refused.set(socket, refusal)
      socket.once("close", () => refused.delete(socket))
    },
    refusal: (socket) => refused.size === 0 ? null : refused.get(socket) ?? null,
    authenticated: known,
  }
}
