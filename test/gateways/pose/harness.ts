/**
 * A pose gateway on a real port, with doubles behind every contract: the session and the environments as cluster
 * entities, the ports as plain objects. What the doubles answer is in `world`, which a test changes.
 */
import { NodeCrypto } from "@effect/platform-node"
import { Cause, Context, Effect, Exit, Layer, Logger, Queue, References, Scope, Stream } from "effect"
import { MessageStorage, RunnerHealth, Runners, RunnerStorage, Sharding, ShardingConfig } from "effect/cluster"
import { noCounts } from "../../../core/signal/reducer-counters.ts"
import { layerWaysOut } from "../../../gateways/edge/ways-out.ts"
import type { DatagramCounts } from "../../../gateways/datagrams/counts.ts"
import { DatagramListener } from "../../../gateways/datagrams/listener.ts"
import { FrameHub, type SharedFrame } from "../../../gateways/frames/frame-hub.ts"
import { Authenticator } from "../../../gateways/middleware/authenticator.ts"
import { StreamingSwitches } from "../../../gateways/middleware/streaming-switches.ts"
import { layerHomeTokens } from "../../../gateways/home/tokens.ts"
import { KeyRing } from "../../../gateways/middleware/key-ring.ts"
import { Standing } from "../../../gateways/middleware/standing.ts"
import { Tokens } from "../../../gateways/middleware/tokens.ts"
import { defaultConnectionLimits } from "../../../gateways/pose/connection-limits.ts"
import { PoseAddress, poseGateway, type PoseGatewayOptions } from "../../../gateways/pose/gateway.ts"
import { layerRouterDoors } from "../../../actors/router/shell.ts"
import { planChange, thisNode } from "../../../actors/session/configuration.ts"
import { defaultConfiguration } from "../../../protocols/domain/configuration.ts"
import { ConfigurationMoved, restartSettings } from "../../../protocols/domain/configuration-change.ts"
import type { Alert } from "../../../protocols/domain/event.ts"
import {
  ActorUnavailable,
  NoFrames,
  StoreUnavailable,
  SystemConflict,
  SystemNotRunning,
  UnknownEnvironment,
  UnknownRouter,
  UnusableModel,
} from "../../../protocols/domain/failure.ts"
import type { ApiKey, Role } from "../../../protocols/domain/identity.ts"
import type { NodeIdentity } from "../../../protocols/domain/node-identity.ts"
import { defaultRules, type Rules } from "../../../protocols/domain/rate-limit.ts"
import type { Environment as Site } from "../../../protocols/domain/site.ts"
import type { TrackRecord } from "../../../protocols/domain/track.ts"
import {
  defaultStartOptions,
  type EnvironmentStatus,
  type StartOptions,
  type SystemSession,
} from "../../../protocols/domain/system.ts"
import { TooManyWebhooks, type Webhook, webhooksMax } from "../../../protocols/domain/webhook.ts"
import {
  type ConfigurationChange,
  ConfigurationHistory,
  Configurations,
} from "../../../protocols/messages/configuration.ts"
import { Analytics } from "../../../protocols/messages/analytics.ts"
import { DatabaseHealth } from "../../../protocols/messages/database-health.ts"
import { Directory } from "../../../protocols/messages/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { FrameHistory } from "../../../protocols/messages/frame-history.ts"
import { FrameSummaries } from "../../../protocols/messages/frame-summaries.ts"
import { TrackHistory } from "../../../protocols/messages/track-history.ts"
import { GivenUpActors } from "../../../protocols/messages/escalations.ts"
import { type IngestResult, Router, type RouterStatus } from "../../../protocols/messages/router.ts"
import { type ConfigurationState, Session } from "../../../protocols/messages/session.ts"
import { NodeIdentities } from "../../../protocols/messages/node-identities.ts"
import { Webhooks } from "../../../protocols/messages/webhooks.ts"
import { shardGroups } from "../../../protocols/messages/shard-groups.ts"
import { identitiesDouble, layerAdmission } from "../../harness/node-identities.ts"
import { accountDoubles, type AccountPorts, apiKey, password, sessionIdOf, users } from "./accounts.ts"
import type { StoredHomeToken } from "../../../protocols/messages/home-tokens.ts"
import { homeTokenStore } from "../../harness/home-tokens.ts"
import { makeFrame, share } from "./frames.ts"

export interface World {
  session: SystemSession
  /** The session answers nobody. */
  sessionSilent: boolean
  /** Models whose weights are there and cannot be used. */
  readonly brokenModels: Set<string>
  configuration: ConfigurationState
  /** The record of changes, the newest first. */
  readonly changes: Array<ConfigurationChange>
  readonly webhooks: Map<string, Webhook>
  /** The nodes that send datagrams. */
  readonly nodes: Map<string, NodeIdentity>
  /** Why a change of the configuration is not obeyed; null: it is. */
  disobeys: string | null
  environments: Array<Site>
  /** What an environment describes; "silent" never answers, "broken" dies. */
  describe: (environmentId: string) => EnvironmentStatus | "silent" | "broken"
  /** The track of an id that an environment follows; null for none; "broken" dies. */
  track: (environmentId: string, trackId: number) => TrackRecord | null | "broken"
  /** The routers that are enrolled, and what they say of themselves. */
  readonly routers: Map<string, RouterStatus>
  /** Encoded batches that routers were given. */
  readonly batches: Array<Uint8Array>
  /** What a router answers to a batch. */
  ingest: IngestResult
  /** What the doors for datagrams have seen. */
  readonly datagrams: Record<"ruview" | "nexmon", DatagramCounts>
  latest: (environmentId: string) => SharedFrame | NoFrames | SystemNotRunning | UnknownEnvironment | "broken"
  storeFails: boolean
  /** The newest frame is answered after this; null: at once. */
  gate: Promise<void> | null
  apiKeys: Map<string, ApiKey>
  readonly homeTokens: Map<string, StoredHomeToken>
  /** Ids of sign-ins and API keys that were revoked. */
  readonly revoked: Set<string>
  /** What the gateway logged at level Warn and above. */
  readonly logged: Array<string>
  /** All that was logged, of every level. */
  readonly lines: Array<string>
  /** Hands a frame to every watcher of its environment. */
  readonly publish: (frame: SharedFrame) => void
  /** What an environment tells of its alerts. */
  alerts: (environmentId: string) => Stream.Stream<Alert | null, UnknownEnvironment>
  /** Whether an alert can be acknowledged, and by whom it was. */
  acknowledges: boolean
  readonly acknowledged: Array<{ readonly alertId: string; readonly by: string }>
  /** Environments that are watched now, and by how many. */
  readonly watched: Map<string, Set<Queue.Queue<SharedFrame>>>
}

export { apiKey, password, users }
export const version = "1.2.3"

export const makeStatus = (environmentId: string): EnvironmentStatus => ({
  environmentId,
  active: true,
  routers: 2,
  streamingRouters: 2,
  dataRateHz: 99.5,
  packetLoss: 0.01,
  rssiDbm: -48.5,
  lastPacketMs: Date.UTC(2026, 0, 5, 9, 30),
  framesProcessed: 120,
  framesPerSecond: 10,
  averageLatencyMs: 31.5,
  modelVersion: null,
  inferenceTimeMs: null,
  activeTracks: 2,
  trackQuality: 0.8,
  noFramesReason: null,
})

export const makeRouterStatus = (routerId: string, over: Partial<RouterStatus> = {}): RouterStatus => ({
  routerId,
  environmentId: "living-room",
  state: "streaming",
  packetRateHz: 99.5,
  packetLoss: 0.01,
  lastPacketMs: Date.UTC(2026, 0, 5, 9, 30),
  lastEventMs: Date.UTC(2026, 0, 5, 9, 30),
  transmitterIds: ["ap"],
  acceptedFrames: 1000,
  droppedFrames: 0,
  givenUpHops: 0,
  channel: {
    format: "esp32-csi-tool",
    centerFrequencyHz: 2437e6,
    bandwidthHz: 20e6,
    receiveAntennas: 1,
    subcarriers: 51,
  },
  counters: noCounts(),
  calibration: {
    version: 1,
    takenAtMs: Date.UTC(2026, 0, 4),
    links: 2,
    calibratedLinks: 2,
    twoSidedLinks: 0,
    stale: null,
    running: null,
  },
  ...over,
})

const noDatagrams: DatagramCounts = { received: 0, accepted: 0, dropped: {}, routers: [], foreignSenders: [] }

const makeWorld = (): World => {
  const watched: World["watched"] = new Map()
  return {
    session: {
      status: "running",
      sessionId: "session-1",
      startedAtMs: Date.UTC(2026, 0, 5),
      estimatedReadyMs: null,
      steps: [],
      options: defaultStartOptions,
      failure: null,
    },
    sessionSilent: false,
    brokenModels: new Set(),
    configuration: { revision: 3, configuration: defaultConfiguration },
    changes: [],
    webhooks: new Map(),
    nodes: new Map(),
    disobeys: null,
    environments: [{ environmentId: "living-room", name: "Living room", geometry: null }],
    describe: makeStatus,
    track: () => null,
    routers: new Map(["node-1", "node-2"].map((id) => [id, makeRouterStatus(id)])),
    batches: [],
    ingest: { acceptedFrames: 1, droppedFrames: 0, dropReason: null },
    datagrams: { ruview: noDatagrams, nexmon: noDatagrams },
    latest: (environmentId) =>
      environmentId === "living-room" ? share(makeFrame()) : UnknownEnvironment.of(environmentId),
    storeFails: false,
    gate: null,
    apiKeys: new Map(),
    homeTokens: new Map(),
    revoked: new Set(),
    logged: [],
    lines: [],
    alerts: () => Stream.never,
    acknowledges: true,
    acknowledged: [],
    publish: (frame) => {
      for (const queue of watched.get(frame.frame.environmentId) ?? []) Queue.offerUnsafe(queue, frame)
    },
    watched,
  }
}

const storeDown = new StoreUnavailable({ message: "The store does not answer." })

export const changedAtMs = Date.UTC(2026, 0, 5, 10)

export const makeWebhook = (webhookId: string): Webhook => ({
  webhookId,
  url: "https://hooks.example.org/",
  description: "",
  eventTypes: ["fall_detection"],
  createdAtMs: changedAtMs,
  createdBy: "otto",
  disabledAtMs: null,
  disabledReason: null,
  failingSinceMs: null,
  lastError: null,
  lastAttemptMs: null,
  lastSuccessMs: null,
  delivered: 0,
  givenUp: 0,
  waiting: 0,
})

const webhooksDouble = ({ webhooks }: World): Webhooks["Service"] => ({
  create: ({ secret, ...order }) =>
    Effect.suspend(() => {
      if (webhooks.size >= webhooksMax) return Effect.fail(TooManyWebhooks.now)
      const webhook: Webhook = { ...makeWebhook(`webhook-${webhooks.size + 1}`), ...order }
      webhooks.set(webhook.webhookId, webhook)
      return Effect.succeed({ webhook, secret: secret ?? "whsec_made" })
    }),
  all: Effect.sync(() => [...webhooks.values()]),
  one: (webhookId) => Effect.sync(() => webhooks.get(webhookId) ?? null),
  remove: (webhookId) => Effect.sync(() => webhooks.delete(webhookId)),
})

const historyDouble = (world: World): ConfigurationHistory["Service"] => ({
  changes: (before, limit) =>
    Effect.sync(() => world.changes.filter(({ revision }) => before === null || revision < before).slice(0, limit)),
})

const step = { step: "load_configuration", status: "in_progress" as const, progress: 0.5 }

const begun = (world: World, status: SystemSession["status"], options: StartOptions): SystemSession => ({
  ...world.session,
  status,
  sessionId: "session-2",
  estimatedReadyMs: Date.UTC(2099, 0, 1),
  steps: [step],
  options,
})

const sessionDouble = (world: World) =>
  Session.toLayer(Session.of({
    Status: () => Effect.succeed(world.session),
    Start: ({ payload }) => {
      if (world.session.status === "running") {
        return Effect.fail(
          new SystemConflict({ status: "running", message: "The system runs already. Stop it first." }),
        )
      }
      const known = payload.environmentId == null ||
        world.environments.some(({ environmentId }) => environmentId === payload.environmentId)
      if (!known) return Effect.fail(UnknownEnvironment.of(payload.environmentId!))
      const { by = thisNode, calibrationRequired = false, ...changes } = payload
      return Effect.map(planChange(world.configuration, changes, by, 0), ({ state }) => {
        world.configuration = state
        return world.session = begun(world, "starting", { ...state.configuration, calibrationRequired })
      })
    },
    Stop: () =>
      world.session.status === "stopped"
        ? Effect.fail(new SystemConflict({ status: "stopped", message: "The system does not run." }))
        : Effect.sync(() => world.session = begun(world, "stopping", world.session.options)),
    Restart: () =>
      world.sessionSilent ? Effect.never : Effect.sync(() => {
        const previousSessionId = world.session.sessionId
        world.session = begun(world, "restarting", world.session.options)
        return { previousSessionId, session: world.session }
      }),
    Configuration: () => Effect.sync(() => world.configuration),
    Configure: ({ payload: { by, changes, ifRevision } }) =>
      Effect.gen(function* () {
        const { status } = world.session
        if (status === "starting") return yield* new SystemConflict({ status, message: "The system is starting." })
        if (ifRevision !== null && ifRevision !== world.configuration.revision) {
          return yield* ConfigurationMoved.of(world.configuration.revision)
        }
        const modelVersion = changes.neuralNetwork?.modelVersion ?? null
        if (modelVersion !== null && world.brokenModels.has(modelVersion)) {
          return yield* new UnusableModel({ modelVersion, message: `Model "${modelVersion}" cannot be used.` })
        }
        if (world.disobeys !== null) {
          return yield* new ActorUnavailable({ actor: "environment living-room", message: world.disobeys })
        }
        const { changed, record, state } = yield* planChange(world.configuration, changes, by, changedAtMs)
        world.configuration = state
        if (record !== null) world.changes.unshift(record.change)
        return {
          ...state,
          changed,
          restartRequired: changed.filter((setting) => restartSettings.has(setting)),
          atMs: changedAtMs,
        }
      }),
  }))

const environmentDouble = (world: World) =>
  Environment.toLayer(
    Environment.of({
      Observe: () => Effect.die("not asked by this gateway"),
      Activate: () => Effect.die("not asked by this gateway"),
      Deactivate: () => Effect.die("not asked by this gateway"),
      Latest: () => Effect.die("not asked by this gateway"),
      Watch: () => Stream.die("not asked by this gateway"),
      WatchAlerts: ({ address }) => world.alerts(address.entityId),
      Acknowledge: ({ payload }) =>
        Effect.sync(() => {
          world.acknowledged.push(payload)
          return { acknowledged: world.acknowledges }
        }),
      Track: ({ address, payload }) => {
        const record = world.track(address.entityId, payload.trackId)
        return record === "broken" ? Effect.die(new Error("secret detail")) : Effect.succeed(record)
      },
      Describe: ({ address }) => {
        const status = world.describe(address.entityId)
        if (status === "silent") return Effect.never
        return status === "broken" ? Effect.die(new Error("secret detail")) : Effect.succeed(status)
      },
    }),
    // As the actor itself, whose streams do not keep other messages waiting.
    { disableFatalDefects: true, concurrency: "unbounded" },
  )

const routerDouble = (world: World) => {
  const known = (routerId: string) =>
    Effect.suspend(() => {
      const status = world.routers.get(routerId)
      return status === undefined ? Effect.fail(UnknownRouter.of(routerId)) : Effect.succeed(status)
    })
  return Router.toLayer({
    Ingest: ({ address: { entityId }, payload: { batches } }) =>
      Effect.map(known(entityId), () => {
        world.batches.push(...batches)
        return batches.map(() => world.ingest)
      }),
    Save: () => Effect.die("not asked by this gateway"),
    Describe: ({ address: { entityId } }) => known(entityId),
    Calibrate: ({ address: { entityId }, payload: { room } }) =>
      Effect.map(known(entityId), (status) => {
        const running = { room, progress: 0, movingShare: null }
        world.routers.set(entityId, {
          ...status,
          state: "calibrating",
          calibration: { ...status.calibration, running },
        })
      }),
  })
}

const cluster = Sharding.layer.pipe(
  Layer.provideMerge(Runners.layerNoop),
  Layer.provideMerge(MessageStorage.layerMemory),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer({ availableShardGroups: shardGroups, assignedShardGroups: shardGroups })),
)

const directoryDouble = (world: World): Directory["Service"] => ({
  environments: Effect.suspend(() => world.storeFails ? Effect.fail(storeDown) : Effect.succeed(world.environments)),
  routers: Effect.sync(() => ["node-1", "node-2"].map((routerId) => ({ routerId, environmentId: "living-room" }))),
  environment: (environmentId) => {
    const found = world.environments.find((site) => site.environmentId === environmentId)
    return found === undefined ? Effect.fail(UnknownEnvironment.of(environmentId)) : Effect.succeed(found)
  },
  environmentOf: (routerId) => Effect.succeed(world.routers.get(routerId)?.environmentId ?? null),
  enrol: () => Effect.void,
})

const hubDouble = (world: World): FrameHub["Service"] => ({
  latest: (environmentId) => {
    const answer = world.latest(environmentId)
    if (answer === "broken") return Effect.die(new Error("secret detail"))
    if (world.gate !== null) return Effect.as(Effect.promise(() => world.gate!), answer as SharedFrame)
    return "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
  },
  watch: (environmentId) =>
    Stream.unwrap(Effect.gen(function* () {
      const queue = yield* Queue.sliding<SharedFrame>(64)
      const watchers = world.watched.get(environmentId) ?? new Set()
      world.watched.set(environmentId, watchers.add(queue))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          watchers.delete(queue)
          if (watchers.size === 0) world.watched.delete(environmentId)
        })
      )
      return Stream.fromQueue(queue)
    })),
})

/** A store in which nothing is. */
const nothingStored = Layer.mergeAll(
  Layer.succeed(FrameHistory, {
    available: () => Effect.succeed(null),
    has: () => Effect.succeed(false),
    frames: () => Effect.succeed({ frames: [], next: null, total: { count: 0, reason: null } }),
    persons: () => Effect.succeed({ entries: [], hasMore: false, total: { count: 0, reason: null } }),
  }),
  Layer.succeed(FrameSummaries, {
    ask: () => Effect.succeed({ rows: [], next: null, recordsScanned: 0, cacheHit: false }),
  }),
  Layer.succeed(TrackHistory, {
    track: () => Effect.succeed(null),
    trajectory: () => Effect.succeed({ points: [], intervalS: null }),
  }),
)

const listenerDouble = ({ datagrams }: World): DatagramListener["Service"] => ({
  ruview: { host: "127.0.0.1", port: 5005, counts: Effect.sync(() => datagrams.ruview) },
  nexmon: { host: "127.0.0.1", port: 5500, counts: Effect.sync(() => datagrams.nexmon) },
})

/** A store in which nothing is. */
const analyticsDouble = (world: World): Analytics["Service"] => {
  const stored = <A>(value: A) =>
    Effect.suspend(() => world.storeFails ? Effect.fail(storeDown) : Effect.succeed(value))
  const nobody = { entrance: 0, product: 0, checkout: 0, purchase: 0 }
  return {
    sums: () => stored([]),
    peak: () => stored(null),
    spans: () => stored([]),
    buckets: () => stored([]),
    rates: () => stored([]),
    movement: () => stored({ tracks: 0, begun: 0, dwellS: 0, distanceM: 0, movingS: 0 }),
    arrivals: () => stored(new Map()),
    trackBuckets: () => stored([]),
    zoneVisits: () => stored([]),
    stages: () => stored(nobody),
    entries: () => stored({ all: 0, intruding: 0 }),
    eventCounts: () => stored({ movements: 0, falls: 0, alerts: 0 }),
    incidents: () => stored({ count: 0, newest: [] }),
    events: (_, { before }) => stored(before === null ? [] : null),
  }
}

const databaseDouble = (world: World): DatabaseHealth["Service"] => ({
  check: Effect.suspend(() =>
    world.storeFails ? Effect.fail(storeDown) : Effect.succeed({ latencyMs: 1, used: 2, capacity: 10 })
  ),
})

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
export interface Real {
  readonly history?: Layer.Layer<FrameHistory | FrameSummaries | TrackHistory, unknown>
  readonly analytics?: Analytics["Service"]
  readonly directory?: Directory["Service"]
  readonly accounts?: Layer.Layer<AccountPorts>
}

/** Limits that no test reaches by the way, so that every answer carries their headers. */
export const ampleRules = Object.fromEntries(
  Object.entries(defaultRules).map(([name, rule]) => [name, { ...rule, limit: 1_000_000 }]),
) as unknown as Rules

/** A gateway that listens. Stop it in the end. */
export const startGateway = async (
  over: Partial<PoseGatewayOptions> = {},
  real: Real = {},
): Promise<Gateway> => {
  const world = makeWorld()
  const ports = Layer.mergeAll(
    Layer.succeed(Directory, real.directory ?? directoryDouble(world)),
    Layer.succeed(Analytics, real.analytics ?? analyticsDouble(world)),
    Layer.succeed(ConfigurationHistory, historyDouble(world)),
    Layer.succeed(Webhooks, webhooksDouble(world)),
    StreamingSwitches.layer.pipe(Layer.provide(
      Layer.succeed(Configurations, { current: Effect.sync(() => world.configuration.configuration) }),
    )),
    Layer.succeed(FrameHub, hubDouble(world)),
    Layer.succeed(DatagramListener, listenerDouble(world)),
    Layer.succeed(NodeIdentities, identitiesDouble(world.nodes, () => world.storeFails)),
    layerAdmission(),
    layerWaysOut,
    Layer.succeed(DatabaseHealth, databaseDouble(world)),
    Layer.succeed(GivenUpActors, { current: Effect.succeed([]) }),
    real.accounts ?? accountDoubles(world),
    layerHomeTokens({ given: [], development: false }).pipe(
      Layer.provide([homeTokenStore(() => world.homeTokens), NodeCrypto.layerSecureRandom]),
    ),
  )
  const doubles = Layer.mergeAll(sessionDouble(world), environmentDouble(world), routerDouble(world), layerRouterDoors)
  const layer = poseGateway({
    host: "127.0.0.1",
    port: 0,
    defaultForm: "bare",
    version,
    diskPath: ".",
    limits: { rules: ampleRules, connections: defaultConnectionLimits },
    ...over,
  }).pipe(
    Layer.provideMerge(Authenticator.layer),
    Layer.provideMerge(Tokens.layer),
    Layer.provideMerge([KeyRing.layer(null), Standing.layer]),
    Layer.provideMerge(ports),
    Layer.provideMerge(real.history ?? nothingStored),
    Layer.provideMerge(doubles),
    Layer.provideMerge(cluster),
    Layer.provide([logTo(world), Layer.succeed(References.MinimumLogLevel, "All")]),
  )
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
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
