/**
 * Runs a third party's plugin in a Deno worker that has the permissions of its manifest, and no others.
 *
 * Owns the worker's life and both ends of its conversation. Boundary: what a request does is `worker-requests.ts`.
 *
 * Invariants:
 * 1. The worker's permissions are those of the manifest, and its own folder to read: no program, no native code, no import from elsewhere.
 * 2. A worker that throws, says what is no message, or does not answer a ping is ended, and `broken` fails. Nothing of it ends the process.
 * 3. At most `askedMax` of its requests are under way; more are refused. Every request of the host has a time limit.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Cause, Deferred, Effect, Exit, Result, Schema, type Scope } from "effect"
import { ServiceBroke } from "../../../protocols/domain/home-failure.ts"
import type { HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import {
  mainDefault,
  permissionsOf,
  RuntimeError,
  SetupFailed,
  UnloadFailed,
} from "../../../protocols/domain/plugin.ts"
import { FromPlugin, type HostRequest, type Thrown, type ToPlugin } from "../../../protocols/messages/plugin-worker.ts"
import type { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { failed, type Outcome, refused } from "../services/service.ts"
import type { Desk } from "./plugin-capabilities.ts"
import { eventOutbox } from "./event-outbox.ts"
import type { FoundPlugin, LaunchedPlugin } from "./launched-plugin.ts"
import { machinePermissions } from "./machine-permissions.ts"
import { answerRequests } from "./worker-requests.ts"

const askedMax = 64
const pingInterval = "5 seconds"
/** Pings in a row without an answer, and the worker hangs. */
const missedMax = 2
const unloadLimit = "10 seconds"
const serviceLimit = "60 seconds"

/** What this file uses of Deno's `Worker`. */
interface DenoWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onerror: ((event: { readonly message: string; readonly preventDefault: () => void }) => void) | null
  onmessageerror: (() => void) | null
  readonly postMessage: (message: ToPlugin) => void
  readonly terminate: () => void
}
type WorkerClass = new (url: URL, options: unknown) => DenoWorker

/** The worker class of a runtime that enforces permissions; null on any other. */
const workerClass = (): WorkerClass | null => {
  const { Deno, Worker } = globalThis as { readonly Deno?: unknown; readonly Worker?: WorkerClass }
  return Deno === undefined || Worker === undefined ? null : Worker
}

const decode = Schema.decodeUnknownResult(FromPlugin)

/** Deeper than this nothing is read: what is nested without end would end the reader. */
const depthMax = 64

const isDeep = (message: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [message]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthMax) return true
    level = level.flatMap((value) => typeof value === "object" && value !== null ? Object.values(value) : [])
  }
  return false
}

const thrownOf = (cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>): Thrown => {
  const found = Cause.findError(cause)
  if (Result.isSuccess(found)) return { name: found.success._tag, message: found.success.message }
  return { name: "Error", message: "The host could not do it." }
}

/** What a handler threw, as the failure that a service's caller gets. */
const serviceFailure = ({ message, name }: Thrown) => {
  if (name === "ServiceValidationError") return refused(message)
  return name === "HomeAssistantError" || name === "RuntimeError" ? failed(message) : new ServiceBroke({ message })
}

/** The worker of a plugin and the requests that the host has made of it. */
const startWorker = Effect.fnUntraced(function* ({ folder, manifest }: FoundPlugin, Worker: WorkerClass) {
  const { domain } = manifest
  const broken = yield* Deferred.make<never, RuntimeError>()
  const asked = new Map<number, (exit: Exit.Exit<Schema.Json, Thrown>) => void>()
  let count = 0
  const worker = new Worker(new URL("./worker-entry.ts", import.meta.url), {
    type: "module",
    name: domain,
    deno: { permissions: machinePermissions(folder, permissionsOf(manifest).machine) },
  })
  const breakWith = (message: string): void => {
    Deferred.doneUnsafe(broken, Exit.fail(new RuntimeError({ domain, message: `${domain}: ${message}` })))
    worker.terminate()
    for (const answer of asked.values()) answer(Exit.fail({ name: "RuntimeError", message: `${domain} has ended.` }))
    asked.clear()
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => breakWith("it was ended.")))
  worker.onerror = (event) => {
    // Else the error would go on to end this process.
    event.preventDefault()
    breakWith(`it crashed: ${event.message}`)
  }
  worker.onmessageerror = () => breakWith("it sent what cannot be read.")

  /** Has the plugin do something. */
  const ask = (request: HostRequest): Effect.Effect<Schema.Json, Thrown> =>
    Effect.callback<Schema.Json, Thrown>((resume) => {
      count += 1
      const id = count
      asked.set(id, resume)
      worker.postMessage({ kind: "ask", id, request })
      return Effect.sync(() => asked.delete(id))
    })
  const answered = (id: number, exit: Exit.Exit<Schema.Json, Thrown>): void => {
    asked.get(id)?.(exit)
    asked.delete(id)
  }
  return { worker, ask, answered, breakWith, broken: Deferred.await(broken) }
})

/** Ends a worker that does not answer. */
const watchPulse = Effect.fnUntraced(function* (
  ping: (count: number) => void,
  answered: () => number,
  hang: () => void,
) {
  for (let count = 1;; count++) {
    yield* Effect.sleep(pingInterval)
    if (count - 1 - answered() >= missedMax) return hang()
    ping(count)
  }
})

const unenforceable = (domain: string) =>
  new SetupFailed({
    domain,
    reason: "unenforceable",
    message:
      `${domain}: this runtime cannot hold a plugin to its permissions. Run the service on Deno, as \`npm start\` does.`,
  })

/** Starts a plugin's worker. It ends with the scope. */
export const launchWorker = Effect.fnUntraced(function* (
  plugin: FoundPlugin,
  desk: Desk,
  serving: Map<string, HomeContext>,
): Effect.fn.Return<LaunchedPlugin, SetupFailed, Scope.Scope | HomeRegistries> {
  const { domain, main = mainDefault } = plugin.manifest
  const Worker = workerClass()
  if (Worker === null) return yield* unenforceable(domain)
  const scope = yield* Effect.scope
  const { answered, ask, breakWith, broken, worker } = yield* startWorker(plugin, Worker)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const events = eventOutbox((listener, event, dropped) =>
    worker.postMessage({ kind: "event", listener, event, dropped })
  )
  const serve = (request: HostRequest & { readonly method: "serve" }): Outcome =>
    ask(request).pipe(
      Effect.mapError(serviceFailure),
      Effect.map((value) => value as JsonObject | null),
      Effect.timeoutOrElse({
        duration: serviceLimit,
        orElse: () => Effect.fail(failed(`${domain}.${request.name} did not end within ${serviceLimit}.`)),
      }),
    )
  const act = yield* answerRequests({ desk, events, serving, serve })
  let underWay = 0
  let lastPong = 0

  const answer = (id: number, work: ReturnType<typeof act>): void => {
    if (underWay >= askedMax) {
      const message = `${askedMax} requests are under way already: wait for their answers.`
      return worker.postMessage({ kind: "threw", id, error: { name: "RuntimeError", message } })
    }
    underWay += 1
    const answered = Effect.onExit(Effect.exit(work), () => Effect.sync(() => void (underWay -= 1))).pipe(
      Effect.map((exit): ToPlugin =>
        Exit.isSuccess(exit)
          ? { kind: "done", id, value: (exit.value ?? null) as Schema.Json }
          : { kind: "threw", id, error: thrownOf(exit.cause) }
      ),
    )
    run(Effect.forkIn(Effect.map(answered, (message) => worker.postMessage(message)), scope))
  }

  worker.onmessage = ({ data }) => {
    if (isDeep(data)) return breakWith(`it sent what is nested deeper than ${depthMax} levels.`)
    const read = decode(data)
    if (Result.isFailure(read)) {
      const { id, kind } = Object(data) as { readonly id?: unknown; readonly kind?: unknown }
      if (kind !== "ask" || typeof id !== "number") return breakWith("it sent what is no message.")
      const error = { name: "TypeError", message: String(read.failure.message) }
      return worker.postMessage({ kind: "threw", id, error })
    }
    const message = read.success
    if (message.kind === "ask") return answer(message.id, act(message.request))
    if (message.kind === "done") return answered(message.id, Exit.succeed(message.value))
    if (message.kind === "threw") return answered(message.id, Exit.fail(message.error))
    if (message.kind === "handled") return events.handled()
    lastPong = message.count
  }
  yield* Effect.forkIn(
    watchPulse(
      (count) => worker.postMessage({ kind: "ping", count }),
      () => lastPong,
      () => breakWith("it hangs: it does not answer."),
    ),
    scope,
  )

  const module = pathToFileURL(join(plugin.folder, main)).href
  const setupFailed = (reason: "failed" | "declined" | "retry", message: string) =>
    new SetupFailed({ domain, reason, message })
  return {
    setup: ask({ method: "setup", module, domain }).pipe(
      Effect.mapError(({ message, name }) =>
        setupFailed(name === "NotReady" ? "retry" : "failed", `${domain}: its setup failed: ${name}: ${message}`)
      ),
      Effect.flatMap((result) =>
        result === true ? Effect.void : Effect.fail(
          setupFailed("declined", `Integration failed to initialize. (${domain}: setup answered ${result})`),
        )
      ),
    ),
    unload: ask({ method: "unload" }).pipe(
      Effect.timeoutOrElse({
        duration: unloadLimit,
        orElse: () => Effect.fail({ name: "Error", message: `it did not end within ${unloadLimit}` }),
      }),
      Effect.flatMap((result) =>
        result === true ? Effect.void : Effect.fail({ name: "Error", message: `it answered ${result}` })
      ),
      Effect.mapError(({ message }) => new UnloadFailed({ domain, message: `${domain}: unload failed: ${message}.` })),
    ),
    broken,
    update: (entityIds) =>
      ask({ method: "update", entityIds: [...entityIds] }).pipe(
        Effect.timeoutOrElse({ duration: serviceLimit, orElse: () => Effect.succeed(null) }),
        Effect.ignore,
      ),
  }
})
