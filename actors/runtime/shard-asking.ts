/**
 * Asking for shards that other nodes are about to release, as the cluster of this node does, and when it asks for further ones.
 *
 * Invariant: a shard that another node is about to release is asked for every `askAgainMs`: the cluster itself asks once a second.
 */
import { Clock, Effect } from "effect"
import type { RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"

type Storage = RunnerStorage.RunnerStorage["Service"]

export const askAgainMs = 25
/** Below the time limit of a lock operation (`cluster.ts`). */
const askingMsMax = 1_500
/**
 * Asks without a new shard after which those that were obtained are used: half a second, in which a node that leaves releases the rest. The
 * cluster asks for those that are missing a second later.
 */
const idleAsksMax = 20
/** The cluster neither asks for shards nor releases any for a second after it has obtained some. */
const restMs = 1_050
/** In this time a change is known to all nodes. */
const knownMs = 300

/** In this time after a change, nodes have released and obtained what it moves, and would act on the next one at once. */
export const changeMs = knownMs + restMs

export class ShardAsking {
  #asking = 0
  #askedMs = -Infinity

  /** Acquires shards that other nodes may be about to release: those that were obtained within `askingMsMax`. */
  acquire(storage: Storage, address: RunnerAddress.RunnerAddress, wanted: ReadonlyArray<ShardId.ShardId>) {
    return Effect.acquireUseRelease(
      Effect.sync(() => void this.#asking++),
      () => acquirePatiently(storage, address, wanted),
      () =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          this.#asking--
          this.#askedMs = nowMs
        }),
    )
  }

  /** Waits until the shards of a change that was made now are obtained, and the cluster would act on the next change at once. */
  readonly untilRested = Effect.gen({ self: this }, function* () {
    yield* Effect.sleep(knownMs)
    while (this.#asking > 0 || (yield* Clock.currentTimeMillis) < this.#askedMs + restMs) {
      yield* Effect.sleep(askAgainMs)
    }
  })
}

const acquirePatiently = Effect.fnUntraced(function* (
  storage: Storage,
  address: RunnerAddress.RunnerAddress,
  wanted: ReadonlyArray<ShardId.ShardId>,
) {
  const untilMs = (yield* Clock.currentTimeMillis) + askingMsMax
  let obtained = yield* storage.acquire(address, wanted)
  let idleAsks = 0
  while (obtained.length < wanted.length && (obtained.length === 0 || idleAsks < idleAsksMax)) {
    if ((yield* Clock.currentTimeMillis) >= untilMs) break
    yield* Effect.sleep(askAgainMs)
    const now = yield* storage.acquire(address, wanted)
    idleAsks = now.length > obtained.length ? 0 : idleAsks + 1
    obtained = now
  }
  return obtained
})
