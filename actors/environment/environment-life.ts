/**
 * The life of an environment: opened by the first message, ended when the environment is not active any more.
 *
 * Boundary: the work of an open environment is `open-environment.ts`. Invariants:
 * 1. At most one is open at a time, in a scope of its own; ending it ends the session in it and closes that scope.
 * 2. Streams of an environment that ended fail with `UnknownEnvironment`; later messages open it again, or fail in the same way.
 * 3. A store that does not answer ends no environment, and no message waits for a check.
 */
import { Deferred, Effect, Exit, Schedule, Scope, Semaphore, Stream } from "effect"
import type { UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"

/** How often an open environment checks that it is still active. */
const checkEvery = "10 seconds"
/** Longest time that a check waits for the store; the next one asks again. */
const checkTimeout = "2 seconds"

interface Opened<A> {
  readonly environment: A
  readonly scope: Scope.Closeable
  readonly ended: Deferred.Deferred<never, UnknownEnvironment>
}

interface Life<A, E> {
  /** The open environment; it is opened when there is none. */
  readonly current: Effect.Effect<A, E>
  /** A stream of the open environment, for as long as it is open. */
  readonly stream: <B>(of: (environment: A) => Stream.Stream<B>) => Stream.Stream<B, E | UnknownEnvironment>
  /** Ends the open environment when it is not active any more. */
  readonly check: Effect.Effect<void>
}

/**
 * @param open opens the environment in the scope that it is given
 * @param stop ends the session in an open environment
 */
export const makeLife = Effect.fnUntraced(function* <A, E, R>(
  environmentId: string,
  open: Effect.Effect<A, E, R>,
  stop: (environment: A) => Effect.Effect<unknown>,
) {
  const outer = yield* Effect.scope
  const directory = yield* Directory
  const context = yield* Effect.context<R>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let opened: Opened<A> | undefined

  const openOnce = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const environment = yield* open.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provide(context),
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)),
    )
    return { environment, scope, ended: yield* Deferred.make<never, UnknownEnvironment>() }
  })
  const now = oneAtATime(Effect.gen(function* () {
    return opened ??= yield* openOnce
  }))

  /** Ends what was open when the store was asked: what was opened later has its own check. */
  const end = Effect.fnUntraced(function* (asked: Opened<A>, failure: UnknownEnvironment) {
    if (opened !== asked) return
    const { ended, environment, scope } = asked
    opened = undefined
    yield* Effect.logInfo(`environment stopped, it is not enrolled or not active any more id=${environmentId}`)
    yield* stop(environment)
    yield* Deferred.fail(ended, failure)
    yield* Scope.close(scope, Exit.void)
  }, Effect.uninterruptible)
  const check = Effect.suspend(() => {
    const asked = opened
    if (asked === undefined) return Effect.void
    return directory.environment(environmentId).pipe(
      Effect.timeout(checkTimeout),
      Effect.asVoid,
      Effect.catchTag("UnknownEnvironment", (failure) => oneAtATime(end(asked, failure))),
      Effect.catchTag(["StoreUnavailable", "TimeoutError"], () => Effect.void),
    )
  })
  yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(checkEvery)))

  const life: Life<A, E> = {
    current: Effect.map(now, ({ environment }) => environment),
    stream: (of) =>
      Stream.unwrap(
        Effect.map(now, ({ ended, environment }) => Stream.interruptWhen(of(environment), Deferred.await(ended))),
      ),
    check,
  }
  return life
})
