import { describe, expect, it } from "vitest"
import { DynamicPowerWindow } from "../../../core/signal/dynamic-power.ts"
import { normal, uniform } from "./channel.ts"

const values = 56

interface Course {
  readonly echo?: number
  readonly hertz?: number
  readonly noise?: number
  readonly rateHz?: number
  /** A permanent change of the static response. */
  readonly standing?: number
}

/** The power after a second of packets with an echo whose Doppler shift is given, over a static response of 1. */
const second = ({ echo = 0, hertz = 0, noise = 0, rateHz = 100, standing = 0 }: Course, seed = 1): number | null => {
  const random = uniform(seed)
  const window = new DynamicPowerWindow(values)
  for (let packet = 0; packet < rateHz; packet++) {
    const t = packet / rateHz
    const powers = Float32Array.from({ length: values }, (_, k) => {
      const angle = 2 * Math.PI * (hertz * t + k / 7)
      const re = 1 + standing * (k % 2) + echo * Math.cos(angle) + noise * normal(random)
      return re ** 2 + (echo * Math.sin(angle) + noise * normal(random)) ** 2
    })
    const mean = powers.reduce((sum, power) => sum + power, 0) / values
    window.add(t * 1e6, Math.floor(t * 10), powers.map((power) => power / mean))
  }
  return window.evaluate(9)
}

describe("dynamic power", () => {
  it("is the power of the echo over that of the static response", () => {
    expect(second({ echo: 0.1, hertz: 2 })!).toBeCloseTo(0.01, 3)
    expect(second({ echo: 0.1, hertz: -5, noise: 0.05 })!).toBeCloseTo(0.01, 2)
    expect(second({ echo: 0.05, hertz: 5 })! / second({ echo: 0.1, hertz: 5 })!).toBeCloseTo(0.25, 1)
  })

  it("is near 0 for static changes and for noise that is stronger than any echo", () => {
    expect(second({ standing: 0.5 })!).toBeLessThan(1e-6)
    for (const seed of [2, 3, 4, 5]) expect(second({ noise: 0.3 }, seed)!).toBeLessThan(0.02 * 2 * 0.3 * 0.3)
  })

  it("is null with fewer than five pairs, and covers one second", () => {
    expect(second({ echo: 0.1, hertz: 1, rateHz: 5 })).toBeNull()
    const window = new DynamicPowerWindow(1)
    for (let packet = 0; packet < 8; packet++) window.add(packet * 10_000, 0, Float32Array.of(packet < 4 ? 0.5 : 1.5))
    expect(window.evaluate(0)).toBeGreaterThan(0.05)
    expect(window.evaluate(10)).toBeNull()
  })
})
