/** A level falls when hops are late and rises when there is time; a rise that had to be taken back makes the next one wait longer. */
import { describe, expect, it } from "vitest"
import { afterHop, type Ladder, type LadderState, topOfLadder } from "../../../core/pace/ladder.ts"

const ladder: Ladder = { levels: 3, lateAfterMs: 400, demandedBy: () => 0, shareAt: (_, costMs) => costMs / 100 }

/** The levels of hops every 100 ms, with a load that depends on the level. */
const levelsOf = (seconds: number, load: (level: number, ms: number) => { ageMs: number; costMs: number }) => {
  let state: LadderState = topOfLadder
  return Array.from({ length: 10 * seconds }, (_, hop) => {
    const nowMs = 100 * hop
    state = afterHop(ladder, state, { nowMs, ...load(state.level, nowMs) })
    return state.level
  })
}
const risesOf = (levels: ReadonlyArray<number>): number =>
  levels.filter((level, i) => i > 0 && level < levels[i - 1]!).length

describe("a ladder of levels", () => {
  it("stays at the top while no hop is late", () => {
    expect(new Set(levelsOf(10, () => ({ ageMs: 390, costMs: 95 })))).toEqual(new Set([0]))
  })

  it("tries the level above less and less often while it is too much", () => {
    const levels = levelsOf(120, (level) => ({ ageMs: level === 0 ? 500 : 50, costMs: 40 }))
    const [first, last] = [levels.slice(0, 300), levels.slice(-600)]
    expect(risesOf(first)).toBeGreaterThan(3)
    expect(risesOf(last)).toBeLessThan(5)
    expect(Math.max(...last)).toBeLessThanOrEqual(1)
  })

  it("is at the top again within five seconds once hops take little time", () => {
    const levels = levelsOf(120, (level, ms) => ({
      ageMs: ms < 100_000 && level < 2 ? 500 : 50,
      costMs: ms < 100_000 ? 40 : 10,
    }))
    expect(levels[995]).toBeGreaterThan(0)
    expect(levels[1_050]).toBe(0)
  })

  it("does not rise while hops are half as old as a late one, unless they take little time", () => {
    const lastWith = (costMs: number) => levelsOf(30, (_, ms) => ({ ageMs: ms < 1_000 ? 500 : 250, costMs })).at(-1)
    expect([lastWith(40), lastWith(10)]).toEqual([2, 0])
  })
})
