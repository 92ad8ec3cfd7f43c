/** The supervision of child processes, on virtual time. The processes are handles whose ends the test decides. */
import { Cause, Effect, Exit, Fiber, Layer, Logger, PlatformError, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { superviseChild } from "../../../deploy/children/child-process.ts"
import { Accounts } from "../../../protocols/ports/accounts.ts"

const unused = Effect.die("not used")

const accounts = Layer.succeed(Accounts, {
  signIn: () => unused,
  byApiKey: () => unused,
  createApiKey: (given) =>
    Effect.succeed({ key: "k", apiKey: { ...given, keyId: "1", createdAtMs: 0, lastUsedAtMs: null } as never }),
  apiKeys: Effect.succeed([]),
  revokeApiKey: () => Effect.succeed(true),
})

/** The end of a process by its exit code or a signal. */
const endOf = (how: number | string) =>
  typeof how === "number" ? Effect.succeed(ChildProcessSpawner.ExitCode(how)) : Effect.fail(
    PlatformError.systemError({ _tag: "Unknown", module: "ChildProcess", method: "exitCode", description: how }),
  )

/** Starts of the child, and its states, while it runs for these seconds each time and ends with these exit codes; after them it runs on. */
const supervised = (ends: ReadonlyArray<readonly [seconds: number, code: number | string]>, minutes: number) =>
  Effect.gen(function* () {
    let starts = 0
    const states: Array<string> = []
    const spawner = ChildProcessSpawner.make(() => {
      const end = ends[starts++]
      return Effect.succeed(ChildProcessSpawner.makeHandle({
        pid: ChildProcessSpawner.ProcessId(1),
        exitCode: end === undefined ? Effect.never : Effect.delay(endOf(end[1]), 1000 * end[0]),
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
    const child = {
      name: "child",
      args: [],
      env: {},
      role: "viewer",
      scope: "read:poses",
      to: "grpc://n:1",
      finalExitCode: 2,
      onChange: ({ state }: { readonly state: string }) => Effect.sync(() => void states.push(state)),
    } as const
    const running = yield* Effect.forkChild(
      Effect.scoped(superviseChild(child)).pipe(
        Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
        Effect.provide(accounts),
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
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise)

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
