/**
 * The frame hub: one stream of pose frames per environment and node, whatever the number of its clients.
 *
 * Owns the subscription to an Environment actor and its life: opened by the first watcher, kept for `idleTtl` after the
 * last one, opened again with back-off when the actor moves or its node dies. Boundary: no response form is known here;
 * edges put their encodings into a frame's `memo`.
 *
 * Invariants:
 * 1. A watcher sees frames in ascending order of `frameId`, each once.
 * 2. A frame is decoded at most once per node, its persons are rendered at most once, and it is made into each form and
 *    filter at most once (up to `memoMax` of them).
 * 3. A slow watcher costs at most `bufferedMax` frames and delays nobody.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Queue, RcMap, Stream } from "effect"
import type { Scope } from "effect"
import type { Sharding } from "effect/cluster"
import {
  ActorUnavailable,
  type NoFrames,
  type SystemNotRunning,
  type UnknownEnvironment,
} from "../../protocols/domain/failure.ts"
import type { DensePose, Person, PoseFrame } from "../../protocols/domain/pose.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { densePosesOf } from "./dense-poses.ts"

/** A pose frame that all clients of a node share. */
export interface SharedFrame {
  /** The frame as it was stored, encoded (`protocols/grpc/pose-frame.ts`). */
  readonly bytes: Uint8Array
  /** The frame, decoded when first asked for. */
  readonly frame: PoseFrame
  /** What `make` returns for this frame, made once per key. The key names the form and the filter. */
  readonly memo: <A>(key: string, make: (frame: PoseFrame) => A) => A
  /** The surface of one of its persons, rendered when first asked for. */
  readonly densePose: (person: Person) => DensePose
}

export class FrameHub extends Context.Service<FrameHub, {
  /** The newest frame. */
  readonly latest: (
    environmentId: string,
  ) => Effect.Effect<SharedFrame, LatestFailure>
  /**
   * Every frame from now on; a slow reader loses the oldest first. Once open it goes on while the environment exists,
   * over restarts and moves of its actor. `ActorUnavailable`: this node already watches `environmentsMax` environments.
   */
  readonly watch: (environmentId: string) => Stream.Stream<SharedFrame, UnknownEnvironment | ActorUnavailable>
}>()("wavepose/gateways/FrameHub") {
  static readonly layer: Layer.Layer<FrameHub, never, Sharding.Sharding> = Layer.effect(
    FrameHub,
    Effect.suspend(() => make),
  )
}

/** Frames waiting for one watcher. */
const bufferedMax = 64
/** Encodings kept with one frame; beyond them they are made for each client. */
const memoMax = 64
/** Environments watched at one time by one node. */
const environmentsMax = 1024
/** How long a subscription outlives its last watcher. */
const idleTtl = "5 seconds"
/** A subscription that brings nothing for this long is opened anew: its node may have died without a word. */
const silence = "5 seconds"
const backOffMsMin = 50
const backOffMsMax = 1_000
/** Age up to which the subscription's newest frame is the environment's newest frame. */
const freshMsMax = 300
const latestTimeout = "5 seconds"

/** Shares encoded frame bytes. */
const shareFrame = (bytes: Uint8Array): SharedFrame => {
  let decoded: PoseFrame | undefined
  let densePose: SharedFrame["densePose"] | undefined
  const made = new Map<string, unknown>()
  const self: SharedFrame = {
    bytes,
    get frame() {
      return decoded ??= decodePoseFrame(bytes)
    },
    memo: <A>(key: string, make: (frame: PoseFrame) => A): A => {
      if (made.has(key)) return made.get(key) as A
      const value = make(self.frame)
      if (made.size < memoMax) made.set(key, value)
      return value
    },
    densePose: (person) => (densePose ??= densePosesOf(self.frame))(person),
  }
  return self
}

type Watcher = Queue.Queue<SharedFrame, UnknownEnvironment>

/** What one environment's watchers share. */
interface Subscription {
  readonly watchers: Set<Watcher>
  newest: SharedFrame | null
  /** When `newest` came in, on this node's clock. */
  newestAtMs: number
  /** Set when the environment turned out not to exist; the subscription is then out of the map. */
  failure: UnknownEnvironment | null
}

export type LatestFailure = NoFrames | SystemNotRunning | UnknownEnvironment | ActorUnavailable

/** What the actor itself answers, as against a failure to reach it. */
const isOwnAnswer = (failure: { readonly _tag: string }): failure is NoFrames | SystemNotRunning | UnknownEnvironment =>
  failure._tag === "NoFrames" || failure._tag === "SystemNotRunning" || failure._tag === "UnknownEnvironment"

const unavailable = (environmentId: string, message: string): ActorUnavailable =>
  new ActorUnavailable({ actor: `Environment ${environmentId}`, message })

const make: Effect.Effect<FrameHub["Service"], never, Sharding.Sharding | Scope.Scope> = Effect.gen(function* () {
  const client = yield* Environment.client
  const scope = yield* Effect.scope
  const open = new Map<string, Subscription>()

  const publish = (subscription: Subscription, bytes: Uint8Array, nowMs: number): void => {
    const shared = shareFrame(bytes)
    if (subscription.newest !== null && shared.frame.frameId <= subscription.newest.frame.frameId) return
    subscription.newest = shared
    subscription.newestAtMs = nowMs
    for (const watcher of subscription.watchers) Queue.offerUnsafe(watcher, shared)
  }

  /** Follows the actor once: until its stream ends, fails or falls silent. */
  const follow = (environmentId: string, subscription: Subscription) =>
    client(environmentId).Watch().pipe(
      Stream.timeout(silence),
      Stream.runForEach((bytes) => Effect.map(Clock.currentTimeMillis, (nowMs) => publish(subscription, bytes, nowMs))),
    )

  /** Follows the actor wherever it goes; ends only when there is no such environment. */
  const keepFollowing = Effect.fnUntraced(function* (environmentId: string, subscription: Subscription) {
    let backOffMs = backOffMsMin
    while (true) {
      const before = subscription.newest
      // Every way to end is taken, also defects and interruptions that come from the far side.
      const exit = yield* Effect.exit(follow(environmentId, subscription))
      if (Exit.isFailure(exit)) {
        const failure = Cause.findErrorOption(exit.cause)
        if (failure._tag === "Some" && failure.value._tag === "UnknownEnvironment") return failure.value
        yield* Effect.logDebug("The stream of an environment broke; it is opened again", environmentId, exit.cause)
      }
      backOffMs = Exit.isSuccess(exit) || subscription.newest !== before
        ? backOffMsMin
        : Math.min(2 * backOffMs, backOffMsMax)
      yield* Effect.sleep(backOffMs)
    }
  })

  const subscriptions: RcMap.RcMap<string, Subscription, Cause.ExceededCapacityError> = yield* RcMap.make({
    capacity: environmentsMax,
    idleTimeToLive: idleTtl,
    lookup: Effect.fnUntraced(function* (environmentId: string) {
      const subscription: Subscription = { watchers: new Set(), newest: null, newestAtMs: 0, failure: null }
      open.set(environmentId, subscription)
      // In the hub's scope, not the subscription's: it closes the subscription itself when there is no environment.
      const follower = yield* keepFollowing(environmentId, subscription).pipe(
        Effect.flatMap((failure) => close(environmentId, subscription, failure)),
        Effect.forkIn(scope),
      )
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          follower.interruptUnsafe()
          if (open.get(environmentId) === subscription) open.delete(environmentId)
        })
      )
      return subscription
    }),
  })

  const close = (environmentId: string, subscription: Subscription, failure: UnknownEnvironment) =>
    RcMap.invalidate(subscriptions, environmentId).pipe(
      Effect.andThen(Effect.sync(() => {
        subscription.failure = failure
        for (const watcher of subscription.watchers) Queue.failCauseUnsafe(watcher, Cause.fail(failure))
      })),
      Effect.uninterruptible,
    )

  const watch = (environmentId: string) =>
    Stream.unwrap(Effect.gen(function* () {
      const subscription = yield* RcMap.get(subscriptions, environmentId)
      const queue: Watcher = yield* Queue.sliding<SharedFrame, UnknownEnvironment>(bufferedMax)
      yield* Effect.acquireRelease(
        Effect.sync(() => subscription.watchers.add(queue)),
        () => Effect.sync(() => subscription.watchers.delete(queue)),
      )
      if (subscription.failure !== null) return Stream.fail(subscription.failure)
      // One at a time, so that what waits is never more than the queue holds.
      return Stream.fromEffectRepeat(Queue.take(queue))
    })).pipe(
      Stream.catchTag("ExceededCapacityError", () =>
        Stream.fail(unavailable(
          environmentId,
          `This node already watches ${environmentsMax} environments. Use another node.`,
        ))),
    )

  const askLatest = (environmentId: string): Effect.Effect<Uint8Array, LatestFailure> =>
    client(environmentId).Latest().pipe(
      Effect.timeout(latestTimeout),
      Effect.catchCause((cause): Effect.Effect<never, LatestFailure> => {
        const failure = Cause.findErrorOption(cause)
        if (failure._tag === "Some" && isOwnAnswer(failure.value)) return Effect.fail(failure.value)
        return Effect.logDebug("An environment did not answer", environmentId, cause).pipe(
          Effect.andThen(Effect.fail(unavailable(
            environmentId,
            `Environment "${environmentId}" did not answer in time: its node is busy or going away. Try again.`,
          ))),
        )
      }),
    )

  const latest = Effect.fnUntraced(function* (environmentId: string): Effect.fn.Return<SharedFrame, LatestFailure> {
    const subscription = open.get(environmentId)
    const nowMs = yield* Clock.currentTimeMillis
    if (subscription?.newest && nowMs - subscription.newestAtMs < freshMsMax) return subscription.newest
    const asked = shareFrame(yield* askLatest(environmentId))
    // Who asks for the newest frame asks again: the subscription stays open for a while, and its frames are shared.
    yield* Effect.ignore(Effect.scoped(RcMap.get(subscriptions, environmentId)))
    return asked
  })

  return { latest, watch }
})
