import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { Entity, TestRunner } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { entityOptions, Escalations, supervise } from "../../../actors/runtime/supervision.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { UnavailableActors } from "../../../protocols/messages/unavailable-actors.ts"

/** A counter that fails on a poisoned message. Its count is in memory, so that a rebuild resets it. */
const Add = Rpc.make("Add", { payload: { amount: Schema.Int }, success: Schema.Int, error: Schema.String })
const Numbers = Rpc.make("Numbers", { success: Schema.Int, stream: true })
const Counter = Entity.make("Counter", [Add, Numbers])

const policy = { restartsMax: 2, windowMs: 10_000, coolDownMs: 5_000 }

const run = <A, E>(
  use: (
    counter: {
      readonly add: (amount: number) => Effect.Effect<number, unknown>
      readonly numbers: Stream.Stream<number, unknown>
      readonly builds: () => number
    },
  ) => Effect.Effect<A, E, UnavailableActors>,
  options: { readonly failingBuilds?: number } = {},
) => {
  let builds = 0
  const build = Effect.gen(function* () {
    builds++
    if (builds <= (options.failingBuilds ?? 0)) yield* new StoreUnavailable({ message: "the store is away" })
    let count = 0
    return Counter.of({
      Add: ({ payload: { amount } }) =>
        amount < 0
          ? Effect.die(new Error("poison"))
          : amount === 0
          ? Effect.fail("nothing to add")
          : Effect.sync(() => count += amount),
      Numbers: () => Stream.make(1, 2, 3),
    })
  })
  const layer = Counter.toLayer(supervise(Counter, build, { policy }), entityOptions)
  return Effect.gen(function* () {
    // The cluster registers its entities on the clock.
    yield* TestClock.adjust(1)
    const counter = (yield* Counter.client)("one")
    return yield* use({
      add: (amount) => counter.Add({ amount }).pipe(Effect.sandbox),
      numbers: counter.Numbers(),
      builds: () => builds,
    })
  }).pipe(
    Effect.provide(layer.pipe(Layer.provideMerge(TestRunner.layer), Layer.provideMerge(Escalations.layer))),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )
}

describe("supervision", () => {
  it("fails a poisoned message once, and rebuilds the actor for the next one", () =>
    run(({ add, builds }) =>
      Effect.gen(function* () {
        expect(yield* add(2)).toBe(2)
        expect((yield* Effect.exit(add(-1)))._tag).toBe("Failure")
        expect(yield* add(3)).toBe(3)
        expect(builds()).toBe(2)
      })
    ))

  it("passes typed failures through without a rebuild", () =>
    run(({ add, builds }) =>
      Effect.gen(function* () {
        yield* add(2)
        expect((yield* Effect.exit(add(0)))._tag).toBe("Failure")
        expect(yield* add(1)).toBe(3)
        expect(builds()).toBe(1)
      })
    ))

  it("gives up an actor that fails too often, reports it, and tries again after the cool-down", () =>
    run(({ add, builds }) =>
      Effect.gen(function* () {
        for (let i = 0; i <= policy.restartsMax; i++) yield* Effect.exit(add(-1))
        const givenUp = yield* UnavailableActors
        expect((yield* givenUp.current).map((each) => each.actor)).toEqual(["Counter/one"])
        const built = builds()
        expect((yield* Effect.exit(add(1)))._tag).toBe("Failure")
        expect(builds()).toBe(built)
        yield* TestClock.adjust(policy.coolDownMs)
        expect(yield* add(1)).toBe(1)
        expect(yield* givenUp.current).toEqual([])
      })
    ))

  it("retries with a delay a build that ends in a typed failure", () =>
    run(({ add, builds }) =>
      Effect.gen(function* () {
        const adding = yield* Effect.forkChild(add(1))
        yield* TestClock.adjust(700)
        expect(yield* Fiber.join(adding)).toBe(1)
        expect(builds()).toBe(4)
      }), { failingBuilds: 3 }))

  it("answers ActorNotReady while the build keeps failing, and does not give the actor up", () =>
    run(({ add, builds }) =>
      Effect.gen(function* () {
        const adding = yield* Effect.forkChild(Effect.exit(add(1)))
        yield* TestClock.adjust(1_500)
        expect(JSON.stringify(yield* Fiber.join(adding))).toContain("ActorNotReady")
        for (let i = 0; i <= 2 * policy.restartsMax; i++) {
          expect(JSON.stringify(yield* Effect.exit(add(1)))).toContain("ActorNotReady")
        }
        expect(builds()).toBe(5)
        expect(yield* (yield* UnavailableActors).current).toEqual([])
        yield* TestClock.adjust(1_000)
        expect(yield* add(1)).toBe(1)
      }), { failingBuilds: 5 }))

  it("waits no longer where the clock is set back meanwhile", () =>
    run(({ add }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("2 hours")
        const adding = yield* Effect.forkChild(Effect.exit(add(1)))
        yield* TestClock.adjust(1_500)
        yield* Fiber.join(adding)
        yield* TestClock.setTime(3_600_000)
        yield* TestClock.adjust(1_000)
        expect(yield* add(1)).toBe(1)
        for (let i = 0; i <= policy.restartsMax; i++) yield* Effect.exit(add(-1))
        yield* TestClock.setTime(0)
        yield* TestClock.adjust(policy.coolDownMs)
        expect(yield* (yield* UnavailableActors).current).toEqual([])
        expect(yield* add(1)).toBe(1)
      }), { failingBuilds: 5 }))

  it("ignores failures older than its window", () =>
    run(({ add }) =>
      Effect.gen(function* () {
        for (let i = 0; i < 6; i++) {
          yield* Effect.exit(add(-1))
          yield* TestClock.adjust(policy.windowMs / 2 + 1)
        }
        expect(yield* add(1)).toBe(1)
      })
    ))

  it("passes streams", () =>
    run(({ numbers }) =>
      Effect.gen(function* () {
        expect(yield* Stream.runCollect(numbers)).toEqual([1, 2, 3])
      })
    ))
})
