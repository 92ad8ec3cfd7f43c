/**
 * Runs a third party's plugin in a Deno process that has the permissions of its manifest, and no others.
 *
 * Boundary: `plugin-channel.ts` owns the process and its messages, `plugin-requests.ts` performs the plugin's requests.
 *
 * Invariants:
 * 1. A process that does not answer pings or report what it uses, from the time when its thread runs, or exceeds its budget is killed, and
 *    `broken` fails with the reason.
 * 2. At most `requestsMax` requests of the plugin run at a time; further ones are rejected. Every request of the host has a time limit.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Cause, Clock, Deferred, Effect, Exit, Result, type Schema, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { diskFullReason, diskReason, filesMax } from "../../../core/home/plugin-budget.ts"
import { ServiceBroke } from "../../../protocols/domain/home-failure.ts"
import type { HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import { mainDefault, SetupFailed, UnloadFailed } from "../../../protocols/domain/plugin.ts"
import type { FromPlugin, HostRequest, Thrown, ToPlugin } from "../../../protocols/messages/plugin-process.ts"
import type { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { monotonicMsOf } from "../../runtime/monotonic.ts"
import { failed, type Outcome, refused } from "../services/service.ts"
import type { Capabilities } from "./plugin-capabilities.ts"
import { type FirstSizes, pluginDisk } from "./disk-use.ts"
import { makePluginLog, type PluginLog } from "./plugin-log.ts"
import { type EventOutbox, eventOutbox } from "./event-outbox.ts"
import type { FoundPlugin, LaunchedPlugin } from "./launched-plugin.ts"
import { PluginChannel, type ProcessSettings } from "./plugin-channel.ts"
import { answerRequests } from "./plugin-requests.ts"

const requestsMax = 64
const pingInterval = "1 second"
/** Unanswered pings in a row after which the process hangs. */
const missedMax = 4
const diskInterval = "2 seconds"
/** Of the key of a process's reports. */
const keyBytes = 32
const unloadLimit = "10 seconds"
const serviceLimit = "60 seconds"

type Act = Effect.Success<ReturnType<typeof answerRequests>>

const thrownOf = (cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>): Thrown => {
  const found = Cause.findError(cause)
  if (Result.isSuccess(found)) return { name: found.success._tag, message: found.success.message }
  return { name: "Error", message: "The host could not do it." }
}

/** What a handler threw, as the failure that the service's caller gets. */
const serviceFailure = ({ message, name }: Thrown) => {
  if (name === "ServiceValidationError") return refused(message)
  return name === "HomeAssistantError" || name === "RuntimeError" ? failed(message) : new ServiceBroke({ message })
}

/** Performs requests of the plugin in the scope in context, a bounded number at a time. */
const makePerform = Effect.fnUntraced(function* (post: (message: ToPlugin) => void, act: Act, log: PluginLog) {
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let running = 0
  return ({ id, request }: Extract<FromPlugin, { readonly kind: "ask" }>): void => {
    if (request.method === "log") {
      log(request.level, request.message)
      return post({ kind: "done", id, value: null })
    }
    if (running >= requestsMax) {
      const message = `${requestsMax} requests are under way already: wait for their answers.`
      return post({ kind: "threw", id, error: { name: "RuntimeError", message } })
    }
    running += 1
    const answered = Effect.exit(act(request)).pipe(
      Effect.onExit(() => Effect.sync(() => void (running -= 1))),
      Effect.map((exit): ToPlugin =>
        Exit.isSuccess(exit)
          ? { kind: "done", id, value: (exit.value ?? null) as Schema.Json }
          : { kind: "threw", id, error: thrownOf(exit.cause) }
      ),
    )
    run(Effect.forkIn(Effect.map(answered, post), scope))
  }
})

/** The numbers of pings: the last one sent, the last one answered, and the last one before a report of the process. */
interface Pulse {
  /** Done when the plugin's thread runs. The time until then depends on the machine. */
  readonly started: Deferred.Deferred<void>
  sent: number
  answered: number
  reported: number
}

const makePulse = (): Pulse => ({ started: Deferred.makeUnsafe(), sent: 0, answered: 0, reported: 0 })

/** Notes a sign of life. An answer to a ping that was not sent is none: the plugin may have written it in advance. */
const beat = (pulse: Pulse, message: Extract<FromPlugin, { readonly kind: "pong" | "usage" }>): void => {
  if (message.kind === "usage") return void (pulse.reported = pulse.sent)
  Deferred.doneUnsafe(pulse.started, Exit.void)
  if (message.count <= pulse.sent) pulse.answered = Math.max(pulse.answered, message.count)
}

/** Sends pings; kills a process that gives no signs of life. */
const watchPulse = Effect.fnUntraced(function* (channel: PluginChannel, pulse: Pulse) {
  yield* Deferred.await(pulse.started)
  for (;;) {
    yield* Effect.sleep(pingInterval)
    if (pulse.sent - pulse.answered >= missedMax) return channel.breakWith("it hangs: it does not answer.")
    if (pulse.sent - pulse.reported >= missedMax) return channel.breakWith("it hangs: it does not report what it uses.")
    pulse.sent += 1
    channel.post({ kind: "ping", count: pulse.sent })
  }
})

const whenGrown = "Remove files, or reload the plugin to count the growth of the other folders anew."

/** Ends a process whose folders have grown beyond its budget; fails if they have before its start. */
const watchDisk = Effect.fnUntraced(function* (
  plugin: FoundPlugin,
  { budget, firstSizes, spaceOf }: ProcessSettings & { readonly firstSizes: FirstSizes },
  breakWith: (reason: string) => void,
) {
  const { domain } = plugin.manifest
  const refuse = (reason: "failed" | "retry", message: string) =>
    new SetupFailed({ domain, reason, message: `${domain}: ${message}` })
  const disk = yield* Effect.promise(() => pluginDisk(plugin, firstSizes, spaceOf))
  if (disk === null) return
  if (disk.tooLarge !== null) {
    const message =
      `it may not write ${disk.tooLarge}: over ${filesMax} files are too many to measure its growth. Remove files.`
    return yield* refuse("failed", message)
  }
  const measure = Effect.promise(disk.measure)
  const first = yield* measure
  const [full, grown] = [diskFullReason(budget, first), diskReason(budget, first)]
  if (grown !== null) return yield* refuse("failed", `${grown} ${whenGrown}`)
  if (full !== null) return yield* refuse("retry", `${full} Remove files.`)
  const judge = Effect.map(measure, (usage) => diskReason(budget, usage) ?? diskFullReason(budget, usage))
  const look = Effect.map(judge, (reason) => reason === null ? undefined : breakWith(reason))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(diskInterval), look)))
})

const unenforceable = (domain: string) =>
  new SetupFailed({
    domain,
    reason: "unenforceable",
    message:
      `${domain}: this runtime cannot hold a plugin to its permissions. Run the service on Deno, as \`npm start\` does.`,
  })

/** Calls a handler of the plugin's services. */
const makeServe = (channel: PluginChannel, domain: string) => (request: HostRequest & { readonly method: "serve" }) =>
  channel.ask(request).pipe(
    Effect.mapError(serviceFailure),
    Effect.map((value) => value as JsonObject | null),
    Effect.timeoutOrElse({
      duration: serviceLimit,
      orElse: () => Effect.fail(failed(`${domain}.${request.name} did not end within ${serviceLimit}.`)),
    }),
  ) satisfies Outcome

const setupOf = (channel: PluginChannel, { folder, manifest: { domain, main = mainDefault } }: FoundPlugin) => {
  const setupFailed = (reason: "failed" | "declined" | "retry", message: string) =>
    Effect.fail(new SetupFailed({ domain, reason, message }))
  return channel.ask({ method: "setup", module: pathToFileURL(join(folder, main)).href, domain }).pipe(
    Effect.catch(({ message, name }) =>
      setupFailed(name === "NotReady" ? "retry" : "failed", `${domain}: its setup failed: ${name}: ${message}`)
    ),
    Effect.flatMap((result) =>
      result === true
        ? Effect.void
        : setupFailed("declined", `Integration failed to initialize. (${domain}: setup answered ${result})`)
    ),
  )
}

const unloadOf = (channel: PluginChannel, domain: string) =>
  channel.ask({ method: "unload" }).pipe(
    Effect.timeoutOrElse({
      duration: unloadLimit,
      orElse: () => Effect.fail({ name: "Error", message: `it did not end within ${unloadLimit}` }),
    }),
    Effect.flatMap((result) =>
      result === true ? Effect.void : Effect.fail({ name: "Error", message: `it answered ${result}` })
    ),
    Effect.mapError(({ message }) =>
      new UnloadFailed({ domain, message: `${domain}: unload failed: ${message.replace(/\.$/, "")}.` })
    ),
  )

/** Starts a plugin's process, which ends with the scope. */
export const launchProcess = Effect.fnUntraced(function* (
  plugin: FoundPlugin,
  capabilities: Capabilities,
  serving: Map<string, HomeContext>,
  settings: ProcessSettings & { readonly firstSizes: FirstSizes },
): Effect.fn.Return<LaunchedPlugin, SetupFailed, Scope.Scope | HomeRegistries | SecureRandom.SecureRandom> {
  const { domain } = plugin.manifest
  if (!("Deno" in globalThis)) return yield* unenforceable(domain)
  const handlers: { ask: Effect.Success<ReturnType<typeof makePerform>> } = { ask: () => {} }
  const pulse = makePulse()
  const clock = yield* Clock.Clock
  const log = yield* makePluginLog(domain)
  const channel = new PluginChannel({
    plugin,
    settings,
    key: Buffer.from(yield* (yield* SecureRandom.SecureRandom).randomBytes(keyBytes)).toString("base64url"),
    timeMs: () => monotonicMsOf(clock),
    onText: (line) => void log("info", line),
    onMessage: (message) => {
      if (message.kind === "ask") return handlers.ask(message)
      if (message.kind === "handled") return events.handled()
      if (message.kind === "pong" || message.kind === "usage") beat(pulse, message)
    },
  })
  yield* Effect.addFinalizer(() => channel.end)
  const post = (message: ToPlugin) => channel.post(message)
  const events: EventOutbox = eventOutbox((listener, event, dropped) =>
    post({ kind: "event", listener, event, dropped })
  )
  const act = yield* answerRequests({ capabilities, events, serving, serve: makeServe(channel, domain) })
  handlers.ask = yield* makePerform(post, act, log)
  yield* watchDisk(plugin, settings, (reason) => channel.breakWith(reason))
  yield* Effect.forkScoped(watchPulse(channel, pulse))
  return {
    setup: setupOf(channel, plugin),
    unload: unloadOf(channel, domain),
    broken: channel.broken,
    update: (entityIds) =>
      channel.ask({ method: "update", entityIds: [...entityIds] }).pipe(
        Effect.timeoutOrElse({ duration: serviceLimit, orElse: () => Effect.succeed(null) }),
        Effect.ignore,
      ),
  }
})
