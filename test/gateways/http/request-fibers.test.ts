import { Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { makeRequestFibers } from "../../../gateways/http/request-fibers.ts"

describe("fibers of requests", () => {
  it("are ended together, also those in slots that were used before, and the ones that are done are not touched", async () => {
    const fibers = makeRequestFibers()
    let ended = 0
    const never = () => Effect.runFork(Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ended++)))
    const gate = Promise.withResolvers<number>()
    const [first, done, second] = [never(), Effect.runFork(Effect.promise(() => gate.promise)), never()]
    for (const fiber of [first, done, second]) fibers.add(fiber)
    gate.resolve(1)
    expect(await Effect.runPromise(Fiber.await(done))).toEqual(Exit.succeed(1))
    const third = never()
    fibers.add(third)
    await Effect.runPromise(fibers.endAll)
    expect(ended).toBe(3)
    for (const fiber of [first, second, third]) expect(Exit.isFailure(fiber.pollUnsafe()!)).toBe(true)
    await Effect.runPromise(fibers.endAll)
  })
})
