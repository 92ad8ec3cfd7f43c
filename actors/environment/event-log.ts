/**
 * The event log of an environment: stores its events, and shows its alerts to whoever watches.
 *
 * An alert does not wait for the store: a fall is told also while the database is away. What is stored follows as soon as
 * it can be; a frame, on the other hand, is shown only after it is stored.
 *
 * Invariants:
 * 1. Alerts are shown in the order in which they were made, each revision once. A watcher that comes, or comes back, is first shown
 *    the alerts that are not cleared, and the newest `clearedMax` of those that are, so that it misses none.
 * 2. A watcher that lets `watcherMax` alerts pile up is let go, and has to come back: nothing is dropped in the middle.
 * 3. At most `waitingMax` events wait for the store, each in its newest revision alone; beyond, the oldest that are no incidents give
 *    way first. They are tried again until they are stored.
 */
import { Cause, Effect, Exit, Queue, Stream } from "effect"
import { type ActivityEvent, type Alert, alertOf } from "../../protocols/domain/event.ts"
import type { Archive } from "../../protocols/messages/archive.ts"

const clearedMax = 64
const watcherMax = 1024
const waitingMax = 2_000
/** Events of one append. */
const batchMax = 256
const retryDelay = "1 second"
const archiveTimeout = "3 seconds"
/** An empty word to each watcher, so that it knows a dead node from a quiet one. */
const heartbeat = "2 seconds"

type ArchiveClient = ReturnType<Effect.Success<typeof Archive.client>>
type Watcher = Queue.Queue<Alert, Cause.Done>

/** Takes in the newest revisions; answers how many were given up because too many wait. */
const hold = (waiting: Map<string, ActivityEvent>, events: ReadonlyArray<ActivityEvent>): number => {
  for (const event of events) {
    waiting.delete(event.eventId)
    waiting.set(event.eventId, event)
  }
  let givenUp = 0
  while (waiting.size > waitingMax) {
    const oldest = [...waiting.values()].find(({ incident }) => incident === null) ?? waiting.values().next().value!
    waiting.delete(oldest.eventId)
    givenUp++
  }
  return givenUp
}

/** Starts a log; answers it with the incidents that are not over in the store. */
export const makeEventLog = Effect.fnUntraced(function* (archive: ArchiveClient) {
  const stored = yield* archive.Incidents()
  const waiting = new Map<string, ActivityEvent>()
  const wake = yield* Queue.sliding<null>(1)
  const alerts = new Map<string, Alert>()
  const watchers = new Set<Watcher>()
  let storeFailed = false
  let givenUp = 0

  const remember = (alert: Alert): void => {
    alerts.delete(alert.alertId)
    alerts.set(alert.alertId, alert)
    const cleared = [...alerts.values()].filter(({ status }) => status === "cleared")
    for (const { alertId } of cleared.slice(0, Math.max(0, cleared.length - clearedMax))) alerts.delete(alertId)
  }
  for (const event of stored) {
    const alert = alertOf(event)
    if (alert !== null) remember(alert)
  }

  const show = (alert: Alert): void => {
    remember(alert)
    for (const watcher of watchers) {
      if (Queue.offerUnsafe(watcher, alert)) continue
      watchers.delete(watcher)
      Queue.endUnsafe(watcher)
    }
  }

  /** Takes events in: alerts are shown at once, everything is stored as soon as it can be. */
  const add = (events: ReadonlyArray<ActivityEvent>): Effect.Effect<void> =>
    Effect.sync(() => {
      if (events.length === 0) return
      for (const event of events) {
        const alert = alertOf(event)
        if (alert !== null) show(alert)
      }
      givenUp += hold(waiting, events)
      Queue.offerUnsafe(wake, null)
    })

  const append = Effect.gen(function* () {
    const batch = [...waiting.values()].slice(0, batchMax)
    if (batch.length === 0) return
    const exit = yield* Effect.exit(Effect.timeout(archive.AppendEvents({ events: batch }), archiveTimeout))
    if (Exit.isFailure(exit)) {
      if (!storeFailed) {
        yield* Effect.logError("events are not stored, and wait; alerts are shown all the same", exit.cause)
      }
      storeFailed = true
      return yield* Effect.sleep(retryDelay)
    }
    if (storeFailed || givenUp > 0) yield* Effect.logInfo("events are stored again", { givenUp })
    storeFailed = false
    givenUp = 0
    // A revision that came meanwhile is another object, and stays.
    for (const event of batch) if (waiting.get(event.eventId) === event) waiting.delete(event.eventId)
  })

  const store = Queue.take(wake).pipe(
    Effect.andThen(Effect.repeat(append, { while: () => waiting.size > 0 })),
    Effect.forever,
  )
  yield* Effect.forkScoped(store)
  // What is left when the actor goes is tried once more.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      waiting.size === 0
        ? Effect.void
        : Effect.exit(Effect.timeout(archive.AppendEvents({ events: [...waiting.values()] }), archiveTimeout))
    )
  )

  const watch: Stream.Stream<Alert | null> = Stream.unwrap(Effect.gen(function* () {
    const watcher: Watcher = yield* Queue.dropping<Alert, Cause.Done>(watcherMax)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        for (const alert of alerts.values()) Queue.offerUnsafe(watcher, alert)
        watchers.add(watcher)
      }),
      () => Effect.sync(() => watchers.delete(watcher)),
    )
    return Stream.merge(Stream.fromQueue(watcher), Stream.as(Stream.tick(heartbeat), null), { haltStrategy: "left" })
  }))

  return {
    /** Incidents that were not over when the log began. */
    unfinished: stored.filter(({ incident }) => incident?.endedMs === null),
    add,
    /** Alerts as they are, and as they change; null now and then. */
    watch,
  }
})
