/**
 * The runner channel: the cluster's RPC protocol carried by gRPC between nodes.
 *
 * Owns one bidirectional gRPC method whose messages are raw bytes of Effect's RPC protocol, presented to the cluster as a socket, and the
 * authentication of peers (mutual TLS and the shared credential). Boundary: the content of the messages belongs to Effect Cluster.
 *
 * Invariants:
 * 1. A peer without a certificate of the cluster's authority cannot complete the handshake.
 * 2. A peer with a certificate but without the credential gets UNAUTHENTICATED before any byte reaches the cluster.
 */
import * as grpc from "@grpc/grpc-js"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, FiberSet, Layer, Result, type Scope } from "effect"
import { RpcClientProtocol } from "effect/cluster/Runners"
import * as NetAddress from "effect/net/NetAddress"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket, SocketServer } from "effect/socket"
import { createHash, timingSafeEqual } from "node:crypto"
import type { Duplex } from "node:stream"
import { hostPort } from "../../protocols/domain/host-port.ts"
import { clientOptions } from "../../protocols/grpc/client-options.ts"
import { nodeName, type RunnerCredentials } from "./credentials.ts"

/** Time for a peer to accept a connection. */
const connectTimeoutMs = 1_000
/** Pings detect a dead peer of an idle connection. */
const keepaliveMs = 2_000
const messageBytesMax = 16 * 1024 * 1024
const credentialKey = "wavepose-cluster-credential"

/** gRPC requires a `Buffer`; this is a view, not a copy. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const asIs = (bytes: Buffer): Buffer => bytes

const method = {
  path: "/wavepose.v1.RunnerChannel/Connect",
  requestStream: true,
  responseStream: true,
  requestSerialize: asBuffer,
  requestDeserialize: asIs,
  responseSerialize: asBuffer,
  responseDeserialize: asIs,
} as const

const channelOptions = {
  "grpc.keepalive_time_ms": keepaliveMs,
  "grpc.keepalive_timeout_ms": keepaliveMs,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.max_receive_message_length": messageBytesMax,
  "grpc.max_send_message_length": messageBytesMax,
}

const digest = (text: string) => createHash("sha256").update(text).digest()

const openError = (cause: unknown) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })

const openClient = (address: string, credentials: RunnerCredentials) =>
  new grpc.Client(
    address,
    grpc.credentials.createSsl(
      Buffer.from(credentials.authorityPem),
      Buffer.from(credentials.privateKeyPem),
      Buffer.from(credentials.certificatePem),
    ),
    {
      ...clientOptions,
      ...channelOptions,
      "grpc.ssl_target_name_override": nodeName,
      "grpc.default_authority": nodeName,
    },
  )

/** Errors are read from the stream's end. Each writer that waits for the peer is a listener, so many of them are no leak. */
const prepare = (call: grpc.ClientDuplexStream<Buffer, Buffer> | ServerCall): void => {
  call.on("error", () => {})
  call.setMaxListeners(0)
}

/** Opens a channel to a peer; it closes with the scope. */
const connect = Effect.fnUntraced(function* (
  address: string,
  credentials: RunnerCredentials,
): Effect.fn.Return<Duplex, Socket.SocketError, Scope.Scope> {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => openClient(address, credentials)),
    (client) => Effect.sync(() => client.close()),
  )
  yield* Effect.callback<void, Socket.SocketError>((resume) =>
    client.waitForReady(Infinity, (error) => resume(error ? Effect.fail(openError(error)) : Effect.void))
  ).pipe(Effect.timeoutOrElse({
    duration: connectTimeoutMs,
    orElse: () => Effect.fail(openError(new Error(`${address} did not answer within ${connectTimeoutMs} ms`))),
  }))
  const metadata = new grpc.Metadata()
  metadata.set(credentialKey, credentials.credential)
  const call = client.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize, metadata)
  prepare(call)
  yield* Effect.addFinalizer(() => Effect.sync(() => call.destroy()))
  return call as unknown as Duplex
})

/** The client side of the cluster's protocol. */
export const layerClientProtocol = (
  credentials: RunnerCredentials,
): Layer.Layer<RpcClientProtocol, never, RpcSerialization.RpcSerialization> =>
  Layer.effect(
    RpcClientProtocol,
    Effect.gen(function* () {
      const serialization = yield* RpcSerialization.RpcSerialization
      return {
        codecFor: serialization.codecFor,
        make: Effect.fnUntraced(function* (address) {
          const socket = yield* NodeSocket.fromDuplex(connect(hostPort(address.host, address.port), credentials))
          return yield* RpcClient.makeProtocolSocket().pipe(
            Effect.provideService(Socket.Socket, socket),
            Effect.provideService(RpcSerialization.RpcSerialization, serialization),
          )
        }, Effect.orDie),
      }
    }),
  )

/** A bound runner server, on which the cluster is not running yet. */
interface RunnerListener {
  readonly port: number
  readonly socketServer: SocketServer.SocketServer["Service"]
}

type ServerCall = grpc.ServerDuplexStream<Buffer, Buffer>

/**
 * Listens for peers. Port 0 selects a free port. The listener is bound before the cluster starts, because a node advertises its port.
 */
export const listen = Effect.fnUntraced(function* (options: {
  readonly host: string
  readonly port: number
  readonly credentials: RunnerCredentials
}): Effect.fn.Return<RunnerListener, SocketServer.SocketServerError, Scope.Scope> {
  const expected = digest(options.credentials.credential)
  let accept = (call: ServerCall): void => void call.destroy()

  const server = new grpc.Server(channelOptions)
  server.addService({ Connect: method }, {
    Connect: (call: ServerCall) => {
      const presented = call.metadata.get(credentialKey)[0]
      if (typeof presented !== "string" || !timingSafeEqual(digest(presented), expected)) {
        call.emit("error", { code: grpc.status.UNAUTHENTICATED, details: "This node does not belong to the cluster." })
        return
      }
      accept(call)
    },
  })
  const tls = grpc.ServerCredentials.createSsl(
    Buffer.from(options.credentials.authorityPem),
    [{
      private_key: Buffer.from(options.credentials.privateKeyPem),
      cert_chain: Buffer.from(options.credentials.certificatePem),
    }],
    true,
  )
  const port = yield* Effect.acquireRelease(
    Effect.callback<number, SocketServer.SocketServerError>((resume) =>
      server.bindAsync(hostPort(options.host, options.port), tls, (error, bound) =>
        resume(
          error
            ? Effect.fail(
              new SocketServer.SocketServerError({ reason: new SocketServer.SocketServerOpenError({ cause: error }) }),
            )
            : Effect.succeed(bound),
        ))
    ),
    () => Effect.sync(() => server.forceShutdown()),
  )

  const run = <R, E, A>(handler: (socket: Socket.Socket) => Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.gen(function* () {
      const fibers = yield* FiberSet.make()
      const fork = yield* FiberSet.runtime(fibers)<R>()
      accept = (call) => {
        prepare(call)
        const serve = NodeSocket.fromDuplex(Effect.succeed(call as unknown as Duplex)).pipe(
          Effect.flatMap(handler),
          Effect.ensuring(Effect.sync(() => call.end())),
          Effect.ignoreCause,
        )
        fork(serve)
      }
      return yield* Effect.never
    })) as Effect.Effect<never, SocketServer.SocketServerError, R>

  return {
    port,
    socketServer: SocketServer.SocketServer.of({
      // Only the log shows it.
      address: NetAddress.inetAddressUnsafe(
        Result.getOrElse(NetAddress.ipFromString(options.host), () => NetAddress.ipv4Unspecified),
        port,
      ),
      run,
    }),
  }
})
