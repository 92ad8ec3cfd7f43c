import { describe, expect, it } from "vitest"
import { DynamicPowerWindow } from "../../../core/signal/dynamic-power.ts"
import { normal, uniform } from "./channel.ts"

const values = 14

/** A second of packets: a standing change, an echo with a Doppler shift, and noise. */
const second = (standing: number, echo: number, hertz: number, noise: number, seed: number): number => {
  const random = uniform(seed)
  const window = new DynamicPowerWindow(values)
  for (let hop = 0; hop < 10; hop++) {
    const packets = new Float32Array(10 * 2 * values)
    for (let v = 0; v < packets.length; v += 2) {
      const t = hop * 0.1 + Math.floor(v / (2 * values)) * 0.01
      const angle = 2 * Math.PI * hertz * t + v % (2 * values)
      packets[v] = standing + echo * Math.cos(angle) + noise * normal(random)
      packets[v + 1] = echo * Math.sin(angle) + noise * normal(random)
    }
    window.add(hop, 10, packets)
  }
  return window.evaluate(9)!
}

describe("dynamic power", () => {
  it("is the power of what moves", () => {
    expect(second(0, 0.2, 13, 0, 1)).toBeCloseTo(0.04, 3)
    expect(second(0.5, 0.2, -13, 0.02, 2)).toBeCloseTo(0.04, 2)
  })

  it("is near 0 for what stands still and for noise that is stronger than any echo", () => {
    expect(second(0.5, 0, 0, 0, 3)).toBeLessThan(1e-6)
    expect(second(0, 0, 0, 0.3, 4)).toBeLessThan(0.1 * 2 * 0.3 * 0.3)
  })

  it("forgets after a second, and when it is cleared", () => {
    const window = new DynamicPowerWindow(1)
    window.add(0, 3, Float32Array.of(1, 0, -1, 0, 1, 0))
    expect(window.evaluate(0)).toBeGreaterThan(0.5)
    expect(window.evaluate(10)).toBeNull()
    window.clear()
    expect(window.evaluate(0)).toBeNull()
  })
})
