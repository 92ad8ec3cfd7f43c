/**
 * The HomeBus actor: collects the entries that entities offer and commits them in batches, in one order for the cluster.
 *
 * Boundary: `commit-log.ts` commits and publishes, `store/home/home-states.ts` stores.
 *
 * Invariants:
 * 1. A change is answered after its commit.
 * 2. At most `offeredMax` entries wait; further ones are rejected.
 */
import { Clock, Deferred, Effect, Exit, Queue } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { HomeBus } from "../../../protocols/messages/home-bus.ts"
import { entityOptions, supervise } from "../../runtime/supervision.ts"
import { makeCommitLog } from "./commit-log.ts"
import { LocalHomeBus, type Publish } from "./local-bus.ts"
import type { Offered } from "./sequenced-states.ts"

const offeredMax = 4_096
/** Entries of one commit. */
const batchMax = 512
/**
 * The least time between the starts of two commits; entries that arrive meanwhile share the next commit. A single change does not wait. A
 * commit costs the embedded database about 2 ms of processor time, and 0.1 ms for each entry.
 */
const commitIntervalMs = 25
const heartbeatInterval = "2 seconds"

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
const makePublish = Effect.fnUntraced(function* (
  commit: (batch: ReadonlyArray<Offered>) => Effect.Effect<ReadonlyArray<number | null>, StoreUnavailable>,
) {
  const offered = yield* Queue.dropping<Waiting>(offeredMax)
  const takeBatch = yield* makeTakeBatch(offered)
  let underWay: ReadonlyArray<Waiting> = []
  yield* takeBatch.pipe(
    Effect.flatMap((batch) => {
      underWay = batch
      return Effect.map(Effect.exit(commit(batch)), (exit) => {
        underWay = []
        for (const [i, { done }] of batch.entries()) {
          Deferred.doneUnsafe(done, Exit.map(exit, (sequences) => ({ sequence: sequences[i]! })))
        }
      })
    }),
    Effect.forever,
    Effect.forkScoped,
  )
  // Runs after the local bus is unregistered, so that no further entry is offered.
  yield* Effect.addFinalizer(() =>
    Effect.map(Queue.clear(offered), (waiting) => {
      const ended = Exit.fail(unavailable("The home bus has ended on this node. Try again."))
      for (const { done } of [...underWay, ...waiting]) Deferred.doneUnsafe(done, ended)
    })
  )
  const publish: Publish = ({ after, entry }) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<{ readonly sequence: number | null }, StoreUnavailable>()
      if (!Queue.offerUnsafe(offered, { entry, after, done })) {
        return unavailable(`${offeredMax} changes wait for a commit: the database is too slow. Try again.`)
      }
      return Deferred.await(done)
    })
  return publish
})

const build = Effect.gen(function* () {
  const log = yield* makeCommitLog
  yield* log.heartbeat.pipe(Effect.andThen(Effect.sleep(heartbeatInterval)), Effect.forever, Effect.forkScoped)
  const publish = yield* makePublish((batch) => log.commit(batch))
  yield* (yield* LocalHomeBus).register(publish)
  return HomeBus.of({
    Publish: ({ payload }) => publish(payload),
    Last: ({ payload: { entityId } }) => Effect.map(log.opened, (states) => states.last(entityId)),
    Position: () => Effect.map(log.opened, (states) => states.sequence()),
    WatchBus: ({ payload: { after } }) => log.watch(after),
  })
})

/** The HomeBus actor, on the node that owns its shard. */
export const layerHomeBus = HomeBus.toLayer(
  supervise(HomeBus, build, { concurrent: ["Publish", "Last", "Position"] }),
  entityOptions,
)
