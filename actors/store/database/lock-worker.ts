/**
 * The worker thread that holds the locks of a node's shards, so that they are renewed while the event loop of the node is blocked or starved.
 *
 * Owns the thread. Boundary: `lock-keeper.ts` keeps the locks, `lock-session.ts` makes the session that has them.
 */
import "../../runtime/deno-fibers.ts"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { RunnerStorage, ShardingConfig, SqlRunnerStorage } from "effect/cluster"
import { parentPort, workerData } from "node:worker_threads"
import { keepLocks } from "./lock-keeper.ts"
import { type LockAnswer, LockBoard, type LockCall, lockSessionName, type LockWorkerData } from "./lock-messages.ts"
import { layerLockSession } from "./lock-session.ts"

/** Connections beside the one that has the locks. */
const connectionsMax = 2

const data = workerData as LockWorkerData

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
  Layer.provide(layerLockSession({
    url: Redacted.make(data.url),
    applicationName: lockSessionName(data.address),
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
  const board = new LockBoard(data.memory, data)
  const { operations, renew } = keepLocks(yield* RunnerStorage.RunnerStorage, board, data.address)
  const stopped = yield* Deferred.make<void>()
  parentPort!.on("message", (message: LockCall | "stop") => {
    Effect.runFork(message === "stop" ? Deferred.succeed(stopped, undefined) : answerTo(operations, message))
  })
  parentPort!.postMessage("ready")
  yield* Effect.raceFirst(Deferred.await(stopped), renew)
}).pipe(Effect.provide(layerStorage))

// A failure ends the thread, which its node notices.
await Effect.runPromise(program)
parentPort!.postMessage("stopped")
