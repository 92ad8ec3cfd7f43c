/**
 * Alerts for many subscribers: one stream per environment, kept open while it has subscribers.
 *
 * Boundary: the Environment actor owns its alerts. This file sends each subscriber what that subscriber has not received yet.
 * Invariants:
 * 1. A stream is open exactly while its environment has subscribers.
 * 2. A subscriber receives each revision of an alert at most once and in order, also over a stream that failed and was opened again: a
 *    repeated alert is recognised by its id and revision.
 * 3. A new subscriber first receives the alerts that are not cleared. Alerts cleared before the feed began are history and are not sent.
 */
import { Cause, Clock, Effect, Exit, Fiber, type Scope, Stream } from "effect"
import type { Alert } from "../../../protocols/domain/event.ts"
import type { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { type AlertFilter, passesAlert } from "../../../protocols/pose-api/socket-alert.ts"

interface AlertSubscriber {
  /** @param known the subscriber has received an earlier revision of this alert. Must not block or throw. */
  readonly alert: (alert: Alert, known: boolean, nowMs: number) => void
  /** The environment no longer exists, and no alert follows. */
  readonly ended: (failure: UnknownEnvironment) => void
}

export interface AlertFeeds {
  /** Subscribes to the alerts of an environment. The returned function unsubscribes. */
  readonly subscribe: (environmentId: string, filter: AlertFilter, subscriber: AlertSubscriber) => () => void
  /** The environment of an alert, among those that have subscribers; null if unknown. */
  readonly environmentOf: (alertId: string) => string | null
}

/** Alerts that a feed remembers: more than an environment repeats. */
const rememberedMax = 512
/** A stream without any element, empty ones included, for this long is opened again: its node may have failed silently. */
const silence = "6 seconds"
const backOffMsMin = 50
const backOffMsMax = 1_000

interface Member {
  readonly filter: AlertFilter
  readonly subscriber: AlertSubscriber
  /** Ids of the alerts that were sent and are not cleared. */
  readonly sentIds: Set<string>
}

interface Feed {
  readonly environmentId: string
  readonly members: Set<Member>
  readonly alerts: Map<string, Alert>
  /** The stream was opened again: an unknown alert that is cleared happened while it was closed. */
  resumed: boolean
  fiber: Fiber.Fiber<void> | null
}

/** The feeds of one node, by environment. */
interface Feeds {
  readonly client: Effect.Success<typeof Environment.client>
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly byEnvironment: Map<string, Feed>
}

/** Sends an alert to one member if it passes the member's filter, or if the member has received an earlier revision. */
const send = ({ filter, sentIds, subscriber }: Member, alert: Alert, nowMs: number): void => {
  const known = sentIds.has(alert.alertId)
  if (!known && !passesAlert(filter, alert)) return
  if (alert.status === "cleared") sentIds.delete(alert.alertId)
  else sentIds.add(alert.alertId)
  subscriber.alert(alert, known, nowMs)
}

/** Remembers an alert; evicts a cleared one first when there are too many. */
const remember = ({ alerts }: Feed, alert: Alert): void => {
  alerts.delete(alert.alertId)
  alerts.set(alert.alertId, alert)
  if (alerts.size <= rememberedMax) return
  const oldest = [...alerts.values()].find(({ status }) => status === "cleared")
  alerts.delete(oldest?.alertId ?? alerts.keys().next().value!)
}

const receive = ({ clock }: Feeds, feed: Feed, alert: Alert): void => {
  const known = feed.alerts.get(alert.alertId)
  if (known !== undefined && known.revision >= alert.revision) return
  remember(feed, alert)
  if (known === undefined && alert.status === "cleared" && !feed.resumed) return
  const nowMs = clock.currentTimeMillisUnsafe()
  for (const member of feed.members) send(member, alert, nowMs)
}

const end = ({ byEnvironment }: Feeds, feed: Feed, failure: UnknownEnvironment): void => {
  if (byEnvironment.get(feed.environmentId) === feed) byEnvironment.delete(feed.environmentId)
  for (const { subscriber } of feed.members) subscriber.ended(failure)
}

/** Follows the actor over moves and restarts. Ends only when the environment does not exist. */
const follow = Effect.fnUntraced(function* (feeds: Feeds, feed: Feed) {
  const { environmentId } = feed
  let backOffMs = backOffMsMin
  while (true) {
    let received = false
    const exit = yield* Effect.exit(
      feeds.client(environmentId).WatchAlerts().pipe(
        Stream.timeout(silence),
        Stream.runForEach((alert) =>
          Effect.sync(() => {
            received = true
            if (alert !== null) receive(feeds, feed, alert)
          })
        ),
      ),
    )
    if (Exit.isFailure(exit)) {
      const failure = Cause.findErrorOption(exit.cause)
      if (failure._tag === "Some" && failure.value._tag === "UnknownEnvironment") return end(feeds, feed, failure.value)
      yield* Effect.logDebug(`alert stream failed, opening it again environment=${environmentId}`, exit.cause)
    }
    feed.resumed ||= received
    backOffMs = received ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
    yield* Effect.sleep(backOffMs)
  }
})

/** Adds a member to a feed, sends it the open alerts, and returns the function that removes it. */
const join = ({ byEnvironment, clock }: Feeds, feed: Feed, member: Member): () => void => {
  feed.members.add(member)
  const nowMs = clock.currentTimeMillisUnsafe()
  for (const alert of feed.alerts.values()) if (alert.status !== "cleared") send(member, alert, nowMs)
  return () => {
    if (!feed.members.delete(member) || feed.members.size > 0 || byEnvironment.get(feed.environmentId) !== feed) return
    byEnvironment.delete(feed.environmentId)
    feed.fiber?.interruptUnsafe()
  }
}

/** Feeds whose streams live in the scope in context. */
export const makeAlertFeeds = Effect.gen(function* () {
  const feeds: Feeds = {
    client: yield* Environment.client,
    clock: yield* Clock.Clock,
    scope: yield* Effect.scope,
    byEnvironment: new Map(),
  }
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const open = (environmentId: string): Feed => {
    const feed: Feed = { environmentId, members: new Set(), alerts: new Map(), resumed: false, fiber: null }
    feeds.byEnvironment.set(environmentId, feed)
    feed.fiber = Fiber.runIn(run(Effect.andThen(Effect.yieldNow, follow(feeds, feed))), feeds.scope)
    return feed
  }

  const subscribe: AlertFeeds["subscribe"] = (environmentId, filter, subscriber) =>
    join(feeds, feeds.byEnvironment.get(environmentId) ?? open(environmentId), {
      filter,
      subscriber,
      sentIds: new Set(),
    })

  const environmentOf = (alertId: string): string | null =>
    [...feeds.byEnvironment].find(([, { alerts }]) => alerts.has(alertId))?.[0] ?? null

  return { subscribe, environmentOf } satisfies AlertFeeds
})
