/** The supervision of child processes, on virtual time. The processes are handles whose ends the test decides. */
import { Cause, Effect, Exit, Fiber, Layer, Logger, PlatformError, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { type ServiceNode, superviseChild } from "../../../deploy/children/child-process.ts"
import type { ApiKey } from "../../../protocols/domain/identity.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { Accounts } from "../../../protocols/ports/accounts.ts"

const unused = Effect.die("not used")

/** Accounts of a cluster: the names of the valid keys, by key. */
const accountsOf = (valid: Map<string, string>) => {
  let created = 0
  return Layer.succeed(Accounts, {
    signIn: () => unused,
    byApiKey: () => unused,
    createApiKey: (given) =>
      Effect.sync(() => {
        const key = `key ${++created}`
        valid.set(key, given.name)
        return { key, apiKey: { ...given, keyId: key, createdAtMs: 0, lastUsedAtMs: null } }
      }),
    apiKeys: Effect.sync(() => Array.from(valid, ([keyId, name]) => ({ keyId, name }) as ApiKey)),
    revokeApiKey: (keyId) => Effect.sync(() => valid.delete(keyId)),
  })
}

/** The end of a process by its exit code or a signal. */
const endOf = (how: number | string) =>
  typeof how === "number" ? Effect.succeed(ChildProcessSpawner.ExitCode(how)) : Effect.fail(
    PlatformError.systemError({ _tag: "Unknown", module: "ChildProcess", method: "exitCode", description: how }),
  )

/** How a run of a child ends; null: not. */
type End = readonly [seconds: number, code: number | string] | null

/** A spawner whose processes end as `endOf` the start says. */
const spawnerOf = (end: (apiKey: string) => End) =>
  ChildProcessSpawner.make((command) => {
    const ends = end(command._tag === "StandardCommand" ? String(command.options.env!.WAVEPOSE_API_KEY) : "")
    return Effect.succeed(ChildProcessSpawner.makeHandle({
      pid: ChildProcessSpawner.ProcessId(1),
      exitCode: ends === null ? Effect.never : Effect.delay(endOf(ends[1]), 1000 * ends[0]),
      isRunning: Effect.succeed(true),
      kill: () => Effect.void,
      stdin: Sink.drain,
      stdout: Stream.empty,
      stderr: Stream.empty,
      all: Stream.empty,
      getInputFd: () => Sink.drain,
      getOutputFd: () => Stream.empty,
      unref: Effect.succeed(Effect.void),
    }))
  })

const childOf = (node: ServiceNode, onChange: (state: { readonly state: string }) => Effect.Effect<void>) =>
  ({ name: "child", args: [], env: {}, role: "viewer", scope: "read:poses", node, finalExitCode: 2, onChange }) as const

const grpc = "grpc://0.0.0.0:50051"
const onVirtualTime = <A, E>(effect: Effect.Effect<A, E>) =>
  effect.pipe(Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise)

/** Starts of the child, and its states, while it runs for these seconds each time and ends with these exit codes; after them it runs on. */
const supervised = (ends: ReadonlyArray<readonly [seconds: number, code: number | string]>, minutes: number) =>
  Effect.gen(function* () {
    let starts = 0
    const states: Array<string> = []
    const spawner = spawnerOf(() => ends[starts++] ?? null)
    const child = childOf({ grpc, name: "n:1" }, ({ state }) => Effect.sync(() => void states.push(state)))
    const running = yield* Effect.forkChild(
      superviseChild(child).pipe(
        Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
        Effect.provide(accountsOf(new Map())),
      ),
    )
    for (let second = 0; second < 60 * minutes; second++) yield* TestClock.adjust("1 second")
    const exit = running.pollUnsafe()
    yield* Fiber.interrupt(running)
    return {
      starts,
      states,
      end: exit === undefined ? null : Exit.isSuccess(exit) ? exit.value : Cause.pretty(exit.cause),
    }
  }).pipe(onVirtualTime)

const crash = [1, 1] as const
const fiveCrashes = Array.from({ length: 5 }, () => crash)

it("tries a child that failed five times again after five minutes, without an end", async () => {
  expect(await supervised([...fiveCrashes, ...fiveCrashes], 4)).toEqual({
    starts: 5,
    states: ["failed", "failed", "failed", "failed", "paused"],
    end: null,
  })
  expect((await supervised([...fiveCrashes, ...fiveCrashes], 12)).starts).toBe(11)
})

it("counts only failures in a row", async () => {
  const { starts, states } = await supervised([crash, crash, crash, crash, [61, 1], crash, crash, crash], 4)
  expect(starts).toBe(9)
  expect(states).not.toContain("paused")
})

it("starts a child again that a signal ended", async () => {
  expect(await supervised([[1, "SIGKILL"]], 1)).toEqual({ starts: 2, states: ["failed"], end: null })
})

it.each([[0, "done"], [2, "final"]])("does not start one again that ended with %i", async (code, end) => {
  expect(await supervised([[1, code]], 1)).toEqual({ starts: 1, states: [], end })
})

/** Runs the child on these nodes of one cluster, and returns the valid keys and those that each run had. */
const onNodes = (
  names: ReadonlyArray<string>,
  during: (valid: Map<string, string>) => Effect.Effect<void>,
  end: (apiKey: string) => End = () => null,
) =>
  Effect.gen(function* () {
    const valid = new Map<string, string>()
    const used: Array<string> = []
    const spawner = spawnerOf((apiKey) => {
      used.push(apiKey)
      return end(apiKey)
    })
    const run = (name: string) =>
      superviseChild(childOf({ grpc, name }, () => Effect.void)).pipe(
        Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
      )
    const running = yield* Effect.forkChild(
      Effect.forEach(names, run, { concurrency: "unbounded" }).pipe(Effect.provide(accountsOf(valid))),
    )
    yield* TestClock.adjust("1 second")
    yield* during(valid)
    const whileRunning = [...valid.keys()]
    yield* Fiber.interrupt(running)
    return { used, whileRunning, atEnd: [...valid.keys()] }
  }).pipe(onVirtualTime)

it("leaves the keys of another node alone whose gRPC address is the same, and revokes its own at the end", async () => {
  expect(await onNodes(["node-1:50052", "node-2:50052"], () => Effect.void))
    .toEqual({ used: ["key 1", "key 2"], whileRunning: ["key 1", "key 2"], atEnd: [] })
})

it("revokes the key that a killed run of the same node left", async () => {
  expect(await onNodes(["node-1:50052", "node-1:50052"], () => Effect.void))
    .toMatchObject({ whileRunning: ["key 2"] })
})

it("gives a child that ended because its key was revoked a valid one", async () => {
  // It notices the loss of its key after two seconds.
  const revoke = (valid: Map<string, string>) =>
    Effect.sync(() => void valid.delete("key 1")).pipe(Effect.andThen(TestClock.adjust("5 seconds")))
  expect(await onNodes(["node-1:50052"], revoke, (apiKey) => apiKey === "key 1" ? [2, 1] : null))
    .toEqual({ used: ["key 1", "key 2"], whileRunning: ["key 2"], atEnd: [] })
})

it("says once that it waits for a key that cannot be created", async () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => void logged.push(message))
  let failing = true
  const accounts = Layer.effect(
    Accounts,
    Effect.map(Accounts, (real) => ({
      ...real,
      createApiKey: (given: Parameters<typeof real.createApiKey>[0]) =>
        Effect.suspend(() =>
          failing ? Effect.fail(new StoreUnavailable({ message: "The database failed." })) : real.createApiKey(given)
        ),
    })),
  ).pipe(Layer.provide(accountsOf(new Map())))
  const used: Array<string> = []
  const spawner = spawnerOf((apiKey) => {
    used.push(apiKey)
    return null
  })
  await onVirtualTime(Effect.gen(function* () {
    const running = yield* superviseChild(childOf({ grpc, name: "n:1" }, () => Effect.void)).pipe(
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
      Effect.provide([accounts, Logger.layer([logger])]),
      Effect.forkChild,
    )
    yield* TestClock.adjust("20 seconds")
    failing = false
    yield* TestClock.adjust("5 seconds")
    yield* Fiber.interrupt(running)
  }))
  expect(logged).toEqual([["child process waits for its API key: The database failed.", { child: "child" }]])
  expect(used).toEqual(["key 1"])
})
