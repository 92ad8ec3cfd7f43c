/**
 * The listeners of the gRPC edge: they accept connections, with the same bounds as HTTP, and pass them to gRPC.
 *
 * grpc-js has no bound on connections to an address that it binds itself. A connection beyond the bound is closed at once, before TLS and
 * HTTP/2: its client sees `UNAVAILABLE` and retries later or elsewhere. The server's keepalive closes silent connections. TLS ends here, so
 * that the certificate is replaced as that of HTTPS, and a client certificate may be optional.
 */
import * as grpc from "@grpc/grpc-js"
import { Data, Effect, type Scope, Stream } from "effect"
import { createServer, type Socket } from "node:net"
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls"
import { bind } from "../http/listen-on.ts"
import {
  type Certificate,
  type CertificateSource,
  checkCertificate,
  handshakeTimeoutMs,
  secureContextOf,
} from "../http/tls.ts"
import { hostPort } from "../../protocols/domain/host-port.ts"
import type { ConnectionGuard } from "../access/connection-guard.ts"

/** The address is in use or not local, or the certificate is invalid. */
export class GrpcListenFailed extends Data.TaggedError("GrpcListenFailed")<{ readonly message: string }> {}

/**
 * Whether clients show a certificate of the authorities in `Certificate.clientCaPem`. `optional`: a client may have none, but a foreign one
 * is rejected.
 */
export type ClientCertificates = "none" | "optional" | "required"

export interface GrpcTls {
  readonly certificates: CertificateSource
  readonly clients: ClientCertificates
}

export interface GrpcAddress {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Null: plain text, which is meant for loopback. */
  readonly tls: GrpcTls | null
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

/** A TLS server without an address, which passes its connections to `accept` after their handshake. */
const makeTlsServer = ({ certificates, clients }: GrpcTls, accept: (socket: Socket) => void): TlsServer => {
  const server = createTlsServer({
    ...secureContextOf(certificates.current),
    ALPNProtocols: ["h2"],
    handshakeTimeout: handshakeTimeoutMs,
    requestCert: clients !== "none",
    rejectUnauthorized: clients === "required",
  }, (socket) => {
    socket.on("error", () => {})
    const isForeign = clients !== "none" && !socket.authorized && socket.getPeerCertificate().raw !== undefined
    if (isForeign || socket.alpnProtocol !== "h2") return void socket.destroy()
    accept(socket)
  })
  // A failed handshake has no answer.
  server.on("tlsClientError", (_error, socket) => socket.destroy())
  return server
}

const listenFailed = ({ host, port }: GrpcAddress, reason: string) => {
  return new GrpcListenFailed({
    message: `Cannot listen for gRPC on ${
      hostPort(host, port)
    }: ${reason}. Choose another address or check the certificate.`,
  })
}

/** Listens on the address and passes connections to `server`. Replaces the certificate while the scope is open. */
export const listenForGrpc = Effect.fnUntraced(function* (
  server: grpc.Server,
  address: GrpcAddress,
  connections: GrpcConnections,
): Effect.fn.Return<GrpcListener, GrpcListenFailed, Scope.Scope> {
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure())
  const inject = (socket: Socket): void => injector.injectConnection(socket)
  let accept = inject
  if (address.tls !== null) {
    const { current, changes } = address.tls.certificates
    yield* Effect.mapError(checkCertificate(current), ({ message }) => listenFailed(address, message))
    const tlsServer = makeTlsServer(address.tls, inject)
    const replace = (certificate: Certificate) =>
      Effect.sync(() => tlsServer.setSecureContext(secureContextOf(certificate)))
    yield* Effect.forkScoped(Stream.runForEach(changes, replace))
    accept = (socket) => void tlsServer.emit("connection", socket)
  }
  const listener = createServer({ noDelay: true }, (socket) => {
    if (connections.join(socket)) accept(socket)
  })
  const bound = yield* Effect.mapError(bind(listener, address), ({ message }) => listenFailed(address, message))
  return {
    port: bound.port,
    close: Effect.callback<void>((closed) => void listener.close(() => closed(Effect.void))),
  }
})
