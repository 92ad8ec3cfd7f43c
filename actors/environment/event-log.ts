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
 * 3. Events wait for the store in a backlog, each in its newest revision alone; when too many do, the oldest that are no incidents give
 *    way first.
 */
import { type Cause, Effect, Queue, Stream } from "effect"
import { type ActivityEvent, type Alert, alertOf } from "../../protocols/domain/event.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { type PrivacySettings } from "../../protocols/domain/configuration.ts"
import { anonymousEvent } from "../../protocols/domain/privacy.ts"
import type { Archive } from "../../protocols/messages/archive.ts"
import { makeBacklog } from "./backlog.ts"

const clearedMax = 64
const watcherMax = 1024
/** An empty word to each watcher, so that it knows a dead node from a quiet one. */
const heartbeat = "2 seconds"

type ArchiveClient = ReturnType<Effect.Success<typeof Archive.client>>
type Watcher = Queue.Queue<Alert, Cause.Done>

/** Starts a log; answers it with the incidents that are not over in the store. */
export const makeEventLog = Effect.fnUntraced(function* (
  archive: ArchiveClient,
  privacy: Effect.Effect<PrivacySettings, StoreUnavailable>,
) {
  const stored = yield* archive.Incidents()
  const store = yield* makeBacklog({
    what: "events",
    keyOf: ({ eventId }: ActivityEvent) => eventId,
    spared: ({ incident }) => incident !== null,
    append: (events) =>
      Effect.flatMap(
        privacy,
        ({ anonymizeData }) => archive.AppendEvents({ events: anonymizeData ? events.map(anonymousEvent) : events }),
      ),
  })
  const alerts = new Map<string, Alert>()
  const watchers = new Set<Watcher>()

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
      for (const event of events) {
        const alert = alertOf(event)
        if (alert !== null) show(alert)
      }
      store(events)
    })

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
