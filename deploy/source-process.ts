/**
 * The source of a demonstration as a child process: it sends through this node's gRPC door with a key of its own.
 *
 * Invariants: the source ends with the service, however that ends (its stdin closes); the key dies with it too; a source that
 * fails is started again at most `restartsMax` times.
 */
import { Effect, Schedule } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import { Accounts } from "../protocols/messages/accounts.ts"
import type { SourceOptions } from "./start.ts"

const restartsMax = 5
const keyName = "source of this service"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

/** How this runtime runs a script of ours. */
const runtimeArguments = (): ReadonlyArray<string> =>
  "Deno" in globalThis
    ? ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env", "--allow-sys", "--allow-ffi", main]
    : [main]

const sourceArguments = (source: Exclude<SourceOptions, { kind: "none" }>, address: string): ReadonlyArray<string> => {
  const common = ["--speed", String(source.speed), "--to", `grpc://${address}`, "--while-stdin"]
  return source.kind === "simulated"
    ? ["sim", "run", "small-room", ...(source.seed === null ? [] : ["--seed", String(source.seed)]), ...common]
    : ["replay", ...source.files, ...(source.loop ? ["--loop"] : []), ...common]
}

/** Runs the source to its end, or for ever. */
export const superviseSource = Effect.fnUntraced(function* (
  source: Exclude<SourceOptions, { kind: "none" }>,
  address: string,
) {
  const accounts = yield* Accounts
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  for (const { keyId, name } of yield* accounts.apiKeys) if (name === keyName) yield* accounts.revokeApiKey(keyId)
  const { key } = yield* Effect.acquireRelease(
    accounts.createApiKey(keyName, "operator", null),
    ({ apiKey }) => Effect.ignore(accounts.revokeApiKey(apiKey.keyId)),
  )
  const command = ChildProcess.make(process.execPath, [...runtimeArguments(), ...sourceArguments(source, address)], {
    env: { WAVEPOSE_API_KEY: key },
    extendEnv: true,
    stdin: "pipe",
    stdout: "inherit",
    stderr: "inherit",
  })
  const runOnce = Effect.scoped(Effect.gen(function* () {
    const handle = yield* spawner.spawn(command)
    const code = yield* handle.exitCode
    if (code !== 0) return yield* Effect.fail(`the source ended with code ${code}`)
  }))
  yield* runOnce.pipe(
    Effect.tapError((error) => Effect.logError("the source failed; it is started again", error)),
    Effect.retry({ times: restartsMax, schedule: Schedule.exponential("500 millis") }),
    Effect.catch((error) => Effect.logError("the source is given up; the service goes on without it", error)),
  )
})
