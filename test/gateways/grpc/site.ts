/** The gRPC edge with the operations of poses over doubles of the actors, listening on a free port. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Exit, Layer, Scope } from "effect"
import { layerReleasedFeed } from "../../../gateways/egress/released-feed.ts"
import { layerEgressStates } from "../../../gateways/egress/egress-states.ts"
import { EnrolledEnvironments } from "../../../gateways/frames/enrolled-environments.ts"
import { FrameHub } from "../../../gateways/frames/frame-hub.ts"
import { GrpcServer, type GrpcServerOptions } from "../../../gateways/grpc/server.ts"
import { CallerLimits, type LimitSettings } from "../../../gateways/access/caller-limits.ts"
import { Authenticator } from "../../../gateways/access/authenticator.ts"
import { poseRoutes } from "../../../gateways/pose/routes/poses.ts"
import { Operations } from "../../../gateways/pose/pose-routes.ts"
import type { PrivacyClass } from "../../../core/privacy/privacy-class.ts"
import { defaultPrivacy, type PrivacySettings } from "../../../protocols/domain/configuration.ts"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { NotAuthenticated, type Role } from "../../../protocols/domain/identity.ts"
import { defaultStartOptions, type SystemSession } from "../../../protocols/domain/system.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import { PrivacyClasses } from "../../../protocols/ports/privacy-classes.ts"
import { RateCounts } from "../../../protocols/ports/rate-counts.ts"
import { Session } from "../../../protocols/messages/session.ts"
import { countsDouble } from "../pose/accounts.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { EnvironmentDouble, type RouterDouble } from "../cluster.ts"
import { StoredFramesDouble } from "../stored-frames.ts"
import { layerHomeWithServices } from "./home-services.ts"
import { EdgeNodesDouble } from "../egress/nodes.ts"

/** Knows three keys and tokens, each named after its role, and one of an operator that may only read events. */
const authenticator = Layer.succeed(Authenticator, {
  bearer: (token) => principal("user", token),
  apiKey: (key) => principal("apiKey", key),
  ended: ({ id }) => Effect.promise(() => revocations.get(id)?.promise ?? new Promise(() => {})),
})

/** Ends of credentials by their owner, which a test brings about. */
export const revocations = new Map<string, PromiseWithResolvers<void>>()

const principal = (kind: "user" | "apiKey", secret: string) =>
  ["viewer", "operator", "admin", "events-only"].includes(secret)
    ? Effect.succeed({
      kind,
      id: secret,
      name: secret,
      ...(secret === "events-only"
        ? { role: "operator" as const, scopes: ["read:events" as const] }
        : { role: secret as Role }),
      sessionId: null,
      isConsole: false,
      expiresAtMs: null,
    })
    : Effect.fail(new NotAuthenticated({ message: "The credentials are not valid." }))

const runningSession: SystemSession = {
  status: "running",
  sessionId: "session-1",
  startedAtMs: Date.UTC(2026, 0, 5),
  estimatedReadyMs: null,
  steps: [],
  options: defaultStartOptions,
  failure: null,
}

const enrolled = (environmentId: string) => ({ environmentId, name: environmentId, geometry: null })

interface Site {
  readonly environments: EnvironmentDouble
  readonly routers: RouterDouble
  readonly nodes: EdgeNodesDouble
  readonly stored: StoredFramesDouble
  readonly port: number
  /** For the processes of the service. */
  readonly localPort: number
  /** The settings of privacy, and the class of every router. */
  privacy: PrivacySettings
  privacyClass: PrivacyClass
  /** What the session says of the system. */
  systemStatus: SystemSession["status"]
  /** Stops the server as its process would. */
  readonly stop: Effect.Effect<void>
}

/** Runs a test against a listening server on a free port. */
export const withGrpcServer = (
  test: (site: Site) => Effect.Effect<void>,
  { limits = null, ...options }: Partial<GrpcServerOptions> & { readonly limits?: LimitSettings | null },
  router: RouterDouble,
): Promise<void> =>
  Effect.gen(function* () {
    const environments = new EnvironmentDouble("room")
    const nodes = new EdgeNodesDouble()
    const stored = new StoredFramesDouble()
    const site: Site = {
      environments,
      routers: router,
      nodes,
      stored,
      port: 0,
      localPort: 0,
      privacy: { ...defaultPrivacy, csiRecordingEnabled: true },
      privacyClass: 2,
      systemStatus: "running",
      stop: Effect.void,
    }
    // Enrolled is what the double knows.
    const directory = Layer.mock(Directory, {
      environments: Effect.sync(() => [...environments.known].map(enrolled)),
      routers: Effect.sync(() =>
        [...environments.known].flatMap((environmentId) => ["a", "b"].map((routerId) => ({ environmentId, routerId })))
      ),
      environmentOf: (routerId) => Effect.succeed(routerId === "strange" ? null : "room"),
      environment: (id) =>
        Effect.suspend(() =>
          environments.known.has(id)
            ? Effect.succeed(enrolled(id))
            : Effect.fail(UnknownEnvironment.among(id, [...environments.known]))
        ),
    })
    const session = Session.toLayer({
      Status: () => Effect.succeed({ ...runningSession, status: site.systemStatus }),
      Start: () => Effect.die("not part of this double"),
      Stop: () => Effect.die("not part of this double"),
      Restart: () => Effect.die("not part of this double"),
      Configuration: () => Effect.die("not part of this double"),
      Configure: () => Effect.die("not part of this double"),
    })
    const actors = Layer.mergeAll(session, environments.layer(), router.layer(), nodes.layer()).pipe(
      Layer.provideMerge(clusterLayer),
    )
    const scope = yield* Scope.make()
    const server = yield* Layer.buildWithScope(
      GrpcServer.layer({
        host: "127.0.0.1",
        port: 0,
        tls: null,
        untilWatchingOff: Effect.never,
        ...options,
      }).pipe(
        Layer.provide(Operations.layerOf(poseRoutes)),
        Layer.provide([
          authenticator,
          directory,
          layerHomeWithServices,
          layerEgressStates,
          Layer.succeed(Privacy, { current: Effect.sync(() => site.privacy) }),
          Layer.succeed(PrivacyClasses, { of: () => site.privacyClass }),
          CallerLimits.layer(limits).pipe(Layer.provide(Layer.succeed(RateCounts, countsDouble()))),
          NodeCrypto.layerSecureRandom,
          FrameHub.layer.pipe(Layer.provide(stored.layer)),
          stored.layer,
          EnrolledEnvironments.layer.pipe(Layer.provide(directory)),
          layerReleasedFeed.pipe(Layer.provide(nodes.directory())),
        ]),
        Layer.provideMerge(actors),
      ),
      scope,
    )
    const { local, port } = yield* Effect.provide(GrpcServer, server)
    const stop = Scope.close(scope, Exit.void)
    Object.assign(site, { port, localPort: local.port, stop })
    yield* Effect.ensuring(test(site), stop)
  }).pipe(Effect.orDie, Effect.runPromise)
