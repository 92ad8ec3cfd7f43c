/**
 * The runner storage of Effect Cluster on the simulated database: what its statements do on PostgreSQL with advisory locks.
 *
 * Source: the SQL runner storage of effect 4.1. Locks are taken on one session of the process. An operation on a session that has ended fails,
 * except that `acquire` is tried again on the next session. A session on which an operation failed is closed, and with it its locks.
 */
import { Effect } from "effect"
import { ClusterError, RunnerStorage } from "effect/cluster"
import { DatabaseAway, type SimulatedDatabase } from "./database.ts"
import type { SimulatedThread } from "./process.ts"

const refail = <A>(effect: Effect.Effect<A, DatabaseAway>): Effect.Effect<A, ClusterError.PersistenceError> =>
  Effect.mapError(effect, (cause) => new ClusterError.PersistenceError({ cause }))

/** @param process the thread that holds the locks */
export const makeRunnerStorage = (
  database: SimulatedDatabase,
  process: SimulatedThread,
): RunnerStorage.RunnerStorage["Service"] => {
  const { name } = process
  const run = <A>(what: string, statement: () => A) => database.call(process, what, statement)
  /** On the session that holds the locks. */
  const onSession = <A>(what: string, statement: () => A): Effect.Effect<A, DatabaseAway> =>
    Effect.flatMap(
      Effect.tapError(
        run(what, () => database.useSession(name) ? { answer: statement() } : null),
        () => Effect.sync(() => database.closeSession(process)),
      ),
      (done) =>
        done === null
          ? Effect.fail(new DatabaseAway({ message: `${what}: the session was ended` }))
          : Effect.succeed(done.answer),
    )
  const acquire = (shards: ReadonlyArray<string>) => onSession("lock", () => [...database.lock(name, shards)])
  return RunnerStorage.makeEncoded({
    getRunners: refail(run("list", () => [...database.runners()])),
    register: (address, runner, healthy) =>
      refail(run("register", () => database.register(name, address, runner, healthy))),
    unregister: (address) => refail(run("unregister", () => database.unregister(address))),
    setRunnerHealth: (address, healthy) => refail(run("health", () => database.setHealth(address, healthy))),
    acquire: (_, shards) => refail(Effect.catch(acquire(shards), () => acquire(shards))),
    refresh: (address, shards) =>
      refail(
        shards.length === 0
          ? Effect.as(run("heartbeat", () => database.heartbeat(address)), [])
          : onSession("refresh", () => {
            database.heartbeat(address)
            return database.held(name, shards)
          }),
      ),
    release: (_, shard) => refail(onSession("release", () => database.release(name, shard))),
    releaseAll: () => refail(onSession("release all", () => database.releaseAll(name))),
  })
}
