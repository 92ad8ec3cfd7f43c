import { describe, expect, it } from "vitest"
import { complexGemm } from "../../../core/kernels/complex-gemm.ts"
import { delayMatrix } from "../../../core/kernels/delay-taps.ts"

const spacingHz = 312_500
const subcarriers = Int16Array.from({ length: 56 }, (_, i) => i < 28 ? i - 28 : i - 27)

describe("delay taps", () => {
  it("peak at the delay of an echo, with its amplitude and phase", () => {
    const delaysS = Array.from({ length: 8 }, (_, i) => i * 5e-8)
    const echo = new Float32Array(2 * subcarriers.length)
    subcarriers.forEach((k, i) => {
      const angle = 0.7 - 2 * Math.PI * k * spacingHz * 1.5e-7
      echo[2 * i] = 2 * Math.cos(angle)
      echo[2 * i + 1] = 2 * Math.sin(angle)
    })
    const params = { batch: 1, m: 1, k: subcarriers.length, n: delaysS.length }
    const taps = new Float32Array(complexGemm.output(params))
    complexGemm.reference(params, [echo, delayMatrix(subcarriers, spacingHz, delaysS)], taps)
    expect(taps[6]).toBeCloseTo(2 * Math.cos(0.7), 5)
    expect(taps[7]).toBeCloseTo(2 * Math.sin(0.7), 5)
    const strengths = delaysS.map((_, i) => Math.hypot(taps[2 * i]!, taps[2 * i + 1]!))
    expect(strengths.indexOf(Math.max(...strengths))).toBe(3)
    expect(strengths[0]).toBeLessThan(0.5)
  })
})
