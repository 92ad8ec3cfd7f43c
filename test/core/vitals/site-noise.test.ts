import { describe, expect, it } from "vitest"
import { SiteNoise } from "../../../core/vitals/site-noise.ts"

const unknown = -3

/** The threshold after hops of these levels. */
const learn = (noise: SiteNoise, hops: number, level: (hop: number) => number, calibrated = false): number => {
  for (let hop = 0; hop < hops; hop++) noise.add(level(hop), calibrated)
  return noise.entry
}

describe("site noise", () => {
  it("is a decade below the threshold that a calibration of the empty room gives, within bounds", () => {
    const after = (level: number) => {
      const noise = new SiteNoise(unknown)
      expect(learn(noise, 300, () => level)).toBe(unknown)
      return learn(noise, 1, () => level, true)
    }
    expect([-3.5, -4.2, -7, -Infinity, -1].map(after)).toEqual([-2.5, -3.2, -4, -4, -2])
  })

  it("takes the largest level of the last half minute of a calibration", () => {
    const noise = new SiteNoise(unknown)
    learn(noise, 400, (hop) => hop < 100 ? -1 : hop === 200 ? -3.6 : -6)
    expect(learn(noise, 1, () => -6, true)).toBe(-2.6)
  })

  it("learns nothing from a calibration that ended before it was observed", () => {
    expect(learn(new SiteNoise(unknown), 5000, () => -6, true)).toBe(unknown)
    const short = new SiteNoise(unknown)
    learn(short, 150, () => -6)
    expect(learn(short, 1, () => -6, true)).toBe(unknown)
  })

  it("learns from the quietest 10 minutes of four hours without a calibration, and changes less", () => {
    const busy = (hop: number) => Math.floor(hop / 6000) === 20 ? -3.75 : -1.5
    const noise = new SiteNoise(unknown)
    expect(learn(noise, 23 * 6000, busy)).toBe(unknown)
    expect(learn(noise, 6000, (hop) => busy(hop + 23 * 6000))).toBeCloseTo(-2.7, 6)
    expect(learn(new SiteNoise(unknown), 24 * 6000, () => -1.5)).toBe(-2.5)
    expect(learn(new SiteNoise(unknown), 24 * 6000, () => -6)).toBe(-3.5)
  })

  it("counts the level that 5 % of the time exceeds", () => {
    const noise = new SiteNoise(unknown)
    expect(learn(noise, 24 * 6000, (hop) => hop % 100 < 4 ? -1 : hop % 100 < 10 ? -3.95 : -6)).toBeCloseTo(-2.9, 6)
  })
})
