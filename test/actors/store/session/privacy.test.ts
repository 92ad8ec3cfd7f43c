import { Effect } from "effect"
import { expect, it } from "vitest"
import { remembered } from "../../../../actors/store/session/privacy.ts"
import { StoreUnavailable } from "../../../../protocols/domain/failure.ts"
import { defaultPrivacy } from "../../../../protocols/domain/configuration.ts"

it("answers what is read, keeps it while nothing can be read, and knows nothing before", () => {
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
    expect((yield* current).dataRetentionDays).toBe(3)
    fails = true
    expect((yield* current).dataRetentionDays).toBe(3)
  }).pipe(Effect.runPromise)
})
