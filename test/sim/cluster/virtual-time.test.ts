/** Fibers in virtual time: sleeps end in order, and all work of a moment is done before the next. */
import { Clock, Duration, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { makeVirtualTime } from "../../../sim/cluster/virtual-time.ts"

const pause = (ms: number) => Effect.clockWith((clock) => clock.sleep(Duration.millis(ms)))

const run = (program: (note: (line: string) => Effect.Effect<void>) => Effect.Effect<unknown>, ms: number) => {
  const time = makeVirtualTime(1_000)
  const lines: Array<string> = []
  const note = (line: string) => Effect.map(Clock.currentTimeMillis, (nowMs) => void lines.push(`${nowMs} ${line}`))
  Effect.runForkWith(time.context)(program(note))
  time.advance(ms)
  return { lines, nowMs: time.clock.currentTimeMillisUnsafe() }
}

describe("virtual time", () => {
  it("ends sleeps in order of time, and those of a moment in the order of their begin", () => {
    const { lines, nowMs } = run(
      (note) =>
        Effect.all(
          [30, 10, 20, 10].map((ms, i) => Effect.andThen(pause(ms), note(`${i}`))),
          { concurrency: "unbounded" },
        ),
      1_000,
    )
    expect(lines).toEqual(["1010 1", "1010 3", "1020 2", "1030 0"])
    expect(nowMs).toBe(2_000)
  })

  it("does all work of a moment, also of fibers that yield, before the next", () => {
    const { lines } = run((note) =>
      Effect.gen(function* () {
        const other = yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, note("other")))
        yield* Effect.yieldNow
        yield* pause(1)
        yield* note("next")
        yield* Fiber.join(other)
      }), 10)
    expect(lines).toEqual(["1000 other", "1001 next"])
  })

  it("forgets a sleep that is interrupted, and does not go further than asked", () => {
    const { lines } = run((note) =>
      Effect.gen(function* () {
        yield* Effect.timeoutOption(Effect.andThen(pause(50), note("never")), 20)
        yield* note("timed out")
        yield* Effect.andThen(pause(500), note("too late"))
      }), 100)
    expect(lines).toEqual(["1020 timed out"])
  })
})
