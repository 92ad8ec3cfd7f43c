/** Entries that come together share a commit, and every caller is answered, also when the queue ends. */
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeCommitQueue } from "../../../../actors/home/bus/commit-queue.ts"
import type { Publish } from "../../../../actors/home/bus/local-bus.ts"
import type { Offered } from "../../../../actors/home/bus/sequenced-states.ts"

const offered = { entry: {}, after: 0 } as Offered

/** A queue whose commits take as long as `committing`. */
const run = (
  committing: Effect.Effect<void>,
  test: (publish: Publish, batches: ReadonlyArray<number>, end: Effect.Effect<void>) => Effect.Effect<void, unknown>,
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const batches: Array<number> = []
    let sequence = 0
    const commit = (batch: ReadonlyArray<Offered>) =>
      Effect.as(
        Effect.tap(committing, () => Effect.sync(() => batches.push(batch.length))),
        batch.map(() => ++sequence),
      )
    const publish = yield* Scope.provide(makeCommitQueue(commit), scope)
    yield* test(publish, batches, Scope.close(scope, Exit.void))
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("the queue of a bus", () => {
  it("commits a single entry at once, and those that follow together", () =>
    run(Effect.void, (publish, batches) =>
      Effect.gen(function* () {
        expect(yield* publish(offered)).toEqual({ sequence: 1 })
        const later = yield* Effect.forkChild(Effect.all([publish(offered), publish(offered)], { concurrency: 2 }))
        yield* TestClock.adjust(25)
        expect(yield* Fiber.join(later)).toEqual([{ sequence: 2 }, { sequence: 3 }])
        expect(batches).toEqual([1, 2])
      })))

  it("answers an entry that has left the queue and waits for the time of its commit", () =>
    run(Effect.void, (publish, _, end) =>
      Effect.gen(function* () {
        yield* publish(offered)
        const waiting = yield* Effect.forkChild(Effect.flip(publish(offered)))
        yield* TestClock.adjust(1)
        yield* end
        expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "StoreUnavailable" })
      })))

  it("answers an entry whose commit is under way", () => {
    const never = Deferred.makeUnsafe<void>()
    return run(Deferred.await(never), (publish, _, end) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(Effect.flip(publish(offered)))
        yield* TestClock.adjust(1)
        yield* end
        expect(yield* Fiber.join(waiting)).toMatchObject({ message: expect.stringContaining("has ended") })
      }))
  })
})
