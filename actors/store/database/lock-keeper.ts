/**
 * Keeps the locks of a node's shards: takes, releases and renews them, and shows them on the board.
 *
 * Boundary: the storage is an argument, and the thread in which this runs is that of the caller. Invariants:
 * 1. Locks are renewed every `renewEvery` while there are heartbeats of the node's event loop, and for `blockedMsMax` after the last one: a
 *    node that hangs for good loses its shards.
 * 2. Operations on locks run one after the other. The board shows a lock from when it is taken until it is released or found to be lost.
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

const operationsOn = (storage: RunnerStorage.RunnerStorage["Service"], held: Held): RunnerStorage.Encoded => {
  const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
  return {
    getRunners: Effect.map(
      storage.getRunners,
      (runners) => runners.map(([runner, healthy]) => [Runner.Runner.encodeSync(runner), healthy] as const),
    ),
    register: (_, runner, healthy) => storage.register(Runner.Runner.decodeSync(runner), healthy),
    unregister: (address) => storage.unregister(addressOf(address)),
    setRunnerHealth: (address, healthy) => storage.setRunnerHealth(addressOf(address), healthy),
    acquire: (address, shards) =>
      inTurn(Effect.gen(function* () {
        const taken = (yield* storage.acquire(addressOf(address), shards.map(ShardId.fromString))).map(String)
        held.take(taken)
        return taken
      })),
    refresh: (address, shards) =>
      inTurn(Effect.gen(function* () {
        const there = (yield* storage.refresh(addressOf(address), shards.map(ShardId.fromString))).map(String)
        held.drop(shards.filter((shard) => !there.includes(shard)))
        return there
      })),
    release: (address, shard) =>
      inTurn(Effect.tap(
        storage.release(addressOf(address), ShardId.fromString(shard)),
        () => Effect.sync(() => held.drop([shard])),
      )),
    releaseAll: (address) =>
      inTurn(Effect.tap(storage.releaseAll(addressOf(address)), () => Effect.sync(() => held.drop(held.shards)))),
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
