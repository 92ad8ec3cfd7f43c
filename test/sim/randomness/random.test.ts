import { describe, expect, it } from "vitest"
import { createRandom } from "../../../sim/randomness/random.ts"

const draw = (seed: number, stream: string, count: number): ReadonlyArray<number> => {
  const random = createRandom(seed, stream)
  return Array.from({ length: count }, () => random.uniform())
}

describe("the seeded generator", () => {
  it("repeats and depends on seed and stream", () => {
    expect(draw(7, "walk", 50)).toEqual(draw(7, "walk", 50))
    expect(draw(7, "walk", 50)).not.toEqual(draw(8, "walk", 50))
    expect(draw(7, "walk", 50)).not.toEqual(draw(7, "noise", 50))
    expect(draw(2 ** 40 + 7, "walk", 50)).not.toEqual(draw(7, "walk", 50))
  })

  it("is uniform: every tenth gets its share", () => {
    const counts = new Array<number>(10).fill(0)
    for (const value of draw(1, "uniform", 20_000)) counts[Math.floor(value * 10)]!++
    // Five standard deviations of a binomial count.
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(5 * Math.sqrt(20_000 * 0.1 * 0.9))
  })

  it("draws normals of mean 0 and variance 1", () => {
    const random = createRandom(1, "normal")
    const values = Array.from({ length: 20_000 }, () => random.normal())
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(20_000))
    expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(2 / 20_000))
  })
})
