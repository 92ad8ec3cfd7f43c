import { describe, expect, it } from "vitest"
import { afterAttempt, type Level, type PaceKind, paces, waitMs } from "../../../protocols/domain/sign-in-throttle.ts"

/** The number of attempts in `seconds` if each is made as soon as it is allowed. */
const attemptsIn = (kind: PaceKind, seconds: number): number => {
  let level: Level = { failures: 0, atMs: 0 }
  let attempts = 0
  for (let nowMs = 0; nowMs < seconds * 1000; nowMs += waitMs(kind, level, nowMs)) {
    level = afterAttempt(kind, level, nowMs)
    attempts++
    if (attempts > 1e6) throw new Error("nobody waits")
  }
  return attempts
}

describe("the pace of attempts", () => {
  it("costs nothing for the first few, then doubles", () => {
    let level: Level = { failures: 0, atMs: 0 }
    const waits = Array.from({ length: 8 }, () => {
      const nowMs = level.atMs + waitMs("pair", level, level.atMs)
      level = afterAttempt("pair", level, nowMs)
      return Math.round(waitMs("pair", level, nowMs) / 1000)
    })
    expect(waits.slice(0, 4)).toEqual([0, 0, 0, 0])
    expect(waits.slice(4)).toEqual([1, 1, 2, 4].map((seconds) => expect.closeTo(seconds, 0)))
  })

  it.each([["pair", 400], ["address", 1_600]] as const)("lets a %s guess at most so often a day: %d", (kind, most) => {
    expect(attemptsIn(kind, 86_400)).toBeLessThan(most)
  })

  it.each(Object.entries(paces))("has a longest wait for a %s, whatever was tried", (kind, { waitSMax }) => {
    const level: Level = { failures: 1e9, atMs: 5_000 }
    expect(waitMs(kind as PaceKind, level, 5_000)).toBe(waitSMax * 1000)
    expect(waitMs(kind as PaceKind, level, 5_000 + waitSMax * 1000)).toBe(0)
  })

  it("is over in ten seconds for an account that was attacked from everywhere", () => {
    expect(waitMs("account", { failures: 1e6, atMs: 0 }, 10_000)).toBe(0)
  })

  it("forgets with time", () => {
    const { atMs, failures } = afterAttempt("pair", { failures: 4, atMs: 0 }, 4 * paces.pair.decayS * 1000)
    expect(failures).toBe(1)
    expect(waitMs("pair", { failures, atMs }, atMs)).toBe(0)
  })
})
