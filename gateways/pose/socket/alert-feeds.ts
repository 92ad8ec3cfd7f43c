/**
 * Alerts for many subscribers: one stream per environment, opened again for as long as somebody subscribes.
 *
 * Boundary: an environment says what its alerts are; this file tells each subscriber what it does not know yet.
 * Invariants:
 * 1. A stream is open exactly while its environment has subscribers.
 * 2. A subscriber is told each revision of an alert at most once, in order, and none twice over a stream that broke: what an
 *    environment repeats is known by its id and revision.
 * 3. Who subscribes is first told the alerts that are not cleared. What was cleared before the feed began is history, and not told.
 */
import { Cause, Clock, Effect, Exit, Fiber, Stream } from "effect"
import type { Alert } from "../../../protocols/domain/event.ts"
import type { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { type AlertFilter, passesAlert } from "../../../protocols/pose-api/socket-alert.ts"

interface AlertSubscriber {
  /** @param told this alert was told before. Must not block or throw. */
  readonly alert: (alert: Alert, told: boolean, nowMs: number) => void
  /** There is no such environment any more, and no alert follows. */
  readonly ended: (failure: UnknownEnvironment) => void
}

export interface AlertFeeds {
  /** Begins to hand over alerts; the answer ends it. */
  readonly subscribe: (environmentId: string, filter: AlertFilter, subscriber: AlertSubscriber) => () => void
  /** Which environment an alert is of, among those that are followed; null where it is not known. */
  readonly environmentOf: (alertId: string) => string | null
}

/** Alerts that a feed remembers: more than an environment repeats. */
const rememberedMax = 512
/** A stream without even an empty word for so long is opened anew: its node may have died silently. */
const silence = "6 seconds"
const backOffMsMin = 50
const backOffMsMax = 1_000

interface Member {
  readonly filter: AlertFilter
  readonly subscriber: AlertSubscriber
  readonly told: Set<string>
}

interface Feed {
  readonly members: Set<Member>
  readonly alerts: Map<string, Alert>
  /** The first stream has broken: what is cleared and not known happened meanwhile. */
  resumed: boolean
  fiber: Fiber.Fiber<void> | null
}

/** Tells one member of an alert, if it concerns the member. */
const tell = ({ filter, subscriber, told }: Member, alert: Alert, nowMs: number): void => {
  const before = told.has(alert.alertId)
  if (!before && !passesAlert(filter, alert)) return
  if (alert.status === "cleared") told.delete(alert.alertId)
  else told.add(alert.alertId)
  subscriber.alert(alert, before, nowMs)
}

/** Feeds whose streams live in the scope in context. */
export const makeAlertFeeds = Effect.gen(function* () {
  const client = yield* Environment.client
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const feeds = new Map<string, Feed>()

  const receive = (feed: Feed, alert: Alert): void => {
    const known = feed.alerts.get(alert.alertId)
    if (known !== undefined && known.revision >= alert.revision) return
    feed.alerts.delete(alert.alertId)
    feed.alerts.set(alert.alertId, alert)
    if (feed.alerts.size > rememberedMax) {
      const oldest = [...feed.alerts.values()].find(({ status }) => status === "cleared")
      feed.alerts.delete(oldest?.alertId ?? feed.alerts.keys().next().value!)
    }
    if (known === undefined && alert.status === "cleared" && !feed.resumed) return
    const nowMs = clock.currentTimeMillisUnsafe()
    for (const member of feed.members) tell(member, alert, nowMs)
  }

  const end = (environmentId: string, feed: Feed, failure: UnknownEnvironment): void => {
    if (feeds.get(environmentId) === feed) feeds.delete(environmentId)
    for (const { subscriber } of feed.members) subscriber.ended(failure)
  }

  /** Follows the environment wherever its actor goes; ends only when there is no such environment. */
  const follow = Effect.fnUntraced(function* (environmentId: string, feed: Feed) {
    let backOffMs = backOffMsMin
    while (true) {
      let heard = false
      const exit = yield* Effect.exit(
        client(environmentId).WatchAlerts().pipe(
          Stream.timeout(silence),
          Stream.runForEach((alert) =>
            Effect.sync(() => {
              heard = true
              if (alert !== null) receive(feed, alert)
            })
          ),
        ),
      )
      if (Exit.isFailure(exit)) {
        const failure = Cause.findErrorOption(exit.cause)
        if (failure._tag === "Some" && failure.value._tag === "UnknownEnvironment") {
          return end(environmentId, feed, failure.value)
        }
        yield* Effect.logDebug("A stream of alerts broke; it is opened again", environmentId, exit.cause)
      }
      feed.resumed ||= heard
      backOffMs = heard ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
      yield* Effect.sleep(backOffMs)
    }
  })

  const open = (environmentId: string): Feed => {
    const feed: Feed = { members: new Set(), alerts: new Map(), resumed: false, fiber: null }
    feeds.set(environmentId, feed)
    feed.fiber = Fiber.runIn(run(Effect.yieldNow.pipe(Effect.andThen(follow(environmentId, feed)))), scope)
    return feed
  }

  const subscribe: AlertFeeds["subscribe"] = (environmentId, filter, subscriber) => {
    const feed = feeds.get(environmentId) ?? open(environmentId)
    const member: Member = { filter, subscriber, told: new Set() }
    feed.members.add(member)
    const nowMs = clock.currentTimeMillisUnsafe()
    for (const alert of feed.alerts.values()) if (alert.status !== "cleared") tell(member, alert, nowMs)
    return () => {
      if (!feed.members.delete(member) || feed.members.size > 0 || feeds.get(environmentId) !== feed) return
      feeds.delete(environmentId)
      feed.fiber?.interruptUnsafe()
    }
  }

  const environmentOf = (alertId: string): string | null =>
    [...feeds].find(([, { alerts }]) => alerts.has(alertId))?.[0] ?? null

  return { subscribe, environmentOf } satisfies AlertFeeds
})
