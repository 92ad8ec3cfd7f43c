/**
 * Frames of all enrolled environments, for requests that name no environment.
 *
 * A session that is limited to one environment has frames of that environment only, so the newest frame of all is its newest.
 * Invariants: at most `concurrency` environments are asked at a time; an environment that does not answer delays the answer by at most
 * `graceMs` after the first answer; a slow watcher costs at most `bufferedMax` frames and delays no other watcher.
 */
import { Cause, Deferred, Effect, Fiber, Option, Queue, Stream } from "effect"
import { ActorUnavailable, NoFrames, SystemNotRunning } from "../../protocols/domain/failure.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { ask } from "../../protocols/messages/call-actor.ts"
import { EnrolledEnvironments, spanEnvironments } from "./enrolled-environments.ts"
import { FrameHub, type LatestFailure } from "./frame-hub.ts"
import type { SharedFrame } from "./shared-frame.ts"

const concurrency = 16
/** How long the other environments may take after the first answer. */
const graceMs = 250
const askedMsMax = 5_000
/** Frames of all environments that wait for one watcher. */
const bufferedMax = 1_024
/** Environments whose reasons a message contains. */
const reasonsMax = 3

/** The later frame in the order of the history: by time, then by environment. */
const newer = (a: SharedFrame, b: SharedFrame): SharedFrame => {
  const laterMs = b.frame.timestampMs - a.frame.timestampMs
  return laterMs > 0 || (laterMs === 0 && b.frame.environmentId > a.frame.environmentId) ? b : a
}

/** The failure when no environment is enrolled. */
const withoutEnvironments = Effect.gen(function* () {
  const session = yield* Session.client
  const { status } = yield* ask("The system session", session(sessionEntityId).Status())
  const message = "No environment is enrolled, so there are no frames. Start the service with --site FILE."
  return yield* status === "running"
    ? new NoFrames({ environmentId: null, message })
    : new SystemNotRunning({ status, message: `The system is ${status}. ${message}` })
})

/** The failure when no environment has a frame. An environment that did not answer may have one, so its failure is returned first. */
const reasonOf = (failures: ReadonlyArray<LatestFailure>): LatestFailure => {
  const [first] = failures
  if (failures.length === 1 && first !== undefined) return first
  const silent = failures.find(({ _tag }) => _tag === "ActorUnavailable")
  if (silent !== undefined) return silent
  const waiting = failures.filter((failure) => failure._tag === "NoFrames")
  if (waiting.length === 1) return waiting[0]!
  if (waiting.length > 1) {
    const reasons = waiting.slice(0, reasonsMax).map(({ environmentId, message }) => `${environmentId}: ${message}`)
    const others = waiting.length > reasonsMax ? ` And ${waiting.length - reasonsMax} more.` : ""
    return new NoFrames({ environmentId: null, message: `No environment has a frame. ${reasons.join(" ")}${others}` })
  }
  const stopped = failures.find((failure) => failure._tag === "SystemNotRunning")
  return new SystemNotRunning({
    status: stopped?.status ?? "stopped",
    message: "The system does not run in any environment. Start it with POST /api/v1/system/start.",
  })
}

const newestOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const hub = yield* FrameHub
  const answered = yield* Deferred.make<void>()
  const failures: Array<LatestFailure> = []
  let newest: SharedFrame | null = null
  const askOne = (environmentId: string) =>
    Effect.matchEffect(hub.latest(environmentId), {
      onSuccess: (shared) => {
        newest = newest === null ? shared : newer(newest, shared)
        return Effect.asVoid(Deferred.succeed(answered, undefined))
      },
      onFailure: (failure) => Effect.sync(() => void failures.push(failure)),
    })
  const all = Effect.forEach(ids, askOne, { concurrency, discard: true })
  const inTime = yield* Effect.raceFirst(all, Effect.andThen(Deferred.await(answered), Effect.sleep(graceMs))).pipe(
    Effect.timeoutOption(askedMsMax),
  )
  if (newest !== null) return newest as SharedFrame
  if (Option.isSome(inTime)) return yield* Effect.fail(reasonOf(failures))
  return yield* new ActorUnavailable({
    actor: "Environments",
    message:
      `The environments did not answer within ${askedMsMax} ms: their nodes are busy or shutting down. Try again.`,
  })
})

/** The newest frame of all environments. */
export const latestOfAll = Effect.gen(function* () {
  const ids = yield* (yield* EnrolledEnvironments).ids
  const [only, ...others] = ids
  if (only === undefined) return yield* withoutEnvironments
  return yield* (others.length === 0 ? (yield* FrameHub).latest(only) : newestOf(ids))
})

/**
 * Every frame of all environments from now on, including environments that are enrolled later. A slow reader loses the oldest first. The
 * frames of one environment are in order. `ActorUnavailable`: this node watches too many environments.
 */
export const watchAll = Stream.unwrap(Effect.gen(function* () {
  const hub = yield* FrameHub
  const enrolled = yield* EnrolledEnvironments
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const queue = yield* Queue.sliding<SharedFrame, ActorUnavailable>(bufferedMax)

  const follow = (environmentId: string, gone: () => void) =>
    hub.watch(environmentId).pipe(
      Stream.runForEach((frame) => Queue.offer(queue, frame)),
      Effect.catchTags({
        UnknownEnvironment: () => Effect.sync(gone),
        ActorUnavailable: (failure) => Queue.failCause(queue, Cause.fail(failure)),
      }),
    )

  // A subscription begins with the current environments, or fails.
  yield* enrolled.ids
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spanEnvironments(enrolled, (environmentId, gone) => {
        const fiber = Fiber.runIn(run(follow(environmentId, gone)), scope)
        return () => fiber.interruptUnsafe()
      })
    ),
    (leave) => Effect.sync(leave),
  )
  return Stream.fromEffectRepeat(Queue.take(queue))
}))
