import { describe, expect, it } from "vitest"
import { heldMax, SequencedStates } from "../../../../actors/home/bus/sequenced-states.ts"
import type { BusEntry } from "../../../../protocols/domain/home.ts"
import { homeChange, homeFired, homeState } from "../../../harness/home-states.ts"

const [a1, a2, b1] = [homeState("x.a", "1"), homeState("x.a", "2"), homeState("x.b", "1")]
const first = 2 ** 32

/** States of the first generation; each entry is offered and committed at once. */
const statesWith = (...entries: ReadonlyArray<readonly [BusEntry, number]>) => {
  const states = new SequencedStates(1, [])
  const tell = (...entries: ReadonlyArray<readonly [BusEntry, number]>) => {
    const plan = states.plan(entries.map(([entry, after]) => ({ entry, after })))
    return { plan, news: states.take(plan) }
  }
  for (const entry of entries) tell(entry)
  return { states, tell }
}

describe("the bus's states", () => {
  it("numbers entries, and accepts a change only after its entity's last one", () => {
    const { states } = statesWith()
    const plan = states.plan([
      { entry: homeChange(null, a1), after: 0 },
      { entry: homeFired("e"), after: 0 },
      { entry: homeChange(null, a2), after: 0 },
      { entry: homeChange(a1, a2), after: first + 1 },
      { entry: homeChange(null, b1), after: 7 },
    ])
    expect(plan.sequences).toEqual([first + 1, first + 2, null, first + 3, null])
    expect(plan.kept.map(({ createdSequence, sequence }) => [sequence, createdSequence])).toEqual([
      [first + 1, first + 1],
      [first + 3, first + 1],
    ])
    expect(states.sequence()).toBe(first)
    expect(states.take(plan)).toEqual({ kind: "entries", sequence: first + 3, entries: plan.entries })
    expect(plan.entries).toHaveLength(3)
    expect(states.last("x.a")).toEqual({ state: a2, sequence: first + 3 })
    expect(states.last("x.b")).toEqual({ state: null, sequence: 0 })
  })

  it("deletes removed entities, and lists recreated ones last", () => {
    const { states, tell } = statesWith([homeChange(null, a1), 0], [homeChange(null, b1), 0])
    tell([homeChange(a1, null), first + 1])
    expect(states.last("x.a")).toEqual({ state: null, sequence: 0 })
    expect(states.plan([{ entry: homeChange(a1, a2), after: first + 1 }]).sequences).toEqual([null])
    tell([homeChange(null, a2), 0])
    expect(states.since(null)).toEqual([
      { kind: "states", sequence: first + 4, states: [b1, a2], last: true },
    ])
    // Also within one batch.
    const { plan } = tell([homeChange(b1, null), first + 2], [homeChange(null, b1), 0])
    expect(plan.kept.map(({ createdSequence }) => createdSequence)).toEqual([first + 2, first + 6])
  })

  it("sends a watcher the missed entries, or all states if these are no longer held", () => {
    const { states, tell } = statesWith([homeChange(null, a1), 0])
    expect(states.since(first + 1)).toEqual([])
    tell([homeFired("e"), 0], [homeFired("f"), 0])
    tell([homeFired("g"), 0])
    const types = states.since(first + 1).map((news) => news.kind === "entries" && news.entries.length)
    expect(types).toEqual([2, 1])
    expect(states.since(first + 4)).toEqual([])
    // In the middle of a batch, of another generation, and from before the held entries.
    for (const after of [first + 2, 7, null]) expect(states.since(after)[0]!.kind).toBe("states")
    // The bound is on entries, not on batches.
    const many = (count: number) => tell(...Array.from({ length: count }, () => [homeFired("more"), 0] as const))
    many(heldMax - 3)
    expect(states.since(first + 1)).toHaveLength(3)
    many(1)
    expect(states.since(first + 1)[0]!.kind).toBe("states")
    expect(states.since(first + 3)).toHaveLength(3)
  })

  it("begins with the stored states, above every older sequence, and sends many states in parts", () => {
    const kept = Array.from({ length: 1_201 }, (_, i) => ({
      state: homeState(`x.n${i}`, "1"),
      sequence: first + i,
      createdSequence: i,
    }))
    const states = new SequencedStates(2, kept)
    expect(states.sequence()).toBe(2 * first)
    expect(states.last("x.n7")).toEqual({ state: kept[7]!.state, sequence: first + 7 })
    const parts = states.since(null)
    expect(parts.map((part) => part.kind === "states" && [part.states.length, part.last])).toEqual([
      [500, false],
      [500, false],
      [201, true],
    ])
  })
})
