/**
 * The event log of an environment: stores its events, and publishes its alerts to subscribers.
 *
 * An alert does not wait for the store: subscribers are notified of a fall while the database is unavailable, and the event is stored
 * later. A frame, in contrast, is published only after it is stored.
 *
 * Invariants:
 * 1. Alerts are published in the order of their creation, each revision once. A new or returning subscriber first gets the alerts that are
 *    not cleared, and the newest `clearedMax` of the cleared ones, so that it misses none.
 * 2. A subscriber with `subscriberMax` waiting alerts is disconnected and must subscribe again: none is dropped in the middle.
 * 3. Events wait for the store in a backlog, each in its newest revision alone; when too many wait, the oldest that are not of incidents
 *    are dropped first.
 */
import { type Cause, Effect, Queue, Stream } from "effect"
import { type ActivityEvent, type Alert, alertOf } from "../../protocols/domain/event.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { type PrivacySettings } from "../../protocols/domain/configuration.ts"
import { anonymousEvent } from "../../protocols/domain/privacy.ts"
import { makeBacklog } from "./backlog.ts"
import type { OwnArchive } from "./own-archive.ts"

const clearedMax = 64
const subscriberMax = 1024
/** A null to each subscriber, which distinguishes a quiet node from a failed one. */
const heartbeatInterval = "2 seconds"

/** How long a caller waits for the store; shorter than it waits for the actor (`protocols/messages/call-actor.ts`). */
const keptWithin = "3 seconds"
const notKept = () =>
  new StoreUnavailable({
    message: "The database did not take the change in time. It is in effect, and is stored when the database answers.",
  })

const answered = (stored: Effect.Effect<boolean>): Effect.Effect<void, StoreUnavailable> =>
  stored.pipe(
    Effect.timeoutOrElse({ duration: keptWithin, orElse: () => Effect.succeed(false) }),
    Effect.flatMap((isStored) => isStored ? Effect.void : Effect.fail(notKept())),
  )

type Subscriber = Queue.Queue<Alert, Cause.Done>

export type EventLog = Effect.Success<ReturnType<typeof makeEventLog>>

/** Starts a log, with the incidents that have not ended in the store. */
export const makeEventLog = Effect.fnUntraced(function* (
  archive: OwnArchive,
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
  const subscribers = new Set<Subscriber>()

  const remember = (alert: Alert): void => {
    alerts.delete(alert.alertId)
    alerts.set(alert.alertId, alert)
    const cleared = [...alerts.values()].filter(({ status }) => status === "cleared")
    for (const { alertId } of cleared.slice(0, Math.max(0, cleared.length - clearedMax))) alerts.delete(alertId)
  }
  for (const alert of stored.map(alertOf)) if (alert !== null) remember(alert)

  const publish = (alert: Alert): void => {
    remember(alert)
    for (const subscriber of subscribers) {
      if (Queue.offerUnsafe(subscriber, alert)) continue
      subscribers.delete(subscriber)
      Queue.endUnsafe(subscriber)
    }
  }

  /** Takes events in: alerts are published at once, and all events are stored as soon as possible. */
  const add = (events: ReadonlyArray<ActivityEvent>): Effect.Effect<void> =>
    Effect.sync(() => {
      for (const event of events) {
        const alert = alertOf(event)
        if (alert !== null) publish(alert)
      }
      store.add(events)
    })

  const watch: Stream.Stream<Alert | null> = Stream.unwrap(Effect.gen(function* () {
    const subscriber: Subscriber = yield* Queue.dropping<Alert, Cause.Done>(subscriberMax)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        for (const alert of alerts.values()) Queue.offerUnsafe(subscriber, alert)
        subscribers.add(subscriber)
      }),
      () => Effect.sync(() => subscribers.delete(subscriber)),
    )
    const heartbeats = Stream.as(Stream.tick(heartbeatInterval), null)
    return Stream.merge(Stream.fromQueue(subscriber), heartbeats, { haltStrategy: "left" })
  }))

  return {
    /** Incidents that had not ended when the log began. */
    unfinished: stored.filter(({ incident }) => incident?.endedMs === null),
    add,
    /** Takes an event in. The effect that it returns waits until that is stored; after a failure it is stored later, unless this node ends. */
    keep: (event: ActivityEvent) => Effect.as(add([event]), answered(store.stored(event.eventId))),
    /** The alerts, their changes, and a null each `heartbeatInterval`. */
    watch,
  }
})
