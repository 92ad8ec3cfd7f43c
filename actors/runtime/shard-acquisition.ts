/**
 * The acquisition of shards that other nodes are about to release, on behalf of the cluster of this node.
 *
 * Invariant: a shard that another node is about to release is requested every `askAgainMs`; the cluster itself requests it once a second.
 */
import { Effect } from "effect"
import type { RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { monotonicMs } from "./monotonic.ts"

type Storage = RunnerStorage.RunnerStorage["Service"]

export const askAgainMs = 25
/** Below the time limit of a lock operation (`cluster.ts`). */
const askingMsMax = 1_500
/**
 * Requests in a row without a new shard, after which the obtained shards are used: half a second, in which a leaving node releases the rest.
 * The cluster requests the missing ones a second later.
 */
const idleAsksMax = 20
/** The cluster neither requests nor releases shards for a second after it has obtained some. */
const restMs = 1_050
/** In this time a change is known to all nodes. */
const knownMs = 300

/** Time after a change in which nodes have released and obtained the shards that it moves, and act on the next change at once. */
export const changeMs = knownMs + restMs

export class ShardAcquisition {
  #asking = 0
  #askedMs = -Infinity

  /** Acquires shards that other nodes may be about to release: those that were obtained within `askingMsMax`. */
  acquire(storage: Storage, address: RunnerAddress.RunnerAddress, wanted: ReadonlyArray<ShardId.ShardId>) {
    return Effect.acquireUseRelease(
      Effect.sync(() => void this.#asking++),
      () => acquireRepeatedly(storage, address, wanted),
      () =>
        Effect.map(monotonicMs, (nowMs) => {
          this.#asking--
          this.#askedMs = nowMs
        }),
    )
  }

  /** Waits until the shards of a change that was made now are obtained, and the cluster acts on the next change at once. */
  readonly untilRested = Effect.gen({ self: this }, function* () {
    yield* Effect.sleep(knownMs)
    while (this.#asking > 0 || (yield* monotonicMs) < this.#askedMs + restMs) {
      yield* Effect.sleep(askAgainMs)
    }
  })
}

const acquireRepeatedly = Effect.fnUntraced(function* (
  storage: Storage,
  address: RunnerAddress.RunnerAddress,
  wanted: ReadonlyArray<ShardId.ShardId>,
) {
  const untilMs = (yield* monotonicMs) + askingMsMax
  let obtained = yield* storage.acquire(address, wanted)
  let idleAsks = 0
  while (obtained.length < wanted.length && (obtained.length === 0 || idleAsks < idleAsksMax)) {
    if ((yield* monotonicMs) >= untilMs) break
    yield* Effect.sleep(askAgainMs)
    const now = yield* storage.acquire(address, wanted)
    idleAsks = now.length > obtained.length ? 0 : idleAsks + 1
    obtained = now
  }
  return obtained
})
