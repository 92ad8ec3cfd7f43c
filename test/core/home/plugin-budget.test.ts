import { describe, expect, it } from "vitest"
import { defaultPluginBudget, diskFullReason, makeBudgetJudge } from "../../../core/home/plugin-budget.ts"

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

  it("does not end one whose reports waited while the host was paused, and ends one that computes afterwards", () => {
    const judge = makeBudgetJudge(defaultPluginBudget)
    const reasonAt = (timeS: number, cpuMs: number) => judge.usage(timeS, { cpuMs, residentBytes: 0 })
    expect(reasonAt(0, 0)).toBeNull()
    for (let n = 1; n <= 240; n++) expect(reasonAt(60 + n / 1_000, 25 * n)).toBeNull()
    for (let timeS = 61; timeS < 90; timeS += 0.25) expect(reasonAt(timeS, 6_000 + 200 * (timeS - 60))).toBeNull()
    const reasons = Array.from({ length: 24 }, (_, n) => reasonAt(90 + n / 4, 12_000 + 250 * n))
    expect(reasons).toContainEqual(expect.stringContaining("processor time"))
  })

  it("counts no time twice, and gives none back when a report has less than the one before", () => {
    expect(endedAtS((timeS) => timeS % 0.5 === 0 ? 2_900 : 0)).toBeNull()
    expect(endedAtS((timeS) => timeS % 0.5 === 0 ? 1_000 * timeS : 0)).toBeLessThan(5)
  })
})

describe("the reserve of a plugin's disks", () => {
  it("is the budget's, or a tenth of a smaller disk", () => {
    const mib = 2 ** 20
    const reasonOf = (freeMib: number, totalMib: number) =>
      diskFullReason(defaultPluginBudget, {
        bytes: 0,
        files: 0,
        disks: [{ freeBytes: 1e12, totalBytes: 1e12 }, { freeBytes: freeMib * mib, totalBytes: totalMib * mib }],
      })
    expect(reasonOf(129, 10_000)).toBeNull()
    expect(reasonOf(127, 10_000)).toBe("a disk that it may write has less than 128 MiB left.")
    expect(reasonOf(50, 100)).toBeNull()
    expect(reasonOf(9, 100)).toBe("a disk that it may write has less than 10 MiB left.")
  })
})
