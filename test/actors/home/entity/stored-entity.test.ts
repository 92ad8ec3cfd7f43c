/** An entity whose bus is on another node, under load. */
import { Effect, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { storeMsMax } from "../../../../actors/home/bus/commit-log.ts"
import { StoredEntity } from "../../../../actors/home/entity/stored-entity.ts"

const write = {
  type: "WRITE",
  state: "on",
  attributes: {},
  forceUpdate: false,
  context: { id: "c", parentId: null, userId: null },
  nowUs: 1_000_000,
} as const

/** Writes to an entity whose bus publishes after this time. */
const writing = (publishMs: number) =>
  Effect.gen(function* () {
    const bus = {
      Last: () => Effect.succeed({ state: null, sequence: 0 }),
      Publish: () => Effect.delay(Effect.succeed({ sequence: 7 }), publishMs),
    } as unknown as ConstructorParameters<typeof StoredEntity>[1]
    const localBus = { publish: () => null, register: () => Effect.void }
    const entity = new StoredEntity("light.a", bus, localBus, yield* Scope.Scope)
    const written = yield* Effect.forkChild(Effect.result(entity.move(write)))
    yield* TestClock.adjust(publishMs)
    return yield* Fiber.join(written)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

it("a write waits for as long as the store may take, and not longer", async () => {
  expect(await writing(storeMsMax)).toMatchObject({ _tag: "Success", success: { sequence: 7, state: { state: "on" } } })
  expect(await writing(storeMsMax + 2_000)).toMatchObject({ _tag: "Failure", failure: { _tag: "StoreUnavailable" } })
})
