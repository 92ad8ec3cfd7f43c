import { describe, expect, it } from "vitest"
import { defaultPluginBudget, makeBudgetJudge } from "../../../core/home/plugin-budget.ts"

/** The time at which a process that reports these processor times, one each 250 ms, is ended; null: never. */
const endedAtS = (cpuMsOf: (timeS: number) => number): number | null => {
  const judge = makeBudgetJudge(defaultPluginBudget)
  for (let timeS = 0; timeS < 60; timeS += 0.25) {
    if (judge.usage(timeS, { cpuMs: cpuMsOf(timeS), residentBytes: 0 }) !== null) return timeS
  }
  return null
}

describe("the budget of a plugin's processor", () => {
  it("ends one that only computes within 5 s, and none that computes a quarter of the time", () => {
    expect(endedAtS((timeS) => 1_000 * timeS)).toBeLessThan(5)
    expect(endedAtS((timeS) => 250 * timeS)).toBeNull()
  })

  it("counts no time twice, and gives none back when a report has less than the one before", () => {
    expect(endedAtS((timeS) => timeS % 0.5 === 0 ? 2_900 : 0)).toBeNull()
    expect(endedAtS((timeS) => timeS % 0.5 === 0 ? 1_000 * timeS : 0)).toBeLessThan(5)
  })
})
