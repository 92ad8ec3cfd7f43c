/**
 * The process of a third party's plugin, and the messages between it and the host.
 *
 * A process and not a worker thread: Deno cannot stop a thread that does not return to its event loop, and the operating system can stop a
 * process.
 *
 * Invariants:
 * 1. The process has the permissions of the manifest, and its own folder to read: no programs, no native code, no remote code.
 * 2. A process that crashes or sends an invalid message is killed, and `broken` fails. It does not affect the service's process.
 * 3. When the scope has closed the process has ended.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { Deferred, Effect, Exit, Result, Schema } from "effect"
import { permissionsOf, RuntimeError } from "../../../protocols/domain/plugin.ts"
import { FromPlugin, type HostRequest, type Thrown, type ToPlugin } from "../../../protocols/messages/plugin-process.ts"
import type { FoundPlugin } from "./launched-plugin.ts"
import { machinePermissions, permissionFlags } from "./machine-permissions.ts"

type PluginAnswer = Exit.Exit<Schema.Json, Thrown>

const entry = fileURLToPath(new URL("./process-entry.ts", import.meta.url))
/** The last characters of the process's error output that are kept for the reason of a crash. */
const errorLengthMax = 2_048
/** Deeper messages are rejected before they are read further: a recursive reader would overflow. */
const depthMax = 64

const decode = Schema.decodeUnknownResult(FromPlugin)

const isDeep = (message: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [message]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthMax) return true
    level = level.flatMap((value) => typeof value === "object" && value !== null ? Object.values(value) : [])
  }
  return false
}

/** Starts the plugin's process. Its output is discarded: `console` is logged by messages. */
const startProcess = ({ folder, manifest }: FoundPlugin): ChildProcess => {
  const permissions = machinePermissions(folder, permissionsOf(manifest).machine)
  const runtime = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"]
  // Workers of a plugin have its permissions, or fewer.
  const workers = "--unstable-worker-options"
  return spawn(process.execPath, [...runtime, workers, ...permissionFlags(permissions), entry], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
}

/** A plugin's process, and the requests that it has not answered yet. */
export class PluginChannel {
  readonly #domain: string
  readonly #process: ChildProcess
  readonly #ended = Deferred.makeUnsafe<void>()
  readonly #broken = Deferred.makeUnsafe<never, RuntimeError>()
  readonly #unanswered = new Map<number, (answer: PluginAnswer) => void>()
  #requests = 0
  #errorOutput = ""

  /** @param onMessage handles what is not the answer to a request */
  constructor(plugin: FoundPlugin, onMessage: (message: FromPlugin) => void) {
    this.#domain = plugin.manifest.domain
    this.#process = startProcess(plugin)
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-errorLengthMax)
    })
    this.#process.on("message", (data) => {
      const message = this.#read(data)
      if (message !== null && !this.#isAnswer(message)) onMessage(message)
    })
    this.#process.on("error", ({ message }) => this.#end(`its process failed: ${message}`))
    this.#process.on("close", (code, signal) => this.#end(this.#crashReason(code, signal)))
  }

  /** Fails when the process breaks; never succeeds. */
  readonly broken: Effect.Effect<never, RuntimeError> = Effect.suspend(() => Deferred.await(this.#broken))

  /** Kills the process, and waits until it has ended. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.breakWith("it was ended.")
    return Deferred.await(this.#ended)
  })

  post(message: ToPlugin): void {
    // A process that has just ended is reported by its end, not by a failed message.
    if (this.#process.connected) this.#process.send(message, () => {})
  }

  /** Sends a request, and waits for its answer. */
  ask(request: HostRequest): Effect.Effect<Schema.Json, Thrown> {
    return Effect.callback<Schema.Json, Thrown>((resume) => {
      this.#requests += 1
      const id = this.#requests
      this.#unanswered.set(id, resume)
      this.post({ kind: "ask", id, request })
      return Effect.sync(() => this.#unanswered.delete(id))
    })
  }

  /** Kills the process; its requests fail. */
  breakWith(message: string): void {
    const domain = this.#domain
    Deferred.doneUnsafe(this.#broken, Exit.fail(new RuntimeError({ domain, message: `${domain}: ${message}` })))
    this.#process.kill("SIGKILL")
    const gone = Exit.fail<Thrown>({ name: "RuntimeError", message: `${domain} has ended.` })
    for (const answer of this.#unanswered.values()) answer(gone)
    this.#unanswered.clear()
  }

  #end(reason: string): void {
    this.breakWith(reason)
    Deferred.doneUnsafe(this.#ended, Exit.void)
  }

  #crashReason(code: number | null, signal: string | null): string {
    const [line = ""] = stripVTControlCharacters(this.#errorOutput).trim().split("\n")
    return `it crashed with ${code === null ? signal : `code ${code}`}${line === "" ? "." : `: ${line}`}`
  }

  /** A valid message; null for an invalid one, which is answered or ends the process. */
  #read(data: unknown): FromPlugin | null {
    const reject = (message: string) => {
      this.breakWith(message)
      return null
    }
    if (isDeep(data)) return reject(`it sent a message nested deeper than ${depthMax} levels.`)
    const read = decode(data)
    if (Result.isSuccess(read)) return read.success
    const { id, kind } = Object(data) as { readonly id?: unknown; readonly kind?: unknown }
    if (kind !== "ask" || typeof id !== "number") return reject("it sent an unknown message.")
    this.post({ kind: "threw", id, error: { name: "TypeError", message: String(read.failure.message) } })
    return null
  }

  #isAnswer(message: FromPlugin): boolean {
    if (message.kind !== "done" && message.kind !== "threw") return false
    const answer = message.kind === "done" ? Exit.succeed(message.value) : Exit.fail(message.error)
    this.#unanswered.get(message.id)?.(answer)
    this.#unanswered.delete(message.id)
    return true
  }
}
