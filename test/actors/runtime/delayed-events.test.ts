/** The delayed events of a machine: when they are handled, and how many fibers wait for them. */
import { Clock, Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { makeDelayedEvents } from "../../../actors/runtime/delayed-events.ts"

/** Delayed events that note what is handled and when, on a clock that counts what sleeps. */
const noted = Effect.gen(function* () {
  const handled: Array<readonly [event: string, atMs: number]> = []
  const clock = yield* Clock.Clock
  let sleeps = 0
  const counting: Clock.Clock = Object.assign(Object.create(clock), {
    sleep: (duration: Parameters<Clock.Clock["sleep"]>[0]) => {
      sleeps++
      return clock.sleep(duration)
    },
  })
  const events = yield* makeDelayedEvents<string>(
    (effect) => effect,
    (event) => Effect.map(Clock.currentTimeMillis, (atMs) => void handled.push([event, atMs])),
  ).pipe(Effect.provideService(Clock.Clock, counting))
  return {
    handled,
    sleeps: () => sleeps,
    delay: (id: string, event: string, delayMs: number) =>
      Effect.provideService(events.delay(id, event, delayMs), Clock.Clock, counting),
    cancel: events.cancel,
  }
})

const run = (program: Effect.Effect<void, never, Scope.Scope>) =>
  program.pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

it("handles an event that is delayed anew at the last of its times, with one sleep for all signs of life before", () =>
  run(Effect.gen(function* () {
    const { delay, handled, sleeps } = yield* noted
    for (let i = 0; i <= 20; i++) {
      yield* delay("silence", `after ${i}`, 1_000)
      yield* TestClock.adjust(i < 20 ? 100 : 0)
    }
    yield* TestClock.adjust(999)
    expect(handled).toEqual([])
    yield* TestClock.adjust(1)
    expect(handled).toEqual([["after 20", 3_000]])
    expect(sleeps()).toBeLessThanOrEqual(4)
  })))

it("does not handle a cancelled event, and handles one that is delayed after that", () =>
  run(Effect.gen(function* () {
    const { cancel, delay, handled } = yield* noted
    yield* delay("silence", "first", 1_000)
    yield* TestClock.adjust(500)
    yield* cancel("silence")
    yield* delay("silence", "second", 1_000)
    yield* TestClock.adjust(600)
    expect(handled).toEqual([])
    yield* cancel("silence")
    yield* TestClock.adjust(10_000)
    yield* delay("silence", "third", 100)
    yield* TestClock.adjust(100)
    expect(handled).toEqual([["third", 11_200]])
  })))

it("handles an event that is due earlier than the one of its id before, once", () =>
  run(Effect.gen(function* () {
    const { delay, handled } = yield* noted
    yield* delay("silence", "late", 10_000)
    yield* delay("silence", "early", 100)
    yield* TestClock.adjust(100)
    yield* TestClock.adjust(20_000)
    expect(handled).toEqual([["early", 100]])
  })))

it("keeps events of several ids apart", () =>
  run(Effect.gen(function* () {
    const { cancel, delay, handled } = yield* noted
    yield* delay("one", "of one", 200)
    yield* delay("other", "of other", 100)
    yield* cancel("one")
    yield* TestClock.adjust(1_000)
    expect(handled).toEqual([["of other", 100]])
  })))
