/**
 * The source of a demonstration as a child process: it sends through this node's gRPC door with a key of its own.
 *
 * Invariants: the source ends with the service, however that ends (its stdin closes); the key dies with it too; a source that
 * fails again and again is given up.
 */
import { Clock, Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import { Accounts } from "../protocols/messages/accounts.ts"
import type { Destination } from "./play-command.ts"
import type { PlayedSource } from "./source-options.ts"

/** Failures in a row after which a source is given up; one that ran for `steadyMs` before it failed begins a new row. */
const failuresMax = 5
const steadyMs = 60_000
const backOffMsMin = 500

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

/** How this runtime runs a script of ours. */
const runtimeArguments = (): ReadonlyArray<string> =>
  "Deno" in globalThis
    ? ["run", "--quiet", "--allow-net", "--allow-read", "--allow-env", "--allow-sys", "--allow-ffi", main]
    : [main]

const sourceArguments = (source: PlayedSource, { caFile, to }: Destination): ReadonlyArray<string> => {
  const authority = caFile === null ? [] : ["--ca", caFile]
  const common = ["--speed", String(source.speed), "--to", to, "--while-stdin", ...authority]
  return source.kind === "simulated"
    ? ["sim", "run", source.scenario, ...(source.seed === null ? [] : ["--seed", String(source.seed)]), ...common]
    : ["replay", ...source.files, ...(source.loop ? ["--loop"] : []), ...common]
}

/** A key for this source alone; keys that an earlier life of this very node left behind are revoked. */
const sourceKey = Effect.fnUntraced(function* (destination: Destination) {
  const accounts = yield* Accounts
  const keyName = `source of ${destination.to}`
  for (const { keyId, name } of yield* accounts.apiKeys) if (name === keyName) yield* accounts.revokeApiKey(keyId)
  const { key } = yield* Effect.acquireRelease(
    accounts.createApiKey(keyName, "operator", null),
    ({ apiKey }) => Effect.ignore(accounts.revokeApiKey(apiKey.keyId)),
  )
  return key
})

/** Runs the source to its end, or for ever. */
export const superviseSource = Effect.fnUntraced(function* (source: PlayedSource, destination: Destination) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const command = ChildProcess.make(
    process.execPath,
    [...runtimeArguments(), ...sourceArguments(source, destination)],
    {
      env: { WAVEPOSE_API_KEY: yield* sourceKey(destination) },
      extendEnv: true,
      stdin: "pipe",
      stdout: "inherit",
      stderr: "inherit",
    },
  )
  for (let failures = 0; failures < failuresMax;) {
    const beganMs = yield* Clock.currentTimeMillis
    const code = yield* Effect.scoped(Effect.flatMap(spawner.spawn(command), (handle) => handle.exitCode))
    if (code === 0) return
    failures = (yield* Clock.currentTimeMillis) - beganMs > steadyMs ? 1 : failures + 1
    yield* Effect.logError(`the source ended with code ${code}`)
    yield* Effect.sleep(backOffMsMin * 2 ** failures)
  }
  yield* Effect.logError(
    `the source failed ${failuresMax} times in a row and is given up; the service goes on without it`,
  )
})
