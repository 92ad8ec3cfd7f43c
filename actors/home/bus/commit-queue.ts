/**
 * The queue of a bus: collects the entries that are offered, and commits them in batches.
 *
 * Invariants:
 * 1. An entry is answered after its commit. Every caller is answered, also when the queue ends.
 * 2. At most `offeredMax` entries wait; further ones are rejected.
 */
import { Clock, Deferred, Effect, Exit, Queue } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Publish } from "./local-bus.ts"
import type { Offered } from "./sequenced-states.ts"

const offeredMax = 4_096
/** Entries of one commit. */
const batchMax = 512
/**
 * The least time between the starts of two commits; entries that arrive meanwhile share the next commit. A single change does not wait. A
 * commit costs the embedded database about 2 ms of processor time, and 0.1 ms for each entry.
 */
const commitIntervalMs = 25
/** An offered entry and the caller that waits for its sequence. */
interface Waiting extends Offered {
  readonly done: Deferred.Deferred<{ readonly sequence: number | null }, StoreUnavailable>
}

const unavailable = (message: string): StoreUnavailable => new StoreUnavailable({ message })

/** Batches of a queue: each begins at least `commitIntervalMs` after the one before. */
const makeTakeBatch = Effect.fnUntraced(function* (offered: Queue.Queue<Waiting>) {
  const clock = yield* Clock.Clock
  let nextMs = -Infinity
  return Effect.gen(function* () {
    const first = yield* Queue.take(offered)
    const waitMs = nextMs - clock.currentTimeMillisUnsafe()
    if (waitMs > 0) yield* Effect.sleep(Math.min(waitMs, commitIntervalMs))
    nextMs = clock.currentTimeMillisUnsafe() + commitIntervalMs
    const more = Queue.sizeUnsafe(offered) === 0 ? [] : yield* Queue.takeBetween(offered, 1, batchMax - 1)
    return [first, ...more]
  })
})

/** Commits what is offered, batch after batch, until the scope ends. Returns how to offer. */
export const makeCommitQueue = Effect.fnUntraced(function* (
  commit: (batch: ReadonlyArray<Offered>) => Effect.Effect<ReadonlyArray<number | null>, StoreUnavailable>,
) {
  const offered = yield* Queue.dropping<Waiting>(offeredMax)
  const takeBatch = yield* makeTakeBatch(offered)
  /** Offered and not answered, in the queue or not: a batch that waits for its commit has left the queue. */
  const unanswered = new Set<Waiting>()
  const answer = (waiting: Waiting, exit: Exit.Exit<{ readonly sequence: number | null }, StoreUnavailable>): void => {
    unanswered.delete(waiting)
    Deferred.doneUnsafe(waiting.done, exit)
  }
  yield* takeBatch.pipe(
    Effect.flatMap((batch) =>
      Effect.map(Effect.exit(commit(batch)), (exit) => {
        for (const [i, waiting] of batch.entries()) {
          answer(waiting, Exit.map(exit, (sequences) => ({ sequence: sequences[i]! })))
        }
      })
    ),
    Effect.forever,
    Effect.forkScoped,
  )
  // Runs after the local bus is unregistered, so that no further entry is offered.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const ended = Exit.fail(unavailable("The home bus has ended on this node. Try again."))
      for (const waiting of unanswered) answer(waiting, ended)
    })
  )
  const publish: Publish = ({ after, entry }) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<{ readonly sequence: number | null }, StoreUnavailable>()
      const waiting: Waiting = { entry, after, done }
      if (!Queue.offerUnsafe(offered, waiting)) {
        return unavailable(`${offeredMax} changes wait for a commit: the database is too slow. Try again.`)
      }
      unanswered.add(waiting)
      return Deferred.await(done)
    })
  return publish
})
