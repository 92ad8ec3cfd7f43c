/**
 * The gRPC edge: CsiIngest, Poses and Edge for integrators, health and reflection for their tools.
 *
 * Owns the server, its limits, its shutdown and who may call what. Boundary: Router actors are behind `ingest.ts`,
 * Environment actors behind the frame hub, EdgeNode actors behind the edge feed; proto messages are in `protocols/grpc`.
 */
import * as grpc from "@grpc/grpc-js"
import { ReflectionService } from "@grpc/reflection"
import { Clock, Context, Deferred, Effect, FiberSet, Layer, Schema, type Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { HealthImplementation } from "grpc-health-check"
import { SwitchedOff, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { NotAuthenticated } from "../../protocols/domain/identity.ts"
import { latenessOf } from "../../protocols/domain/lateness.ts"
import { Identifier } from "../../protocols/domain/site.ts"
import { fileDescriptors } from "../../protocols/grpc/file-descriptors.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { withLateness } from "../../protocols/grpc/pose-frame.ts"
import {
  csiIngestService,
  type EdgeRequest,
  edgeService,
  messageBytesMax,
  posesService,
} from "../../protocols/grpc/services.ts"
import { EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import type { LocalRouters } from "../../protocols/messages/router.ts"
import { WaysOut } from "../../protocols/ports/egress.ts"
import { latestOfAll, watchAll } from "../frames/all-environments.ts"
import { EnrolledEnvironments } from "../frames/enrolled-environments.ts"
import { FrameHub, type SharedFrame } from "../frames/frame-hub.ts"
import { Authenticator } from "../access/authenticator.ts"
import { assertDeclared, authorise } from "../access/authorise.ts"
import { checkedProxies } from "../access/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../access/connection-guard.ts"
import { methodAccess, methodPaths } from "./access.ts"
import { type Run, serveCall, serveStream, write } from "./calls.ts"
import { serveIngest } from "./csi-ingest.ts"
import { listEdge, watchEdge } from "./edge.ts"
import { makeIngestTogether } from "../ingest/ingest.ts"
import { type GrpcAddress, type GrpcListenFailed, listenForGrpc, makeGrpcConnections } from "./listener.ts"
import { authenticate, type CallFailure, GoingAway } from "./status.ts"

type Needs =
  | FrameHub
  | EnrolledEnvironments
  | EdgeFeed
  | WaysOut
  | Authenticator
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
}>()("wavepose/gateways/GrpcServer") {
  /** Listens while the layer lives; then lets calls finish for `drainTimeout` and ends what is left. */
  static readonly layer = (
    options: GrpcServerOptions,
  ): Layer.Layer<
    GrpcServer,
    GrpcListenFailed,
    Needs
  > => Layer.effect(GrpcServer, make(options))
}

const watchingOff = SwitchedOff.of("Poses.Watch", "streaming.restream_enabled")

const drainTimeout = "2 seconds"

const channelOptions: grpc.ServerOptions = {
  "grpc.max_receive_message_length": messageBytesMax,
  "grpc.max_send_message_length": messageBytesMax,
  "grpc.max_concurrent_streams": 1024,
  // A peer that died without a word is noticed.
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
}

type AnyCall = Pick<grpc.ServerUnaryCall<unknown, unknown>, "metadata" | "getPeer">

type EnvironmentRequest = { readonly environmentId: string }

/** Frames of the environment that a request names, or of all. */
const makePoses = Effect.gen(function* () {
  const context = yield* Effect.context<FrameHub | EnrolledEnvironments | Sharding.Sharding>()
  const hub = yield* FrameHub
  const enrolled = yield* EnrolledEnvironments
  const latestFrame = Effect.provide(latestOfAll, context)
  const allFrames = Stream.provide(watchAll, context)
  const named = ({ environmentId }: EnvironmentRequest) =>
    isIdentifier(environmentId)
      ? Effect.succeed(environmentId)
      : Effect.flatMap(enrolled.ids, (ids) => Effect.fail(UnknownEnvironment.among(environmentId.slice(0, 64), ids)))
  return {
    latest: (request: EnvironmentRequest) =>
      request.environmentId === "" ? latestFrame : Effect.flatMap(named(request), hub.latest),
    watch: (request: EnvironmentRequest): Stream.Stream<SharedFrame, CallFailure> =>
      request.environmentId === "" ? allFrames : Stream.unwrap(Effect.map(named(request), hub.watch)),
  }
})

const make = Effect.fnUntraced(function* (
  options: GrpcServerOptions,
): Effect.fn.Return<
  GrpcServer["Service"],
  GrpcListenFailed,
  Needs | Scope.Scope
> {
  const poses = yield* makePoses
  const edge = { feed: yield* EdgeFeed, ways: yield* WaysOut }
  const authenticator = yield* Authenticator
  const ingest = yield* makeIngestTogether
  const run: Run = yield* FiberSet.makeRuntime<never, unknown, unknown>()
  const draining = yield* Deferred.make<void>()
  assertDeclared(methodPaths, methodAccess)
  const connections = makeGrpcConnections(
    makeConnectionGuard(options.bounds ?? defaultConnectionBounds, checkedProxies(options.trustedProxies)),
  )
  const allow = (call: AnyCall, path: keyof typeof methodAccess) =>
    Effect.flatMap(authenticate(authenticator, call.metadata), (caller) => {
      connections.authenticated(call.getPeer())
      return Effect.as(authorise(caller, methodAccess[path]), caller)
    })
  /** Serves a stream for as long as its caller's credential stands. */
  const whileAllowed = <A, E extends CallFailure>(
    call: AnyCall,
    path: keyof typeof methodAccess,
    stream: () => Effect.Effect<A, E>,
  ) =>
    Effect.flatMap(allow(call, path), (caller) =>
      Effect.raceFirst(
        Effect.suspend(stream),
        Effect.andThen(authenticator.ended(caller), Effect.fail(credentialEnded)),
      ))

  const server = new grpc.Server(channelOptions)
  server.addService(csiIngestService, {
    Stream: (call: grpc.ServerDuplexStream<Uint8Array, IngestAck>) =>
      serveStream(
        run,
        call,
        whileAllowed(call, csiIngestService.Stream.path, () => serveIngest(call, ingest, draining)),
      ),
  })
  server.addService(posesService, {
    GetLatest: (call: grpc.ServerUnaryCall<EnvironmentRequest, Uint8Array>, answer: grpc.sendUnaryData<Uint8Array>) =>
      serveCall(
        run,
        call,
        allow(call, posesService.GetLatest.path).pipe(
          Effect.andThen(poses.latest(call.request)),
          Effect.flatMap(judged),
        ),
        (result) => "status" in result ? answer(result.status) : answer(null, result.value),
      ),
    Watch: (call: grpc.ServerWritableStream<EnvironmentRequest, Uint8Array>) =>
      serveStream(
        run,
        call,
        whileAllowed(call, posesService.Watch.path, () =>
          Effect.raceFirst(
            Effect.andThen(options.untilWatchingOff, Effect.fail(watchingOff)),
            Stream.runForEach(
              poses.watch(call.request),
              (shared) => Effect.flatMap(judged(shared), (bytes) => write(call, bytes)),
            ),
          )).pipe(
            Effect.raceFirst(Effect.andThen(Deferred.await(draining), Effect.fail(GoingAway.now))),
          ),
      ),
  })
  server.addService(edgeService, {
    List: (call: grpc.ServerUnaryCall<EdgeRequest, Uint8Array>, answer: grpc.sendUnaryData<Uint8Array>) =>
      serveCall(
        run,
        call,
        Effect.andThen(allow(call, edgeService.List.path), listEdge(edge)),
        (result) => "status" in result ? answer(result.status) : answer(null, result.value),
      ),
    Watch: (call: grpc.ServerWritableStream<EdgeRequest, Uint8Array>) =>
      serveStream(
        run,
        call,
        Effect.raceFirst(
          whileAllowed(call, edgeService.Watch.path, () => watchEdge(edge, call)),
          Effect.andThen(Deferred.await(draining), Effect.fail(GoingAway.now)),
        ),
      ),
  })
  const health = addTools(server)
  if (options.tls === null && !isLoopback(options.host)) {
    yield* Effect.logWarning(
      `gRPC speaks plain text on ${options.host}: credentials can be read on the way. Set up TLS.`,
    )
  }
  const { close, port } = yield* listenForGrpc(server, options, connections)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      health.setStatus("", "NOT_SERVING")
      yield* Deferred.succeed(draining, undefined)
      // Sessions close when their calls have ended, and with them their connections; the server does not wait for those it was handed.
      server.tryShutdown(() => {})
      yield* Effect.timeoutOption(close, drainTimeout)
      server.forceShutdown()
      connections.cut()
    })
  )
  return { host: options.host, port }
})

const credentialEnded = new NotAuthenticated({
  message: "The credentials of this call have expired or were revoked.",
})

/** A frame as it is sent: with its lateness at this moment. */
const judged = ({ bytes, frame, memo }: SharedFrame): Effect.Effect<Uint8Array> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const lateness = latenessOf(frame, nowMs)
    return memo(`grpc ${lateness}`, () => withLateness(bytes, lateness))
  })

const isIdentifier: (text: string) => boolean = Schema.is(Identifier)

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

/** Adds grpc.health.v1 and reflection of the public services. */
const addTools = (server: grpc.Server): HealthImplementation => {
  const names = ["", "wavepose.v1.CsiIngest", "wavepose.v1.Poses", "wavepose.v1.Edge"]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "SERVING" as const])))
  health.addToServer(server)
  // The service reads nothing of a package but the descriptors.
  const described = {
    format: "Protocol Buffer 3 EnumDescriptorProto",
    type: {},
    fileDescriptorProtos: fileDescriptors(),
  } as const
  new ReflectionService({ public: described }).addToServer(server)
  return health
}
