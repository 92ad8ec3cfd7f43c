/**
 * Child processes of a running service. Each runs a command of `wavepose` with an API key of its own and is restarted when it fails.
 *
 * Invariants: a child ends when the service ends for any reason, because its stdin closes. Its key is revoked when it ends. A child that
 * fails repeatedly, or that ends with its final exit code, is not restarted.
 */
import { Clock, Console, Effect, Option, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
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
  | { readonly state: "active" | "failed" | "given-up" }
  | { readonly state: "broken"; readonly reason: string }

interface Child {
  /** Appears in the log and in the name of its key. */
  readonly name: string
  /** Arguments of `wavepose`; include `--while-stdin`. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Role and only scope of its key, which it reads from `WAVEPOSE_API_KEY`. */
  readonly role: Role
  readonly scope: Scope
  /** The gRPC edge of this node, `grpc://host:port`; part of the key's name, so that nodes do not revoke each other's keys. */
  readonly to: string
  /** The exit code after which it is not restarted. */
  readonly finalExitCode: number | null
  /** Receives each change of its state. */
  readonly onChange?: (state: ChildState) => Effect.Effect<void>
}

/** Why a child is not restarted. */
type ChildEnd = "done" | "final" | "given-up"

/** A child is given up after this many failures in a row. A run of at least `steadyMs` resets the count. */
const failuresMax = 5
const steadyMs = 60_000
const backOffMsMin = 500

/** Arguments of this runtime that run another command of the program that this process runs. */
const runtimeArguments = (): ReadonlyArray<string> => {
  const program = process.argv[1]!
  return "Deno" in globalThis
    ? ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env", "--allow-sys", "--allow-ffi", program]
    : [program]
}

/** Creates the key of this child, and revokes keys that an earlier run of this node left behind. */
const keyOf = Effect.fnUntraced(function* ({ name, role, scope, to }: Child) {
  const accounts = yield* Accounts
  const keyName = `${name} of ${to}`
  for (const { keyId, name: known } of yield* accounts.apiKeys) {
    if (known === keyName) yield* accounts.revokeApiKey(keyId)
  }
  const { key } = yield* Effect.acquireRelease(
    accounts.createApiKey({ name: keyName, role, scopes: [scope], expiresAtMs: null }),
    ({ apiKey }) => Effect.ignore(accounts.revokeApiKey(apiKey.keyId)),
  )
  return key
})

/** Runs the child, with restarts, until it exits with 0 or its final exit code, or is given up. */
export const superviseChild = Effect.fnUntraced(function* (child: Child) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const onChange = child.onChange ?? (() => Effect.void)
  const log = yield* CurrentLogOutput
  const command = ChildProcess.make(process.execPath, [...runtimeArguments(), ...child.args], {
    env: { ...child.env, WAVEPOSE_API_KEY: yield* keyOf(child) },
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
    const { exitCode, stderr, stdout } = yield* spawner.spawn(command)
    const each = (stream: typeof stdout, use: (line: string) => Effect.Effect<void>) =>
      Effect.forkScoped(Effect.ignore(Stream.runForEach(stream.pipe(Stream.decodeText, Stream.splitLines), use)))
    yield* each(stdout, forward)
    yield* each(stderr, (line) => Effect.sync(() => log.write(line)))
    return yield* exitCode
  }))
  for (let failures = 0; failures < failuresMax;) {
    const beganMs = yield* Clock.currentTimeMillis
    const code = yield* run
    if (code === 0) return "done" satisfies ChildEnd
    yield* Effect.logError("child process ended", { child: child.name, exit_code: code })
    if (code === child.finalExitCode) return "final" satisfies ChildEnd
    yield* onChange({ state: "failed" })
    failures = (yield* Clock.currentTimeMillis) - beganMs > steadyMs ? 1 : failures + 1
    yield* Effect.sleep(backOffMsMin * 2 ** failures)
  }
  yield* onChange({ state: "given-up" })
  yield* Effect.logError("child process given up; the service continues without it", {
    child: child.name,
    failures: failuresMax,
  })
  return "given-up" satisfies ChildEnd
})
