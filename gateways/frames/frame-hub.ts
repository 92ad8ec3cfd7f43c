/**
 * The frame hub: one stream of pose frames per environment and node, whatever the number of its clients.
 *
 * Owns the subscription to an Environment actor. The first watcher opens it. It stays open for `idleTtl` after the last watcher, and is
 * opened again with back-off when the actor moves or its node fails.
 *
 * Invariants:
 * 1. A watcher receives frames in ascending order of `frameId`, each once. Frames that the stream has left out are read from the history:
 *    it may have been interrupted, and the cluster itself continues it on another node when its own fails.
 * 2. A frame is decoded at most once per node (`shared-frame.ts`).
 * 3. A slow watcher costs at most `bufferedMax` frames and delays no other watcher.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Queue, RcMap, Schedule, Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import {
  ActorUnavailable,
  type NoFrames,
  type SystemNotRunning,
  type UnknownEnvironment,
} from "../../protocols/domain/failure.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { CurrentFrameTracer, type FrameTracer } from "../../protocols/ports/frame-trace.ts"
import { FrameHistory } from "../../protocols/ports/frame-history.ts"
import { type SharedFrame, shareFrame } from "./shared-frame.ts"
import { storedBetween } from "./stored-frames.ts"

export type LatestFailure = NoFrames | SystemNotRunning | UnknownEnvironment | ActorUnavailable

export class FrameHub extends Context.Service<FrameHub, {
  /** The newest frame. */
  readonly latest: (
    environmentId: string,
  ) => Effect.Effect<SharedFrame, LatestFailure>
  /**
   * Every frame from now on. A slow reader loses the oldest first. An open stream continues while the environment exists,
   * over restarts and moves of its actor. `ActorUnavailable`: this node already watches `environmentsMax` environments.
   */
  readonly watch: (environmentId: string) => Stream.Stream<SharedFrame, UnknownEnvironment | ActorUnavailable>
}>()("wavepose/gateways/FrameHub") {
  static readonly layer: Layer.Layer<FrameHub, never, FrameHistory | Sharding.Sharding> = Layer.effect(
    FrameHub,
    Effect.suspend(() => make),
  )
}

/** Frames that wait for one watcher. */
const bufferedMax = 64
/** Environments that one node watches at a time. */
const environmentsMax = 1024
/** How long a subscription stays open after its last watcher. */
const idleTtl = "5 seconds"
/** A subscription without a frame for this long is opened again: its node may have failed without closing the stream. */
const silence = "5 seconds"
/**
 * Missed frames are read for so long: a node that loses its database for longer is not ready, and its clients go to another. Then they are skipped,
 * because their bodies may never be readable.
 */
const missedMax = "10 seconds"
/** A read that has no answer is made again. */
const readMax = "3 seconds"
const readAgain = Schedule.spaced("300 millis")
/** Frames that are read from the history after an interruption: 1 minute at 10 frames per second. The rest is skipped. */
const missedFramesMax = 600
const backOffMsMin = 50
const backOffMsMax = 1_000
/** Maximum age at which the subscription's newest frame counts as the environment's newest frame. */
const freshMsMax = 300
const latestTimeout = "5 seconds"

type EnvironmentClient = Effect.Success<typeof Environment.client>

type Watcher = Queue.Queue<SharedFrame, UnknownEnvironment>

/** The state that the watchers of one environment share. */
interface Subscription {
  readonly watchers: Set<Watcher>
  newest: SharedFrame | null
  /** When `newest` was received, on this node's clock. */
  newestAtMs: number
  /** Set when the environment does not exist. The subscription is then no longer in the map. */
  failure: UnknownEnvironment | null
}

/** The state of one node's hub. */
interface Hub {
  readonly client: EnvironmentClient
  readonly history: FrameHistory["Service"]
  readonly tracer: FrameTracer | null
  readonly scope: Scope.Scope
  /** Subscriptions that are open, by environment. */
  readonly open: Map<string, Subscription>
  /** The open subscriptions, with a count of their watchers. */
  readonly subscriptions: RcMap.RcMap<string, Subscription, Cause.ExceededCapacityError>
}

/** Whether the actor itself failed the request, as opposed to a failure to reach the actor. */
const isActorFailure = (
  failure: { readonly _tag: string },
): failure is NoFrames | SystemNotRunning | UnknownEnvironment =>
  failure._tag === "NoFrames" || failure._tag === "SystemNotRunning" || failure._tag === "UnknownEnvironment"

const unavailable = (environmentId: string, message: string): ActorUnavailable =>
  new ActorUnavailable({ actor: `Environment ${environmentId}`, message })

const publish = (subscription: Subscription, shared: SharedFrame, nowMs: number): void => {
  if (subscription.newest !== null && shared.frame.frameId <= subscription.newest.frame.frameId) return
  subscription.newest = shared
  subscription.newestAtMs = nowMs
  for (const watcher of subscription.watchers) Queue.offerUnsafe(watcher, shared)
}

/** Publishes the stored frames between the newest published frame and this one. Watchers take them in between. */
const publishMissed = Effect.fnUntraced(function* (
  { history }: Hub,
  environmentId: string,
  subscription: Subscription,
  frameId: number,
) {
  const lastIdOf = () => subscription.newest?.frame.frameId ?? frameId
  if (frameId <= lastIdOf() + 1) return
  let failure = "its answer takes too long"
  const read = Effect.suspend(() =>
    storedBetween(history, environmentId, lastIdOf(), frameId, missedFramesMax).pipe(
      Stream.runForEach((shared) =>
        Effect.andThen(
          Effect.map(Clock.currentTimeMillis, (nowMs) => publish(subscription, shared, nowMs)),
          Effect.yieldNow,
        )
      ),
      Effect.tapError(({ message }) => Effect.sync(() => void (failure = message))),
    )
  )
  yield* read.pipe(
    Effect.timeout(readMax),
    Effect.retry(readAgain),
    Effect.timeout(missedMax),
    Effect.catch(() =>
      Effect.logWarning(
        `missed frames cannot be read and are skipped environment=${environmentId} after=${lastIdOf()}: ${failure}`,
      )
    ),
  )
})

/** Follows the actor once: until its stream ends, fails or is silent for too long. */
const follow = (hub: Hub, environmentId: string, subscription: Subscription) => {
  const receive = Effect.fnUntraced(function* (bytes: Uint8Array) {
    const startNs = yield* Clock.currentTimeNanos
    const shared = shareFrame(bytes)
    yield* publishMissed(hub, environmentId, subscription, shared.frame.frameId)
    publish(subscription, shared, yield* Clock.currentTimeMillis)
    if (hub.tracer?.isSampled(shared.frame) !== true) return
    const endNs = yield* Clock.currentTimeNanos
    const attributes = { watchers: subscription.watchers.size }
    hub.tracer.add(shared.frame, { stage: "gateway", startNs, endNs, attributes })
  })
  return hub.client(environmentId).Watch().pipe(Stream.timeout(silence), Stream.runForEach(receive))
}

/** Follows the actor over moves and restarts. Ends only when the environment does not exist. */
const keepFollowing = Effect.fnUntraced(function* (
  hub: Hub,
  environmentId: string,
  subscription: Subscription,
) {
  let backOffMs = backOffMsMin
  while (true) {
    const before = subscription.newest
    // The exit covers also defects and interruptions of the remote side.
    const exit = yield* Effect.exit(follow(hub, environmentId, subscription))
    if (Exit.isFailure(exit)) {
      const failure = Cause.findErrorOption(exit.cause)
      if (failure._tag === "Some" && failure.value._tag === "UnknownEnvironment") return failure.value
      yield* Effect.logDebug(`frame stream failed, opening it again environment=${environmentId}`, exit.cause)
    }
    backOffMs = Exit.isSuccess(exit) || subscription.newest !== before
      ? backOffMsMin
      : Math.min(2 * backOffMs, backOffMsMax)
    yield* Effect.sleep(backOffMs)
  }
})

/** Ends a subscription, and all its watchers, because the environment does not exist. */
const closeSubscription = (
  { subscriptions }: Hub,
  environmentId: string,
  subscription: Subscription,
  failure: UnknownEnvironment,
) =>
  RcMap.invalidate(subscriptions, environmentId).pipe(
    Effect.andThen(Effect.sync(() => {
      subscription.failure = failure
      for (const watcher of subscription.watchers) Queue.failCauseUnsafe(watcher, Cause.fail(failure))
    })),
    Effect.uninterruptible,
  )

/** Opens the subscription of an environment for the lifetime of the scope in context. */
const openSubscription = Effect.fnUntraced(function* (hub: Hub, environmentId: string) {
  const { open, scope } = hub
  const subscription: Subscription = { watchers: new Set(), newest: null, newestAtMs: 0, failure: null }
  open.set(environmentId, subscription)
  // The fiber is in the hub's scope, because it may close the subscription itself.
  const follower = yield* keepFollowing(hub, environmentId, subscription).pipe(
    Effect.flatMap((failure) => closeSubscription(hub, environmentId, subscription, failure)),
    Effect.forkIn(scope),
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      follower.interruptUnsafe()
      if (open.get(environmentId) === subscription) open.delete(environmentId)
    })
  )
  return subscription
})

const watch = ({ subscriptions }: Hub, environmentId: string) =>
  Stream.unwrap(Effect.gen(function* () {
    const subscription = yield* RcMap.get(subscriptions, environmentId)
    const queue: Watcher = yield* Queue.sliding<SharedFrame, UnknownEnvironment>(bufferedMax)
    yield* Effect.acquireRelease(
      Effect.sync(() => subscription.watchers.add(queue)),
      () => Effect.sync(() => subscription.watchers.delete(queue)),
    )
    if (subscription.failure !== null) return Stream.fail(subscription.failure)
    // One frame at a time, so that no more frames wait than the queue holds.
    return Stream.fromEffectRepeat(Queue.take(queue))
  })).pipe(
    Stream.catchTag("ExceededCapacityError", () =>
      Stream.fail(unavailable(
        environmentId,
        `This node already watches ${environmentsMax} environments. Use another node.`,
      ))),
  )

const askLatest = (client: EnvironmentClient, environmentId: string): Effect.Effect<Uint8Array, LatestFailure> =>
  client(environmentId).Latest().pipe(
    Effect.timeout(latestTimeout),
    Effect.catchCause((cause): Effect.Effect<never, LatestFailure> => {
      const failure = Cause.findErrorOption(cause)
      if (failure._tag === "Some" && isActorFailure(failure.value)) return Effect.fail(failure.value)
      return Effect.logDebug(`environment did not answer environment=${environmentId}`, cause).pipe(
        Effect.andThen(Effect.fail(unavailable(
          environmentId,
          `Environment "${environmentId}" did not answer in time: its node is busy or shutting down. Try again.`,
        ))),
      )
    }),
  )

const latest = Effect.fnUntraced(function* (
  { client, open, subscriptions }: Hub,
  environmentId: string,
): Effect.fn.Return<SharedFrame, LatestFailure> {
  const subscription = open.get(environmentId)
  const nowMs = yield* Clock.currentTimeMillis
  if (subscription?.newest && nowMs - subscription.newestAtMs < freshMsMax) return subscription.newest
  const asked = shareFrame(yield* askLatest(client, environmentId))
  // Such a request is usually repeated: the subscription stays open for a while, and further requests share its frames.
  yield* Effect.ignore(Effect.scoped(RcMap.get(subscriptions, environmentId)))
  return asked
})

const make: Effect.Effect<FrameHub["Service"], never, FrameHistory | Sharding.Sharding | Scope.Scope> = Effect.gen(
  function* () {
    const hub: Hub = {
      client: yield* Environment.client,
      history: yield* FrameHistory,
      tracer: yield* CurrentFrameTracer,
      scope: yield* Effect.scope,
      open: new Map(),
      subscriptions: yield* RcMap.make({
        capacity: environmentsMax,
        idleTimeToLive: idleTtl,
        lookup: (environmentId: string) => openSubscription(hub, environmentId),
      }),
    }
    return {
      latest: (environmentId) => latest(hub, environmentId),
      watch: (environmentId) => watch(hub, environmentId),
    }
  },
)
