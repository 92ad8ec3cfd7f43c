/**
 * The composition of the service: its parts as layers of one process.
 *
 * Boundary: no part reads environment variables or knows the implementation of another part. Only this file does.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { addressText } from "../../actors/runtime/addresses.ts"
import { layerNode, layerSingle } from "../../actors/runtime/cluster.ts"
import { CurrentLoadMeter, makeLoadMeter } from "../../actors/runtime/load-meter.ts"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import { KeepsPace } from "../../protocols/ports/keeps-pace.ts"
import { Membership } from "../../actors/runtime/membership.ts"
import { PoseInference } from "../../actors/runtime/pose/pose-inference.ts"
import { backendSources } from "../../actors/runtime/kernels/kernel-sources.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { Escalations } from "../../actors/runtime/supervision.ts"
import { layerAccounts } from "../../actors/store/accounts/accounts.ts"
import { layerConfigurations } from "../../actors/store/session/configurations.ts"
import { layerAnalytics } from "../../actors/store/reports/analytics.ts"
import { layerCredentials } from "../../actors/store/accounts/credentials.ts"
import type { DatabaseLocation } from "../../actors/store/database/database-location.ts"
import { layerDatabase, layerDatabaseHealth } from "../../actors/store/database/database.ts"
import { layerMemberNews } from "../../actors/store/database/member-news.ts"
import { layerDirectory } from "../../actors/store/sensing/directory.ts"
import { layerEnrolments } from "../../actors/store/sensing/enrolments.ts"
import { startEmbedded } from "../../actors/store/database/embedded.ts"
import { guardVersion } from "../../actors/store/database/version-guard.ts"
import { EventStore } from "../../actors/store/events/events.ts"
import { EncryptionKeys, type KeySources } from "../../actors/store/encryption/encryption-keys.ts"
import { FrameBodies } from "../../actors/store/encryption/body-encryption.ts"
import { layerFrameHistory } from "../../actors/store/history/frame-history.ts"
import { layerFrameSummaries } from "../../actors/store/history/frame-summaries.ts"
import { layerTrackHistory } from "../../actors/store/tracks/stored-tracks.ts"
import { FrameStore } from "../../actors/store/frames/frames.ts"
import { EnvironmentMemories } from "../../actors/store/sensing/environment-memories.ts"
import { layerLearnedWeeks } from "../../actors/store/sensing/learned-weeks.ts"
import { layerNodeIdentities, layerNodeRegistry } from "../../actors/store/sensing/node-identities.ts"
import { layerPlacements } from "../../actors/store/database/placements.ts"
import { layerPeerLeases, layerShardLocks } from "../../actors/store/database/shard-locks.ts"
import { layerSiteTable } from "../../actors/store/sensing/site-table.ts"
import { layerNodeSource, type StartedWith } from "../../actors/store/sensing/node-sources.ts"
import { layerPrivacy } from "../../actors/store/session/privacy.ts"
import { layerRateCounts } from "../../actors/store/accounts/rate-counts.ts"
import { ReferenceStore } from "../../actors/store/sensing/calibrations.ts"
import { layerRetention } from "../../actors/store/frames/retention.ts"
import { runnerCredentials } from "../../actors/store/encryption/cluster-secrets.ts"
import { SessionStore } from "../../actors/store/session/sessions.ts"
import { layerSignInAttempts } from "../../actors/store/accounts/sign-in-attempts.ts"
import { layerSigningKeys } from "../../actors/store/accounts/signing-keys.ts"
import { TrackStore } from "../../actors/store/tracks/tracks.ts"
import { layerUserSessions } from "../../actors/store/accounts/user-sessions.ts"
import { layerUsers } from "../../actors/store/accounts/users.ts"
import { WebhookQueue } from "../../actors/store/events/webhook-queue.ts"
import { layerLabels } from "../../actors/store/history/labels.ts"
import { layerAlerts } from "../../actors/store/events/alerts.ts"
import { layerWebhooks } from "../../actors/store/events/webhooks.ts"
import { layerWebhookProbe } from "../../actors/webhooks/probe.ts"
import { layerDeliverer } from "../../actors/webhooks/deliverer.ts"
import { layerReleasedFeed } from "../../gateways/egress/released-feed.ts"
import { layerEgressStates } from "../../gateways/egress/egress-states.ts"
import { SignInCodes } from "../../gateways/access/sign-in-codes.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { PrivacySettings } from "../../protocols/domain/configuration.ts"
import { Configurations } from "../../protocols/ports/configuration.ts"
import { ClusterReports } from "../../protocols/ports/cluster-report.ts"
import { IngestAddress } from "../../protocols/ports/ingest-address.ts"
import { KernelReports } from "../../protocols/ports/kernel-report.ts"
import { Stopping } from "../../protocols/ports/stopping.ts"
import { layerPrivacyClasses } from "../settings/edge-settings.ts"
import { layerActors, layerLocalActors } from "./actors.ts"
import { layerHomeActors, layerHomeStores, layerHomeView } from "./home.ts"
import { layerHomeServices } from "./home-plugins.ts"
import { layerTelemetry } from "./telemetry.ts"
import { layerPoseModels } from "./pose-models.ts"
import { version } from "./version.ts"
import { warmUp } from "./warm-up.ts"
import { layerCoverageSimulations } from "../plan-coverage/coverage-simulations.ts"
import { layerGateways, layerNoGateways } from "./gateways.ts"
import { type Settings } from "../settings/settings.ts"

interface LocatedDatabase {
  readonly location: DatabaseLocation
  /**
   * Fails when the node must end at once: the embedded database has ended, or another version has taken the PostgreSQL over. Lost
   * connections to it are reopened.
   */
  readonly failed: Effect.Effect<never, { readonly _tag: string; readonly message: string }>
}

/** The database of these settings: the embedded one, started for the scope, or the PostgreSQL, once this version may use it. */
export const locateDatabase = Effect.fnUntraced(function* ({ dataDirectory, databaseUrl }: Settings) {
  if (databaseUrl === null) {
    const { connect, failed } = yield* startEmbedded(dataDirectory)
    const embedded: LocatedDatabase = { location: { connect }, failed }
    return embedded
  }
  const url = Redacted.value(databaseUrl)
  const postgres: LocatedDatabase = { location: { url }, failed: yield* guardVersion(url, version) }
  return postgres
})

/** Options of the stores beside the database. A store that is used alone has no keys. */
export interface StoreOptions {
  readonly keys: KeySources
  /** Null: the setting of the configuration. */
  readonly privacy: Effect.Effect<PrivacySettings, StoreUnavailable> | null
  /** The sources of the node's start, which decide which environments are active. Without it all are. */
  readonly startedWith?: StartedWith
}

const storeDefaults: StoreOptions = {
  keys: { given: [], file: "encryption-keys", mayMake: false },
  privacy: null,
}

const configuredPrivacy = Layer.unwrap(
  Effect.map(Configurations, ({ current }) => layerPrivacy(Effect.map(current, ({ privacy }) => privacy))),
)

/** Accounts, credentials and rate limits. */
export const layerAccountStores = Layer.mergeAll(
  layerAccounts,
  layerCredentials,
  layerRateCounts,
  layerSignInAttempts,
  layerSigningKeys,
  layerUsers,
  layerUserSessions,
)

/** The stores that cover active environments: those that the running nodes were started with. */
const layerSites = (startedWith: StartedWith | undefined) => {
  const history = Layer.mergeAll(layerAlerts, layerAnalytics, layerFrameSummaries, layerFrameHistory, layerTrackHistory)
  const sites = Layer.mergeAll(layerDirectory, layerEnrolments, history)
  return startedWith === undefined ? sites : sites.pipe(Layer.provide(layerNodeSource(startedWith)))
}

/** All stores, behind their ports. */
export const layerStores = (
  location: DatabaseLocation,
  { keys, privacy, startedWith }: StoreOptions = storeDefaults,
) =>
  Layer.mergeAll(
    layerSites(startedWith),
    layerAccountStores,
    layerDatabaseHealth,
    layerNodeIdentities,
    layerLearnedWeeks,
    layerHomeStores,
    FrameStore.layer,
    TrackStore.layer,
    EventStore.layer,
    SessionStore.layer,
    WebhookQueue.layer,
    layerWebhooks,
    layerLabels,
    ReferenceStore.layer,
    EnvironmentMemories.layer,
  ).pipe(
    Layer.provideMerge(FrameBodies.layer),
    Layer.provideMerge(privacy === null ? configuredPrivacy : layerPrivacy(privacy)),
    Layer.provideMerge(layerConfigurations),
    Layer.provideMerge(Layer.merge(layerDatabase(location), EncryptionKeys.layer(keys))),
    Layer.provideMerge(NodeCrypto.layerSecureRandom),
  )

/** The origin of the keys of encryption at rest. All nodes of a shared database need the same keys. */
const keySourcesOf = ({ dataDirectory, databaseUrl, encryptionKeys }: Settings): KeySources => ({
  given: encryptionKeys,
  file: join(dataDirectory, "encryption-keys"),
  mayMake: databaseUrl === null,
})

/** The cluster of these settings: one node on the embedded database, else all nodes of the same PostgreSQL. */
const layerCluster = (settings: Settings, location: DatabaseLocation) =>
  !("url" in location) ? layerSingle : Layer.unwrap(Effect.map(runnerCredentials, (credentials) =>
    layerNode({
      listenHost: settings.clusterListenHost,
      advertisedHost: settings.clusterHost,
      port: settings.clusterPort,
      hosting: { roles: settings.roles, hasBroker: settings.mqtt !== null },
      credentials,
      runners: layerShardLocks(location.url),
    }))).pipe(Layer.provide([layerSiteTable, layerMemberNews, layerPeerLeases, layerPlacements]))

/** What the node knows of its cluster, for its gateways. */
const layerClusterReports = Layer.effect(
  ClusterReports,
  Effect.map(Membership, ({ places, report }) => ({
    current: report,
    nodeOf: Effect.map(places, (nodes) => (environmentId: string) => {
      const node = nodes.get(sensingGroup(environmentId))
      return node === undefined ? null : addressText(node)
    }),
  })),
)

/** Joins the cluster. The layer of the actors and the warm-up come first, so that the node is assigned shards when it can serve them. */
const layerJoin = Layer.effectDiscard(Effect.flatMap(Membership, ({ join }) => join))

/**
 * Before anything of this node stops: reports that it is not ready, and hands the actors over to other nodes, while it still serves. Both take
 * `noticeS` at least, in which proxies notice it.
 */
const layerLeave = (noticeS: number) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const { leave } = yield* Membership
    const stopping = yield* Stopping
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        stopping.current = true
        return Effect.all([leave, Effect.sleep(`${noticeS} seconds`)], { concurrency: 2, discard: true })
      })
    )
  }))

/** One node: the actors and the edges of its roles, on its stores. */
export const layerNodeOf = (settings: Settings, location: DatabaseLocation, startedWith: StartedWith) => {
  const kernels = Kernels.layer(settings.kernels, backendSources)
  const models = layerPoseModels(settings.model)
  const hosted = settings.roles.includes("sensing")
    ? Layer.merge(layerActors, layerDeliverer({ targets: settings.webhookTargets })).pipe(
      Layer.provide([PoseInference.layer, models]),
      Layer.provide([kernels, Layer.succeed(KeepsPace, settings.shedding)]),
    )
    : Layer.empty
  const reports = settings.roles.includes("sensing")
    ? Layer.effect(KernelReports, Effect.map(Kernels, ({ report }) => ({ current: report }))).pipe(
      Layer.provide(kernels),
    )
    : Layer.succeed(KernelReports, { current: Effect.succeed(null) })
  const edges = settings.roles.includes("gateway")
    ? layerGateways(settings).pipe(
      Layer.provide([
        reports,
        layerClusterReports,
        layerCoverageSimulations,
        layerWebhookProbe({ targets: settings.webhookTargets }),
      ]),
    )
    : layerNoGateways
  const home = settings.roles.includes("home") ? Layer.merge(layerHomeActors, layerHomeServices(settings)) : Layer.empty
  const warm = settings.roles.includes("sensing")
    ? Layer.effectDiscard(warmUp).pipe(Layer.provide([kernels, models]))
    : Layer.empty
  const joined = layerJoin.pipe(Layer.provide(warm), Layer.provideMerge(Layer.merge(hosted, home)))
  const noticeS = settings.roles.includes("gateway") ? settings.stopNoticeS : 0
  return layerLeave(noticeS).pipe(
    Layer.provideMerge(Layer.merge(joined, edges)),
    Layer.provide([
      Escalations.layer,
      layerLocalActors,
      Layer.sync(IngestAddress, () => ({ current: null })),
      Layer.sync(Stopping, () => ({ current: false })),
      layerTelemetry(settings.telemetry),
    ]),
    Layer.provideMerge(layerHomeView),
    Layer.provideMerge(layerReleasedFeed),
    Layer.provideMerge(SignInCodes.layer),
    Layer.provideMerge(layerCluster(settings, location)),
    Layer.provide(Layer.effect(CurrentLoadMeter, makeLoadMeter())),
    Layer.provide(layerRetention),
    Layer.provideMerge(layerNodeRegistry(settings.nodeIdentity)),
    Layer.provideMerge(Layer.merge(layerEgressStates, layerPrivacyClasses(settings.edge.classes))),
    Layer.provideMerge(
      layerStores(location, { keys: keySourcesOf(settings), privacy: null, startedWith }),
    ),
  )
}
