/**
 * Pose updates for many subscribers: one stream per environment, one encoding per environment, form and filter.
 *
 * Owns the subscribers; a subscriber owns the updates that it receives.
 * Invariants: a stream is open exactly while its environment has subscribers; a frame's text is encoded once per group, whatever the
 * number of subscribers.
 */
import { Cause, Clock, Effect, Fiber, Option, Stream } from "effect"
import type { ActorUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import { updateText } from "../../../protocols/pose-api/pose-frame.ts"
import type { PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import { poseUpdateTail } from "../../../protocols/pose-api/socket-messages.ts"
import { FrameHub } from "../../frames/frame-hub.ts"
import type { SharedFrame } from "../../frames/shared-frame.ts"
import { type SharedTail, shareTail } from "./shared-tail.ts"

interface Subscriber {
  /** Receives the text that all subscribers of a group share (`poseUpdateTail`). Must not block or throw. */
  readonly update: (tail: SharedTail) => void
  /** The stream has ended, and no update follows. Null: it ended unexpectedly. */
  readonly ended: (failure: UnknownEnvironment | ActorUnavailable | null) => void
}

export interface PoseFeeds {
  /** Subscribes to the updates of an environment. The returned function unsubscribes. */
  readonly subscribe: (environmentId: string, form: Form, filter: PoseFilter, subscriber: Subscriber) => () => void
}

interface Group {
  readonly form: Form
  readonly filter: PoseFilter
  readonly subscribers: Set<Subscriber>
}

interface Feed {
  readonly groups: Map<string, Group>
  fiber: Fiber.Fiber<void> | null
}

const keyOf = (form: Form, filter: PoseFilter): string => {
  const { minConfidence, personIds, includeKeypoints, include3d, includeDensePose } = filter
  const ids = personIds === null ? "all" : [...personIds].sort((a, b) => a - b).join(",")
  return `${form} ${minConfidence} ${includeKeypoints} ${include3d} ${includeDensePose} ${ids}`
}

/** Feeds whose streams live in the scope in context. */
export const makePoseFeeds = Effect.gen(function* () {
  const hub = yield* FrameHub
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const feeds = new Map<string, Feed>()

  const publish = (feed: Feed, frame: SharedFrame): void => {
    const nowMs = clock.currentTimeMillisUnsafe()
    for (const { form, filter, subscribers } of feed.groups.values()) {
      const tail = shareTail(Buffer.from(poseUpdateTail(updateText(frame, form, filter, nowMs))))
      for (const subscriber of subscribers) subscriber.update(tail)
    }
  }

  const end = (environmentId: string, feed: Feed, failure: UnknownEnvironment | ActorUnavailable | null): void => {
    if (feeds.get(environmentId) === feed) feeds.delete(environmentId)
    for (const { subscribers } of feed.groups.values()) for (const { ended } of subscribers) ended(failure)
  }

  const follow = (environmentId: string, feed: Feed): Effect.Effect<void> =>
    hub.watch(environmentId).pipe(
      Stream.runForEach((frame) => Effect.sync(() => publish(feed, frame))),
      Effect.matchCauseEffect({
        onSuccess: () => Effect.sync(() => end(environmentId, feed, null)),
        onFailure: (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.void
          const failure = Option.getOrNull(Cause.findErrorOption(cause))
          return Effect.logDebug(`feed of pose updates ended environment=${environmentId}`, cause).pipe(
            Effect.andThen(Effect.sync(() => end(environmentId, feed, failure))),
          )
        },
      }),
    )

  const open = (environmentId: string): Feed => {
    const feed: Feed = { groups: new Map(), fiber: null }
    feeds.set(environmentId, feed)
    feed.fiber = Fiber.runIn(run(Effect.yieldNow.pipe(Effect.andThen(follow(environmentId, feed)))), scope)
    return feed
  }

  const subscribe: PoseFeeds["subscribe"] = (environmentId, form, filter, subscriber) => {
    const feed = feeds.get(environmentId) ?? open(environmentId)
    const key = keyOf(form, filter)
    let group = feed.groups.get(key)
    if (group === undefined) feed.groups.set(key, group = { form, filter, subscribers: new Set() })
    group.subscribers.add(subscriber)
    return () => {
      if (!group.subscribers.delete(subscriber) || group.subscribers.size > 0) return
      if (feed.groups.get(key) === group) feed.groups.delete(key)
      if (feed.groups.size > 0 || feeds.get(environmentId) !== feed) return
      feeds.delete(environmentId)
      feed.fiber?.interruptUnsafe()
    }
  }

  return { subscribe } satisfies PoseFeeds
})
