/**
 * Child processes of a running service. Each runs a command of `wavepose` with an API key of its own and is restarted when it fails.
 *
 * Invariants: a child ends when the service ends for any reason, because its stdin closes. Its key is revoked when it ends. A child that
 * fails repeatedly is restarted after a pause, and one that ends with its final exit code is not. Each run has a new key, so a revoked key
 * ends one run only.
 */
import { Console, Duration, Effect, Option, type PlatformError, Result, Schedule, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { monotonicMs } from "../../actors/runtime/monotonic.ts"
import type { Role, Scope } from "../../protocols/domain/identity.ts"
import { Accounts } from "../../protocols/ports/accounts.ts"
import { CurrentLogOutput } from "../settings/log-output.ts"

/** A status line that a child writes to stdout: `ready` while it works, `broken` while it temporarily cannot. */
const StatusLine = Schema.fromJsonString(Schema.Union([
  Schema.Struct({ ready: Schema.String }),
  Schema.Struct({ broken: Schema.String, reason: Schema.String }),
]))
const statusOf = Schema.decodeUnknownOption(StatusLine)

/** The state of a child. */
type ChildState =
  | { readonly state: "active" | "failed" | "paused" }
  | { readonly state: "broken"; readonly reason: string }

/** The node that a child belongs to. */
export interface ServiceNode {
  /** Its gRPC edge, `grpc://host:port`. Nodes of a cluster often have equal ones, because each is that of another machine. */
  readonly grpc: string
  /** Differs between the nodes of a cluster, and stays at a restart. */
  readonly name: string
}

interface Child {
  /** Appears in the log and in the name of its key. */
  readonly name: string
  /** Arguments of `wavepose`; include `--while-stdin`. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Role and only scope of its key, which it reads from `WAVEPOSE_API_KEY`. */
  readonly role: Role
  readonly scope: Scope
  readonly node: ServiceNode
  /** The exit code after which it is not restarted. */
  readonly finalExitCode: number | null
  /** Receives each change of its state. */
  readonly onChange?: (state: ChildState) => Effect.Effect<void>
}

/** Why a child is not restarted. */
type ChildEnd = "done" | "final"

/** After this many failures in a row comes a pause. A run of at least `steadyMs` resets the count. */
const failuresMax = 5
const steadyMs = 60_000
const backOffMsMin = 500
/** Minutes until a child that failed too often is tried again. */
export const pauseMin = 5

/** Arguments of this runtime that run another command of the program that this process runs. */
const runtimeArguments = (): ReadonlyArray<string> => {
  const program = process.argv[1]!
  return "Deno" in globalThis
    ? ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env", "--allow-sys", "--allow-ffi", program]
    : [program]
}

/** Creates the key of a run of this child, and revokes keys that an earlier run of this node left behind. */
const keyOf = Effect.fnUntraced(function* ({ name, node, role, scope }: Child) {
  const accounts = yield* Accounts
  const keyName = `${name} of ${node.name}`
  for (const { keyId, name: known } of yield* accounts.apiKeys) {
    if (known === keyName) yield* accounts.revokeApiKey(keyId)
  }
  const { key } = yield* Effect.acquireRelease(
    accounts.createApiKey({ name: keyName, role, scopes: [scope], expiresAtMs: null }),
    ({ apiKey }) => Effect.ignore(accounts.revokeApiKey(apiKey.keyId)),
  )
  return key
})

/** The key of a run, as soon as it can be created. The log has the first failure. */
const awaitKey = (child: Child) =>
  Effect.suspend(() => {
    let isWaiting = false
    const created = Effect.tapError(keyOf(child), ({ message }) => {
      if (isWaiting) return Effect.void
      isWaiting = true
      return Effect.logWarning(`child process waits for its API key: ${message}`, { child: child.name })
    })
    return Effect.orDie(Effect.retry(created, Schedule.spaced("5 seconds")))
  })

/** Why a process has no exit code: which signal ended it, or why it did not start. */
const causeOf = ({ message, reason }: PlatformError.PlatformError): string =>
  reason.cause instanceof Error ? reason.cause.message : message

/** Runs the child, with restarts, until it exits with 0 or its final exit code. */
export const superviseChild = Effect.fnUntraced(function* (child: Child) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const onChange = child.onChange ?? (() => Effect.void)
  const log = yield* CurrentLogOutput
  const commandWith = (apiKey: string) =>
    ChildProcess.make(process.execPath, [...runtimeArguments(), ...child.args], {
      env: { ...child.env, WAVEPOSE_API_KEY: apiKey },
      extendEnv: true,
      stdin: "pipe",
      stdout: "pipe",
      // The log of a child goes where that of this process goes.
      stderr: log.file === null ? "inherit" : "pipe",
      // A child that hangs must not block the end of the service.
      forceKillAfter: "3 seconds",
    })
  /** Forwards a line of the child to this process's stdout, for programs, and reports its state. A terminal shows the welcome only. */
  const forward = Effect.fnUntraced(function* (line: string) {
    if (process.stdout.isTTY !== true) yield* Console.log(line)
    const status = Option.getOrNull(statusOf(line))
    if (status === null) return
    yield* onChange("ready" in status ? { state: "active" } : { state: "broken", reason: status.reason })
  })
  const run = Effect.scoped(Effect.gen(function* () {
    const key = yield* awaitKey(child)
    const { exitCode, stderr, stdout } = yield* spawner.spawn(commandWith(key))
    const each = (stream: typeof stdout, use: (line: string) => Effect.Effect<void>) =>
      Effect.forkScoped(Effect.ignore(Stream.runForEach(stream.pipe(Stream.decodeText, Stream.splitLines), use)))
    yield* each(stdout, forward)
    yield* each(stderr, (line) => Effect.sync(() => log.write(line)))
    return yield* exitCode
  }))
  for (let failures = 0;;) {
    const beganMs = yield* monotonicMs
    // A signal, as at the end of the memory, is an error of the spawner.
    const end = yield* Effect.result(run)
    const code = Result.isSuccess(end) ? end.success : null
    if (code === 0) return "done" satisfies ChildEnd
    yield* Effect.logError("child process ended", {
      child: child.name,
      ...(Result.isSuccess(end) ? { exit_code: code } : { cause: causeOf(end.failure) }),
    })
    if (code !== null && code === child.finalExitCode) return "final" satisfies ChildEnd
    failures = (yield* monotonicMs) - beganMs > steadyMs ? 1 : failures + 1
    if (failures < failuresMax) {
      yield* onChange({ state: "failed" })
      yield* Effect.sleep(backOffMsMin * 2 ** failures)
      continue
    }
    yield* onChange({ state: "paused" })
    yield* Effect.logError(`child process failed repeatedly; it is tried again in ${pauseMin} minutes`, {
      child: child.name,
      failures,
    })
    yield* Effect.sleep(Duration.minutes(pauseMin))
    failures = 0
  }
})
