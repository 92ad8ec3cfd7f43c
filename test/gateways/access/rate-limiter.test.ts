import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { limitHeaders, makeRateLimiter, type RateLimiter } from "../../../gateways/access/rate-limiter.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { defaultRules, RateLimited, type Rules, windowEndMs } from "../../../protocols/domain/rate-limit.ts"
import { type RateCount, RateCounts } from "../../../protocols/ports/rate-counts.ts"

const vera = { kind: "user", id: "vera" } as const
const rules: Rules = { ...defaultRules, rest: { limit: 100, windowS: 3_600 } }

interface Store {
  readonly counts: Map<string, number>
  readonly added: Array<ReadonlyArray<RateCount>>
  fails: boolean
}

const withNodes = (
  howMany: number,
  test: (nodes: ReadonlyArray<RateLimiter>, store: Store) => Effect.Effect<void>,
  of: Rules = rules,
) => {
  const store: Store = { counts: new Map(), added: [], fails: false }
  const layer = Layer.succeed(RateCounts, {
    add: (added) =>
      Effect.suspend(() => {
        if (store.fails) return Effect.fail(new StoreUnavailable({ message: "away" }))
        store.added.push(added)
        return Effect.succeed(added.map((one) => {
          const key = `${one.subject} ${one.endsMs}`
          const count = (store.counts.get(key) ?? 0) + one.count
          store.counts.set(key, count)
          return { ...one, count }
        }))
      }),
    forget: () => Effect.void,
  })
  return Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 5, 9, 0, 1))
    const nodes = yield* Effect.all(Array.from({ length: howMany }, () => makeRateLimiter(of)))
    yield* test(nodes, store)
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.provide(TestClock.layer()), Effect.runPromise)
}

/** How many of `requests` are admitted. */
const admitted = (node: RateLimiter, requests: number): number =>
  Array.from({ length: requests }, () => node.ofCaller("rest", vera)!).filter(({ admitted }) => admitted).length

/** Probes of one address within a second that a node admits. */
const admittedProbes = (node: RateLimiter, probes: number): number =>
  Array.from({ length: probes }, () => node.ofAddress("monitoring", "192.0.2.1")!).filter(({ admitted }) => admitted)
    .length

describe("probes and scrapes", () => {
  it("are admitted by each node alone, a number a second, and never stored", () =>
    withNodes(3, (nodes, store) =>
      Effect.gen(function* () {
        for (const node of nodes) expect(admittedProbes(node, 150)).toBe(100)
        yield* TestClock.adjust("1 seconds")
        for (const node of nodes) expect(admittedProbes(node, 150)).toBe(100)
        expect(nodes[0]!.ofCaller("monitoring", vera)).toMatchObject({ admitted: true, remaining: 99 })
        yield* TestClock.adjust("10 seconds")
        expect(store.added).toEqual([])
      })))

  it("never use up an hour: a proxy that probes two handlers on three nodes every 2 s is admitted for two hours", () =>
    withNodes(1, ([node]) =>
      Effect.gen(function* () {
        for (let second = 0; second < 7_200; second++) {
          expect(admittedProbes(node!, 3)).toBe(3)
          yield* TestClock.adjust("1 seconds")
        }
      })))
})

describe("one node", () => {
  it("admits the limit and not one more, until the window ends", () =>
    withNodes(1, ([node]) =>
      Effect.gen(function* () {
        const first = node!.ofCaller("rest", vera)!
        expect(first).toMatchObject({ admitted: true, remaining: 99, resetMs: Date.UTC(2026, 0, 5, 10) })
        expect(limitHeaders(first)).toEqual({
          "X-RateLimit-Limit": "100",
          "X-RateLimit-Remaining": "99",
          "X-RateLimit-Reset": String(Date.UTC(2026, 0, 5, 10) / 1000),
          "X-RateLimit-Window": "3600",
        })
        expect(admitted(node!, 200)).toBe(99)
        yield* TestClock.adjust("10 minutes")
        expect(admitted(node!, 1)).toBe(0)
        yield* TestClock.setTime(Date.UTC(2026, 0, 5, 10))
        expect(admitted(node!, 200)).toBe(100)
      })))

  it("counts each caller and each rule by itself", () =>
    withNodes(1, ([node]) =>
      Effect.sync(() => {
        expect(admitted(node!, 200)).toBe(100)
        expect(node!.ofCaller("rest", { kind: "apiKey", id: "vera" })!.remaining).toBe(99)
        expect(node!.ofCaller("pose-data", vera)!.remaining).toBe(999)
        expect(node!.ofAddress("rest", "192.0.2.7")!.remaining).toBe(99)
        expect(node!.ofAddress("rest", "2001:db8::1")!.remaining).toBe(99)
        expect(node!.ofAddress("rest", "2001:db8::2")!.remaining).toBe(98)
      })))

  it("has a bound of what it remembers, and counts all the same beyond it", () =>
    withNodes(1, ([node], store) =>
      Effect.gen(function* () {
        const addresses = Array.from({ length: 20_000 }, (_, n) => `10.${n >> 14}.${(n >> 7) & 127}.${n & 127}`)
        for (const address of addresses) node!.ofAddress("rest", address)
        yield* TestClock.adjust("2 seconds")
        expect(store.counts.size).toBeLessThanOrEqual(8_192 + 4_096)
        expect([...store.counts.values()].reduce((sum, count) => sum + count)).toBe(20_000)
      })))

  it("enforces the limit locally while the store is unavailable, and synchronises later", () =>
    withNodes(1, ([node], store) =>
      Effect.gen(function* () {
        store.fails = true
        expect(admitted(node!, 60)).toBe(60)
        yield* TestClock.adjust("10 seconds")
        expect(admitted(node!, 60)).toBe(40)
        store.fails = false
        yield* TestClock.adjust("2 seconds")
        expect([...store.counts.values()]).toEqual([100])
      })))

  it("writes at most ten times a second, whatever comes", () =>
    withNodes(1, ([node], store) =>
      Effect.gen(function* () {
        for (let ms = 0; ms < 10_000; ms += 10) {
          node!.ofCaller("authentication", { kind: "user", id: `user-${ms}` })
          yield* TestClock.adjust("10 millis")
        }
        expect(store.added.length).toBeGreaterThan(50)
        expect(store.added.length).toBeLessThanOrEqual(101)
      })))

  it("counts nothing where limits are off", () =>
    Effect.gen(function* () {
      const node = yield* makeRateLimiter(null)
      expect(node.ofCaller("rest", vera)).toBeNull()
      expect(node.ofAddress("rest", "192.0.2.7")).toBeNull()
    }).pipe(Effect.scoped, Effect.provideService(RateCounts, null!), Effect.runPromise))
})

describe("several nodes", () => {
  it("share a limit", () =>
    withNodes(2, ([here, there]) =>
      Effect.gen(function* () {
        expect(admitted(here!, 70)).toBe(70)
        yield* TestClock.adjust("2 seconds")
        expect(admitted(there!, 1)).toBe(1)
        yield* TestClock.adjust("2 seconds")
        expect(admitted(there!, 100)).toBe(29)
        expect(there!.ofCaller("rest", vera)!.remaining).toBe(0)
      })))

  it("exceed it by a twentieth of it for each other node, where requests come one after the other", () =>
    withNodes(3, (nodes) =>
      Effect.gen(function* () {
        const total = yield* Ref.make(0)
        for (let n = 0; n < 600; n++) {
          yield* Ref.update(total, (sum) => sum + admitted(nodes[n % 3]!, 1))
          yield* TestClock.adjust("100 millis")
        }
        const sum = yield* Ref.get(total)
        expect(sum).toBeGreaterThanOrEqual(100)
        expect(sum).toBeLessThanOrEqual(100 + 2 * 5)
      })))

  it("exceed it by what the others admit at the same moment at most", () =>
    withNodes(3, (nodes) =>
      Effect.gen(function* () {
        const burst = nodes.map((node) => admitted(node, 1_000))
        expect(burst).toEqual([100, 100, 100])
        yield* TestClock.adjust("2 seconds")
        expect(nodes.map((node) => admitted(node, 10))).toEqual([0, 0, 0])
      })))
})

describe("a window", () => {
  it("begins at a whole number of windows since the Unix epoch", () => {
    expect(windowEndMs({ limit: 1, windowS: 60 }, 59_999)).toBe(60_000)
    expect(windowEndMs({ limit: 1, windowS: 60 }, 60_000)).toBe(120_000)
  })

  it("that is used up says when to come again, at least in a second", () => {
    expect(RateLimited.ofWindow({ limit: 10, windowS: 60 }, 60_000, 59_999).retryAfterS).toBe(1)
    expect(RateLimited.ofWindow({ limit: 10, windowS: 60 }, 60_000, 10_500).retryAfterS).toBe(50)
  })
})
