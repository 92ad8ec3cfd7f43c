/**
 * Supervision: the one policy for defects of actors.
 *
 * A defect fails the message that caused it, once, and the actor is rebuilt from its persisted state before the next message. An actor
 * that fails too often is given up for a while and reported. Boundary: typed failures are answers and pass through unchanged.
 *
 * Invariants:
 * 1. A message that caused a defect is never replayed, so a poison message cannot loop.
 * 2. At most `restartsMax` rebuilds in `windowMs`; then every caller gets `ActorGaveUp` for `coolDownMs`.
 * 3. A build that fails with a typed failure (such as an unavailable store) does not count as a defect. It is retried
 *    `buildRetriesMax` times; then the caller gets `ActorNotReady`.
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
import { monotonicMs } from "./monotonic.ts"

/** Limits of one kind of actor. */
interface RestartPolicy {
  readonly restartsMax: number
  readonly windowMs: number
  readonly coolDownMs: number
}

const defaultRestartPolicy: RestartPolicy = { restartsMax: 5, windowMs: 60_000, coolDownMs: 30_000 }

const buildRetriesMax = 4
const buildRetryMs = 100
/** Time after the last retry during which messages fail at once, so that a full mailbox does not wait for one retry after the other. */
const notReadyMs = 1_000

/** Receives reports of actors that were given up; `UnavailableActors` lists them. */
export class Escalations extends Context.Service<Escalations, {
  readonly report: (escalation: UnavailableActor) => Effect.Effect<void>
}>()("wavepose/actors/Escalations") {
  static readonly layer: Layer.Layer<Escalations | UnavailableActors> = Layer.effectContext(Effect.sync(() => {
    const known = new Map<string, { readonly escalation: UnavailableActor; readonly endMs: number }>()
    const prune = Effect.map(monotonicMs, (nowMs) => {
      for (const [actor, { endMs }] of known) if (endMs <= nowMs) known.delete(actor)
      return nowMs
    })
    return Context.make(Escalations, {
      report: Effect.fnUntraced(function* (escalation) {
        const leftMs = escalation.untilMs - (yield* Clock.currentTimeMillis)
        known.set(escalation.actor, { escalation, endMs: (yield* prune) + leftMs })
      }),
    }).pipe(Context.add(UnavailableActors, {
      current: Effect.map(prune, () => Array.from(known.values(), ({ escalation }) => escalation)),
    }))
  }))
}

// deno-lint-ignore no-explicit-any
type Answer = Effect.Effect<any, any, any> | Stream.Stream<any, any, any>
// deno-lint-ignore no-explicit-any
type Handlers = Record<string, (envelope: any) => Answer>

/** One build of an actor. */
interface Incarnation {
  readonly handlers: Handlers
  readonly scope: Scope.Closeable
}

/** An actor over all its incarnations. Times are those of the monotonic clock. */
interface SupervisedActor {
  readonly name: string
  /** Builds the handlers of an incarnation, which ends with the scope. */
  readonly build: (scope: Scope.Scope) => Effect.Effect<Handlers, unknown>
  readonly policy: RestartPolicy
  readonly escalations: Escalations["Service"]
  readonly scope: Scope.Scope
  readonly building: Semaphore.Semaphore
  /** Null before the first message and after a defect. */
  current: Incarnation | null
  restartsMs: ReadonlyArray<number>
  givenUpUntilMs: number
  notReadyUntilMs: number
}

interface SupervisionOptions {
  readonly policy?: RestartPolicy
  /** Messages that may run concurrently: they only read, or wait for their turn by themselves. Streams always do. */
  readonly concurrent?: ReadonlyArray<string>
}

const makeSupervisedActor = Effect.fnUntraced(function* <E, R>(
  name: string,
  build: Effect.Effect<Handlers, E, R | Scope.Scope>,
  policy: RestartPolicy,
): Effect.fn.Return<SupervisedActor, never, R | Escalations | Scope.Scope> {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  return {
    name,
    build: (incarnationScope) =>
      build.pipe(Effect.provideService(Scope.Scope, incarnationScope), Effect.provide(context)),
    policy,
    escalations: yield* Escalations,
    scope,
    building: Semaphore.makeUnsafe(1),
    current: null,
    restartsMs: [],
    givenUpUntilMs: -Infinity,
    notReadyUntilMs: -Infinity,
  }
})

/** Counts a restart; gives the actor up when there were too many. */
const countRestart = Effect.fnUntraced(function* (actor: SupervisedActor, cause: Cause.Cause<unknown>) {
  const { escalations, name, policy } = actor
  const nowMs = yield* monotonicMs
  actor.restartsMs = [...actor.restartsMs.filter((atMs) => atMs > nowMs - policy.windowMs), nowMs]
  yield* Effect.logError("actor failed; it is rebuilt before its next message", { actor: name }, cause)
  if (actor.restartsMs.length <= policy.restartsMax) return
  actor.restartsMs = []
  actor.givenUpUntilMs = nowMs + policy.coolDownMs
  const untilMs = (yield* Clock.currentTimeMillis) + policy.coolDownMs
  yield* escalations.report({ actor: name, untilMs, cause: Cause.pretty(cause).slice(0, 500) })
  yield* Effect.logError("actor failed too often and is unavailable", { actor: name, coolDownMs: policy.coolDownMs })
})

/** Ends an incarnation that met a defect, once. */
const endIncarnation = Effect.fnUntraced(function* (
  actor: SupervisedActor,
  incarnation: Incarnation,
  cause: Cause.Cause<unknown>,
) {
  if (actor.current !== incarnation) return
  actor.current = null
  yield* Effect.forkIn(Scope.close(incarnation.scope, Exit.void), actor.scope)
  yield* countRestart(actor, cause)
})

const buildOnce = Effect.fnUntraced(function* (actor: SupervisedActor) {
  const scope = yield* Scope.fork(actor.scope)
  const handlers = yield* Effect.onExit(
    actor.build(scope),
    (exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit),
  )
  return { handlers, scope }
})

const notReady = ({ name, notReadyUntilMs }: SupervisedActor, nowMs: number) =>
  Effect.die(
    new ActorNotReady(`${name} cannot be built at the moment. The next attempt is in ${notReadyUntilMs - nowMs} ms.`),
  )

const start = (actor: SupervisedActor): Effect.Effect<Incarnation> =>
  buildOnce(actor).pipe(
    Effect.retry({ times: buildRetriesMax, schedule: Schedule.exponential(buildRetryMs) }),
    Effect.tapCause((cause) => Cause.hasDies(cause) ? countRestart(actor, cause) : Effect.void),
    Effect.catch((error) =>
      Effect.gen(function* () {
        const nowMs = yield* monotonicMs
        actor.notReadyUntilMs = nowMs + notReadyMs
        yield* Effect.logWarning("actor could not be built", { actor: actor.name }, error)
        return yield* notReady(actor, nowMs)
      })
    ),
    Effect.tap((incarnation) => Effect.sync(() => actor.current = incarnation)),
  )

const startUnlessUnavailable = (actor: SupervisedActor): Effect.Effect<Incarnation> =>
  actor.building.withPermits(1)(Effect.gen(function* () {
    if (actor.current !== null) return actor.current
    const nowMs = yield* monotonicMs
    if (nowMs < actor.givenUpUntilMs) {
      return yield* Effect.die(
        new ActorGaveUp(`${actor.name} failed too often. The next attempt is in ${actor.givenUpUntilMs - nowMs} ms.`),
      )
    }
    return nowMs < actor.notReadyUntilMs ? yield* notReady(actor, nowMs) : yield* start(actor)
  }))

/** The running incarnation, built first where there is none. */
const incarnationOf = (actor: SupervisedActor): Effect.Effect<Incarnation> =>
  Effect.suspend(() => actor.current === null ? startUnlessUnavailable(actor) : Effect.succeed(actor.current))

/**
 * Applies the policy to the build of an entity's handlers; pass the result to `entity.toLayer` with `entityOptions`.
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
    const actor = yield* makeSupervisedActor(
      `${entity.type}/${entityId}`,
      build as Effect.Effect<Handlers, E, R>,
      options.policy ?? defaultRestartPolicy,
    )
    const live = incarnationOf(actor)
    const guard = (incarnation: Incarnation) => (cause: Cause.Cause<unknown>) =>
      cause.reasons.some((reason) => Cause.isDieReason(reason) && !(reason.defect instanceof ActorNotReady))
        ? endIncarnation(actor, incarnation, cause)
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

/** Options of every entity: one message at a time, and no rebuild and replay by the cluster itself. */
export const entityOptions = { concurrency: 1, disableFatalDefects: true, maxIdleTime: "5 minutes" } as const
