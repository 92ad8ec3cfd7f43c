/**
 * The service: its parts put together for one process, as layers.
 *
 * Boundary: no part knows the environment's variables or another part's insides; this file alone sees them all.
 */
import { NodeCrypto } from "@effect/platform-node"
import { readFile } from "node:fs/promises"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { layerArchive } from "../actors/archive/shell.ts"
import { layerEnvironment } from "../actors/environment/shell.ts"
import { layerRouter } from "../actors/router/shell.ts"
import { layerNode, layerSingle } from "../actors/runtime/cluster.ts"
import { PoseInference } from "../actors/runtime/pose-inference.ts"
import { backendSources } from "../actors/runtime/kernel-sources.ts"
import { Kernels } from "../actors/runtime/kernels.ts"
import { Escalations } from "../actors/runtime/supervision.ts"
import { layerSession } from "../actors/session/shell.ts"
import { layerAccounts } from "../actors/store/accounts.ts"
import { type DatabaseLocation, layerDatabase, layerDatabaseHealth } from "../actors/store/database.ts"
import { layerDirectory } from "../actors/store/directory.ts"
import { type EmbeddedDatabaseFailed, startEmbedded } from "../actors/store/embedded.ts"
import { EventStore } from "../actors/store/events.ts"
import { FrameStore } from "../actors/store/frames.ts"
import { ReferenceStore } from "../actors/store/references.ts"
import { runnerCredentials, signingKey } from "../actors/store/secrets.ts"
import { SessionStore } from "../actors/store/sessions.ts"
import { DatagramListener } from "../gateways/datagrams/listener.ts"
import { FrameHub } from "../gateways/frames/frame-hub.ts"
import { GrpcServer } from "../gateways/grpc/server.ts"
import { Authenticator } from "../gateways/middleware/authenticator.ts"
import { defaultEnvironment } from "../gateways/middleware/default-environment.ts"
import { Tokens } from "../gateways/middleware/tokens.ts"
import { PoseAddress, poseGateway } from "../gateways/pose/gateway.ts"
import { layerPoseModels } from "./pose-models.ts"
import { InvalidSettings, type Settings } from "./settings.ts"
import { version } from "./version.ts"

/** Where this node listens; null for what its roles do not serve. */
export class Listeners extends Context.Service<Listeners, {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly pose: string | null
  /** `host:port`. */
  readonly grpc: string | null
  readonly datagrams: string | null
  readonly nexmon: string | null
}>()("wavepose/deploy/Listeners") {}

export interface LocatedDatabase {
  readonly location: DatabaseLocation
  /** Fails when the embedded database ends by itself; never for a PostgreSQL, to which connections are made again. */
  readonly failed: Effect.Effect<never, EmbeddedDatabaseFailed>
}

/** The database of these settings: PostgreSQL's address, or the embedded one, started for the scope. */
export const locateDatabase = (
  settings: Settings,
): Effect.Effect<LocatedDatabase, EmbeddedDatabaseFailed, Scope.Scope> =>
  settings.databaseUrl === null
    ? Effect.map(startEmbedded(settings.dataDirectory), ({ failed, socketPath }) => ({
      location: { socketPath },
      failed,
    }))
    : Effect.succeed({ location: { url: Redacted.value(settings.databaseUrl) }, failed: Effect.never })

/** Everything that is kept, behind the ports that the rest knows. */
export const layerStores = (location: DatabaseLocation) =>
  Layer.mergeAll(
    layerDirectory,
    layerAccounts,
    layerDatabaseHealth,
    FrameStore.layer,
    EventStore.layer,
    SessionStore.layer,
    ReferenceStore.layer,
  ).pipe(
    Layer.provideMerge(layerDatabase(location)),
    Layer.provideMerge(NodeCrypto.layerSecureRandom),
  )

/** The cluster that these settings join: alone on the embedded database, else with every node of the same PostgreSQL. */
const layerCluster = (settings: Settings) =>
  settings.databaseUrl === null ? layerSingle : Layer.unwrap(Effect.map(runnerCredentials, (credentials) =>
    layerNode({
      listenHost: settings.clusterListenHost,
      advertisedHost: settings.clusterHost,
      port: settings.clusterPort,
      roles: settings.roles,
      credentials,
    })))

const layerActors = Layer.mergeAll(layerSession, layerEnvironment, layerRouter, layerArchive)

const layerTokens = (settings: Settings) =>
  Layer.unwrap(Effect.gen(function* () {
    const key = settings.jwtSecret === null ? yield* signingKey : Redacted.value(settings.jwtSecret)
    return Tokens.layer({ keyId: "1", key: new TextEncoder().encode(key) })
  }))

const readTls = (files: NonNullable<Settings["grpcTls"]>) =>
  Effect.tryPromise({
    try: async () => ({
      certPem: await readFile(files.certFile, "utf8"),
      keyPem: await readFile(files.keyFile, "utf8"),
    }),
    catch: (cause) => new InvalidSettings({ message: `The certificate of the gRPC edge cannot be read: ${cause}` }),
  })

const addressOf = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

const layerGateways = (settings: Settings) => {
  const { host } = settings
  const shared = Layer.mergeAll(FrameHub.layer, Authenticator.layer).pipe(Layer.provideMerge(layerTokens(settings)))
  const grpc = Layer.unwrap(Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Services<typeof defaultEnvironment>>()
    return GrpcServer.layer({
      host,
      port: settings.grpcPort,
      tls: settings.grpcTls === null ? null : yield* readTls(settings.grpcTls),
      defaultEnvironment: Effect.provide(defaultEnvironment, context),
    })
  }))
  const edges = Layer.mergeAll(
    poseGateway({
      host,
      port: settings.port,
      defaultForm: settings.responseForm,
      version,
      diskPath: settings.databaseUrl === null ? settings.dataDirectory : ".",
    }),
    grpc,
  ).pipe(
    Layer.provide(shared),
    Layer.provideMerge(
      DatagramListener.layer({ host, ruviewPort: settings.udpPort, nexmonPort: settings.nexmonPort }),
    ),
  )
  return Layer.effect(
    Listeners,
    Effect.gen(function* () {
      const { nexmon, ruview } = yield* DatagramListener
      const grpc = yield* GrpcServer
      return {
        pose: (yield* PoseAddress).url,
        grpc: addressOf(grpc),
        datagrams: addressOf(ruview),
        nexmon: addressOf(nexmon),
      }
    }),
  ).pipe(Layer.provide(edges))
}

const layerNoGateways = Layer.succeed(Listeners, { pose: null, grpc: null, datagrams: null, nexmon: null })

/** One node: the actors that its roles host and the edges that its roles serve, on its stores. */
export const layerNodeOf = (settings: Settings, location: DatabaseLocation) => {
  const kernels = Kernels.layer(settings.kernels, backendSources)
  const hosted = settings.roles.includes("sensing")
    ? layerActors.pipe(
      Layer.provide([PoseInference.layer, layerPoseModels(settings.model)]),
      Layer.provide(kernels),
    )
    : Layer.empty
  const edges = settings.roles.includes("gateway") ? layerGateways(settings) : layerNoGateways
  return Layer.mergeAll(hosted, edges).pipe(
    Layer.provide(Escalations.layer),
    Layer.provideMerge(layerCluster(settings)),
    Layer.provideMerge(layerStores(location)),
  )
}
