/** The definition of lateness: its borders, and what a clock's offset and a reader's own clock do to an age. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { heldAgeMs, judgedAgeMs, latenessOf, latenessOfAge } from "../../../protocols/domain/lateness.ts"

const value = (timestampMs: number, clockOffsetMs?: number) => ({
  timestampMs,
  provenance: clockOffsetMs === undefined ? {} : { clockOffsetMs },
})

describe("lateness", () => {
  it("is late past 2 s and stale past 10 s", () => {
    const ages = [0, 2_000, 2_000.5, 10_000, 10_000.5, 1e9]
    expect(ages.map(latenessOfAge)).toEqual(["on_time", "on_time", "late", "late", "stale", "stale"])
  })

  it("is judged at the time of the answer, never below zero", () => {
    expect(latenessOf(value(1_000), 3_001)).toBe("late")
    expect(judgedAgeMs(value(1_000), 500)).toBe(0)
  })

  it("does not count the offset of the source's clock", () => {
    expect(latenessOf(value(0, 60_000), 61_000)).toBe("on_time")
    expect(latenessOf(value(120_000, -60_000), 71_000)).toBe("stale")
  })

  it("counts on from the age that a record had when the service received it", () => {
    expect(heldAgeMs({ seenMs: 100_000, sensing: value(5_000) }, 500)).toBe(95_500)
    expect(heldAgeMs({ seenMs: 100_000, sensing: null }, 500)).toBe(500)
  })

  it("grows with time alone", () =>
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), fc.integer({ min: -1e5, max: 1e5 }), (ms, laterMs, offsetMs) => {
        const one = value(1e6, offsetMs)
        expect(judgedAgeMs(one, 2e6 + ms + laterMs) - judgedAgeMs(one, 2e6 + ms)).toBe(laterMs)
      }),
      { seed: 5 },
    ))
})
