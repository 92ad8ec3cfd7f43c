/**
 * The HomeBus actor: keeps what entities offer, many in one commit, and tells everybody in one order.
 *
 * Boundary: which entry follows which is `sequenced-states.ts`, how states are stored `store/home/home-states.ts`.
 *
 * Invariants:
 * 1. A change is told, and answered, after its commit; what was told is in the store, whichever node dies. Events that are no changes are
 *    told and not stored.
 * 2. A commit whose outcome is not known ends all watching and begins a generation anew from the store: nobody believes what may not be.
 * 3. At most `offeredMax` entries wait; a watcher that lets `watcherMax` batches pile up is let go.
 */
import { type Cause, Clock, Deferred, Effect, Exit, Queue, Semaphore, Stream } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { type BusNews, HomeBus } from "../../../protocols/messages/home-bus.ts"
import { archiveMachine, recoveryMs } from "../../archive/machine.ts"
import { runMachine } from "../../runtime/machine.ts"
import { entityOptions, supervise } from "../../runtime/supervision.ts"
import { HomeStateStore } from "../../store/home/home-states.ts"
import { HomeBusDoor, type Publish } from "./local-bus.ts"
import { type Ledger, makeLedger, type Offered } from "./sequenced-states.ts"

const offeredMax = 4_096
/** Entries of one commit. */
const batchMax = 512
/**
 * From the beginning of a commit to that of the next one, at least: what comes meanwhile is in it. A change that comes alone waits for
 * nothing. A commit costs the embedded database some 2 ms of processor however little is in it, and 0.1 ms more an entry.
 */
const paceMs = 25
const watcherMax = 4_096
/** An empty word to each watcher, so that it knows a dead node from a quiet one. */
const heartbeat = "2 seconds"
/** A store that takes longer has failed. */
const keepTimeoutMs = 2_000

interface Waiting extends Offered {
  readonly done: Deferred.Deferred<{ readonly sequence: number | null }, StoreUnavailable>
}

type Watcher = Queue.Queue<BusNews, Cause.Done>

const unavailable = (message: string): StoreUnavailable => new StoreUnavailable({ message })

const build = Effect.gen(function* () {
  const store = yield* HomeStateStore
  const clock = yield* Clock.Clock
  const trust = yield* runMachine(archiveMachine)
  const offered = yield* Queue.dropping<Waiting>(offeredMax)
  const watchers = new Set<Watcher>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let ledger: Ledger | null = null

  const tell = (news: BusNews): void => {
    for (const watcher of watchers) {
      if (Queue.offerUnsafe(watcher, news)) continue
      watchers.delete(watcher)
      Queue.endUnsafe(watcher)
    }
  }

  /** The ledger; read from the store where it is not known. */
  const opened = oneAtATime(Effect.suspend(() =>
    ledger !== null ? Effect.succeed(ledger) : trusted(store.open).pipe(
      Effect.map(({ generation, states }) => ledger = makeLedger(generation, states)),
      Effect.tap(({ generation }) => Effect.logInfo("the home bus lives on this node", { generation })),
    )
  ))

  /** A use of the store, refused at once while it fails. */
  const trusted = Effect.fnUntraced(function* <A>(use: Effect.Effect<A, StoreUnavailable>) {
    if (trust.snapshot().matches("failing")) {
      return yield* unavailable(`The database failed; it is asked again within ${recoveryMs} ms.`)
    }
    const answer = yield* use.pipe(
      Effect.timeoutOrElse({
        duration: keepTimeoutMs,
        orElse: () => Effect.fail(unavailable(`The database did not answer in ${keepTimeoutMs} ms.`)),
      }),
      Effect.tapError(() => trust.send({ type: "FAILED" })),
    )
    yield* trust.send({ type: "WRITTEN" })
    return answer
  })

  /** Forgets what is not sure any more. */
  const forget = Effect.sync(() => {
    ledger = null
    for (const watcher of watchers) Queue.endUnsafe(watcher)
    watchers.clear()
  })

  /** Keeps and tells a batch; answers the sequence of each of its entries. */
  const write = Effect.fnUntraced(function* (batch: ReadonlyArray<Offered>) {
    const current = yield* opened
    const plan = current.plan(batch)
    if (plan.kept.length > 0) {
      const kept = yield* trusted(store.keep(current.generation, plan.kept))
      if (!kept) return yield* unavailable("Another node has taken the home bus over. Try again.")
    }
    if (plan.entries.length > 0) tell(current.take(plan))
    return plan.sequences
  }, Effect.tapError(() => forget))

  /** Takes what waits, when it is time for a commit. */
  let nextMs = -Infinity
  const takeBatch = Effect.gen(function* () {
    const first = yield* Queue.take(offered)
    const waitMs = nextMs - clock.currentTimeMillisUnsafe()
    if (waitMs > 0) yield* Effect.sleep(Math.min(waitMs, paceMs))
    nextMs = clock.currentTimeMillisUnsafe() + paceMs
    const more = Queue.sizeUnsafe(offered) === 0 ? [] : yield* Queue.takeBetween(offered, 1, batchMax - 1)
    return [first, ...more]
  })
  let underWay: ReadonlyArray<Waiting> = []
  yield* takeBatch.pipe(
    Effect.flatMap((batch) => {
      underWay = batch
      return Effect.map(Effect.exit(write(batch)), (exit) => {
        underWay = []
        for (const [i, { done }] of batch.entries()) {
          Deferred.doneUnsafe(done, Exit.map(exit, (sequences) => ({ sequence: sequences[i]! })))
        }
      })
    }),
    Effect.forever,
    Effect.forkScoped,
  )
  yield* Effect.sync(() => {
    if (ledger !== null) tell({ kind: "entries", sequence: ledger.sequence(), entries: [] })
  }).pipe(Effect.andThen(Effect.sleep(heartbeat)), Effect.forever, Effect.forkScoped)
  yield* Effect.addFinalizer(() => forget)

  const publish: Publish = ({ after, entry }) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<{ readonly sequence: number | null }, StoreUnavailable>()
      if (!Queue.offerUnsafe(offered, { entry, after, done })) {
        return unavailable(`${offeredMax} changes wait to be kept: the database is too slow. Try again.`)
      }
      return Deferred.await(done)
    })
  // Runs when the door is shut.
  yield* Effect.addFinalizer(() =>
    Effect.map(Queue.clear(offered), (waiting) => {
      const ended = Exit.fail(unavailable("The home bus has ended on this node. Try again."))
      for (const { done } of [...underWay, ...waiting]) Deferred.doneUnsafe(done, ended)
    })
  )
  yield* (yield* HomeBusDoor).open(publish)

  return HomeBus.of({
    Publish: ({ payload }) => publish(payload),
    Last: ({ payload: { entityId } }) => Effect.map(opened, ({ last }) => last(entityId)),
    Position: () => Effect.map(opened, ({ sequence }) => sequence()),
    WatchBus: ({ payload: { after } }) =>
      Stream.unwrap(Effect.gen(function* () {
        const watcher: Watcher = yield* Queue.dropping<BusNews, Cause.Done>(watcherMax)
        const current = yield* opened
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            if (ledger !== current) {
              Queue.endUnsafe(watcher)
              return
            }
            for (const news of current.since(after)) Queue.offerUnsafe(watcher, news)
            Queue.offerUnsafe(watcher, { kind: "entries", sequence: current.sequence(), entries: [] })
            watchers.add(watcher)
          }),
          () => Effect.sync(() => watchers.delete(watcher)),
        )
        return Stream.fromQueue(watcher)
      })),
  })
})

/** The HomeBus actor, on the node that has its shard. */
export const layerHomeBus = HomeBus.toLayer(
  supervise(HomeBus, build, { concurrent: ["Publish", "Last", "Position"] }),
  entityOptions,
)
