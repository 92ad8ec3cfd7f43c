/**
 * The locks of a simulated node: the service's keeper of locks in the worker thread of a simulated process, on the simulated database.
 *
 * As between real threads, an operation that the event loop no longer waits for goes on in the worker.
 */
import { Clock, Effect, Fiber, Layer } from "effect"
import { ClusterError, type RunnerAddress, RunnerStorage, ShardingConfig } from "effect/cluster"
import { addressText } from "../../actors/runtime/addresses.ts"
import { PeerLeases } from "../../actors/runtime/peer-leases.ts"
import { keepLocks } from "../../actors/store/database/lock-keeper.ts"
import { boardBytes, LockBoard } from "../../actors/store/database/lock-messages.ts"
import { storageByBoard } from "../../actors/store/database/shard-locks.ts"
import type { SimulatedDatabase } from "../../sim/cluster/database.ts"
import type { SimulatedProcess } from "../../sim/cluster/process.ts"
import { makeRunnerStorage } from "../../sim/cluster/runner-storage.ts"

/** The runner storage of a process at this address. */
export const layerSimulatedLocks = (
  database: SimulatedDatabase,
  process: SimulatedProcess,
  address: RunnerAddress.RunnerAddress,
): Layer.Layer<RunnerStorage.RunnerStorage, never, ShardingConfig.ShardingConfig> =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const { availableShardGroups, shardsPerGroup } = yield* ShardingConfig.ShardingConfig
      const shards = { groups: [...availableShardGroups], shardsPerGroup }
      const board = new LockBoard(new SharedArrayBuffer(boardBytes(shards)), shards)
      const { operations, renew } = keepLocks(makeRunnerStorage(database, process.worker), board, addressText(address))
      const scope = yield* Effect.scope
      const inWorker = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.forkIn(Effect.provideService(effect, Clock.Clock, process.worker.clock), scope)
      yield* inWorker(renew)
      return yield* storageByBoard((operation, args) => {
        const call = operations[operation] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
        const run = operation === "getRunners" ? operations.getRunners : call(...args)
        return Effect.flatMap(inWorker(run), Fiber.join).pipe(
          Effect.mapError((cause) => new ClusterError.PersistenceError({ cause })),
          Effect.ensuring(process.gate),
        )
      }, board)
    }),
  )

/** What a process sees of its peers' locks. */
export const layerSimulatedLeases = (
  database: SimulatedDatabase,
  process: SimulatedProcess,
): Layer.Layer<PeerLeases> => {
  const ask = <A>(name: string, statement: () => A, unknown: A) =>
    Effect.orElseSucceed(database.call(process, name, statement), () => unknown)
  return Layer.succeed(
    PeerLeases,
    PeerLeases.make({
      renewalOf: (address) =>
        ask("renewal", () => database.heartbeatOf(addressText(address))?.toString() ?? null, null),
      isConnected: (address) => ask("sessions", () => database.isConnected(addressText(address)), false),
      end: (address) => ask("end session", () => database.endLapsed(addressText(address)), undefined),
    }),
  )
}
