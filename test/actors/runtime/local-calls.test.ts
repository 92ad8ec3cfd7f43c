import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { layerLocalHomeEntities } from "../../../actors/home/entity/home-entity.ts"
import { withLocalCalls } from "../../../actors/runtime/local-calls.ts"
import {
  LocalHomeEntities,
  type WriteEntity,
  type WriteOrder,
  type Written,
} from "../../../protocols/messages/home-entity.ts"
import { homeState } from "../../harness/home-states.ts"

const entityId = "sensor.a"
const context = { id: "c", parentId: null, userId: null }
const order: WriteOrder = { state: "1", attributes: {}, forceUpdate: false, context }
const written: Written = { state: homeState(entityId, "1"), created: false, sequence: 1 }

/** An entity with local calls in a scope of its own, and the orders that it got. */
const placed = Effect.fnUntraced(function* (write?: WriteEntity) {
  const calls = yield* LocalHomeEntities
  const scope = yield* Scope.make()
  const orders: Array<WriteOrder> = []
  const handler: WriteEntity = write ?? ((given) =>
    Effect.sync(() => {
      orders.push(given)
      return written
    }))
  const { byMessage, inTurn } = yield* Scope.provide(withLocalCalls(calls, entityId, handler), scope)
  return { calls, orders, byMessage, inTurn, end: Scope.close(scope, Exit.void) }
})

const run = <A, E>(effect: Effect.Effect<A, E, LocalHomeEntities>) =>
  Effect.runPromise(effect.pipe(Effect.provide([layerLocalHomeEntities, TestClock.layer()])))

describe("local calls of actors", () => {
  it("reach the entity after a message, until it ends", () =>
    run(Effect.gen(function* () {
      const { byMessage, calls, end, orders } = yield* placed()
      expect(calls.to(entityId)).toBeNull()
      yield* byMessage(order)
      expect(calls.to("sensor.b")).toBeNull()
      expect(yield* calls.to(entityId)!({ ...order, state: "2" })).toEqual(written)
      expect(orders.map(({ state }) => state)).toEqual(["1", "2"])
      yield* end
      expect(calls.to(entityId)).toBeNull()
    })))

  it("need a message again after a minute", () =>
    run(Effect.gen(function* () {
      const { byMessage, calls } = yield* placed()
      yield* byMessage(order)
      yield* TestClock.adjust("59 seconds")
      yield* calls.to(entityId)!(order)
      expect(calls.to(entityId)).not.toBeNull()
      yield* TestClock.adjust("2 seconds")
      yield* calls.to(entityId)!(order)
      expect(calls.to(entityId)).toBeNull()
      yield* byMessage(order)
      expect(calls.to(entityId)).not.toBeNull()
    })))

  it("of an entity that has ended do not remove its next incarnation", () =>
    run(Effect.gen(function* () {
      const before = yield* placed()
      const after = yield* placed()
      yield* before.byMessage(order)
      yield* after.byMessage(order)
      yield* before.end
      yield* before.calls.to(entityId)!(order)
      expect(after.orders).toHaveLength(2)
      expect(before.orders).toHaveLength(1)
    })))

  it("reject a write while too many wait, and take one when they are done", () =>
    run(Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let isFirst = true
      const { byMessage, calls } = yield* placed(() => {
        if (!isFirst) return Effect.as(Deferred.await(gate), written)
        isFirst = false
        return Effect.succeed(written)
      })
      yield* byMessage(order)
      const waiting = yield* Effect.forEach(
        Array.from({ length: 1_024 }),
        () => Effect.forkChild(calls.to(entityId)!(order), { startImmediately: true }),
      )
      const refused = yield* Effect.flip(calls.to(entityId)!(order))
      expect(refused).toMatchObject({ _tag: "StoreUnavailable", message: expect.stringContaining("wait. Try again.") })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.awaitAll(waiting)
      expect(yield* calls.to(entityId)!(order)).toEqual(written)
    })))

  it("and messages are handled one after the other", () =>
    run(Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const begun: Array<string> = []
      const { byMessage, calls, inTurn } = yield* placed(({ state }) =>
        Effect.suspend(() => {
          begun.push(state)
          return Effect.as(state === "2" ? Deferred.await(gate) : Effect.void, written)
        })
      )
      const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })
      yield* byMessage({ ...order, state: "1" })
      const fibers = [
        yield* start(calls.to(entityId)!({ ...order, state: "2" })),
        yield* start(byMessage({ ...order, state: "3" })),
        yield* start(inTurn(Effect.sync(() => begun.push("removed")))),
        yield* start(calls.to(entityId)!({ ...order, state: "4" })),
      ]
      expect(begun).toEqual(["1", "2"])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.awaitAll(fibers)
      expect(begun).toEqual(["1", "2", "3", "removed", "4"])
    })))

  it("are rejected after the actor has left; the running one is completed", () =>
    run(Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const begun: Array<string> = []
      const { byMessage, calls, end } = yield* placed(({ state }) =>
        Effect.suspend(() => {
          begun.push(state)
          return Effect.as(state === "2" ? Deferred.await(gate) : Effect.void, written)
        })
      )
      yield* byMessage({ ...order, state: "1" })
      const call = calls.to(entityId)!
      const first = yield* Effect.forkChild(call({ ...order, state: "2" }), { startImmediately: true })
      const second = yield* Effect.forkChild(Effect.flip(call({ ...order, state: "3" })), { startImmediately: true })
      yield* end
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(first)).toEqual(written)
      expect(yield* Fiber.join(second)).toMatchObject({
        _tag: "StoreUnavailable",
        message: expect.stringContaining("moves"),
      })
      expect(begun).toEqual(["1", "2"])
    })))
})
