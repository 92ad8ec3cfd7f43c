/**
 * The listener of the gRPC edge: it accepts connections, with the same bounds as HTTP, and passes them to gRPC.
 *
 * grpc-js has no bound on connections to an address that it binds itself. A connection beyond the bound is closed at once, before TLS and
 * HTTP/2: its client sees `UNAVAILABLE` and retries later or elsewhere. The server's keepalive closes silent connections. The runtimes
 * close a connection whose TLS handshake takes more than two minutes.
 */
import * as grpc from "@grpc/grpc-js"
import { Data, Effect } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createServer, type Socket } from "node:net"
import { bind } from "../http/listen-on.ts"
import type { ConnectionGuard } from "../access/connection-guard.ts"

/** The address is in use or not local, or the certificate is invalid. */
export class GrpcListenFailed extends Data.TaggedError("GrpcListenFailed")<{ readonly message: string }> {}

export interface GrpcAddress {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Null: plain text, which is meant for loopback. */
  readonly tls: { readonly certPem: string; readonly keyPem: string } | null
}

/** The open connections of a listener, by the names that gRPC gives their peers. */
interface GrpcConnections {
  /** Whether a new connection is served. A connection that is not served has been closed. */
  readonly join: (socket: Socket) => boolean
  /** The client of a peer (`call.getPeer()`) is authenticated. */
  readonly authenticated: (peer: string) => void
  /** Closes all open connections. */
  readonly cut: () => void
}

export const makeGrpcConnections = (guard: ConnectionGuard): GrpcConnections => {
  const open = new Map<string, Socket>()
  return {
    join: (socket) => {
      const { remoteAddress, remotePort } = socket
      // A client that disconnected at once has no address.
      if (remoteAddress !== undefined) guard.joined(socket)
      if (remoteAddress === undefined || socket.destroyed || guard.refusal(socket) !== null) {
        socket.destroy()
        return false
      }
      const peer = `${remoteAddress}:${remotePort}`
      open.set(peer, socket)
      socket.once("close", () => open.delete(peer))
      return true
    },
    authenticated: (peer) => {
      const socket = open.get(peer)
      if (socket !== undefined) guard.authenticated(socket)
    },
    cut: () => {
      for (const socket of open.values()) socket.destroy()
    },
  }
}

interface GrpcListener {
  readonly port: number
  /** Stops accepting connections and waits until the open ones have closed. */
  readonly close: Effect.Effect<void>
}

/** Listens on the address and passes connections to `server`. */
export const listenForGrpc = (
  server: grpc.Server,
  { host, port, tls }: GrpcAddress,
  connections: GrpcConnections,
): Effect.Effect<GrpcListener, GrpcListenFailed> => {
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
    return new GrpcListenFailed({
      message: `Cannot listen for gRPC on ${address}: ${reason}. Choose another address or check the certificate.`,
    })
  }
  return Effect.gen(function* () {
    const injector = yield* Effect.try({
      try: () => server.createConnectionInjector(credentialsOf(tls)),
      catch: failed,
    })
    const listener = createServer({ noDelay: true }, (socket) => {
      if (connections.join(socket)) injector.injectConnection(socket)
    })
    const bound = yield* Effect.mapError(bind(listener, { host, port }), failed)
    return {
      port: bound.port,
      close: Effect.callback<void>((closed) => void listener.close(() => closed(Effect.void))),
    }
  })
}

/** Throws when the certificate or the key is unreadable, or if they do not match. Not every runtime checks this itself. */
const credentialsOf = (tls: GrpcAddress["tls"]): grpc.ServerCredentials => {
  if (tls === null) return grpc.ServerCredentials.createInsecure()
  if (!new X509Certificate(tls.certPem).checkPrivateKey(createPrivateKey(tls.keyPem))) {
    throw new Error("the private key does not match the certificate")
  }
  const certificate = Buffer.from(tls.certPem)
  // No client certificate is requested, so the roots are not used; but without them Deno serves plain text.
  return grpc.ServerCredentials.createSsl(certificate, [{
    private_key: Buffer.from(tls.keyPem),
    cert_chain: certificate,
  }])
}
