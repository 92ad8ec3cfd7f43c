import { Cause, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { ActorGaveUp, ActorNotReady } from "../../../protocols/messages/unavailable-actors.ts"

const failureOf = (call: Effect.Effect<unknown, UnknownEnvironment>) =>
  Effect.runPromise(Effect.flip(ask("Environment home", call)))

describe("asking an actor", () => {
  it("passes answers and typed failures", async () => {
    expect(await Effect.runPromise(ask("Environment home", Effect.succeed(1)))).toBe(1)
    expect(await failureOf(Effect.fail(UnknownEnvironment.of("home")))).toMatchObject({ _tag: "UnknownEnvironment" })
  })

  it("calls an actor unavailable that was given up, is not ready, or went away", async () => {
    const calls = [
      Effect.die(new ActorGaveUp("broke too often")),
      Effect.die(new ActorNotReady("the store is away")),
      Effect.failCause(Cause.interrupt()),
    ]
    for (const call of calls) {
      expect(await failureOf(call)).toMatchObject({
        _tag: "ActorUnavailable",
        actor: "Environment home",
        message: expect.stringContaining("cannot be reached"),
      })
    }
  })

  it("reports an actor as unavailable if it failed on the request, without the defect", async () => {
    const failure = await failureOf(Effect.die(new Error("secret detail")))
    expect(failure).toMatchObject({ _tag: "ActorUnavailable", message: expect.stringContaining("broke") })
    expect(failure.message).not.toContain("secret")
  })

  it("waits for so long and no longer", () =>
    Effect.gen(function* () {
      const asking = yield* Effect.forkChild(Effect.flip(ask("Environment home", Effect.never, 100)))
      yield* TestClock.adjust(100)
      expect(yield* Fiber.join(asking)).toMatchObject({ _tag: "AnswerTimeout", limitMs: 100 })
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
