/** The waiting times and the end of the TypeScript client's streams, on a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { WaveposeError } from "../../../protocols/clients/typescript/error.ts"
import { reconnecting } from "../../../protocols/clients/typescript/reconnect.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it("a stream waits as long as the service asks for, and ends with a rejection", async () => {
  const failures = [
    new WaveposeError("Too many requests.", { status: 429, code: "RATE_LIMIT_EXCEEDED", retryAfterS: 7 }),
    new WaveposeError("No such environment.", { status: 404, code: "RESOURCE_NOT_FOUND" }),
  ]
  const attemptsMs: Array<number> = []
  const startMs = Date.now()
  // deno-lint-ignore require-yield
  const attempt = async function* (): AsyncGenerator<never> {
    attemptsMs.push(Date.now() - startMs)
    throw failures[attemptsMs.length - 1]!
  }
  const ended = expect(reconnecting(attempt, () => false, {}).next()).rejects.toThrow("No such environment.")
  await vi.advanceTimersByTimeAsync(60_000)
  await ended
  expect(attemptsMs).toEqual([0, 7_000])
})

it("a stream whose signal is aborted gives no message that had arrived before", async () => {
  const ended = new AbortController()
  const attempt = async function* () {
    yield* [1, 2]
  }
  const stream = reconnecting(attempt, () => false, { signal: ended.signal })
  expect(await stream.next()).toEqual({ done: false, value: 1 })
  ended.abort()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})
