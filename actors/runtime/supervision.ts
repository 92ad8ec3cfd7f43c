/**
 * Supervision: what happens when an actor breaks, in one place.
 *
 * Owns the policy for every actor: a defect fails the message that met it, once, and the actor is rebuilt from its
 * persisted state before the next message. An actor that breaks too often is given up for a while and reported. Boundary:
 * typed failures are answers and pass through untouched.
 *
 * Invariants:
 * 1. A message that broke its actor is never replayed: there is no poison-message loop.
 * 2. At most `restartsMax` rebuilds in `windowMs`; then `ActorGaveUp` to every caller for `coolDownMs`.
 * 3. A build that fails with a typed failure (the store is away) is no break: it is tried `buildRetriesMax` times more, and
 *    then the caller gets `ActorNotReady`.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Schedule, Scope, Semaphore, Stream } from "effect"
import { Entity } from "effect/cluster"
import { Rpc, RpcSchema } from "effect/rpc"
import {
  ActorGaveUp,
  ActorNotReady,
  type UnavailableActor,
  UnavailableActors,
} from "../../protocols/messages/unavailable-actors.ts"

/** Limits of one kind of actor. */
interface RestartPolicy {
  readonly restartsMax: number
  readonly windowMs: number
  readonly coolDownMs: number
}

const defaultRestartPolicy: RestartPolicy = { restartsMax: 5, windowMs: 60_000, coolDownMs: 30_000 }

const buildRetriesMax = 4
const buildRetryMs = 100
/** After the last retry messages are refused at once for so long: a mailbox of them must not wait one after the other. */
const notReadyMs = 1_000

/** Where given-up actors are reported; `UnavailableActors` is the other end. */
export class Escalations extends Context.Service<Escalations, {
  readonly report: (escalation: UnavailableActor) => Effect.Effect<void>
}>()("wavepose/actors/Escalations") {
  static readonly layer: Layer.Layer<Escalations | UnavailableActors> = Layer.effectContext(Effect.sync(() => {
    const known = new Map<string, UnavailableActor>()
    const prune = (nowMs: number) => {
      for (const [actor, { untilMs }] of known) if (untilMs <= nowMs) known.delete(actor)
    }
    return Context.make(Escalations, {
      report: (escalation) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          prune(nowMs)
          known.set(escalation.actor, escalation)
        }),
    }).pipe(Context.add(UnavailableActors, {
      current: Effect.map(Clock.currentTimeMillis, (nowMs) => {
        prune(nowMs)
        return [...known.values()]
      }),
    }))
  }))
}

// deno-lint-ignore no-explicit-any
type Answer = Effect.Effect<any, any, any> | Stream.Stream<any, any, any>
// deno-lint-ignore no-explicit-any
type Handlers = Record<string, (envelope: any) => Answer>

interface Incarnation {
  readonly handlers: Handlers
  readonly scope: Scope.Closeable
}

interface SupervisionOptions {
  readonly policy?: RestartPolicy
  /** Messages that only read and may run beside others; streams always do. */
  readonly concurrent?: ReadonlyArray<string>
}

/** The lives of one actor: builds it, ends it when it breaks, gives it up when it breaks too often. */
const incarnations = Effect.fnUntraced(function* <E, R>(
  actor: string,
  build: Effect.Effect<Handlers, E, R | Scope.Scope>,
  policy: RestartPolicy,
) {
  const escalations = yield* Escalations
  const outer = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let current: Incarnation | undefined
  let restartsMs: ReadonlyArray<number> = []
  let givenUpUntilMs = 0
  let readyMs = 0

  /** Counts a break; `broken` undefined means that the build itself failed. */
  const broke = Effect.fnUntraced(function* (broken: Incarnation | undefined, cause: Cause.Cause<unknown>) {
    if (broken !== undefined) {
      if (current !== broken) return
      current = undefined
      yield* Effect.forkIn(Scope.close(broken.scope, Exit.void), outer)
    }
    const nowMs = yield* Clock.currentTimeMillis
    restartsMs = [...restartsMs.filter((atMs) => atMs > nowMs - policy.windowMs), nowMs]
    yield* Effect.logError(`${actor} broke; it is rebuilt before its next message`, cause)
    if (restartsMs.length <= policy.restartsMax) return
    restartsMs = []
    givenUpUntilMs = nowMs + policy.coolDownMs
    yield* escalations.report({ actor, untilMs: givenUpUntilMs, cause: Cause.pretty(cause).slice(0, 500) })
    yield* Effect.logError(`${actor} broke too often and is given up for ${policy.coolDownMs} ms`)
  })

  const buildOnce = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const handlers = yield* build.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provide(context),
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)),
    )
    return { handlers, scope }
  })

  const notReady = (nowMs: number) =>
    Effect.die(new ActorNotReady(`${actor} cannot be built at the moment; it is tried again in ${readyMs - nowMs} ms`))

  const start = buildOnce.pipe(
    Effect.retry({ times: buildRetriesMax, schedule: Schedule.exponential(buildRetryMs) }),
    Effect.tapCause((cause) => Cause.hasDies(cause) ? broke(undefined, cause) : Effect.void),
    Effect.catch((error) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        readyMs = nowMs + notReadyMs
        yield* Effect.logWarning(`${actor} cannot be built`, error)
        return yield* notReady(nowMs)
      })
    ),
    Effect.tap((incarnation) => Effect.sync(() => current = incarnation)),
  )

  const becomeLive: Effect.Effect<Incarnation> = oneAtATime(Effect.gen(function* () {
    if (current !== undefined) return current
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs < givenUpUntilMs) {
      return yield* Effect.die(
        new ActorGaveUp(`${actor} broke too often; it is tried again in ${givenUpUntilMs - nowMs} ms`),
      )
    }
    return nowMs < readyMs ? yield* notReady(nowMs) : yield* start
  }))
  const live = Effect.suspend(() => current === undefined ? becomeLive : Effect.succeed(current))

  return { live, broke }
})

/**
 * Wraps the build of an entity's handlers with the policy; the result goes to `entity.toLayer` with `entityOptions`.
 *
 * @param build makes the handlers from persisted state; its scope ends when the actor is rebuilt or stopped.
 */
export const supervise = <Type extends string, Rpcs extends Rpc.Any, H extends Handlers, E, R>(
  entity: Entity.Entity<Type, Rpcs>,
  build: Effect.Effect<H, E, R>,
  options: SupervisionOptions = {},
) =>
  Effect.gen(function* () {
    const { entityId } = yield* Entity.CurrentAddress
    const { live, broke } = yield* incarnations(
      `${entity.type}/${entityId}`,
      build as Effect.Effect<Handlers, E, R>,
      options.policy ?? defaultRestartPolicy,
    )
    const guard = (incarnation: Incarnation) => (cause: Cause.Cause<unknown>) =>
      cause.reasons.some((reason) => Cause.isDieReason(reason) && !(reason.defect instanceof ActorNotReady))
        ? broke(incarnation, cause)
        : Effect.void
    const wrapped: Record<string, unknown> = {}
    for (const rpc of entity.protocol.requests.values()) {
      const { _tag: name, successSchema } = rpc as unknown as Rpc.AnyWithProps
      wrapped[name] = (envelope: unknown) => {
        if (RpcSchema.isStreamSchema(successSchema)) {
          return Rpc.fork(Stream.unwrap(Effect.map(live, (incarnation) =>
            Stream.tapCause(
              incarnation.handlers[name]!(envelope) as Stream.Stream<unknown, unknown>,
              guard(incarnation),
            ))))
        }
        const answer = Effect.flatMap(live, (incarnation) =>
          Effect.tapCause(
            incarnation.handlers[name]!(envelope) as Effect.Effect<unknown, unknown>,
            guard(incarnation),
          ))
        return options.concurrent?.includes(name) === true ? Rpc.fork(answer) : answer
      }
    }
    return wrapped as unknown as H
  })

/** Options of every entity: one message at a time, no rebuild and replay by the cluster itself. */
export const entityOptions = { concurrency: 1, disableFatalDefects: true, maxIdleTime: "5 minutes" } as const
