/** The keeper of locks on a slow link: operations on different shards share the time, and a renewal waits for none. */
import { Array as Arr, Cause, Clock, Effect, Exit, Fiber, type Scope } from "effect"
import { ClusterError, RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { keepLocks } from "../../../../actors/store/database/lock-keeper.ts"
import { boardBytes, LockBoard } from "../../../../actors/store/database/lock-messages.ts"
import { storageByBoard } from "../../../../actors/store/database/shard-locks.ts"

const address = "127.0.0.1:1"
const shardsMax = 49
const shards = Arr.makeBy(shardsMax, (i) => `sensing:${i + 1}`)
/** The time of an operation: two statements on a link of 400 ms. */
const operationMs = 800
const refusedPlace = 6
const refused = shards[refusedPlace]

interface Tested {
  readonly keeper: ReturnType<typeof keepLocks>
  readonly board: LockBoard
  /** The operations on locks, when each reached the database. */
  readonly reached: ReadonlyArray<readonly [operation: string, ms: number]>
}

/** Runs a test on a session that executes an operation in the middle of its time. It does not release `refused`. */
const onSlowLink = <A, E>(test: (tested: Tested) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.gen(function* () {
    const locks = new Set<string>()
    const reached: Array<readonly [string, number]> = []
    const operation = <A>(name: string, run: () => A) =>
      Clock.currentTimeMillis.pipe(
        Effect.map((ms) => {
          reached.push([name, ms])
          return run()
        }),
        Effect.delay(operationMs / 2),
        Effect.flatMap((answer) => Effect.delay(Effect.succeed(answer), operationMs / 2)),
      )
    const take = (shard: string): string => {
      locks.add(shard)
      return shard
    }
    const storage = RunnerStorage.makeEncoded({
      getRunners: Effect.succeed([]),
      register: () => Effect.succeed(1),
      unregister: () => Effect.void,
      setRunnerHealth: () => Effect.void,
      acquire: (_, asked) => operation("acquire", () => asked.map(take)),
      refresh: (_, asked) => operation("refresh", () => asked.filter((shard) => locks.has(shard))),
      release: (_, shard) =>
        shard === refused
          ? Effect.fail(new ClusterError.PersistenceError({ cause: "refused" }))
          : operation(`release ${shard}`, () => void locks.delete(shard)),
      releaseAll: () => operation("release all", () => locks.clear()),
    })
    const names = { groups: ["sensing"], shardsPerGroup: shardsMax }
    const board = new LockBoard(new SharedArrayBuffer(boardBytes(names)), names)
    return yield* test({ keeper: keepLocks(storage, board, address), board, reached })
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

/** Runs operations at the same time. Returns how long they took, and their results. */
const timed = <A, E>(operations: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const fibers = yield* Effect.forEach(
      operations,
      (one) =>
        Effect.forkChild(
          Effect.flatMap(
            Effect.exit(one),
            (exit) => Effect.map(Clock.currentTimeMillis, (ms) => ({ exit, ms: ms - startMs })),
          ),
          { startImmediately: true },
        ),
    )
    yield* TestClock.adjust(100 * operationMs)
    return yield* Effect.forEach(fibers, Fiber.join)
  })

const heldOn = (board: LockBoard): ReadonlyArray<string> => shards.filter((shard) => board.isHeld(shard))

describe("the keeper of locks on a slow link", () => {
  it("releases many shards in the time of one, and reports a failure to the one that asked", () =>
    onSlowLink(({ board, keeper: { operations } }) =>
      Effect.gen(function* () {
        yield* timed([operations.acquire(address, shards)])
        const done = yield* timed(shards.map((shard) => operations.release(address, shard)))
        const failed = shards.filter((_, i) => Exit.isFailure(done[i]!.exit))
        expect(Math.max(...done.map(({ ms }) => ms))).toBe(operationMs)
        expect(failed).toEqual([refused])
        expect(heldOn(board)).toEqual([refused])
        const { exit } = done[refusedPlace]!
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("PersistenceError")
      })
    ))

  it("renews and acquires while it releases", () =>
    onSlowLink(({ board, keeper: { operations, renew }, reached }) =>
      Effect.gen(function* () {
        const [kept, coming] = ["sensing:1", "sensing:2"]
        const leaving = shards.slice(refusedPlace + 1)
        yield* timed([operations.acquire(address, [kept, ...leaving])])
        board.beat()
        const startMs = yield* Clock.currentTimeMillis
        const releases = yield* Effect.forkChild(
          Effect.forEach(leaving, (shard) => operations.release(address, shard), { concurrency: "unbounded" }),
          { startImmediately: true },
        )
        const renewals = yield* Effect.forkChild(renew, { startImmediately: true })
        const acquired = yield* Effect.forkChild(operations.acquire(address, [coming]), { startImmediately: true })
        yield* TestClock.adjust(operationMs)
        expect(board.renewals).toBe(1)
        expect(yield* Fiber.join(acquired)).toEqual([coming])
        yield* Fiber.join(releases)
        yield* Fiber.interrupt(renewals)
        expect(heldOn(board)).toEqual([kept, coming])
        const times = reached.filter(([, ms]) => ms >= startMs).map(([, ms]) => ms - startMs)
        expect(new Set(times)).toEqual(new Set([operationMs / 2]))
      })
    ))

  it("does not acquire a shard while it releases it, nor release it while it acquires it", () =>
    onSlowLink(({ board, keeper: { operations }, reached }) =>
      Effect.gen(function* () {
        const [shard, other] = ["sensing:1", "sensing:2"]
        yield* timed<unknown, unknown>([
          operations.acquire(address, [shard]),
          operations.release(address, shard),
          operations.acquire(address, [other, shard]),
          operations.releaseAll(address),
        ])
        expect(reached).toEqual([
          ["acquire", operationMs * 0.5],
          [`release ${shard}`, operationMs * 1.5],
          ["acquire", operationMs * 2.5],
          ["release all", operationMs * 3.5],
        ])
        expect(heldOn(board)).toEqual([])
      })
    ))

  it("releases the locks that it takes for a call whose caller has given up, and takes them again for the next", () =>
    onSlowLink(({ board, keeper: { operations }, reached }) =>
      Effect.gen(function* () {
        const worker = yield* Effect.scope
        const storage = yield* storageByBoard((operation, args) => {
          const call = operations[operation] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, never>
          return Effect.flatMap(Effect.forkIn(call(...args), worker), Fiber.join)
        }, board)
        const shard = ShardId.make("sensing", 1)
        const acquire = storage.acquire(RunnerAddress.make("127.0.0.1", 1), [shard])
        const givenUp = Effect.timeoutOption(acquire, operationMs / 2)
        expect(yield* timed([givenUp])).toMatchObject([{ ms: operationMs / 2 }])
        expect(reached.map(([operation]) => operation)).toEqual(["acquire", "release sensing:1"])
        expect(heldOn(board)).toEqual([])
        const [next] = yield* timed([Effect.andThen(givenUp, acquire)])
        expect(next!.exit).toEqual(Exit.succeed([shard]))
        expect(reached.slice(2).map(([operation]) => operation)).toEqual(["acquire", "release sensing:1", "acquire"])
        expect(heldOn(board)).toEqual(["sensing:1"])
      })
    ))
})
