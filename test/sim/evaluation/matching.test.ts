import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bestPairs, matchPersons, personsMax } from "../../../sim/evaluation/matching.ts"
import { estimated, person } from "./records.ts"

/** The greatest worth of any pairing, by trying all. */
const greatest = (
  worth: ReadonlyArray<ReadonlyArray<number>>,
  from = 0,
  taken: ReadonlySet<number> = new Set(),
): number =>
  from === worth.length ? 0 : Math.max(
    greatest(worth, from + 1, taken),
    ...worth[from]!.map((value, at) =>
      taken.has(at) || value <= 0 ? 0 : value + greatest(worth, from + 1, new Set([...taken, at]))
    ),
  )

describe("the best pairs", () => {
  it("are worth as much as the best of all pairings, and use each once", () => {
    const table = fc.integer({ min: 0, max: 4 }).chain((candidates) =>
      fc.array(fc.array(fc.integer({ min: -3, max: 9 }), { minLength: candidates, maxLength: candidates }), {
        maxLength: 4,
      })
        .map((rows) => ({ rows, candidates }))
    )
    fc.assert(fc.property(table, ({ candidates, rows }) => {
      const pairs = [...bestPairs(rows.length, candidates, (p, c) => rows[p]![c]!)]
      const made = pairs.flatMap((c, p) => c < 0 ? [] : [{ c, worth: rows[p]![c]! }])
      expect(made.reduce((sum, { worth }) => sum + worth, 0)).toBe(greatest(rows))
      expect(new Set(made.map(({ c }) => c)).size).toBe(made.length)
      expect(made.every(({ worth }) => worth > 0)).toBe(true)
    }))
  })

  it("rejects more persons than it can match", () => {
    expect(() => bestPairs(personsMax + 1, 1, () => 1)).toThrow(RangeError)
  })
})

describe("matched persons", () => {
  it("are as many as possible, then as near as possible", () => {
    const truth = [person(1, 0, 0), person(2, 0.8, 0)]
    // The first estimate is nearer to the second person, but the second estimate has only that one.
    expect([...matchPersons(truth, [estimated(1, 0.45, 0), estimated(2, 1.2, 0)], 0.5)]).toEqual([0, 1])
    expect([...matchPersons(truth, [estimated(1, 0.7, 0), estimated(2, 0.1, 0)], 1)]).toEqual([1, 0])
  })

  it("lie within the gate on the floor plan, at any height", () => {
    const lying = estimated(1, 0.5, 0)
    const low = { ...lying, keypoints: Array.from(lying.keypoints, (value, at) => at % 3 === 2 ? value - 0.8 : value) }
    expect([...matchPersons([person(1, 0, 0)], [low], 0.51)]).toEqual([0])
    expect([...matchPersons([person(1, 0, 0)], [low], 0.49)]).toEqual([-1])
  })
})
