import { describe, expect, it } from "vitest"
import { initialExistence, updateExistence } from "../../../core/tracking/existence.ts"

const after = (hops: ReadonlyArray<boolean>): number => hops.reduce(updateExistence, initialExistence)
const times = (count: number, detected: boolean): ReadonlyArray<boolean> => new Array<boolean>(count).fill(detected)

describe("existence", () => {
  it("grows with detections and falls without, and is never certain", () => {
    expect(after(times(1, true))).toBeGreaterThan(initialExistence)
    expect(after(times(10, true))).toBeGreaterThan(0.95)
    expect(after(times(1000, true))).toBeLessThan(1)
    expect(after(times(1, false))).toBeLessThan(initialExistence)
    expect(after(times(30, false))).toBeLessThan(0.01)
    expect(after(times(100_000, false))).toBeGreaterThanOrEqual(0)
  })

  it("weighs one window of hops as one observation: Bayes with the rates it names", () => {
    const odds = after(times(10, true)) / (1 - after(times(10, true)))
    expect(odds).toBeCloseTo(0.85 / 0.01, 6)
  })
})
