/**
 * Keeps the locks of a node's shards: takes, releases and renews them, and shows them on the board.
 *
 * Boundary: the storage is an argument, and the thread in which this runs is that of the caller. Invariants:
 * 1. Locks are renewed every `renewEvery` while there are heartbeats of the node's event loop, and for `blockedMsMax` after the last one: a
 *    node that hangs for good loses its shards.
 * 2. Operations on the lock of one shard run one after the other. Those on different shards run together and share the round trips of a
 *    pipelined session (`lock-session.ts`), so a node can release all of its shards in the time of one. At most one operation for each
 *    shard and a renewal are in flight.
 * 3. A renewal waits for no operation: on a slow link the node would lose its shards because it releases some of them.
 * 4. The board shows a lock from when it is taken until it is released or found to be lost.
 */
import { Clock, Effect, Semaphore } from "effect"
import { Runner, type RunnerStorage, ShardId } from "effect/cluster"
import { addressOf } from "../../runtime/addresses.ts"
import type { LockBoard } from "./lock-messages.ts"

const renewEvery = "1 second"
const blockedMsMax = 10_000

interface LockKeeper {
  /** The operations on the storage, in the form of messages. */
  readonly operations: RunnerStorage.Encoded
  /** Renews while there are heartbeats of the node's event loop. Never ends. */
  readonly renew: Effect.Effect<never>
}

/** The locks that are held, as the board shows them. */
class Held {
  readonly #held = new Set<string>()
  readonly #board: LockBoard

  constructor(board: LockBoard) {
    this.#board = board
  }

  get shards(): ReadonlyArray<string> {
    return [...this.#held]
  }

  take(shards: ReadonlyArray<string>): void {
    for (const shard of shards) {
      this.#held.add(shard)
      this.#board.setHeld(shard, true)
    }
  }

  drop(shards: ReadonlyArray<string>): void {
    for (const shard of shards) {
      this.#held.delete(shard)
      this.#board.setHeld(shard, false)
    }
  }
}

/** The turns of the operations on locks. */
class Turns {
  readonly #ofShards = new Map<string, Semaphore.Semaphore>()
  readonly #ofMany = Semaphore.makeUnsafe(1)

  /** Runs an operation on the lock of a shard. */
  one<A, E>(shard: string, operation: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const turn = this.#ofShards.get(shard) ?? Semaphore.makeUnsafe(1)
      this.#ofShards.set(shard, turn)
      return turn.withPermits(1)(operation)
    })
  }

  /** Runs an operation on the locks of shards. Operations on many shards take turns, so no two wait for each other. */
  many<A, E>(shards: () => Iterable<string>, operation: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.#ofMany.withPermits(1)(
      Effect.suspend(() => [...new Set(shards())].reduceRight((later, shard) => this.one(shard, later), operation)),
    )
  }

  /** Runs an operation on all locks. */
  all<A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.many(() => this.#ofShards.keys(), operation)
  }
}

const operationsOn = (storage: RunnerStorage.RunnerStorage["Service"], held: Held): RunnerStorage.Encoded => {
  const turns = new Turns()
  return {
    getRunners: Effect.map(
      storage.getRunners,
      (runners) => runners.map(([runner, healthy]) => [Runner.Runner.encodeSync(runner), healthy] as const),
    ),
    register: (_, runner, healthy) => storage.register(Runner.Runner.decodeSync(runner), healthy),
    unregister: (address) => storage.unregister(addressOf(address)),
    setRunnerHealth: (address, healthy) => storage.setRunnerHealth(addressOf(address), healthy),
    acquire: (address, shards) =>
      turns.many(
        () => shards,
        Effect.gen(function* () {
          const taken = (yield* storage.acquire(addressOf(address), shards.map(ShardId.fromString))).map(String)
          held.take(taken)
          return taken
        }),
      ),
    refresh: Effect.fnUntraced(function* (address, shards) {
      const there = (yield* storage.refresh(addressOf(address), shards.map(ShardId.fromString))).map(String)
      held.drop(shards.filter((shard) => !there.includes(shard)))
      return there
    }),
    release: (address, shard) =>
      turns.one(
        shard,
        Effect.tap(
          storage.release(addressOf(address), ShardId.fromString(shard)),
          () => Effect.sync(() => held.drop([shard])),
        ),
      ),
    releaseAll: (address) =>
      turns.all(Effect.tap(storage.releaseAll(addressOf(address)), () => Effect.sync(() => held.drop(held.shards)))),
  }
}

/** Keeps locks on this storage for the node at an address, `host:port`. */
export const keepLocks = (
  storage: RunnerStorage.RunnerStorage["Service"],
  board: LockBoard,
  address: string,
): LockKeeper => {
  const held = new Held(board)
  const operations = operationsOn(storage, held)
  let beats = -1
  let beatNs = 0n
  const renewOnce = Effect.gen(function* () {
    const nowNs = yield* Clock.monotonicTimeNanos
    if (board.beats !== beats) {
      beats = board.beats
      beatNs = nowNs
    }
    if (nowNs - beatNs > BigInt(blockedMsMax) * 1_000_000n) return
    yield* operations.refresh(address, [...held.shards])
    board.renewed()
  })
  return { operations, renew: Effect.forever(Effect.andThen(Effect.ignore(renewOnce), Effect.sleep(renewEvery))) }
}
