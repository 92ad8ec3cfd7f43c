import { describe, expect, it } from "vitest"
import { quantileOf } from "../../../sim/evaluation/histogram.ts"

describe("quantiles of histograms", () => {
  it("are interpolated within their bin", () => {
    const bins = { from: 10, width: 2, count: 3 }
    expect(quantileOf(bins, [1, 2, 1], 0.5)).toBe(13)
    expect(quantileOf(bins, [0, 0, 4], 0.25)).toBe(14.5)
    expect(quantileOf(bins, [0, 0, 0], 0.5)).toBeNull()
  })
})
