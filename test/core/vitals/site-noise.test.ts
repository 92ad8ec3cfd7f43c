import { describe, expect, it } from "vitest"
import { hopUs } from "../../../core/observation/observation.ts"
import { SiteNoise } from "../../../core/vitals/site-noise.ts"

const unknown = -3

/** The threshold after hops of these levels, with a calibration that ended as the hop `calibratedHop` began. */
const learn = (
  noise: SiteNoise,
  hops: number,
  level: (hop: number) => number,
  calibratedHop: number | null = null,
  from = 0,
): number => {
  for (let hop = from; hop < from + hops; hop++) {
    noise.add(hop, level(hop), calibratedHop === null ? null : calibratedHop * hopUs)
  }
  return noise.entry
}

describe("site noise", () => {
  it("is a decade below the threshold that a calibration of the empty room gives, within bounds", () => {
    const after = (level: number) => {
      const noise = new SiteNoise(unknown)
      learn(noise, 300, () => level)
      return learn(noise, 1, () => level, 300, 300)
    }
    expect([-3.5, -4.2, -7, -Infinity, -1].map(after)).toEqual([-2.5, -3.2, -4, -4, -2])
  })

  it("takes the largest level of the last half minute of a calibration", () => {
    const noise = new SiteNoise(unknown)
    learn(noise, 400, (hop) => hop < 100 ? -1 : hop === 200 ? -3.6 : -6)
    expect(learn(noise, 1, () => -6, 400, 400)).toBe(-2.6)
  })

  it("learns nothing from a calibration that ended before it was observed", () => {
    expect(learn(new SiteNoise(unknown), 5000, () => -3.9, 0)).toBe(unknown)
    const short = new SiteNoise(unknown)
    learn(short, 150, () => -6)
    expect(learn(short, 1, () => -6, 150, 150)).toBe(unknown)
    const returned = new SiteNoise(unknown)
    learn(returned, 300, () => -1.5)
    expect(learn(returned, 1, () => -1.5, 200, 300)).toBe(unknown)
  })

  it("keeps the threshold of a calibration that is outdated for a time, and takes that of the next", () => {
    const noise = new SiteNoise(unknown)
    learn(noise, 300, () => -4.2)
    expect(learn(noise, 1, () => -4.2, 300, 300)).toBe(-3.2)
    for (let hop = 301; hop < 900; hop++) noise.add(hop, -1.5, hop % 3 === 0 ? null : 300 * hopUs)
    expect(noise.entry).toBe(-3.2)
    learn(noise, 600, () => -3.9, 300, 900)
    expect(learn(noise, 1, () => -3.9, 1500, 1500)).toBe(-2.9)
  })

  it("learns from the latest half minutes without a body until there is another estimate, and only lowers the threshold", () => {
    const noise = new SiteNoise(unknown)
    expect(learn(noise, 299, () => -4.2)).toBe(unknown)
    expect(learn(noise, 1, () => -4.2, null, 299)).toBeCloseTo(-3.2, 6)
    // Bursts of noise are the noise of the link, and a body is not.
    expect(learn(noise, 1200, () => -9, null, 300)).toBeCloseTo(-3.2, 6)
    expect(learn(noise, 300, () => -9, null, 1500)).toBe(-3.5)
    expect(learn(noise, 6000, () => -1, null, 1800)).toBe(-3.5)
    expect(learn(noise, 600, (hop) => hop % 250 === 0 ? -3.6 : -9, null, 7800)).toBe(unknown)
    expect(learn(noise, 1, () => -3, 8400, 8400)).toBe(-2.6)
    expect(learn(noise, 600, () => -9, 8400, 8401)).toBe(-2.6)
    expect(learn(new SiteNoise(-4), 300, () => -6)).toBe(-4)
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
