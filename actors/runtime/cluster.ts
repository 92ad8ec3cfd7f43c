/**
 * The cluster: placement, messaging and failure detection of actors, as one layer.
 *
 * Owns all settings of Effect Cluster that differ from its defaults. There are two modes: `layerSingle`, one process on the embedded
 * database without a listener; `layerNode`, one of several nodes on PostgreSQL, connected by the gRPC channel.
 */
import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import {
  type Runner,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlMessageStorage,
  SqlRunnerStorage,
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import { SocketServer } from "effect/socket"
import type { SqlClient } from "effect/sql"
import type { RunnerCredentials } from "./credentials.ts"
import { layerClientProtocol, listen } from "./grpc-channel.ts"
import { assignedShardGroups, availableShardGroups, type NodeRole } from "./roles.ts"

/**
 * The failure of a node is detected by its missing heartbeat within `shardLockExpiration`. Its actors resume on other nodes about one
 * second later, which is within the required 10 s.
 */
const timing = {
  shardLockExpiration: "5 seconds",
  // Also the time limit of a refresh: after it, a node releases its shards.
  shardLockRefreshInterval: "1500 millis",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "1 second",
  sendRetryInterval: "100 millis",
  entityMessagePollInterval: "2 seconds",
  entityTerminationTimeout: "3 seconds",
} as const

const shared = {
  ...timing,
  availableShardGroups,
  shardsPerGroup: 64,
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

/**
 * The runner storage without an empty list after this node has left. On an empty list, Effect Cluster would warn that no runner is healthy
 * and mark this node as healthy again while its actors stop.
 */
const layerRunnerStorage = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.map(RunnerStorage.RunnerStorage, (storage) => {
    let left = false
    return {
      ...storage,
      register: (runner: Runner.Runner, healthy: boolean) =>
        Effect.tap(storage.register(runner, healthy), () => Effect.sync(() => void (left = false))),
      unregister: (address: RunnerAddress.RunnerAddress) =>
        Effect.suspend(() => {
          left = true
          return storage.unregister(address)
        }),
      getRunners: Effect.flatMap(
        storage.getRunners,
        (runners) => left && runners.length === 0 ? Effect.never : Effect.succeed(runners),
      ),
    }
  }),
).pipe(Layer.provide(Layer.orDie(SqlRunnerStorage.layer)))

/** A single process, without a listener and health checks. */
export const layerSingle: Layer.Layer<Sharding.Sharding, never, SqlClient.SqlClient> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide(SqlMessageStorage.layer.pipe(Layer.provide(NodeCrypto.layerDigest))),
  Layer.provide([layerRunnerStorage, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer({
    ...shared,
    ...singleTiming,
    assignedShardGroups: availableShardGroups,
    shardLockDisableAdvisory: true,
  })),
)

/** Pings a runner, with one retry: a dead process refuses the connection at once. */
const layerHealth = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.map(Runners.Runners, (runners) => ({
    isAlive: (address: RunnerAddress.RunnerAddress) =>
      runners.ping(address).pipe(
        Effect.timeout("1 second"),
        Effect.retry({ times: 1 }),
        Effect.isSuccess,
      ),
  })),
)

/**
 * One node of several. The runner channel is bound first, because the node advertises its port.
 *
 * @param options.advertisedHost the name or address at which peers reach this node
 */
export const layerNode = (options: {
  readonly listenHost: string
  readonly advertisedHost: string
  readonly port: number
  readonly roles: ReadonlyArray<NodeRole>
  readonly credentials: RunnerCredentials
}): Layer.Layer<Sharding.Sharding, SocketServer.SocketServerError, SqlClient.SqlClient> =>
  Layer.unwrap(Effect.gen(function* () {
    const listener = yield* listen({
      host: options.listenHost,
      port: options.port,
      credentials: options.credentials,
    })
    yield* Effect.logInfo("runner channel listening", { host: options.advertisedHost, port: listener.port })
    const protocol = layerClientProtocol(options.credentials)
    return SocketRunner.layer.pipe(
      Layer.provide(Layer.succeed(SocketServer.SocketServer, listener.socketServer)),
      Layer.provide(layerHealth.pipe(Layer.provide(Runners.layerRpc), Layer.provide(protocol))),
      Layer.provide(protocol),
      Layer.provideMerge(SqlMessageStorage.layer.pipe(Layer.provide(NodeCrypto.layerDigest))),
      Layer.provide(layerRunnerStorage),
      Layer.provide(ShardingConfig.layer({
        ...shared,
        runnerAddress: Option.some(RunnerAddress.make(options.advertisedHost, listener.port)),
        assignedShardGroups: assignedShardGroups(options.roles),
      })),
      Layer.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: 16 * 1024 * 1024 })),
    )
  }))
