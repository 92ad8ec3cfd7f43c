import { describe, expect, it } from "vitest"
import { poolTallies, tallyOf } from "../../../sim/evaluation/tally.ts"
import { estimated, person, sequence, valuesOfTally } from "./records.ts"

describe("tallies", () => {
  it("add up to the figures of all sequences together", () => {
    const records = [0.1, 0.4, 0.9, 1.5].map((x, i) =>
      sequence(
        [0, 1, 2].map((hop) => ({
          truth: [person(1, 0, 0, hop === 2 ? "sitting" : "walking")],
          said: [estimated(hop, x, 0, { activity: "walking", score: 0.3 + 0.2 * i })],
        })),
      )
    )
    const figures = valuesOfTally(poolTallies(records.map(tallyOf)))
    expect(figures["matched_percent"]).toBe(75)
    expect(figures["mota"]).toBeCloseTo(1 - (6 + 6 + 4) / 12, 12)
    expect(valuesOfTally(poolTallies([...records].reverse().map(tallyOf)))).toEqual(
      Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [name, value === null ? null : expect.closeTo(value, 9)]),
      ),
    )
    // Weights stand for sequences drawn more than once, or not at all.
    const [first, second] = records.map(tallyOf)
    expect(valuesOfTally(poolTallies([first!, second!], [2, 0]))).toEqual(valuesOfTally(poolTallies([first!, first!])))
  })
})
