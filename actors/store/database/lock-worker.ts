/**
 * The worker thread that holds the locks of a node's shards, so that they are renewed while the event loop of the node is blocked or starved.
 *
 * Owns the connection whose session has the locks. Invariants:
 * 1. Locks are renewed every `renewEvery` while the node's event loop beats, and for `blockedMsMax` after its last beat: a node that hangs for
 *    good loses its shards.
 * 2. Operations on locks run one after the other. The board shows a lock from when it is taken until it is released or found to be lost.
 */
import "../../runtime/deno-fibers.ts"
import { PgClient } from "@effect/sql-pg"
import { Clock, Deferred, Effect, Layer, Redacted, Schedule, Semaphore } from "effect"
import { Runner, RunnerAddress, RunnerStorage, ShardId, ShardingConfig, SqlRunnerStorage } from "effect/cluster"
import { parentPort, workerData } from "node:worker_threads"
import { type LockAnswer, LockBoard, type LockCall, type LockWorkerData } from "./lock-messages.ts"

const renewEvery = "1 second"
const blockedMsMax = 10_000
/** One has the locks. */
const connectionsMax = 3

const data = workerData as LockWorkerData
const board = new LockBoard(data.memory, data)
const held = new Set<string>()

const addressOf = (text: string) => {
  const end = text.lastIndexOf(":")
  return RunnerAddress.make(text.slice(0, end), Number(text.slice(end + 1)))
}

const take = (shards: ReadonlyArray<ShardId.ShardId>): ReadonlyArray<string> => {
  const taken = shards.map(String)
  for (const shard of taken) {
    held.add(shard)
    board.setHeld(shard, true)
  }
  return taken
}

const drop = (shards: Iterable<string>): void => {
  for (const shard of shards) {
    held.delete(shard)
    board.setHeld(shard, false)
  }
}

/** The operations on the storage, in the form of messages. */
const operationsOf = (storage: RunnerStorage.RunnerStorage["Service"]) => {
  const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
  const encoded: RunnerStorage.Encoded = {
    getRunners: Effect.map(
      storage.getRunners,
      (runners) => runners.map(([runner, healthy]) => [Runner.Runner.encodeSync(runner), healthy] as const),
    ),
    register: (_, runner, healthy) => storage.register(Runner.Runner.decodeSync(runner), healthy),
    unregister: (address) => storage.unregister(addressOf(address)),
    setRunnerHealth: (address, healthy) => storage.setRunnerHealth(addressOf(address), healthy),
    acquire: (address, shards) =>
      inTurn(Effect.map(storage.acquire(addressOf(address), shards.map(ShardId.fromString)), (got) => [...take(got)])),
    refresh: (address, shards) =>
      inTurn(Effect.gen(function* () {
        const there = (yield* storage.refresh(addressOf(address), shards.map(ShardId.fromString))).map(String)
        drop(shards.filter((shard) => !there.includes(shard)))
        return there
      })),
    release: (address, shard) =>
      inTurn(Effect.tap(
        storage.release(addressOf(address), ShardId.fromString(shard)),
        () => Effect.sync(() => drop([shard])),
      )),
    releaseAll: (address) =>
      inTurn(Effect.tap(storage.releaseAll(addressOf(address)), () => Effect.sync(() => drop([...held])))),
  }
  return encoded
}

/** Renews while the node's event loop beats. */
const makeRenewal = Effect.fnUntraced(function* ({ refresh }: RunnerStorage.Encoded) {
  let beats = -1
  let beatNs = 0n
  return Effect.gen(function* () {
    const nowNs = yield* Clock.currentTimeNanos
    if (board.beats !== beats) {
      beats = board.beats
      beatNs = nowNs
    }
    if (nowNs - beatNs > BigInt(blockedMsMax) * 1_000_000n) return
    yield* refresh(data.address, [...held])
    board.renewed()
  }).pipe(Effect.ignore)
})

const answerTo = (encoded: RunnerStorage.Encoded, { args, id, operation }: LockCall): Effect.Effect<void> => {
  const call = encoded[operation] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
  const ran = operation === "getRunners" ? encoded.getRunners : call(...args)
  return Effect.match(ran, {
    onSuccess: (value): LockAnswer => ({ id, value }),
    onFailure: (failure): LockAnswer => ({ id, failure: String(failure) }),
  }).pipe(
    Effect.catchDefect((defect) => Effect.succeed<LockAnswer>({ id, failure: String(defect) })),
    Effect.map((answer) => parentPort!.postMessage(answer)),
  )
}

const layerStorage = SqlRunnerStorage.layer.pipe(
  Layer.provide(PgClient.layer({
    url: Redacted.make(data.url),
    applicationName: "wavepose locks",
    maxConnections: connectionsMax,
    connectTimeout: "5 seconds",
  })),
  Layer.provide(ShardingConfig.layer({
    availableShardGroups: data.groups,
    shardsPerGroup: data.shardsPerGroup,
    shardLockExpiration: data.expirationMs,
    shardLockRefreshInterval: data.refreshMs,
  })),
)

const program = Effect.gen(function* () {
  const encoded = operationsOf(yield* RunnerStorage.RunnerStorage)
  const stopped = yield* Deferred.make<void>()
  parentPort!.on("message", (message: LockCall | "stop") => {
    Effect.runFork(message === "stop" ? Deferred.succeed(stopped, undefined) : answerTo(encoded, message))
  })
  parentPort!.postMessage("ready")
  const renewal = yield* makeRenewal(encoded)
  yield* Effect.raceFirst(Deferred.await(stopped), Effect.repeat(renewal, Schedule.spaced(renewEvery)))
}).pipe(Effect.provide(layerStorage))

// A failure ends the thread, which its node notices.
await Effect.runPromise(program)
parentPort!.postMessage("stopped")
