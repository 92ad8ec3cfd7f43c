/**
 * A pose gateway on a real port, with doubles behind every contract: the session and the environments as cluster
 * entities, the ports as plain objects. What the doubles answer is in `world`, which a test changes.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Cause, Clock, Context, Effect, Exit, Layer, Logger, References, Scope } from "effect"
import { MessageStorage, RunnerHealth, Runners, RunnerStorage, Sharding, ShardingConfig } from "effect/cluster"
import { layerPrivacyClasses } from "../../../deploy/settings/edge-settings.ts"
import { layerEgressStates } from "../../../gateways/egress/egress-states.ts"
import { DatagramListener } from "../../../gateways/datagrams/listener.ts"
import { EnrolledEnvironments } from "../../../gateways/frames/enrolled-environments.ts"
import { FrameHub } from "../../../gateways/frames/frame-hub.ts"
import { Authenticator } from "../../../gateways/access/authenticator.ts"
import { StreamingSwitches } from "../../../gateways/calls/streaming-switches.ts"
import { layerHomeTokens } from "../../../gateways/home/tokens.ts"
import { KeyRing } from "../../../gateways/access/signing-key-cache.ts"
import { CredentialStatus } from "../../../gateways/access/credential-status.ts"
import { SignInCodes } from "../../../gateways/access/sign-in-codes.ts"
import { SocketTickets } from "../../../gateways/access/socket-tickets.ts"
import { Tokens } from "../../../gateways/access/tokens.ts"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import { CallerLimits, type LimitSettings } from "../../../gateways/access/caller-limits.ts"
import { layerPoseRoutes, type PoseRoutesOptions } from "../../../gateways/pose/pose-routes.ts"
import { PoseAddress, poseGateway, type PoseGatewayOptions } from "../../../gateways/pose/gateway.ts"
import { layerLocalRouters } from "../../../actors/router/router-entity.ts"
import type { Role } from "../../../protocols/domain/identity.ts"
import { defaultRules, type Rules } from "../../../protocols/domain/rate-limit.ts"
import { ConfigurationHistory, Configurations } from "../../../protocols/ports/configuration.ts"
import { Alerts } from "../../../protocols/ports/alerts.ts"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { Stopping } from "../../../protocols/ports/stopping.ts"
import { Labels } from "../../../protocols/ports/labels.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Enrolments } from "../../../protocols/ports/enrolments.ts"
import { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { FrameSummaries } from "../../../protocols/ports/frame-summaries.ts"
import { TrackHistory } from "../../../protocols/ports/track-history.ts"
import { UnavailableActors } from "../../../protocols/messages/unavailable-actors.ts"
import { ClusterReports } from "../../../protocols/ports/cluster-report.ts"
import { ActorUnavailable } from "../../../protocols/domain/failure.ts"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { ModelCards } from "../../../protocols/ports/model-cards.ts"
import { KernelReports } from "../../../protocols/ports/kernel-report.ts"
import { NodeIdentities } from "../../../protocols/ports/node-identities.ts"
import { CoverageSimulations } from "../../../protocols/ports/coverage-simulations.ts"
import { WebhookProbe } from "../../../protocols/ports/webhook-probe.ts"
import { Webhooks } from "../../../protocols/ports/webhooks.ts"
import { shardGroups } from "../../../protocols/messages/shard-groups.ts"
import { identitiesDouble, layerAdmission } from "../../harness/node-identities.ts"
import { accountDoubles, type AccountPorts, apiKey, password, sessionIdOf, users } from "./accounts.ts"
import { givenHomeToken, homeTokenStore } from "../../harness/home-tokens.ts"
import { environmentDouble, routerDouble, sessionDouble } from "./actors.ts"
import {
  alertsDouble,
  analyticsDouble,
  coverageDouble,
  databaseDouble,
  directoryDouble,
  enrolmentsDouble,
  historyDouble,
  hubDouble,
  labelsDouble,
  listenerDouble,
  nothingStored,
  probeDouble,
  webhooksDouble,
} from "./ports.ts"
import { makeWorld, type World } from "./world.ts"

export { apiKey, password, users }
export const version = "1.2.3"

const cluster = Sharding.layer.pipe(
  Layer.provideMerge(Runners.layerNoop),
  Layer.provideMerge(MessageStorage.layerMemory),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(
    ShardingConfig.layer({ availableShardGroups: shardGroups, assignedShardGroups: shardGroups, shardsPerGroup: 1 }),
  ),
)

const logTo = (world: World) =>
  Logger.layer([
    Logger.make(({ message, cause, fiber, logLevel }) => {
      const line = JSON.stringify({ message, cause: Cause.pretty(cause) })
      world.lines.push(line)
      if (logLevel === "Warn" || logLevel === "Error" || logLevel === "Fatal") {
        const annotations = fiber.getRef(References.CurrentLogAnnotations)
        world.logged.push(JSON.stringify({ message, annotations, cause: Cause.pretty(cause) }))
      }
    }),
  ])

export interface Gateway {
  readonly world: World
  readonly url: string
  readonly port: number
  /** Issues a token for the user of this role. */
  readonly token: (role: Role) => Promise<string>
  readonly stop: () => Promise<void>
}

/** What takes the places of doubles: what was stored (without it nothing was), reports, the sites, accounts. */
interface Real {
  readonly history?: Layer.Layer<FrameHistory | FrameSummaries | TrackHistory, unknown>
  readonly analytics?: Analytics["Service"]
  readonly directory?: Directory["Service"]
  readonly accounts?: Layer.Layer<AccountPorts>
  /** The clock of the gateway. */
  readonly clock?: Clock.Clock
}

/** Limits that no test reaches by the way, so that every answer carries their headers. */
export const ampleRules = Object.fromEntries(
  Object.entries(defaultRules).map(([name, rule]) => [name, { ...rule, limit: 1_000_000 }]),
) as unknown as Rules

const ampleLimits: LimitSettings = { rules: ampleRules, connections: defaultConnectionLimits }

/** A gateway that listens. Stop it in the end. */
export const startGateway = async (
  { limits = ampleLimits, ...over }: Partial<PoseGatewayOptions & PoseRoutesOptions> & {
    readonly limits?: LimitSettings | null
  } = {},
  real: Real = {},
): Promise<Gateway> => {
  const world = makeWorld()
  const ports = Layer.mergeAll(
    Layer.succeed(Directory, real.directory ?? directoryDouble(world)),
    Layer.succeed(Alerts, alertsDouble(world)),
    Layer.succeed(Labels, labelsDouble(world)),
    Layer.succeed(Enrolments, enrolmentsDouble(world)),
    Layer.succeed(Analytics, real.analytics ?? analyticsDouble(world)),
    Layer.succeed(ConfigurationHistory, historyDouble(world)),
    Layer.succeed(WebhookProbe, probeDouble(world)),
    Layer.succeed(CoverageSimulations, coverageDouble()),
    Layer.succeed(Webhooks, webhooksDouble(world)),
    StreamingSwitches.layer.pipe(Layer.provide(
      Layer.succeed(Configurations, { current: Effect.sync(() => world.configuration.configuration) }),
    )),
    Layer.succeed(FrameHub, hubDouble(world)),
    Layer.succeed(DatagramListener, listenerDouble(world)),
    Layer.succeed(NodeIdentities, identitiesDouble(world.nodes, () => world.storeFails)),
    layerAdmission(),
    layerEgressStates,
    layerPrivacyClasses({ standard: 2, byNode: new Map() }),
    Layer.succeed(ClusterReports, {
      current: Effect.sync(() => world.cluster),
      nodeOf: Effect.succeed(() => world.cluster?.members[0]?.address ?? null),
    }),
    Layer.succeed(HomePlugins, {
      manifests: Effect.succeed([]),
      components: Effect.succeed([]),
      states: Effect.suspend(() =>
        world.plugins === null
          ? Effect.fail(new ActorUnavailable({ actor: "HomeHost", message: "The home does not answer." }))
          : Effect.succeed(world.plugins)
      ),
    }),
    Layer.succeed(ModelCards, { find: (version) => Effect.succeed(world.cards.get(version) ?? null) }),
    Layer.succeed(KernelReports, { current: Effect.sync(() => world.kernels) }),
    Layer.succeed(DatabaseHealth, databaseDouble(world)),
    Layer.succeed(Stopping, world.stopping),
    Layer.succeed(UnavailableActors, { current: Effect.succeed([]) }),
    real.accounts ?? accountDoubles(world),
    layerHomeTokens({ given: [givenHomeToken], development: false }).pipe(
      Layer.provide([homeTokenStore(() => world.homeTokens), NodeCrypto.layerSecureRandom]),
    ),
  )
  const doubles = Layer.mergeAll(sessionDouble(world), environmentDouble(world), routerDouble(world), layerLocalRouters)
  const routes = { version, diskPath: ".", dataDisk: { path: ".", freeBytesMin: 0 }, ...over }
  const layer = poseGateway({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    defaultForm: "bare",
    version,
    console: [],
    publicDocuments: true,
    ...over,
  }).pipe(
    Layer.provide(layerPoseRoutes(routes)),
    Layer.provide(CallerLimits.layer(limits)),
    Layer.provideMerge(Layer.merge(Authenticator.layer, SocketTickets.layer)),
    Layer.provideMerge(Tokens.layer),
    Layer.provideMerge([KeyRing.layer(null), CredentialStatus.layer, EnrolledEnvironments.layer]),
    Layer.provideMerge(SignInCodes.layer),
    Layer.provideMerge(NodeCrypto.layerSecureRandom),
    Layer.provideMerge(ports),
    Layer.provideMerge(real.history ?? nothingStored),
    Layer.provideMerge(doubles),
    Layer.provideMerge(cluster),
    Layer.provide([NodeCrypto.layerSecureRandom, logTo(world), Layer.succeed(References.MinimumLogLevel, "All")]),
  )
  const scope = Scope.makeUnsafe()
  const built = Layer.buildWithScope(layer, scope)
  const context = await Effect.runPromise(
    real.clock === undefined ? built : Effect.provideService(built, Clock.Clock, real.clock),
  )
  const { url, port } = Context.get(context, PoseAddress)
  const tokens = Context.get(context, Tokens)
  return {
    world,
    url,
    port,
    token: (role) =>
      Effect.runPromise(
        Effect.map(tokens.issue({ userId: users[role], sessionId: sessionIdOf(role) }), ({ token }) => token),
      ),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
