/** Which groups of rooms move for the balance of load: worth it, few, in a steady cluster only, and never back and forth. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { decideMoves, movesMax, type Seen } from "../../../actors/runtime/balance.ts"
import { CurrentBalanceTiming } from "../../../actors/runtime/balancer.ts"
import { makeLoadMeter } from "../../../actors/runtime/load-meter.ts"
import type { Pin } from "../../../actors/runtime/placements.ts"
import { sensingGroup } from "../../../protocols/messages/shard-groups.ts"
import { createRandom, uniformIn } from "../../../sim/randomness/random.ts"

const rules = CurrentBalanceTiming.defaultValue()
const pin = (group: string, address: string, ageMs: number): Pin => ({ group, address, ageMs })

/** A steady cluster: the work of each group by node, cores. */
const clusterOf = (
  work: Readonly<Record<string, Readonly<Record<string, number>>>>,
  given: Partial<Seen> = {},
): Seen => ({
  members: Object.keys(work).map((address) => ({ address, healthy: true })),
  places: new Map(
    Object.entries(work).flatMap(([address, groups]) => Object.keys(groups).map((group) => [group, address])),
  ),
  pins: [],
  loads: Object.entries(work).map(([address, groups]) => ({
    address,
    ageMs: 5_000,
    cores: 0.1 + Object.values(groups).reduce((sum, cores) => sum + cores, 0),
    groups: new Map(Object.entries(groups)),
  })),
  steadyRounds: rules.steadyRoundsMin,
  ...given,
})

const uneven = { a: { g1: 0.3, g2: 0.2, g3: 0.1 }, b: { g4: 0.05 } }
const groupsMoved = (seen: Seen) => decideMoves(seen, rules).map(({ from, group, to }) => `${group} ${from}-${to}`)

describe("the balance of load", () => {
  it("moves the group that halves the difference best", () =>
    expect(groupsMoved(clusterOf(uneven))).toEqual(["g1 a-b"]))

  const still: ReadonlyArray<[name: string, seen: Seen]> = [
    ["a small difference", clusterOf({ a: { g1: 0.1, g2: 0.1 }, b: { g3: 0.1 } })],
    ["one busy group", clusterOf({ a: { g1: 0.9 }, b: { g2: 0.01 } })],
    ["one node", clusterOf({ a: uneven.a })],
    ["members that changed", clusterOf(uneven, { steadyRounds: rules.steadyRoundsMin - 1 })],
    [
      "a node that failed",
      clusterOf(uneven, { members: [{ address: "a", healthy: true }, { address: "b", healthy: false }] }),
    ],
    ["a node without a report", clusterOf(uneven, { loads: clusterOf(uneven).loads.slice(0, 1) })],
    [
      "an old report",
      clusterOf(uneven, { loads: clusterOf(uneven).loads.map((load) => ({ ...load, ageMs: rules.freshMsMax + 1 })) }),
    ],
    ["a move of this round", clusterOf(uneven, { pins: [pin("g9", "b", rules.roundMs - 1)] })],
    [
      "groups that were moved lately",
      clusterOf({ a: { g1: 0.3 }, b: {} }, { pins: [pin("g1", "a", rules.restMs - 1)] }),
    ],
    ["groups that are on their way", clusterOf(uneven, { places: new Map() })],
  ]
  it.each(still)("moves nothing for %s", (_, seen) => expect(groupsMoved(seen)).toEqual([]))

  it(`moves at most ${movesMax} groups at once`, () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`g${i}`, 0.1]))
    expect(decideMoves(clusterOf({ a: many, b: {}, c: {} }), rules)).toHaveLength(movesMax)
  })

  it("comes to an end in 200 random clusters, moves no group twice, and lessens the greatest load with each round", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = createRandom(seed, "balance")
      const addresses = ["a", "b", "c", "d"].slice(0, 2 + Math.floor(random.uniform() * 3))
      const work = new Map(Array.from({ length: 24 }, (_, i) => [`g${i}`, uniformIn(random, 0.01, 0.5)]))
      const places = new Map(
        [...work.keys()].map((group) => [group, addresses[Math.floor(random.uniform() * addresses.length)]!]),
      )
      const now = () =>
        clusterOf(Object.fromEntries(addresses.map((address) => [
          address,
          Object.fromEntries([...work].filter(([group]) => places.get(group) === address)),
        ])))
      const greatest = (seen: Seen) => Math.max(...seen.loads.map(({ cores }) => cores))
      const moved = new Set<string>()
      for (let round = 0;; round++) {
        expect(round).toBeLessThan(24)
        const seen = now()
        const moves = decideMoves(seen, rules)
        if (moves.length === 0) break
        for (const { group, to } of moves) {
          expect(moved.has(group)).toBe(false)
          moved.add(group)
          places.set(group, to)
        }
        expect(greatest(now())).toBeLessThanOrEqual(greatest(seen))
      }
    }
  })
})

describe("the load meter", () => {
  it("reports shares of the time since the last report, by group", () => {
    let processorMs = 100
    return Effect.gen(function* () {
      const meter = yield* makeLoadMeter(() => processorMs)
      meter.add("kitchen", 200)
      meter.add("kitchen", 50)
      processorMs = 600
      yield* TestClock.adjust("1 second")
      expect(yield* meter.take).toEqual({ cores: 0.5, groups: new Map([[sensingGroup("kitchen"), 0.25]]) })
      meter.add("kitchen", 2_000)
      processorMs = 1_100
      yield* TestClock.adjust("1 second")
      expect(yield* meter.take).toEqual({ cores: 0.5, groups: new Map([[sensingGroup("kitchen"), 0.5]]) })
      yield* TestClock.adjust("1 second")
      expect(yield* meter.take).toEqual({ cores: 0, groups: new Map() })
      // The clock is set back.
      processorMs = 1_600
      yield* TestClock.adjust("1 second")
      yield* TestClock.setTime(0)
      expect(yield* meter.take).toMatchObject({ cores: 0.5 })
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  })
})
