import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { remembered } from "../../../actors/store/privacy.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"

it("remembers the settings for a moment, keeps them while they cannot be read, and knows none before", () => {
  let reads = 0
  let fails = true
  const current = remembered(Effect.suspend(() => {
    reads++
    return fails
      ? Effect.fail(new StoreUnavailable({ message: "The database failed." }))
      : Effect.succeed({ ...defaultPrivacy, dataRetentionDays: reads })
  }))
  return Effect.gen(function* () {
    expect(yield* Effect.flip(current)).toMatchObject({ _tag: "StoreUnavailable" })
    fails = false
    expect((yield* current).dataRetentionDays).toBe(2)
    yield* TestClock.adjust("4 seconds")
    expect((yield* current).dataRetentionDays).toBe(2)
    yield* TestClock.adjust("1 second")
    expect((yield* current).dataRetentionDays).toBe(3)
    fails = true
    yield* TestClock.adjust("6 seconds")
    expect((yield* current).dataRetentionDays).toBe(3)
    expect(reads).toBe(4)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
})
