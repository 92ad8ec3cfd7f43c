import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { CredentialStatus } from "../../../gateways/access/credential-status.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Principal, Role } from "../../../protocols/domain/identity.ts"
import { type CredentialRef, Credentials } from "../../../protocols/ports/credentials.ts"

const ref: CredentialRef = { kind: "session", id: "s1" }
const other: CredentialRef = { kind: "apiKey", id: "k1" }

interface Store {
  /** The role of the owner of each credential that stands. */
  readonly standing: Map<string, Role>
  readonly asked: Array<ReadonlyArray<string>>
  fails: boolean
  gate: Effect.Effect<void>
}

const principalOf = (id: string, role: Role): Principal => ({ kind: "user", id: `owner of ${id}`, name: id, role })

const withStanding = (test: (standing: CredentialStatus["Service"], store: Store) => Effect.Effect<void, unknown>) => {
  const store: Store = {
    standing: new Map([["s1", "operator"], ["k1", "viewer"]]),
    asked: [],
    fails: false,
    gate: Effect.void,
  }
  const credentials = Layer.succeed(Credentials, {
    standing: (refs) =>
      Effect.gen(function* () {
        store.asked.push(refs.map(({ id }) => id))
        yield* store.gate
        if (store.fails) return yield* new StoreUnavailable({ message: "away" })
        return refs.flatMap((one) => {
          const role = store.standing.get(one.id)
          return role === undefined ? [] : [{ ...one, principal: principalOf(one.id, role) }]
        })
      }),
  })
  return Effect.gen(function* () {
    yield* test(yield* CredentialStatus, store)
  }).pipe(
    Effect.provide(CredentialStatus.layer.pipe(Layer.provide(credentials), Layer.provideMerge(TestClock.layer()))),
    Effect.runPromise,
  )
}

it("answers from what the store said last, and asks once a second about all that is in use", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      for (let n = 0; n < 100; n++) yield* standing.principalOf(ref)
      yield* standing.principalOf(other)
      expect(store.asked).toEqual([["s1"], ["k1"]])
      yield* TestClock.adjust("1 seconds")
      expect(store.asked.slice(2)).toEqual([["s1", "k1"]])
      yield* TestClock.adjust("3 seconds")
      expect(store.asked).toHaveLength(3)
    })
  ))

it("rejects a credential revoked elsewhere within a second, and applies a new role as soon", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      expect(yield* standing.principalOf(ref)).toMatchObject({ role: "operator" })
      store.standing.set("s1", "viewer")
      yield* TestClock.adjust("1 seconds")
      expect(yield* standing.principalOf(ref)).toMatchObject({ role: "viewer" })
      store.standing.delete("s1")
      yield* TestClock.adjust("1 seconds")
      expect(yield* standing.principalOf(ref)).toBeNull()
    })
  ))

it("asks before it answers about what was not used for a while", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      yield* TestClock.adjust("7 seconds")
      store.standing.delete("s1")
      expect(yield* standing.principalOf(ref)).toBeNull()
    })
  ))

it("believes what it knows for five seconds without a store, and nothing after that", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      store.fails = true
      yield* TestClock.adjust("5 seconds")
      expect(yield* standing.principalOf(ref)).not.toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(yield* Effect.flip(standing.principalOf(ref))).toMatchObject({ _tag: "StoreUnavailable" })
      store.fails = false
      expect(yield* standing.principalOf(ref)).not.toBeNull()
    })
  ))

it("knows credentials of the last fifteen minutes without a store, for what accepts recent ones", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      yield* standing.principalOf(other)
      store.fails = true
      yield* TestClock.adjust("15 minutes")
      expect(yield* standing.principalOf(ref, "recent")).toMatchObject({ role: "operator" })
      expect(yield* Effect.flip(standing.principalOf(ref))).toMatchObject({ _tag: "StoreUnavailable" })
      const strange = standing.principalOf({ kind: "apiKey", id: "k2" }, "recent")
      expect(yield* Effect.flip(strange)).toMatchObject({ _tag: "StoreUnavailable" })
      yield* standing.forget("k1")
      expect(yield* Effect.flip(standing.principalOf(other, "recent"))).toMatchObject({ _tag: "StoreUnavailable" })
      yield* TestClock.adjust("1 millis")
      expect(yield* Effect.flip(standing.principalOf(ref, "recent"))).toMatchObject({ _tag: "StoreUnavailable" })
    })
  ))

it("waits a second for a store that does not answer before it takes a recent credential", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      yield* TestClock.adjust("1 minutes")
      store.gate = Effect.never
      const answer = yield* Effect.forkChild(standing.principalOf(ref, "recent"))
      yield* TestClock.adjust("999 millis")
      expect(answer.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(answer)).toMatchObject({ role: "operator" })
    })
  ))

it("asks the store first about a recent credential, and rejects one that is not valid any more", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      yield* TestClock.adjust("1 minutes")
      store.standing.delete("s1")
      expect(yield* standing.principalOf(ref, "recent")).toBeNull()
      store.fails = true
      yield* TestClock.adjust("1 minutes")
      expect(yield* standing.principalOf(ref, "recent")).toBeNull()
    })
  ))

it("asks anew at once about what this node has changed, by its own id or its owner's", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      store.standing.delete("s1")
      yield* standing.forget("owner of s1")
      expect(yield* standing.principalOf(ref)).toBeNull()
      yield* standing.principalOf(other)
      store.standing.delete("k1")
      yield* standing.forget("k1")
      expect(yield* standing.principalOf(other)).toBeNull()
    })
  ))

it("asks the store once for concurrent callers, also when the first of them disconnects", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      store.gate = Deferred.await(gate)
      const first = yield* Effect.forkChild(standing.principalOf(ref))
      yield* Effect.yieldNow
      const others = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 20 }, () => standing.principalOf(ref)), { concurrency: "unbounded" }),
      )
      for (let n = 0; n < 20; n++) yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Fiber.join(others)
      expect(answers.every((answer) => answer?.role === "operator")).toBe(true)
      expect(store.asked).toEqual([["s1"]])
    })
  ))

it("notifies holders of a credential when it ends, and polls it while they hold it", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      const holders = yield* Effect.forkChild(
        Effect.all([standing.ended(ref), standing.ended(ref)], { concurrency: "unbounded" }),
      )
      yield* TestClock.adjust("60 seconds")
      expect(holders.pollUnsafe()).toBeUndefined()
      expect(store.asked.length).toBeGreaterThanOrEqual(60)
      store.standing.delete("s1")
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(holders)
    })
  ))

it("does not poll a credential that is neither held nor used", () =>
  withStanding((standing, store) =>
    Effect.gen(function* () {
      yield* standing.principalOf(ref)
      const holder = yield* Effect.forkChild(standing.ended(ref))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.interrupt(holder)
      yield* TestClock.adjust("1 seconds")
      const asked = store.asked.length
      yield* TestClock.adjust("30 seconds")
      expect(store.asked).toHaveLength(asked)
    })
  ))
