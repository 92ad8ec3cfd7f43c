/**
 * The gRPC edge: the services for integrators, health and reflection for their tools.
 *
 * Owns the server, its limits and its shutdown. Boundary: methods are in `handlers.ts`, permissions in `access.ts`, proto messages in
 * `protocols/grpc`.
 */
import * as grpc from "@grpc/grpc-js"
import { ReflectionService } from "@grpc/reflection"
import { Context, Deferred, Effect, FiberSet, Layer, type Scope } from "effect"
import type { Sharding } from "effect/cluster"
import type { SecureRandom } from "effect/crypto"
import { fileDescriptors } from "../../protocols/grpc/contract/file-descriptors.ts"
import {
  csiIngestService,
  csiRecordingService,
  edgeService,
  homeService,
  messageBytesMax,
  operationServices,
  processService,
} from "../../protocols/grpc/services.ts"
import type { LocalRouters } from "../../protocols/messages/router.ts"
import type { Directory } from "../../protocols/ports/directory.ts"
import { EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import type { HomeRuntime } from "../../protocols/ports/home-runtime.ts"
import type { HomeServices } from "../../protocols/ports/home-services.ts"
import type { Privacy } from "../../protocols/ports/privacy.ts"
import type { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"
import { EgressStates } from "../../protocols/ports/egress.ts"
import { Authenticator } from "../access/authenticator.ts"
import { assertDeclared } from "../access/authorise.ts"
import { CallerLimits } from "../access/caller-limits.ts"
import { checkedProxies } from "../access/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../access/connection-guard.ts"
import type { EnrolledEnvironments } from "../frames/enrolled-environments.ts"
import type { FrameHistory } from "../../protocols/ports/frame-history.ts"
import type { FrameHub } from "../frames/frame-hub.ts"
import { isLoopbackHost } from "../access/loopback.ts"
import { makeUuids } from "../http/uuid.ts"
import { Operations } from "../pose/pose-routes.ts"
import { makeIngestTogether } from "../ingest/ingest.ts"
import { methodAccess, methodPaths } from "./access.ts"
import type { Run } from "./calls.ts"
import {
  edgeHandlers,
  homeHandlers,
  ingestHandlers,
  operationHandlers,
  processHandlers,
  recordingHandlers,
} from "./handlers.ts"
import { makeHomeMethods } from "./home.ts"
import { serveHealth } from "./health.ts"
import { type GrpcAddress, type GrpcListenFailed, listenForGrpc, makeGrpcConnections } from "./listener.ts"
import { makeWatchAlerts } from "./alerts.ts"
import { makeWatchPoses } from "./poses.ts"
import { makeProcessCsi } from "./process-csi.ts"
import { makeRecordCsi } from "./record-csi.ts"
import { makeRequestGate, strangerBytesMax } from "./request-gate.ts"

type Needs =
  | FrameHub
  | FrameHistory
  | EnrolledEnvironments
  | Operations
  | Directory
  | EdgeFeed
  | HomeRuntime
  | HomeServices
  | Privacy
  | PrivacyClasses
  | EgressStates
  | Authenticator
  | CallerLimits
  | SecureRandom.SecureRandom
  | LocalRouters
  | Sharding.Sharding

export interface GrpcServerOptions extends GrpcAddress {
  /** Done when streams of poses are switched off: at once, or as soon as they are. */
  readonly untilWatchingOff: Effect.Effect<void>
  readonly bounds?: ConnectionBounds
  /** Proxies whose connections are those of many clients. */
  readonly trustedProxies?: ReadonlyArray<string>
}

/** The running server: where it listens. */
export class GrpcServer extends Context.Service<GrpcServer, {
  readonly host: string
  readonly port: number
  /** Where processes of this service connect. */
  readonly local: { readonly host: string; readonly port: number }
}>()("wavepose/gateways/GrpcServer") {
  /** Listens while the layer is in use. Then calls may finish within `drainTimeout`; the rest are ended. */
  static readonly layer = (
    options: GrpcServerOptions,
  ): Layer.Layer<
    GrpcServer,
    GrpcListenFailed,
    Needs
  > => Layer.effect(GrpcServer, make(options))
}

const drainTimeout = "2 seconds"

const channelOptions: grpc.ServerOptions = {
  "grpc.max_receive_message_length": strangerBytesMax,
  "grpc.max_send_message_length": messageBytesMax,
  // A client that needs more opens another connection, as proxies do.
  "grpc.max_concurrent_streams": 256,
  // Detects a peer that failed without closing its connection.
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
}

const make = Effect.fnUntraced(function* (
  options: GrpcServerOptions,
): Effect.fn.Return<
  GrpcServer["Service"],
  GrpcListenFailed,
  Needs | Scope.Scope
> {
  const { bounds = defaultConnectionBounds, host, tls, trustedProxies, untilWatchingOff } = options
  const isTrusted = checkedProxies(trustedProxies)
  const connections = makeGrpcConnections(makeConnectionGuard(bounds, isTrusted))
  const draining = yield* Deferred.make<void>()
  const run: Run = yield* FiberSet.makeRuntime<never, unknown, unknown>()
  const ingest = yield* makeIngestTogether
  const admission = {
    authenticator: yield* Authenticator,
    limits: yield* CallerLimits,
    trustedProxies: isTrusted,
    uuid: yield* makeUuids,
    authenticated: connections.authenticated,
    draining,
  }
  const { admitted, interceptor } = makeRequestGate(admission, run)
  const context = {
    ...admission,
    admitted,
    run,
    ingest,
    process: yield* makeProcessCsi(ingest, draining),
    recordCsi: yield* makeRecordCsi,
    operations: yield* Operations,
    watchPoses: yield* makeWatchPoses,
    watchAlerts: yield* makeWatchAlerts,
    home: yield* makeHomeMethods,
    edge: { feed: yield* EdgeFeed, states: yield* EgressStates },
    untilWatchingOff,
  }
  assertDeclared(
    methodPaths,
    Object.fromEntries(Object.entries(methodAccess).map(([path, { access }]) => [path, access])),
  )
  const server = new grpc.Server({ ...channelOptions, interceptors: [interceptor] })
  addServices(server, context)
  addReflection(server)
  const reportShutdown = yield* serveHealth(server, { services: serviceNames, needSystem })
  if (tls === null && !isLoopbackHost(host)) {
    yield* Effect.logWarning(
      `gRPC listens without TLS, so credentials are sent in plain text. Set up TLS. host=${host}`,
    )
  }
  const { close, port } = yield* listenForGrpc(server, options, connections)
  // The certificate is for the names that clients know, and the service has no client certificate for its own processes.
  const local = tls === null ? null : yield* listenForGrpc(server, { ...loopback, tls: null }, connections)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* reportShutdown
      yield* Deferred.succeed(draining, undefined)
      // Sessions close after their calls, and their connections after them. The server does not wait for injected connections.
      server.tryShutdown(() => {})
      const closed = Effect.all([close, local?.close ?? Effect.void], { concurrency: "unbounded" })
      yield* Effect.timeoutOption(closed, drainTimeout)
      server.forceShutdown()
      connections.cut()
    })
  )
  return { host, port, local: local === null ? { host, port } : { host: loopback.host, port: local.port } }
})

/** A free port of loopback. */
const loopback = { host: "127.0.0.1", port: 0 }

/** Of the services of all methods. */
const serviceNames = [...new Set(methodPaths.map((path) => path.split("/")[1]!))]
/** The services that have answers only while the system runs. */
const needSystem = ["wavepose.v1.PoseService", "wavepose.v1.ProcessService", "wavepose.v1.TrackService"]

/** Adds the services with a scope for each method. */
const addServices = (server: grpc.Server, context: Parameters<typeof ingestHandlers>[0]): void => {
  server.addService(csiIngestService, ingestHandlers(context))
  server.addService(csiRecordingService, recordingHandlers(context))
  server.addService(processService, processHandlers(context))
  const handlers = operationHandlers(context)
  for (const service of operationServices.values()) server.addService(service, handlers)
  server.addService(homeService, homeHandlers(context))
  server.addService(edgeService, edgeHandlers(context))
}

/** Adds reflection of the public services. */
const addReflection = (server: grpc.Server): void => {
  // The service reads only the descriptors of a package.
  const described = {
    format: "Protocol Buffer 3 EnumDescriptorProto",
    type: {},
    fileDescriptorProtos: fileDescriptors(),
  } as const
  new ReflectionService({ public: described }).addToServer(server)
}
