/** The enrolment of a router while the store answers, fails or hangs. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { makeEnrolment } from "../../../actors/router/enrolment.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { Directory } from "../../../protocols/ports/directory.ts"

/** What the store answers: an environment, or null for a router that is not enrolled. A slow one answers "home" after a second. */
type Store = string | null | "fails" | "hangs" | "slow"

const run = <A, E>(
  use: (site: {
    readonly enrolment: Effect.Success<ReturnType<typeof makeEnrolment>>
    /** The environment of the router now: a text, or the tag of the failure; null while it waits. */
    readonly now: Effect.Effect<string | null>
    readonly set: (store: Store) => void
    readonly asked: () => number
  }) => Effect.Effect<A, E>,
) => {
  let store: Store = "home"
  let asked = 0
  const environmentOf = () =>
    Effect.suspend((): Effect.Effect<string | null, StoreUnavailable> => {
      asked++
      if (store === "hangs") return Effect.never
      if (store === "slow") return Effect.delay(Effect.succeed("home"), "1 second")
      return store === "fails"
        ? Effect.fail(new StoreUnavailable({ message: "The database failed." }))
        : Effect.succeed(store)
    })
  return Effect.gen(function* () {
    yield* TestClock.adjust(1)
    const enrolment = yield* makeEnrolment("r1")
    const now = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.catch(enrolment.environmentId, ({ _tag }) => Effect.succeed(_tag)),
        { startImmediately: true },
      )
      yield* Effect.yieldNow
      const exit = fiber.pollUnsafe()
      return exit?._tag === "Success" ? exit.value : null
    })
    return yield* use({ enrolment, now, set: (wanted) => void (store = wanted), asked: () => asked })
  }).pipe(
    Effect.provide(Layer.succeed(Directory, { environmentOf } as unknown as Directory["Service"])),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )
}

it("is looked up once a minute, and once in five seconds for a router that is not enrolled", () =>
  run(({ asked, now, set }) =>
    Effect.gen(function* () {
      expect([yield* now, yield* now, asked()]).toEqual(["home", "home", 1])
      set(null)
      yield* TestClock.adjust("59 seconds")
      expect([yield* now, asked()]).toEqual(["home", 1])
      yield* TestClock.adjust("1 second")
      yield* now
      expect([yield* now, asked()]).toEqual(["UnknownRouter", 2])
      set("office")
      yield* TestClock.adjust("4 seconds")
      expect([yield* now, asked()]).toEqual(["UnknownRouter", 2])
      yield* TestClock.adjust("1 second")
      expect([yield* now, asked()]).toEqual(["office", 3])
    })
  ))

it("is looked up after five seconds although the clock was set back", () =>
  run(({ now, set }) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("2 hours")
      set(null)
      expect(yield* now).toBe("UnknownRouter")
      set("home")
      yield* TestClock.setTime(0)
      yield* TestClock.adjust("5 seconds")
      expect(yield* now).toBe("home")
    })
  ))

it.each(["fails", "hangs"])(
  "of a known router stays while the store %s, at one query a minute, and changes when it is back",
  (state) =>
    run(({ asked, now, set }) =>
      Effect.gen(function* () {
        yield* now
        set(state)
        for (let second = 0; second < 180; second++) {
          yield* TestClock.adjust("1 second")
          expect(yield* now).toBe("home")
        }
        expect(asked()).toBe(4)
        set("office")
        yield* TestClock.adjust("1 minute")
        yield* now
        expect(yield* now).toBe("office")
      })
    ),
)

it("of a router that is not known fails with the store, after two seconds at most", () =>
  run(({ enrolment, now, set }) =>
    Effect.gen(function* () {
      set("fails")
      expect(yield* now).toBe("StoreUnavailable")
      set("hangs")
      const asked = yield* Effect.forkChild(Effect.flip(enrolment.environmentId), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      expect(asked.pollUnsafe()).toMatchObject({ value: { _tag: "StoreUnavailable" } })
      set("home")
      expect(yield* now).toBe("home")
    })
  ))

it("is not used after it has expired, and no answer from before is kept", () =>
  run(({ enrolment, now, set }) =>
    Effect.gen(function* () {
      yield* now
      set("slow")
      yield* TestClock.adjust("1 minute")
      expect(yield* now).toBe("home")
      enrolment.expire()
      set("office")
      expect(yield* now).toBe("office")
      yield* TestClock.adjust("1 second")
      expect(yield* now).toBe("office")
      enrolment.expire()
      set("fails")
      expect(yield* now).toBe("StoreUnavailable")
    })
  ))
