/** The life of an environment while the store answers, fails or hangs. */
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { makeLife } from "../../../actors/environment/environment-life.ts"
import { StoreUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { Directory } from "../../../protocols/ports/directory.ts"

/** A slow store says after a second that the environment was removed. */
type Store = "active" | "removed" | "fails" | "hangs" | "slow"

/** The life of an environment that counts how often it was opened and stopped. */
const run = <A, E>(
  use: (site: {
    readonly life: Effect.Success<ReturnType<typeof makeLife<number, never, never>>>
    readonly set: (store: Store) => void
    readonly stopped: ReadonlyArray<number>
  }) => Effect.Effect<A, E>,
) => {
  let store: Store = "active"
  let opened = 0
  const stopped: Array<number> = []
  const environment = () =>
    Effect.suspend((): Effect.Effect<unknown, UnknownEnvironment | StoreUnavailable> => {
      if (store === "hangs") return Effect.never
      if (store === "fails") return Effect.fail(new StoreUnavailable({ message: "The database failed." }))
      const removed = Effect.fail(UnknownEnvironment.of("home"))
      if (store === "slow") return Effect.delay(removed, "1 second")
      return store === "removed" ? removed : Effect.void
    })
  return Effect.gen(function* () {
    const life = yield* makeLife(
      "home",
      Effect.sync(() => ++opened),
      (environment) => Effect.sync(() => void stopped.push(environment)),
    )
    return yield* use({ life, stopped, set: (wanted) => void (store = wanted) })
  }).pipe(
    Effect.provide(Layer.succeed(Directory, { environment } as unknown as Directory["Service"])),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )
}

it("ends the environment once it is not active, and opens another one when it is asked again", () =>
  run(({ life, set, stopped }) =>
    Effect.gen(function* () {
      expect(yield* life.current).toBe(1)
      const watched = Effect.flip(Stream.runDrain(life.stream(() => Stream.never)))
      const watching = yield* Effect.forkChild(watched, { startImmediately: true })
      set("removed")
      yield* TestClock.adjust("10 seconds")
      expect(stopped).toEqual([1])
      expect(yield* Fiber.join(watching)).toMatchObject({ _tag: "UnknownEnvironment" })
      set("active")
      expect(yield* life.current).toBe(2)
    })
  ))

it("keeps it while the store fails", () =>
  run(({ life, set, stopped }) =>
    Effect.gen(function* () {
      yield* life.current
      set("fails")
      yield* TestClock.adjust("30 seconds")
      expect([yield* life.current, stopped]).toEqual([1, []])
    })
  ))

it("answers while a check waits for a store that hangs, and checks again later", () =>
  run(({ life, set, stopped }) =>
    Effect.gen(function* () {
      yield* life.current
      set("hangs")
      yield* TestClock.adjust("10 seconds")
      const asked = yield* Effect.forkChild(life.current, { startImmediately: true })
      yield* Effect.yieldNow
      expect(asked.pollUnsafe()).toMatchObject({ value: 1 })
      set("removed")
      yield* TestClock.adjust("12 seconds")
      expect(stopped).toEqual([1])
    })
  ))

it("does not end an environment that was opened after the store was asked", () =>
  run(({ life, set, stopped }) =>
    Effect.gen(function* () {
      yield* life.current
      set("slow")
      yield* Effect.forkChild(life.check, { startImmediately: true })
      set("removed")
      yield* life.check
      expect([stopped, yield* life.current]).toEqual([[1], 2])
      set("active")
      yield* TestClock.adjust("1 second")
      expect([stopped, yield* life.current]).toEqual([[1], 2])
    })
  ))
