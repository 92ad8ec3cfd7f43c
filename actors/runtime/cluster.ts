/**
 * The cluster: placement, messaging and failure detection of actors, as one layer.
 *
 * Owns every number of Effect Cluster that this service sets on purpose. Two ways to run: `layerSingle`, one process on
 * the embedded database without any listener; `layerNode`, one of many on PostgreSQL, with the gRPC channel between.
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
 * A node that is killed is found out by its heartbeat within `shardLockExpiration` and its actors resume elsewhere
 * within about one second more: under the 10 s that the design promises.
 */
const timing = {
  shardLockExpiration: "5 seconds",
  // Also how long the database may take to say so: beyond, a node gives up what it holds.
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
 * A process that is alone has nobody who could take its actors over, and it knows its own locks again after a restart. A database
 * that is slow for some seconds is no reason to give them up.
 */
const aloneTiming = { shardLockExpiration: "60 seconds", shardLockRefreshInterval: "15 seconds" } as const

/**
 * The runners as a node sees them that may be the last one: once it has left, an empty list is not reported to it. It would warn that no
 * runner is healthy, and mark itself healthy again, while its actors stop.
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

/** One process, nobody to talk to: no listener, no health check. */
export const layerSingle: Layer.Layer<Sharding.Sharding, never, SqlClient.SqlClient> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide(SqlMessageStorage.layer.pipe(Layer.provide(NodeCrypto.layerDigest))),
  Layer.provide([layerRunnerStorage, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer({
    ...shared,
    ...aloneTiming,
    assignedShardGroups: availableShardGroups,
    shardLockDisableAdvisory: true,
  })),
)

/** Asks a runner once: a process that is gone refuses the connection at once. */
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
 * One node of many. The runner channel is bound first, because its port is what the node advertises.
 *
 * @param options.advertisedHost the name or address under which peers reach this node.
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
    yield* Effect.logInfo("runner channel is open", { host: options.advertisedHost, port: listener.port })
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
