/**
 * The log of the home bus: commits batches of entries to the store and publishes them to its watchers, in one order.
 *
 * Boundary: `sequenced-states.ts` decides which entry follows which, `home-bus-entity.ts` when a batch is committed.
 *
 * Invariants:
 * 1. An entry is published after its commit. Events that are not changes are published and not stored.
 * 2. A commit of unknown outcome ends all watchers, and the next use starts a new generation from the store.
 * 3. A watcher with more than `watcherMax` unread messages is disconnected.
 */
import { type Cause, Effect, Queue, Semaphore, Stream } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { BusNews } from "../../../protocols/messages/home-bus.ts"
import { archiveMachine, recoveryMs } from "../../archive/machine.ts"
import { runMachine, type RunningMachine } from "../../runtime/machine.ts"
import { HomeStateStore } from "../../store/home/home-states.ts"
import { type Offered, SequencedStates } from "./sequenced-states.ts"

const watcherMax = 4_096
/** A store that takes longer has failed. Under load a write waits rather than fails, as clients of Home Assistant expect. */
export const storeMsMax = 15_000

type Watcher = Queue.Queue<BusNews, Cause.Done>

const unavailable = (message: string): StoreUnavailable => new StoreUnavailable({ message })

class CommitLog {
  readonly #store: HomeStateStore["Service"]
  readonly #storeHealth: RunningMachine<typeof archiveMachine>
  readonly #oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  readonly #watchers = new Set<Watcher>()
  /** Null: to be read from the store. */
  #states: SequencedStates | null = null

  constructor(store: HomeStateStore["Service"], storeHealth: RunningMachine<typeof archiveMachine>) {
    this.#store = store
    this.#storeHealth = storeHealth
  }

  /** The states of the current generation, which starts at the first use. */
  readonly opened: Effect.Effect<SequencedStates, StoreUnavailable> = Effect.suspend(() =>
    this.#oneAtATime(Effect.suspend(() => this.#states === null ? this.#open() : Effect.succeed(this.#states)))
  )

  /** Drops all that may differ from the store, and ends all watchers. */
  readonly reset: Effect.Effect<void> = Effect.sync(() => {
    this.#states = null
    for (const watcher of this.#watchers) Queue.endUnsafe(watcher)
    this.#watchers.clear()
  })

  /** Sends watchers an empty message, so that they can tell a failed node from a quiet home. */
  readonly heartbeat: Effect.Effect<void> = Effect.sync(() => {
    if (this.#states !== null) this.#publish({ kind: "entries", sequence: this.#states.sequence(), entries: [] })
  })

  /** Commits and publishes a batch. Returns the sequence of each entry; null: it does not follow its entity's last change. */
  commit(batch: ReadonlyArray<Offered>): Effect.Effect<ReadonlyArray<number | null>, StoreUnavailable> {
    return Effect.tapError(this.#commit(batch), () => this.reset)
  }

  /** What follows the sequence `after`, or all states, and then every entry. */
  watch(after: number | null): Stream.Stream<BusNews, StoreUnavailable> {
    return Stream.unwrap(Effect.map(this.#addWatcher(after), (watcher) => Stream.fromQueue(watcher)))
  }

  #open(): Effect.Effect<SequencedStates, StoreUnavailable> {
    return this.#usingStore(this.#store.open).pipe(
      Effect.map(({ generation, states }) => this.#states = new SequencedStates(generation, states)),
      Effect.tap(({ generation }) => Effect.logInfo(`home bus started generation=${generation}`)),
    )
  }

  /** A use of the store, rejected at once while the store fails. */
  #usingStore<A>(use: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, StoreUnavailable> {
    const health = this.#storeHealth
    const watched = use.pipe(
      Effect.timeoutOrElse({
        duration: storeMsMax,
        orElse: () => Effect.fail(unavailable(`The database did not answer in ${storeMsMax} ms.`)),
      }),
      Effect.tapError(() => health.send({ type: "FAILED" })),
      Effect.tap(() => health.send({ type: "WRITTEN" })),
    )
    return Effect.suspend(() =>
      health.snapshot().matches("failing")
        ? Effect.fail(unavailable(`The database failed; it is tried again within ${recoveryMs} ms.`))
        : watched
    )
  }

  readonly #commit = Effect.fnUntraced({ self: this }, function* (this: CommitLog, batch: ReadonlyArray<Offered>) {
    const states = yield* this.opened
    const plan = states.plan(batch)
    if (plan.kept.length > 0) {
      const kept = yield* this.#usingStore(this.#store.keep(states.generation, plan.kept))
      if (!kept) return yield* unavailable("Another node has taken the home bus over. Try again.")
    }
    if (plan.entries.length > 0) this.#publish(states.take(plan))
    return plan.sequences
  })

  readonly #addWatcher = Effect.fnUntraced({ self: this }, function* (this: CommitLog, after: number | null) {
    const watcher: Watcher = yield* Queue.dropping<BusNews, Cause.Done>(watcherMax)
    const states = yield* this.opened
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        if (this.#states !== states) {
          Queue.endUnsafe(watcher)
          return
        }
        for (const news of states.since(after)) Queue.offerUnsafe(watcher, news)
        Queue.offerUnsafe(watcher, { kind: "entries", sequence: states.sequence(), entries: [] })
        this.#watchers.add(watcher)
      }),
      () => Effect.sync(() => this.#watchers.delete(watcher)),
    )
    return watcher
  })

  #publish(news: BusNews): void {
    for (const watcher of this.#watchers) {
      if (Queue.offerUnsafe(watcher, news)) continue
      this.#watchers.delete(watcher)
      Queue.endUnsafe(watcher)
    }
  }
}

/** A log over the store in context; it ends with the scope. */
export const makeCommitLog = Effect.gen(function* () {
  const log = new CommitLog(yield* HomeStateStore, yield* runMachine(archiveMachine))
  yield* Effect.addFinalizer(() => log.reset)
  return log
})
