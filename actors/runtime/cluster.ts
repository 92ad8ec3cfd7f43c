/**
 * The cluster: placement, messaging and failure detection of actors, as one layer.
 *
 * Owns all settings of Effect Cluster that differ from its defaults. There are two modes: `layerSingle`, one process on the embedded database
 * without a listener; `layerNode`, one of several nodes on PostgreSQL, connected by the gRPC channel. Boundary: `membership.ts` joins and
 * leaves, `placement.ts` keeps sites together.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Cache, Effect, Layer, Option } from "effect"
import {
  type MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  type RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlMessageStorage,
  SqlRunnerStorage,
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import { SocketServer } from "effect/socket"
import type { SqlClient } from "effect/sql"
import type { Sites } from "../../protocols/ports/sites.ts"
import type { RunnerCredentials } from "./credentials.ts"
import { addressOf, addressText } from "./addresses.ts"
import { layerBalance } from "./balancer.ts"
import { layerClientProtocol, listen } from "./grpc-channel.ts"
import { layerAloneStorage, layerMembership, Membership } from "./membership.ts"
import type { MemberNews } from "./member-news.ts"
import { monotonicMs } from "./monotonic.ts"
import { PeerLeases } from "./peer-leases.ts"
import { layerPeerWatch } from "./peer-watch.ts"
import { layerPlaced } from "./placement.ts"
import type { Placements } from "./placements.ts"
import { availableShardGroups, type Hosting, registeredGroups } from "./roles.ts"

/**
 * A peer finds the failure of a node (`peer-watch.ts`): within about two seconds if its process has ended, within five if it froze or lost the
 * database. The peer ends the node's connection to the database, and with it its locks; otherwise they expire after `shardLockExpiration`. A
 * busy node renews them from another thread (`actors/store/database/lock-worker.ts`).
 */
const timing = {
  shardLockExpiration: "9 seconds",
  // Also the time limit of a refresh: after it, a node releases all its shards.
  shardLockRefreshInterval: "3 seconds",
  // The read of the list itself waits for an announcement or for the next poll (`membership.ts`).
  refreshAssignmentsInterval: "10 millis",
  runnerHealthCheckInterval: "1 second",
  sendRetryInterval: "50 millis",
  entityMessagePollInterval: "2 seconds",
  entityTerminationTimeout: "3 seconds",
} as const

const shared = {
  ...timing,
  availableShardGroups,
  // A group moves as a whole.
  shardsPerGroup: 1,
  entityMailboxCapacity: 1024,
  maxResidentEntities: 10_000,
  /** Messages are immutable values: a local call needs no copy of them. */
  simulateRemoteSerialization: false,
}

/**
 * No other process can take over the actors of a single process, and it recognises its own locks after a restart. So it keeps them
 * while the database is slow for some seconds.
 */
const singleTiming = { shardLockExpiration: "60 seconds", shardLockRefreshInterval: "15 seconds" } as const

/** A single process, without a listener and health checks. */
export const layerSingle: Layer.Layer<Sharding.Sharding | Membership, never, SqlClient.SqlClient> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide(SqlMessageStorage.layer.pipe(Layer.provide(NodeCrypto.layerDigest))),
  Layer.provide([layerAloneStorage.pipe(Layer.provide(Layer.orDie(SqlRunnerStorage.layer))), RunnerHealth.layerNoop]),
  Layer.merge(Membership.layerAlone),
  Layer.provide(ShardingConfig.layer({
    ...shared,
    ...singleTiming,
    assignedShardGroups: availableShardGroups,
    shardLockDisableAdvisory: true,
  })),
)

/** Time for which a node that is connected to the database may leave pings unanswered, because it is busy. Later it counts as unreachable. */
const busyMsMax = 12_000
/** The answer to a ping holds for less than the time between two checks. */
const checkedFor = "500 millis"
const checkedMax = 1_000

/**
 * Pings a runner, with one retry. A process that has ended no longer has a session at the database. A starved one has its session, and answers
 * late or does not accept the connection in time. One that does not renew its locks is frozen or has lost the database.
 */
const layerHealth = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.gen(function* () {
    const runners = yield* Runners.Runners
    const { hasLapsed, isConnected } = yield* PeerLeases
    /** Since when nodes have not answered. */
    const silentSince = new Map<string, number>()
    const isBusy = Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress) {
      if (yield* hasLapsed(address)) return false
      const nowMs = yield* monotonicMs
      const sinceMs = silentSince.get(String(address)) ?? nowMs
      silentSince.set(String(address), sinceMs)
      return nowMs - sinceMs <= busyMsMax && (yield* isConnected(address))
    })
    const check = Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress) {
      if (yield* hasLapsed(address)) return false
      return yield* runners.ping(address).pipe(
        Effect.timeout("2 seconds"),
        Effect.retry({ times: 1 }),
        Effect.tap(() => Effect.sync(() => silentSince.delete(String(address)))),
        Effect.as(true),
        Effect.catch(() => isBusy(address)),
        Effect.tap((alive) => Effect.sync(() => alive || silentSince.delete(String(address)))),
      )
    })
    /** The cluster asks for each entry of its list, and a node has as many as it has shard groups. */
    const checks = yield* Cache.make({
      lookup: (key: string) => check(addressOf(key)),
      capacity: checkedMax,
      timeToLive: checkedFor,
    })
    return { isAlive: (address: RunnerAddress.RunnerAddress) => Cache.get(checks, addressText(address)) }
  }),
)

/** The storage of a node, under the settings of the cluster. */
type NodeStorage<R> = Layer.Layer<
  RunnerStorage.RunnerStorage | MessageStorage.MessageStorage,
  never,
  R | ShardingConfig.ShardingConfig
>

/**
 * The cluster as one of several nodes runs it, over this listener, this channel to its peers and this storage.
 *
 * @param options.address at which peers reach this node
 */
export const layerMember = <R>(options: {
  readonly address: RunnerAddress.RunnerAddress
  readonly hosting: Hosting
  readonly socketServer: SocketServer.SocketServer["Service"]
  readonly protocol: Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization>
  readonly storage: NodeStorage<R>
}): Layer.Layer<Sharding.Sharding | Membership, never, R | Sites | MemberNews | PeerLeases | Placements> => {
  const { address, hosting, protocol, socketServer, storage } = options
  const groups = registeredGroups(hosting)
  return layerPlaced.pipe(
    Layer.merge(groups.length === 0 ? layerPeerWatch : Layer.merge(layerPeerWatch, layerBalance)),
    Layer.provide(SocketRunner.layer),
    Layer.provide(Layer.succeed(SocketServer.SocketServer, socketServer)),
    Layer.provideMerge(layerHealth.pipe(Layer.provide(Runners.layerRpc), Layer.provide(protocol))),
    Layer.provide(protocol),
    Layer.provideMerge(layerMembership),
    Layer.provide(storage),
    Layer.provide(ShardingConfig.layer({
      ...shared,
      runnerAddress: Option.some(address),
      assignedShardGroups: groups,
    })),
    Layer.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: 16 * 1024 * 1024 })),
  )
}

/**
 * One node of several. The runner channel is bound first, because the node advertises its port.
 *
 * @param options.advertisedHost the name or address at which peers reach this node
 * @param options.runners the registered nodes and the locks of shards
 */
export const layerNode = (options: {
  readonly listenHost: string
  readonly advertisedHost: string
  readonly port: number
  readonly hosting: Hosting
  readonly credentials: RunnerCredentials
  readonly runners: Layer.Layer<RunnerStorage.RunnerStorage, never, ShardingConfig.ShardingConfig>
}): Layer.Layer<
  Sharding.Sharding | Membership,
  SocketServer.SocketServerError,
  SqlClient.SqlClient | Sites | MemberNews | PeerLeases | Placements
> =>
  Layer.unwrap(Effect.gen(function* () {
    const listener = yield* listen({
      host: options.listenHost,
      port: options.port,
      credentials: options.credentials,
    })
    yield* Effect.logInfo("runner channel listening", { host: options.advertisedHost, port: listener.port })
    return layerMember({
      address: RunnerAddress.make(options.advertisedHost, listener.port),
      hosting: options.hosting,
      socketServer: listener.socketServer,
      protocol: layerClientProtocol(options.credentials),
      storage: Layer.merge(SqlMessageStorage.layer.pipe(Layer.provide(NodeCrypto.layerDigest)), options.runners),
    })
  }))
