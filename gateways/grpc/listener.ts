/**
 * The listener of the gRPC edge: it takes connections, bounded as those of HTTP are, and hands them to gRPC.
 *
 * grpc-js has no bound on the connections of an address that it binds itself. One too many is cut off at once, before TLS and HTTP/2: its
 * client sees `UNAVAILABLE`, and tries again after a while or elsewhere. A peer that never speaks is ended by the server's keepalive, and
 * one that begins no TLS after the two minutes that both runtimes give a handshake.
 */
import * as grpc from "@grpc/grpc-js"
import { Data, Effect } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createServer, type Socket } from "node:net"
import { bind } from "../http/listen-on.ts"
import type { ConnectionGuard } from "../access/connection-guard.ts"

/** The address is taken or not ours, or the certificate is none. */
export class GrpcListenFailed extends Data.TaggedError("GrpcListenFailed")<{ readonly message: string }> {}

export interface GrpcAddress {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Without it the server speaks plain text, which is meant for loopback. */
  readonly tls: { readonly certPem: string; readonly keyPem: string } | null
}

/** The connections of a listener that are served, by their peers as gRPC names them. */
interface GrpcConnections {
  /** Whether a new connection is served; one that is not has been cut off. */
  readonly join: (socket: Socket) => boolean
  /** The client of a peer (`call.getPeer()`) has shown good credentials. */
  readonly authenticated: (peer: string) => void
  /** Cuts off all that are open. */
  readonly cut: () => void
}

export const makeGrpcConnections = (guard: ConnectionGuard): GrpcConnections => {
  const open = new Map<string, Socket>()
  return {
    join: (socket) => {
      const { remoteAddress, remotePort } = socket
      // A client that went away at once has no address any more.
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
  /** Takes no more connections, and waits until those that are open have closed. */
  readonly close: Effect.Effect<void>
}

/** Listens for `server`. */
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

/** Throws when the certificate or the key is unreadable, or they do not belong together: not every runtime does. */
const credentialsOf = (tls: GrpcAddress["tls"]): grpc.ServerCredentials => {
  if (tls === null) return grpc.ServerCredentials.createInsecure()
  if (!new X509Certificate(tls.certPem).checkPrivateKey(createPrivateKey(tls.keyPem))) {
    throw new Error("the private key is not that of the certificate")
  }
  const certificate = Buffer.from(tls.certPem)
  // No client certificate is asked for, so the roots are not used; but without them Deno serves plain text.
  return grpc.ServerCredentials.createSsl(certificate, [{
    private_key: Buffer.from(tls.keyPem),
    cert_chain: certificate,
  }])
}
