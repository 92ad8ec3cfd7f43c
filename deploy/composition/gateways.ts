/**
 * The edges of a node: HTTP, WebSocket, gRPC, datagrams and the home API, put together as one layer.
 */
import { Context, Effect, Layer } from "effect"
import { IngestAddress } from "../../protocols/ports/ingest-address.ts"
import { KeepsPace } from "../../protocols/ports/keeps-pace.ts"
import { Admission } from "../../gateways/datagrams/admission.ts"
import { DatagramListener } from "../../gateways/datagrams/listener.ts"
import { EnrolledEnvironments } from "../../gateways/frames/enrolled-environments.ts"
import { FrameHub } from "../../gateways/frames/frame-hub.ts"
import { GrpcServer } from "../../gateways/grpc/server.ts"
import { Authenticator } from "../../gateways/access/authenticator.ts"
import { CallerLimits } from "../../gateways/access/caller-limits.ts"
import { StreamingSwitches } from "../../gateways/calls/streaming-switches.ts"
import { HomeAddress } from "../../gateways/home/gateway.ts"
import { KeyRing } from "../../gateways/access/signing-key-cache.ts"
import { CredentialStatus } from "../../gateways/access/credential-status.ts"
import { SocketTickets } from "../../gateways/access/socket-tickets.ts"
import { Tokens } from "../../gateways/access/tokens.ts"
import { PoseAddress, poseGateway } from "../../gateways/pose/gateway.ts"
import { layerPoseRoutes, Operations } from "../../gateways/pose/pose-routes.ts"
import { defaultFreeBytesMin } from "../../gateways/pose/telemetry/readiness.ts"
import { layerHomeHostPorts } from "../../actors/home/view/host-calls.ts"
import { layerHomeAccess, layerHomeEdge } from "./home.ts"
import type { Settings } from "../settings/settings.ts"
import { layerModelCards } from "./model-cards.ts"
import { certificateSource } from "./certificates.ts"
import { consoleAssets } from "./console.ts"
import { layerMetricsExport } from "./metrics-export.ts"
import { hostPort } from "../../protocols/domain/host-port.ts"
import { statedIngestAddress } from "./ingest-address.ts"
import { version } from "./version.ts"

/** Where this node listens; null for what its roles do not serve. */
export class Listeners extends Context.Service<Listeners, {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly pose: string | null
  /** E.g. `http://127.0.0.1:8123`. */
  readonly home: string | null
  /** `host:port`. */
  readonly grpc: string | null
  /** `host:port` for the processes of this service, without TLS. */
  readonly localGrpc: string | null
  readonly datagrams: string | null
  readonly nexmon: string | null
}>()("wavepose/deploy/Listeners") {}

/** How callers are known, shared by all edges of a node. */
const layerIdentity = (settings: Settings) =>
  Layer.merge(Authenticator.layer, SocketTickets.layer).pipe(
    Layer.provideMerge(Tokens.layer),
    Layer.provideMerge([KeyRing.layer(settings.jwtSecret), CredentialStatus.layer]),
  )

const layerOperations = ({ dataDirectory, databaseUrl, webhookTargets }: Settings) =>
  layerPoseRoutes({
    version,
    diskPath: databaseUrl === null ? dataDirectory : ".",
    dataDisk: databaseUrl === null ? { path: dataDirectory, freeBytesMin: defaultFreeBytesMin } : null,
    webhookTargets,
  })

/** Where the node listens; its Site actors state where senders reach it. */
const layerListeners = (settings: Settings) =>
  Layer.effect(
    Listeners,
    Effect.gen(function* () {
      const { nexmon, ruview } = yield* DatagramListener
      const grpc = yield* GrpcServer
      const ingestAddress = yield* IngestAddress
      ingestAddress.current = statedIngestAddress(settings, grpc.port)
      return {
        pose: (yield* PoseAddress).url,
        home: (yield* HomeAddress).url,
        grpc: hostPort(grpc.host, grpc.port),
        localGrpc: hostPort(grpc.local.host, grpc.local.port),
        datagrams: hostPort(ruview.host, ruview.port),
        nexmon: hostPort(nexmon.host, nexmon.port),
      }
    }),
  )

export const layerGateways = (settings: Settings) => {
  const { host } = settings
  const tls = certificateSource(settings.tls)
  const shared = Layer.mergeAll(
    FrameHub.layer,
    EnrolledEnvironments.layer,
    layerIdentity(settings),
    StreamingSwitches.layer,
    CallerLimits.layer(settings.limits),
    layerHomeAccess(settings.home),
  )
  const grpc = Layer.unwrap(Effect.gen(function* () {
    const { clients, files } = settings.grpcTls ?? { clients: "none", files: null }
    const certificates = yield* certificateSource(files)
    return GrpcServer.layer({
      host,
      port: settings.grpcPort,
      tls: certificates === null ? null : { certificates, clients },
      untilWatchingOff: (yield* StreamingSwitches).untilOff("restreamEnabled"),
      bounds: settings.bounds,
      trustedProxies: settings.trustedProxies,
    })
  }))
  const edges = Layer.mergeAll(
    Layer.unwrap(Effect.map(Effect.all([consoleAssets, tls]), ([assets, source]) =>
      poseGateway({
        host,
        port: settings.port,
        tls: source,
        defaultForm: settings.responseForm,
        version,
        trustedProxies: settings.trustedProxies,
        origins: settings.origins,
        bounds: settings.bounds,
        console: assets,
        publicDocuments: settings.publicDocuments,
      }))),
    grpc.pipe(Layer.provide(Operations.layer)),
    Layer.unwrap(Effect.map(tls, (source) => layerHomeEdge(settings, source))),
    layerMetricsExport(settings.telemetry),
  ).pipe(
    Layer.provide(layerOperations(settings)),
    Layer.provide([layerHomeHostPorts, layerModelCards(settings.model)]),
    Layer.provide(shared),
    Layer.provideMerge(
      DatagramListener.layer({
        host,
        ruviewPort: settings.udpPort,
        nexmonPort: settings.nexmonPort,
        datagramsPerS: settings.datagramsPerS,
      }).pipe(
        Layer.provideMerge(Admission.layer(settings.nodeIdentity)),
        Layer.provide(Layer.succeed(KeepsPace, settings.shedding)),
      ),
    ),
  )
  return layerListeners(settings).pipe(Layer.provide(edges))
}

export const layerNoGateways = Layer.succeed(Listeners, {
  pose: null,
  home: null,
  grpc: null,
  localGrpc: null,
  datagrams: null,
  nexmon: null,
})
