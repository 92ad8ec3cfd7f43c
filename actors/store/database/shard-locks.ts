/**
 * The runner storage of a node on PostgreSQL, whose locks a worker thread holds and renews (`lock-worker.ts`), and the leases of its peers.
 *
 * Invariants:
 * 1. A refresh does not wait if the worker has renewed since the last refresh. So it is not late after the event loop was blocked.
 * 2. Locks that are taken for a call whose caller has given up are released.
 * 3. A call to a worker that has ended fails, and a new worker is started, without the locks of the old one.
 */
import { Deferred, Duration, Effect, Layer, Option, Schedule, type Scope } from "effect"
import { ClusterError, type RunnerAddress, RunnerStorage, ShardingConfig } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { Worker } from "node:worker_threads"
import { addressText } from "../../runtime/addresses.ts"
import { PeerLeases } from "../../runtime/peer-leases.ts"
import {
  boardBytes,
  type LockAnswer,
  LockBoard,
  type LockCall,
  type LockOperation,
  lockSessionName,
  type LockWorkerData,
} from "./lock-messages.ts"

const beatEvery = "500 millis"
/** Interval at which a refresh checks for the next renewal. */
const pollInterval = "100 millis"
const startAgain = "1 second"
const stopTimeout = "2 seconds"
/** The session of a node that has renewed within this time is not ended. */
const renewedSMax = 3

type Call = (
  operation: LockOperation,
  args: ReadonlyArray<unknown>,
) => Effect.Effect<unknown, ClusterError.PersistenceError>

const failed = (cause: unknown) => new ClusterError.PersistenceError({ cause })

/** A running worker: how it is called, and when it has ended. */
const startWorker = Effect.fnUntraced(function* (data: LockWorkerData) {
  const calls = new Map<number, Deferred.Deferred<unknown, ClusterError.PersistenceError>>()
  const ended = yield* Deferred.make<string>()
  const ready = yield* Deferred.make<void>()
  let lastId = 0
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(new URL("./lock-worker.ts", import.meta.url), { workerData: data })),
    (one) =>
      Effect.sync(() => one.postMessage("stop")).pipe(
        Effect.andThen(Effect.timeoutOption(Deferred.await(ended), stopTimeout)),
        Effect.andThen(Effect.promise(() => one.terminate())),
      ),
  )
  const end = (reason: string): void => {
    Effect.runSync(Deferred.succeed(ended, reason))
    for (const answer of calls.values()) Effect.runSync(Deferred.fail(answer, failed(reason)))
    calls.clear()
  }
  worker.once("error", (cause) => end(`the worker of the shard locks failed: ${cause}`))
  worker.once("exit", (code) => end(`the worker of the shard locks ended with code ${code}`))
  worker.on("message", (message: LockAnswer | "ready" | "stopped") => {
    if (message === "stopped") return end("the worker of the shard locks was stopped")
    if (message === "ready") return void Effect.runFork(Deferred.succeed(ready, undefined))
    const answer = calls.get(message.id)
    calls.delete(message.id)
    if (answer === undefined) return
    Effect.runFork(
      message.failure === undefined
        ? Deferred.succeed(answer, message.value)
        : Deferred.fail(answer, failed(message.failure)),
    )
  })
  const call = Effect.fnUntraced(function* (operation: LockOperation, args: ReadonlyArray<unknown>) {
    const reason = yield* Deferred.poll(ended)
    if (Option.isSome(reason)) return yield* failed(yield* reason.value)
    const id = ++lastId
    const answer = yield* Deferred.make<unknown, ClusterError.PersistenceError>()
    calls.set(id, answer)
    worker.postMessage({ id, operation, args } satisfies LockCall)
    return yield* Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => calls.delete(id)))
  })
  yield* Effect.raceFirst(Deferred.await(ready), Deferred.await(ended))
  return { call, ended: Deferred.await(ended) }
})

/**
 * The runner storage of a node, by calls to its keeper of locks (`lock-keeper.ts`) and by its board. The event loop of the caller writes
 * heartbeats to the board while the scope is open.
 */
export const storageByBoard = Effect.fnUntraced(function* (call: Call, board: LockBoard) {
  yield* Effect.forkScoped(Effect.repeat(Effect.sync(() => board.beat()), Schedule.spaced(beatEvery)))
  const ask = <A>(operation: LockOperation, ...args: ReadonlyArray<unknown>) =>
    Effect.suspend(() => call(operation, args)) as Effect.Effect<A, ClusterError.PersistenceError>
  const scope = yield* Effect.scope
  /**
   * The keeper takes locks also for a call that nobody waits for any more. They are released, before the caller can ask again, or this node
   * would keep them without using them.
   */
  const acquire = (address: string, shards: ReadonlyArray<string>) =>
    Effect.onInterrupt(
      ask<Array<string>>("acquire", address, shards),
      () =>
        Effect.forEach(shards, (shard) => Effect.ignore(ask("release", address, shard)), {
          concurrency: "unbounded",
          discard: true,
        }).pipe(Effect.forkIn(scope, { startImmediately: true })),
    )
  let seen = 0
  return RunnerStorage.makeEncoded({
    getRunners: ask("getRunners"),
    register: (...args) => ask("register", ...args),
    unregister: (...args) => ask("unregister", ...args),
    setRunnerHealth: (...args) => ask("setRunnerHealth", ...args),
    acquire,
    refresh: (address, asked) =>
      asked.length === 0 ? ask("refresh", address, asked) : Effect.gen(function* () {
        while (board.renewals === seen) yield* Effect.sleep(pollInterval)
        seen = board.renewals
        return asked.filter((shard) => board.isHeld(shard))
      }),
    release: (...args) => ask("release", ...args),
    releaseAll: (...args) => ask("releaseAll", ...args),
  })
})

const makeStorage = Effect.fnUntraced(function* (
  url: string,
): Effect.fn.Return<RunnerStorage.RunnerStorage["Service"], never, ShardingConfig.ShardingConfig | Scope.Scope> {
  const config = yield* ShardingConfig.ShardingConfig
  const shards = { groups: [...config.availableShardGroups], shardsPerGroup: config.shardsPerGroup }
  const memory = new SharedArrayBuffer(boardBytes(shards))
  const board = new LockBoard(memory, shards)
  const data: LockWorkerData = {
    ...shards,
    url,
    memory,
    address: addressText(Option.getOrThrow(config.runnerAddress)),
    expirationMs: Duration.toMillis(Duration.fromInputUnsafe(config.shardLockExpiration)),
    refreshMs: Duration.toMillis(Duration.fromInputUnsafe(config.shardLockRefreshInterval)),
  }
  const first = yield* Deferred.make<void>()
  let call: Call = () => Effect.fail(failed("the worker of the shard locks starts"))
  const workUntilItEnds = Effect.scoped(Effect.gen(function* () {
    for (const group of shards.groups) {
      for (let i = 1; i <= shards.shardsPerGroup; i++) board.setHeld(`${group}:${i}`, false)
    }
    const worker = yield* startWorker(data)
    call = worker.call
    yield* Deferred.succeed(first, undefined)
    yield* Effect.logError(`${yield* worker.ended}. Another one starts.`)
  }))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(workUntilItEnds, Effect.sleep(startAgain))))
  yield* Deferred.await(first)
  return yield* storageByBoard((operation, args) => call(operation, args), board)
})

/** The runner storage of a node on this PostgreSQL. */
export const layerShardLocks = (url: string): Layer.Layer<
  RunnerStorage.RunnerStorage,
  never,
  ShardingConfig.ShardingConfig
> => Layer.effect(RunnerStorage.RunnerStorage, makeStorage(url))

/** The sessions of a node's lock worker, which PostgreSQL shows to the role that opened them. */
const isSessionOf = (sql: SqlClient.SqlClient, address: RunnerAddress.RunnerAddress) =>
  sql`application_name = ${lockSessionName(addressText(address))} AND datname = current_database()`

/** The sessions and renewals of peers, as the database has them. */
export const layerPeerLeases: Layer.Layer<PeerLeases, never, SqlClient.SqlClient> = Layer.effect(
  PeerLeases,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return PeerLeases.make({
      renewalOf: (address) =>
        sql<{ at: string }>`SELECT last_heartbeat::text AS at FROM cluster_runners WHERE address = ${
          addressText(address)
        }`
          .pipe(
            Effect.map((rows) => rows[0]?.at ?? null),
            Effect.orElseSucceed(() => null),
          ),
      isConnected: (address) =>
        sql`SELECT FROM pg_stat_activity WHERE ${isSessionOf(sql, address)} LIMIT 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orElseSucceed(() => false),
        ),
      end: (address) =>
        sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE ${isSessionOf(sql, address)} AND NOT EXISTS (
            SELECT FROM cluster_runners
            WHERE address = ${addressText(address)} AND last_heartbeat > now() - make_interval(secs => ${renewedSMax}))`
          .pipe(Effect.catchCause((cause) => Effect.logDebug("the session of a node cannot be ended", cause))),
    })
  }),
)
