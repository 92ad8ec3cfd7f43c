/**
 * Processes of `wavepose` that belong to a running service: started by it, with a key of their own, and started again when they fail.
 *
 * Invariants: a child ends with the service, however that ends (its stdin closes); its key dies with it too; one that fails again and
 * again is given up, and so is one that ends with a status that says that it must not be started again.
 */
import { Clock, Console, Effect, Option, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { Role } from "../../protocols/domain/identity.ts"
import { Accounts } from "../../protocols/ports/accounts.ts"

/** A line that a child writes to stdout about itself: `ready` whenever it does what it is for, `broken` when it cannot for now. */
const Word = Schema.fromJsonString(Schema.Union([
  Schema.Struct({ ready: Schema.String }),
  Schema.Struct({ broken: Schema.String, reason: Schema.String }),
]))
const wordOf = Schema.decodeUnknownOption(Word)

/** How a child does. */
type ChildState =
  | { readonly state: "active" | "failed" | "given-up" }
  | { readonly state: "broken"; readonly reason: string }

interface Child {
  /** For the log, and for the name of its key. */
  readonly name: string
  /** Of `wavepose`. `--while-stdin` should be among them. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Role of its key, which it finds in `WAVEPOSE_API_KEY`. */
  readonly role: Role
  /** Where the service listens for it, `grpc://host:port`: tells this node's keys from another's. */
  readonly to: string
  /** The status after which it is not started again. */
  readonly finalExitCode: number | null
  /** How it does, as it changes. */
  readonly tell?: (state: ChildState) => Effect.Effect<void>
}

/** How a child came to its end, after which it is not started again. */
type ChildEnd = "done" | "final" | "given-up"

/** Failures in a row after which a child is given up; one that ran for `steadyMs` before it failed begins a new row. */
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

/** A key for this child alone; keys that an earlier life of this very node left behind are revoked. */
const keyOf = Effect.fnUntraced(function* ({ name, role, to }: Child) {
  const accounts = yield* Accounts
  const keyName = `${name} of ${to}`
  for (const { keyId, name: known } of yield* accounts.apiKeys) {
    if (known === keyName) yield* accounts.revokeApiKey(keyId)
  }
  const { key } = yield* Effect.acquireRelease(
    accounts.createApiKey(keyName, role, null),
    ({ apiKey }) => Effect.ignore(accounts.revokeApiKey(apiKey.keyId)),
  )
  return key
})

/** Runs the child until it is done, must not be started again, or is given up. */
export const superviseChild = Effect.fnUntraced(function* (child: Child) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const tell = child.tell ?? (() => Effect.void)
  const command = ChildProcess.make(process.execPath, [...runtimeArguments(), ...child.args], {
    env: { ...child.env, WAVEPOSE_API_KEY: yield* keyOf(child) },
    extendEnv: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    // One that hangs does not keep the service from ending.
    forceKillAfter: "3 seconds",
  })
  /** What it writes is this process's to write, too. */
  const hear = Effect.fnUntraced(function* (line: string) {
    yield* Console.log(line)
    const word = Option.getOrNull(wordOf(line))
    if (word !== null) yield* tell("ready" in word ? { state: "active" } : { state: "broken", reason: word.reason })
  })
  const run = Effect.scoped(Effect.gen(function* () {
    const { exitCode, stdout } = yield* spawner.spawn(command)
    const lines = stdout.pipe(Stream.decodeText, Stream.splitLines)
    yield* Effect.forkScoped(Effect.ignore(Stream.runForEach(lines, hear)))
    return yield* exitCode
  }))
  for (let failures = 0; failures < failuresMax;) {
    const beganMs = yield* Clock.currentTimeMillis
    const code = yield* run
    if (code === 0) return "done" satisfies ChildEnd
    yield* Effect.logError(`the ${child.name} ended with code ${code}`)
    if (code === child.finalExitCode) return "final" satisfies ChildEnd
    yield* tell({ state: "failed" })
    failures = (yield* Clock.currentTimeMillis) - beganMs > steadyMs ? 1 : failures + 1
    yield* Effect.sleep(backOffMsMin * 2 ** failures)
  }
  yield* tell({ state: "given-up" })
  yield* Effect.logError(
    `the ${child.name} failed ${failuresMax} times in a row and is given up; the service goes on without it`,
  )
  return "given-up" satisfies ChildEnd
})
