/**
 * A pose gateway on a real port, with doubles behind every contract: the session and the environments as cluster
 * entities, the ports as plain objects. What the doubles answer is in `world`, which a test changes.
 */
import { Cause, Context, Effect, Exit, Layer, Logger, Queue, References, Scope, Stream } from "effect"
import { MessageStorage, RunnerHealth, Runners, RunnerStorage, Sharding, ShardingConfig } from "effect/cluster"
import { noCounts } from "../../../core/signal/reducer-counters.ts"
import type { DatagramCounts } from "../../../gateways/datagrams/counts.ts"
import { DatagramListener } from "../../../gateways/datagrams/listener.ts"
import { FrameHub, type SharedFrame } from "../../../gateways/frames/frame-hub.ts"
import { Authenticator } from "../../../gateways/middleware/authenticator.ts"
import { Tokens } from "../../../gateways/middleware/tokens.ts"
import { PoseAddress, poseGateway, type PoseGatewayOptions } from "../../../gateways/pose/gateway.ts"
import type { Alert } from "../../../protocols/domain/event.ts"
import {
  NoFrames,
  StoreUnavailable,
  SystemConflict,
  SystemNotRunning,
  UnknownEnvironment,
  UnknownRouter,
} from "../../../protocols/domain/failure.ts"
import { type ApiKey, NotAuthenticated, type Principal, type Role } from "../../../protocols/domain/identity.ts"
import type { Environment as Site } from "../../../protocols/domain/site.ts"
import type { TrackRecord } from "../../../protocols/domain/track.ts"
import {
  defaultStartOptions,
  type EnvironmentStatus,
  type StartOptions,
  type SystemSession,
} from "../../../protocols/domain/system.ts"
import { Accounts } from "../../../protocols/messages/accounts.ts"
import { DatabaseHealth } from "../../../protocols/messages/database-health.ts"
import { Directory } from "../../../protocols/messages/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { GivenUpActors } from "../../../protocols/messages/escalations.ts"
import { Router, type RouterStatus } from "../../../protocols/messages/router.ts"
import { Session } from "../../../protocols/messages/session.ts"
import { shardGroups } from "../../../protocols/messages/shard-groups.ts"
import { makeFrame, share } from "./frames.ts"

export interface World {
  session: SystemSession
  environments: Array<Site>
  /** What an environment describes; "silent" never answers, "broken" dies. */
  describe: (environmentId: string) => EnvironmentStatus | "silent" | "broken"
  /** The track of an id that an environment follows; null for none; "broken" dies. */
  track: (environmentId: string, trackId: number) => TrackRecord | null | "broken"
  /** The routers that are enrolled, and what they say of themselves. */
  readonly routers: Map<string, RouterStatus>
  /** What the doors for datagrams have seen. */
  readonly datagrams: Record<"ruview" | "nexmon", DatagramCounts>
  latest: (environmentId: string) => SharedFrame | NoFrames | SystemNotRunning | UnknownEnvironment | "broken"
  storeFails: boolean
  /** The newest frame is answered after this; null: at once. */
  gate: Promise<void> | null
  apiKeys: Map<string, ApiKey>
  /** What the gateway logged at level Warn and above. */
  readonly logged: Array<string>
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

export const users: Record<Role, string> = { viewer: "vera", operator: "otto", admin: "anna" }
export const password = "correct horse battery staple"
export const apiKey = "service-key"
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
    environments: [{ environmentId: "living-room", name: "Living room", geometry: null }],
    describe: makeStatus,
    track: () => null,
    routers: new Map(["node-1", "node-2"].map((id) => [id, makeRouterStatus(id)])),
    datagrams: { ruview: noDatagrams, nexmon: noDatagrams },
    latest: (environmentId) =>
      environmentId === "living-room" ? share(makeFrame()) : UnknownEnvironment.of(environmentId),
    storeFails: false,
    gate: null,
    apiKeys: new Map(),
    logged: [],
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
      const known = payload.environmentId === null ||
        world.environments.some(({ environmentId }) => environmentId === payload.environmentId)
      if (!known) return Effect.fail(UnknownEnvironment.of(payload.environmentId!))
      return Effect.sync(() => world.session = begun(world, "starting", payload))
    },
    Stop: () =>
      world.session.status === "stopped"
        ? Effect.fail(new SystemConflict({ status: "stopped", message: "The system does not run." }))
        : Effect.sync(() => world.session = begun(world, "stopping", world.session.options)),
    Restart: () =>
      Effect.sync(() => {
        const previousSessionId = world.session.sessionId
        world.session = begun(world, "restarting", world.session.options)
        return { previousSessionId, session: world.session }
      }),
    Configure: () => Effect.die("not asked by this gateway"),
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
    Ingest: () => Effect.die("not asked by this gateway"),
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
  environmentOf: () => Effect.succeed(null),
  enrol: () => Effect.void,
})

const accountsDouble = (world: World): Accounts["Service"] => {
  const wrong = new NotAuthenticated({ message: "The user name or the password is wrong." })
  const byName = (name: string): Principal | null => {
    const role = (Object.keys(users) as Array<Role>).find((role) => users[role] === name)
    return role === undefined ? null : { kind: "user", id: `id-${name}`, name, role }
  }
  return {
    signIn: (username, given) => {
      if (world.storeFails) return Effect.fail(storeDown)
      const principal = given === password ? byName(username) : null
      return principal === null ? Effect.fail(wrong) : Effect.succeed(principal)
    },
    byApiKey: (key) =>
      key === apiKey
        ? Effect.succeed<Principal>({ kind: "apiKey", id: "key-0", name: "service", role: "viewer" })
        : Effect.fail(wrong),
    createApiKey: (name, role, expiresAtMs) =>
      Effect.sync(() => {
        const made: ApiKey = { keyId: `key-${name}`, name, role, createdAtMs: 0, expiresAtMs, lastUsedAtMs: null }
        world.apiKeys.set(made.keyId, made)
        return { key: `secret-of-${name}`, apiKey: made }
      }),
    apiKeys: Effect.sync(() => [...world.apiKeys.values()]),
    revokeApiKey: (keyId) => Effect.sync(() => world.apiKeys.delete(keyId)),
  }
}

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

const listenerDouble = ({ datagrams }: World): DatagramListener["Service"] => ({
  ruview: { host: "127.0.0.1", port: 5005, counts: Effect.sync(() => datagrams.ruview) },
  nexmon: { host: "127.0.0.1", port: 5500, counts: Effect.sync(() => datagrams.nexmon) },
})

const databaseDouble = (world: World): DatabaseHealth["Service"] => ({
  check: Effect.suspend(() =>
    world.storeFails ? Effect.fail(storeDown) : Effect.succeed({ latencyMs: 1, used: 2, capacity: 10 })
  ),
})

const logTo = (world: World) =>
  Logger.layer([
    Logger.make(({ message, cause, fiber, logLevel }) => {
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

/** A gateway that listens. Stop it in the end. */
export const startGateway = async (over: Partial<PoseGatewayOptions> = {}): Promise<Gateway> => {
  const world = makeWorld()
  const ports = Layer.mergeAll(
    Layer.succeed(Directory, directoryDouble(world)),
    Layer.succeed(Accounts, accountsDouble(world)),
    Layer.succeed(FrameHub, hubDouble(world)),
    Layer.succeed(DatagramListener, listenerDouble(world)),
    Layer.succeed(DatabaseHealth, databaseDouble(world)),
    Layer.succeed(GivenUpActors, { current: Effect.succeed([]) }),
    Tokens.layer({ keyId: "test", key: new Uint8Array(32).fill(7) }),
  )
  const doubles = Layer.mergeAll(sessionDouble(world), environmentDouble(world), routerDouble(world))
  const layer = poseGateway({
    host: "127.0.0.1",
    port: 0,
    defaultForm: "bare",
    version,
    diskPath: ".",
    ...over,
  }).pipe(
    Layer.provideMerge(Authenticator.layer),
    Layer.provideMerge(ports),
    Layer.provideMerge(doubles),
    Layer.provideMerge(cluster),
    Layer.provide(logTo(world)),
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
        tokens.issue({ kind: "user", id: users[role], name: users[role], role }).pipe(Effect.map(({ token }) => token)),
      ),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
