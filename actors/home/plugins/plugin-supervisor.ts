/**
 * Supervises one plugin: performs the setups and unloads that its machine decides.
 *
 * Invariants:
 * 1. Setup ends: by itself, or after `setupLimit`. If it fails, nothing of the plugin is left except unavailable entities.
 * 2. A plugin that breaks while it runs loses its services and listeners, and its entities become unavailable, before it is set up again.
 * 3. Whatever runs a plugin has ended before its entities are cleared, so that a plugin that is unloaded cannot write.
 * 4. The end of one plugin does not affect another.
 */
import { Cause, Deferred, Effect, Exit, Result, Scope } from "effect"
import type { HomeContext } from "../../../protocols/domain/home.ts"
import { type PluginStatus, RuntimeError, SetupFailed, UnloadFailed } from "../../../protocols/domain/plugin.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { runMachine, type RunningMachine } from "../../runtime/machine.ts"
import type { Capabilities } from "./plugin-capabilities.ts"
import type { LaunchedPlugin } from "./launched-plugin.ts"
import { type PluginEvent, pluginMachine, statusOf } from "./plugin-machine.ts"

const slowAfter = "10 seconds"
const setupLimit = "300 seconds"

/** A plugin that was launched. */
interface Running {
  readonly capabilities: Capabilities
  readonly launched: LaunchedPlugin
}

export interface PluginLife {
  readonly status: () => PluginStatus
  /** Why it has failed; null if it has not. */
  readonly reason: () => string | null
  /** Sets it up, and waits for the outcome. */
  readonly load: Effect.Effect<void, SetupFailed>
  /** Ends it, and waits for the outcome. A setup that is in progress ends first. */
  readonly unload: Effect.Effect<void, UnloadFailed>
  /** Its current entities. */
  readonly entityIds: () => ReadonlyArray<string>
  readonly update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>
}

interface SupervisorOptions {
  readonly domain: string
  /** Fails if the plugin cannot start: a dependency is not loaded, or the runtime cannot enforce its permissions. */
  readonly launch: (
    serving: Map<string, HomeContext>,
  ) => Effect.Effect<Running, SetupFailed | HomeUnavailable, Scope.Scope>
  /** Publishes that it is loaded. */
  readonly loaded: Effect.Effect<void, HomeUnavailable>
}

/** The failure of a setup that ended with a cause. */
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

const unloadFailureOf = (domain: string, cause: Cause.Cause<UnloadFailed>): UnloadFailed => {
  const found = Cause.findError(cause)
  return Result.isSuccess(found)
    ? found.success
    : new UnloadFailed({ domain, message: `${domain}: unload failed: ${Cause.squash(cause)}` })
}

/** A setup with its time limit; a slow one is logged. */
const withinSetupLimit = <A, E>(domain: string, setup: Effect.Effect<A, E>): Effect.Effect<A, E | SetupFailed> =>
  setup.pipe(
    Effect.timeoutOrElse({
      duration: setupLimit,
      orElse: () =>
        Effect.fail(
          new SetupFailed({ domain, reason: "timeout", message: `${domain}: setup did not end within ${setupLimit}.` }),
        ),
    }),
    Effect.raceFirst(
      Effect.sleep(slowAfter).pipe(
        Effect.andThen(Effect.logWarning(`Setup of ${domain} is taking over ${slowAfter}.`)),
        Effect.andThen(Effect.never),
      ),
    ),
  )

type Settled = Deferred.Deferred<void, SetupFailed | UnloadFailed>

class PluginSupervisor implements PluginLife {
  readonly #options: SupervisorOptions
  readonly #scope: Scope.Scope
  #machine!: RunningMachine<typeof pluginMachine>
  #running: (Running & { readonly scope: Scope.Closeable }) | null = null
  /** Done when the setup or unload in progress has ended. */
  #settled: Settled = Deferred.makeUnsafe()

  /** @param scope the plugin ends with it */
  constructor(options: SupervisorOptions, scope: Scope.Scope) {
    this.#options = options
    this.#scope = scope
  }

  /** Starts the machine, in its initial state. */
  readonly start = Effect.suspend(() =>
    Effect.map(
      runMachine(pluginMachine, { perform: ({ type }) => this.#perform(type) }),
      (machine) => void (this.#machine = machine),
    )
  )

  status(): PluginStatus {
    return statusOf(this.#machine.snapshot().value)
  }

  reason(): string | null {
    return this.#machine.snapshot().context.reason
  }

  entityIds(): ReadonlyArray<string> {
    return this.#running?.capabilities.entityIds() ?? []
  }

  update(entityIds: ReadonlyArray<string>): Effect.Effect<void> {
    return this.#running?.launched.update(entityIds) ?? Effect.void
  }

  get load(): Effect.Effect<void, SetupFailed> {
    return this.#attempt({ type: "LOAD" }, "setup_in_progress") as Effect.Effect<void, SetupFailed>
  }

  get unload(): Effect.Effect<void, UnloadFailed> {
    return this.#attempt({ type: "UNLOAD" }, "unload_in_progress") as Effect.Effect<void, UnloadFailed>
  }

  /** Waits for what is in progress, sends an event, and waits for the setup or unload that it starts. */
  readonly #attempt = Effect.fnUntraced(
    { self: this },
    function* (this: PluginSupervisor, event: PluginEvent, started: PluginStatus) {
      const other: PluginStatus = started === "setup_in_progress" ? "unload_in_progress" : "setup_in_progress"
      while (this.status() === other) yield* Effect.ignore(Deferred.await(this.#settled))
      if (this.status() !== started) yield* this.#machine.send(event)
      if (this.status() === started) yield* Deferred.await(this.#settled)
    },
  )

  #perform(type: string): Effect.Effect<void> {
    if (type !== "setUp" && type !== "takeDown") return Effect.void
    const settled: Settled = Deferred.makeUnsafe()
    this.#settled = settled
    const work = type === "setUp" ? this.#setUp(settled) : this.#takeDown(settled)
    return Effect.asVoid(Effect.forkIn(work, this.#scope))
  }

  readonly #setUp = Effect.fnUntraced({ self: this }, function* (this: PluginSupervisor, settled: Settled) {
    const { domain, loaded } = this.#options
    const exit = yield* Effect.exit(withinSetupLimit(domain, this.#launch))
    if (Exit.isSuccess(exit)) {
      yield* this.#machine.send({ type: "SUCCEEDED" })
      yield* Effect.ignore(loaded)
      yield* Effect.forkIn(this.#watch(exit.value), exit.value.scope)
      yield* Deferred.succeed(settled, undefined)
      return
    }
    const failure = setupFailureOf(domain, exit.cause)
    yield* Effect.logError("plugin setup failed", { plugin: domain, reason: failure.message })
    yield* this.#end(false)
    const type = failure.reason === "retry" ? "NOT_READY" : "FAILED"
    yield* this.#machine.send({ type, reason: failure.message })
    yield* Deferred.fail(settled, failure)
  })

  readonly #takeDown = Effect.fnUntraced({ self: this }, function* (this: PluginSupervisor, settled: Settled) {
    const { domain } = this.#options
    const exit = yield* Effect.exit(this.#running?.launched.unload ?? Effect.void)
    yield* this.#end(false)
    if (Exit.isSuccess(exit)) {
      yield* this.#machine.send({ type: "UNLOADED" })
      yield* Deferred.succeed(settled, undefined)
      return
    }
    const failure = unloadFailureOf(domain, exit.cause)
    yield* Effect.logError("plugin unload failed", { plugin: domain, reason: failure.message })
    yield* this.#machine.send({ type: "UNLOAD_FAILED", reason: failure.message })
    yield* Deferred.fail(settled, failure)
  })

  /** Launches the plugin in a scope of its own, and sets it up. */
  readonly #launch = Effect.gen({ self: this }, function* () {
    const { domain, launch } = this.#options
    const scope = yield* Scope.fork(this.#scope)
    const launched = yield* launch(new Map()).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.onError(() => Scope.close(scope, Exit.void)),
    )
    const running = { ...launched, scope }
    this.#running = running
    const broken = Effect.mapError(
      running.launched.broken,
      ({ message }) => new SetupFailed({ domain, reason: "retry", message }),
    )
    yield* Effect.raceFirst(running.launched.setup, broken)
    return running
  })

  /** Waits until the plugin breaks, and has it set up again. Ends with the plugin's scope, so an unload is not taken for a crash. */
  #watch(running: Running): Effect.Effect<void> {
    return Effect.catch(running.launched.broken, ({ message }: RuntimeError) => {
      const handle = Effect.gen({ self: this }, function* () {
        // An unload ends it, and reports that it failed.
        if (this.#running !== running || this.status() === "unload_in_progress") return
        yield* Effect.logError("plugin broke", { plugin: this.#options.domain, reason: message })
        yield* this.#end(true)
        yield* this.#machine.send({ type: "CRASHED", reason: message })
      })
      return Effect.asVoid(Effect.forkIn(handle, this.#scope))
    })
  }

  /** Ends what runs the plugin, then clears its entities, services and listeners. */
  readonly #end = Effect.fnUntraced({ self: this }, function* (this: PluginSupervisor, keep: boolean) {
    const ended = this.#running
    this.#running = null
    if (ended === null) return
    yield* Scope.close(ended.scope, Exit.void)
    yield* ended.capabilities.clear(keep).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning(`plugin entities could not be cleared domain=${this.#options.domain}`, cause)
      ),
    )
  })
}

/** A plugin that is not loaded yet. It ends with the scope in context. */
export const makeLife = Effect.fnUntraced(
  function* (options: SupervisorOptions): Effect.fn.Return<PluginLife, never, Scope.Scope> {
    const supervisor = new PluginSupervisor(options, yield* Effect.scope)
    yield* supervisor.start
    return supervisor
  },
)
