/**
 * The life of one plugin: carries out what its machine decides.
 *
 * Invariants:
 * 1. Setup ends: by itself, or after `setupLimit`. Whatever way it fails, nothing of the plugin is left but entities that say so.
 * 2. A plugin that breaks while it runs has no services or listeners any more, and its entities are unavailable, before it is tried again.
 * 3. However one plugin ends, no other one is touched.
 */
import { Cause, Deferred, Effect, Exit, Result, Scope } from "effect"
import type { HomeContext } from "../../../protocols/domain/home.ts"
import { type PluginStatus, RuntimeError, SetupFailed, UnloadFailed } from "../../../protocols/domain/plugin.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { runMachine } from "../../runtime/machine.ts"
import type { Desk } from "./plugin-capabilities.ts"
import type { LaunchedPlugin } from "./launched-plugin.ts"
import { type PluginEvent, pluginMachine, statusOf } from "./plugin-machine.ts"

const slowAfter = "10 seconds"
const setupLimit = "300 seconds"

/** What runs a plugin once. */
interface Running {
  readonly desk: Desk
  readonly launched: LaunchedPlugin
}

export interface PluginLife {
  readonly status: () => PluginStatus
  /** Why it stands where it stands; null where nothing is wrong. */
  readonly reason: () => string | null
  /** Sets it up; answers when that has succeeded, and fails when it has not. */
  readonly load: Effect.Effect<void, SetupFailed>
  readonly unload: Effect.Effect<void, UnloadFailed>
  /** Its entities at present. */
  readonly entityIds: () => ReadonlyArray<string>
  readonly update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>
}

interface LifeOptions {
  readonly domain: string
  /** Fails where the plugin cannot even begin: a dependency that is not loaded, a runtime that cannot hold it. */
  readonly launch: (
    serving: Map<string, HomeContext>,
  ) => Effect.Effect<Running, SetupFailed | HomeUnavailable, Scope.Scope>
  /** Tells the home that it is loaded. */
  readonly loaded: Effect.Effect<void, HomeUnavailable>
}

/** The failure in a cause, in the words of a setup. */
const setupFailureOf = (domain: string, cause: Cause.Cause<SetupFailed | HomeUnavailable>): SetupFailed => {
  const found = Cause.findError(cause)
  if (Result.isSuccess(found) && found.success instanceof SetupFailed) return found.success
  const error = Result.isSuccess(found) ? found.success : Cause.squash(cause)
  const message = error instanceof Error ? error.message : String(error)
  return new SetupFailed({
    domain,
    reason: Result.isSuccess(found) ? "retry" : "failed",
    message: `${domain}: ${message}`,
  })
}

/** A plugin that is not loaded yet; it ends with the scope in context. */
export const makeLife = Effect.fnUntraced(function* ({ domain, launch, loaded }: LifeOptions) {
  const scope = yield* Effect.scope
  let running: (Running & { readonly scope: Scope.Closeable }) | null = null
  /** Who waits for the setup or the unload that goes on. */
  let settled = yield* Deferred.make<void, SetupFailed | UnloadFailed>()

  const send = (event: PluginEvent): Effect.Effect<unknown> => Effect.suspend(() => machine.send(event))

  const end = Effect.fnUntraced(function* (keep: boolean) {
    const ended = running
    running = null
    if (ended === null) return
    yield* ended.desk.clear(keep).pipe(
      Effect.catchCause((cause) => Effect.logWarning(`what plugin ${domain} has left could not be cleared`, cause)),
    )
    yield* Scope.close(ended.scope, Exit.void)
  })

  const begin = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const { desk, launched } = yield* launch(new Map()).pipe(
      Effect.provideService(Scope.Scope, own),
      Effect.onError(() => Scope.close(own, Exit.void)),
    )
    running = { desk, launched, scope: own }
    const broken = Effect.mapError(
      launched.broken,
      ({ message }) => new SetupFailed({ domain, reason: "failed", message }),
    )
    yield* Effect.raceFirst(launched.setup, broken)
    return launched
  })

  const setUp = begin.pipe(
    Effect.timeoutOrElse({
      duration: setupLimit,
      orElse: () =>
        Effect.fail(
          new SetupFailed({ domain, reason: "timeout", message: `${domain}: setup did not end within ${setupLimit}.` }),
        ),
    }),
    Effect.raceFirst(
      Effect.andThen(
        Effect.andThen(Effect.sleep(slowAfter), Effect.logWarning(`Setup of ${domain} is taking over ${slowAfter}.`)),
        Effect.never,
      ),
    ),
  )

  /** Waits for the plugin to break, and has it tried again. */
  const watch = ({ broken }: LaunchedPlugin) =>
    Effect.catch(broken, ({ message }: RuntimeError) =>
      Effect.gen(function* () {
        yield* Effect.logError(`plugin ${domain} broke; it is tried again: ${message}`)
        yield* end(true)
        yield* send({ type: "CRASHED", reason: message })
      }))

  const carryOutSetup = Effect.gen(function* () {
    const waiter = settled
    const exit = yield* Effect.exit(setUp)
    if (Exit.isSuccess(exit)) {
      yield* send({ type: "SUCCEEDED" })
      yield* Effect.ignore(loaded)
      yield* Deferred.succeed(waiter, undefined)
      yield* Effect.forkIn(watch(exit.value), scope)
      return
    }
    const failure = setupFailureOf(domain, exit.cause)
    yield* Effect.logError(`plugin ${domain} is not set up: ${failure.message}`)
    yield* end(false)
    const type = failure.reason === "retry" ? "NOT_READY" : "FAILED"
    yield* send({ type, reason: failure.message })
    yield* Deferred.fail(waiter, failure)
  })

  const carryOutUnload = Effect.gen(function* () {
    const waiter = settled
    const exit = yield* Effect.exit(running?.launched.unload ?? Effect.void)
    yield* end(false)
    if (Exit.isSuccess(exit)) {
      yield* send({ type: "UNLOADED" })
      yield* Deferred.succeed(waiter, undefined)
      return
    }
    const found = Cause.findError(exit.cause)
    const failure = Result.isSuccess(found)
      ? found.success
      : new UnloadFailed({ domain, message: `${domain}: unload failed: ${Cause.squash(exit.cause)}` })
    yield* Effect.logError(failure.message)
    yield* send({ type: "UNLOAD_FAILED", reason: failure.message })
    yield* Deferred.fail(waiter, failure)
  })

  const machine = yield* runMachine(pluginMachine, {
    perform: ({ type }) => {
      if (type !== "setUp" && type !== "takeDown") return Effect.void
      const work: Effect.Effect<unknown> = type === "setUp" ? carryOutSetup : carryOutUnload
      return Effect.asVoid(Effect.forkIn(work, scope))
    },
  })
  const status = () => statusOf(machine.snapshot().value)

  /** Sends what begins something, and waits until that has ended. */
  const attempt = Effect.fnUntraced(function* (event: PluginEvent) {
    const busy = () => status() === "setup_in_progress" || status() === "unload_in_progress"
    if (!busy()) {
      settled = yield* Deferred.make<void, SetupFailed | UnloadFailed>()
      yield* send(event)
    }
    if (busy()) yield* Deferred.await(settled)
  })

  return {
    status,
    reason: () => machine.snapshot().context.reason,
    load: attempt({ type: "LOAD" }) as Effect.Effect<void, SetupFailed>,
    unload: attempt({ type: "UNLOAD" }) as Effect.Effect<void, UnloadFailed>,
    entityIds: () => running?.desk.entityIds() ?? [],
    update: (entityIds) => running?.launched.update(entityIds) ?? Effect.void,
  } satisfies PluginLife
})
