/**
 * The process of a third party's plugin, and the messages between it and the host.
 *
 * A process and not a worker thread: Deno cannot stop a thread that does not return to its event loop, and the operating system can stop a
 * process.
 *
 * Invariants:
 * 1. The process has the permissions of the manifest, and its own folder to read: no programs, no native code, no remote code, no storage.
 * 2. A process that crashes, sends an invalid message or exceeds its budget is killed, and `broken` fails. It does not affect the service's
 *    process: what it sends is bounded before it is read.
 * 3. A report of what the process uses counts only with the key that its main thread has: the plugin cannot write one.
 * 4. When the scope has closed the process has ended.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { Deferred, Effect, Exit, Result, Schema } from "effect"
import {
  type DiskSpace,
  heapMib,
  makeBudgetJudge,
  memoryReason,
  type PluginBudget,
  type ProcessUsage,
} from "../../../core/home/plugin-budget.ts"
import { permissionsOf, RuntimeError } from "../../../protocols/domain/plugin.ts"
import { FromPlugin, type HostRequest, type Thrown, type ToPlugin } from "../../../protocols/messages/plugin-process.ts"
import type { FoundPlugin } from "./launched-plugin.ts"
import { machinePermissions, permissionFlags } from "./machine-permissions.ts"
import { readFrames } from "./message-frames.ts"

type PluginAnswer = Exit.Exit<Schema.Json, Thrown>

const entry = fileURLToPath(new URL("./process-entry.ts", import.meta.url))
/** The first characters of the process's error output, which are kept for the reason of a crash. */
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

/** A path below a file: Deno can store nothing there, and its caches and storage fail. */
const noFolder = join(entry, "none")
/** V8's and Deno's words for a heap that is full. */
const heapExhausted = /heap limit|heap out of memory|Last few GCs|JavaScript OOM/i
/** Unsent characters to a plugin that does not read. */
const unsentMax = 64 * 2 ** 20

/** JSON without the two characters that a reader of lines takes for their ends, and JSON does not escape. */
const singleLine = (json: string): string => json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

type PluginProcess = ChildProcessByStdio<Writable, Readable, Readable>

/** Starts the plugin's process with the variables of its manifest only. */
const startProcess = ({ folder, manifest }: FoundPlugin, { budget, variables }: ProcessSettings): PluginProcess => {
  const granted = permissionsOf(manifest).machine
  const permissions = machinePermissions(folder, granted, [dirname(entry)])
  const runtime = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"]
  const memory = ["--no-code-cache", `--v8-flags=--max-old-space-size=${heapMib(budget)}`]
  const own = Object.fromEntries(granted.env.map((name) => [name, variables[name]]))
  return spawn(process.execPath, [...runtime, ...memory, ...permissionFlags(permissions), entry], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...own, DENO_DIR: noFolder, NO_COLOR: "1" },
  })
}

/** What the processes of all plugins get. */
export interface ProcessSettings {
  readonly budget: PluginBudget
  /** The disk of a path; without it, that of the operating system. */
  readonly spaceOf?: (path: string) => Promise<DiskSpace>
  /** The variables of the environment, of which a plugin gets those that its manifest names. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

interface ChannelOptions {
  readonly plugin: FoundPlugin
  readonly settings: ProcessSettings
  /** A secret of this process. */
  readonly key: string
  /** Monotonic. */
  readonly timeMs: () => number
  /** Handles what is not the answer to a request. */
  readonly onMessage: (message: FromPlugin) => void
  /** Handles a line of output that is no message. */
  readonly onText: (line: string) => void
}

/** A plugin's process, and the requests that it has not answered yet. */
export class PluginChannel {
  readonly #domain: string
  readonly #options: ChannelOptions
  readonly #process: PluginProcess
  readonly #judge: ReturnType<typeof makeBudgetJudge>
  readonly #ended = Deferred.makeUnsafe<void>()
  readonly #broken = Deferred.makeUnsafe<never, RuntimeError>()
  readonly #unanswered = new Map<number, (answer: PluginAnswer) => void>()
  #requests = 0
  /** Events that the plugin has not acknowledged. */
  #unhandled = 0
  #errorOutput = ""
  #isBroken = false

  constructor(options: ChannelOptions) {
    const { onMessage, onText, plugin, settings } = options
    this.#options = options
    this.#domain = plugin.manifest.domain
    this.#judge = makeBudgetJudge(settings.budget)
    this.#process = startProcess(plugin, settings)
    const { stderr, stdin, stdout } = this.#process
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(0, errorLengthMax)
      if (!this.#isBroken) this.#exceeds(text.length, 0)
    })
    const receive = readFrames({
      onMessage: (json) => {
        const message = this.#isBroken ? null : this.#read(json)
        if (message?.kind === "usage") this.#used(message)
        if (message !== null && !this.#isAnswer(message)) onMessage(message)
      },
      onText: (line) => this.#isBroken || this.#exceeds(line.length, 1) ? undefined : onText(line),
      onOverflow: (lengthMax) => this.breakWith(`it sent a message of over ${lengthMax} characters.`),
    })
    stdout.setEncoding("utf8").on("data", (piece: string) => this.#isBroken ? undefined : receive(piece))
    // The end of the process is reported by "close".
    stdin.on("error", () => {})
    this.#process.on("error", ({ message }) => this.#end(`its process failed: ${message}`))
    this.#process.on("close", (code, signal) => this.#end(this.#crashReason(code, signal)))
    stdin.write(`${options.key}\n`)
  }

  /** Fails when the process breaks; never succeeds. */
  readonly broken: Effect.Effect<never, RuntimeError> = Effect.suspend(() => Deferred.await(this.#broken))

  /** Kills the process, and waits until it has ended. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.breakWith("it was ended.")
    return Deferred.await(this.#ended)
  })

  post(message: ToPlugin): void {
    if (this.#isBroken) return
    if (message.kind === "event") this.#unhandled += 1
    const json = singleLine(JSON.stringify(message))
    this.#process.stdin.write(`${json}\n`)
    if (this.#process.stdin.writableLength > unsentMax) this.breakWith("it does not read its messages.")
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
    this.#isBroken = true
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
    // With 1 it ends because of what the plugin has thrown, whatever the text says.
    if (code !== 1 && heapExhausted.test(this.#errorOutput)) return memoryReason(this.#options.settings.budget)
    const [line = ""] = stripVTControlCharacters(this.#errorOutput).trim().split("\n")
    return `it crashed with ${code === null ? signal : `code ${code}`}${line === "" ? "." : `: ${line}`}`
  }

  /** Counts characters and messages; a plugin that has sent too many is ended. */
  #exceeds(length: number, messages: number): boolean {
    const reason = this.#judge.messages(this.#options.timeMs() / 1_000, length, messages)
    if (reason !== null) this.breakWith(reason)
    return reason !== null
  }

  #used(usage: ProcessUsage): void {
    const reason = this.#judge.usage(this.#options.timeMs() / 1_000, usage)
    if (reason !== null) this.breakWith(reason)
  }

  /** Whether the host has caused a message: the plugin cannot avoid it, so that its budget does not count it. */
  #isCaused(message: FromPlugin): boolean {
    if (message.kind === "done" || message.kind === "threw") return this.#unanswered.has(message.id)
    if (message.kind === "usage") return message.key === this.#options.key
    if (message.kind !== "handled" || this.#unhandled === 0) return false
    this.#unhandled -= 1
    return true
  }

  /** A valid message; null for an invalid one, which is answered or ends the process, and for what the channel handles. */
  #read(json: string): FromPlugin | null {
    if (this.#exceeds(json.length, 0)) return null
    const reject = (message: string) => {
      this.breakWith(message)
      return null
    }
    let data: unknown
    try {
      data = JSON.parse(json)
    } catch {
      return reject("it sent an unknown message.")
    }
    if (isDeep(data)) return reject(`it sent a message nested deeper than ${depthMax} levels.`)
    const read = decode(data)
    const isCaused = Result.isSuccess(read) && this.#isCaused(read.success)
    if (!isCaused && this.#exceeds(0, 1)) return null
    if (Result.isSuccess(read) && (isCaused || read.success.kind !== "usage")) return read.success
    const { id, kind } = Object(data) as { readonly id?: unknown; readonly kind?: unknown }
    if (Result.isSuccess(read) || kind !== "ask" || typeof id !== "number") return reject("it sent an unknown message.")
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
