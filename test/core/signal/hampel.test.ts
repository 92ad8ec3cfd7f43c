import { describe, expect, it } from "vitest"
import { createHampelState, isPowerOutlier } from "../../../core/signal/hampel.ts"
import { normal, uniform } from "./channel.ts"

const flags = (powers: ReadonlyArray<number>): Array<boolean> => {
  const state = createHampelState()
  return powers.map((power) => isPowerOutlier(state, power))
}

describe("power outliers", () => {
  it("are single packets far from the median, never before the window is full", () => {
    const random = uniform(1)
    const powers = Array.from({ length: 60 }, () => 1000 + 100 * normal(random))
    powers[5] = 9000
    powers[30] = 9000
    powers[45] = 1
    const flagged = flags(powers).flatMap((flag, i) => flag ? [i] : [])
    expect(flagged).toEqual(expect.arrayContaining([30, 45]))
    expect(flagged).not.toContain(5)
    expect(flagged.length).toBeLessThan(8)
  })

  it("do not include the steps of a coarse gain", () => {
    expect(flags(Array.from({ length: 40 }, (_, i) => i % 4 === 0 ? 1300 : 1000))).not.toContain(true)
  })

  it("end when a gain step lasts", () => {
    const flagged = flags(Array.from({ length: 40 }, (_, i) => i < 20 ? 1000 : 4000))
    expect(flagged.slice(20, 25)).toEqual([true, true, true, true, true])
    expect(flagged.slice(26)).not.toContain(true)
  })
})
