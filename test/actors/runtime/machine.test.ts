import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { assign, setup } from "xstate"
import { runMachine } from "../../../actors/runtime/machine.ts"

/** Waits for silence; a touch restarts the wait. */
const machine = setup({
  types: {
    context: {} as { readonly touches: number },
    events: {} as { readonly type: "TOUCH" } | { readonly type: "HOLD" },
  },
  actions: { hold: () => {}, count: assign(({ context }) => ({ touches: context.touches + 1 })) },
}).createMachine({
  id: "silence",
  initial: "heard",
  context: { touches: 0 },
  states: {
    heard: {
      after: { 1000: "silent" },
      on: { TOUCH: { target: "heard", reenter: true, actions: "count" }, HOLD: { actions: "hold" } },
    },
    silent: { on: { TOUCH: { target: "heard", actions: "count" } } },
  },
})

const run = <A, E>(program: Effect.Effect<A, E, Effect.Services<ReturnType<typeof runMachine>>>) =>
  program.pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

describe("running a machine", () => {
  it("makes delayed transitions on the clock", () =>
    run(Effect.gen(function* () {
      const { send, snapshot } = yield* runMachine(machine)
      yield* TestClock.adjust(999)
      yield* send({ type: "TOUCH" })
      yield* TestClock.adjust(999)
      expect(snapshot().value).toBe("heard")
      yield* TestClock.adjust(1)
      expect(snapshot().value).toBe("silent")
    })))

  it("does not handle a delayed event that was already due when a transition cancelled it", () =>
    run(Effect.gen(function* () {
      const held = yield* Deferred.make<void>()
      const { send, snapshot } = yield* runMachine(machine, {
        perform: (action) => action.type === "hold" ? Deferred.await(held) : Effect.void,
      })
      const holding = yield* Effect.forkChild(send({ type: "HOLD" }), { startImmediately: true })
      const touching = yield* Effect.forkChild(send({ type: "TOUCH" }), { startImmediately: true })
      yield* TestClock.adjust(1_000)
      yield* Deferred.succeed(held, undefined)
      yield* Fiber.joinAll([holding, touching])
      yield* TestClock.adjust(0)
      expect(snapshot()).toMatchObject({ value: "heard", context: { touches: 1 } })
      yield* TestClock.adjust(1_000)
      expect(snapshot().value).toBe("silent")
    })))

  it("keeps its state and performs no action when a transition cannot be saved", () =>
    run(Effect.gen(function* () {
      let kept = false
      const performed: Array<string> = []
      const { send, snapshot } = yield* runMachine(machine, {
        keep: () => Effect.suspend(() => kept ? Effect.void : Effect.fail("not kept" as const)),
        perform: (action) => Effect.sync(() => void performed.push(action.type)),
      })
      expect(yield* Effect.flip(send({ type: "TOUCH" }))).toBe("not kept")
      expect(yield* Effect.flip(send({ type: "HOLD" }))).toBe("not kept")
      expect(snapshot().context.touches).toBe(0)
      expect(performed).toEqual([])
      kept = true
      yield* send({ type: "TOUCH" })
      yield* send({ type: "HOLD" })
      expect(snapshot().context.touches).toBe(1)
      expect(performed).toEqual(["hold"])
    })))
})
