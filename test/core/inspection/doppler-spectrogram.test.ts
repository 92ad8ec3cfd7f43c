import { describe, expect, it } from "vitest"
import { dopplerWindow, spectrogram, unambiguousSpeedMps } from "../../../core/inspection/doppler-spectrogram.ts"
import { normal, uniform } from "../signal/channel.ts"

const rateHz = 100

/** An echo whose path shortens at `speedMps` on a wavelength, over a static response. */
const echo = (seconds: number, shortensMps: number, wavelengthM: number): Float32Array => {
  const samples = seconds * rateHz
  const out = new Float32Array(2 * samples)
  for (let i = 0; i < samples; i++) {
    // H = e^{-j 2 pi d / wavelength}
    const phase = -2 * Math.PI * (10 - shortensMps * i / rateHz) / wavelengthM
    out[2 * i] = 5 + Math.cos(phase)
    out[2 * i + 1] = -3 + Math.sin(phase)
  }
  return out
}

const strongest = (power: Float64Array, size: number, frame: number): number => {
  const row = power.subarray(frame * size, (frame + 1) * size)
  return row.indexOf(Math.max(...row))
}

describe("the Doppler spectrogram", () => {
  // Part II.E of the sensing report: a walker of 1.2 m/s head-on shortens the path there and back.
  it.each([[2.4, 19.5], [-1.2, -9.75], [0.6, 4.9]])(
    "shows a path that shortens by %f m/s at %f Hz",
    (speed, shiftHz) => {
      const result = spectrogram(echo(4, speed, 299_792_458 / 2.44e9), 1, rateHz)!
      const size = result.shiftsHz.length
      expect(size).toBe(dopplerWindow(rateHz))
      expect(result.timesS.length).toBe(Math.floor((400 - size) / 10) + 1)
      for (let frame = 0; frame < result.timesS.length; frame++) {
        const found = result.shiftsHz[strongest(result.power, size, frame)]!
        expect(Math.abs(found - shiftHz)).toBeLessThanOrEqual(rateHz / size / 2 + 0.05)
      }
    },
  )

  it("keeps the power of the motion, and removes the static part", () => {
    const result = spectrogram(echo(4, 1.3, 0.1229), 1, rateHz)!
    const size = result.shiftsHz.length
    for (let frame = 0; frame < result.timesS.length; frame++) {
      const total = result.power.subarray(frame * size, (frame + 1) * size).reduce((sum, value) => sum + value, 0)
      expect(total).toBeGreaterThan(0.9)
      expect(total).toBeLessThan(1.1)
    }
  })

  it("averages its series, with bins that ascend around 0 Hz", () => {
    const random = uniform(7)
    const noise = Float32Array.from({ length: 8 * 2 * 400 }, () => normal(random))
    const { power, shiftsHz, timesS, unambiguousHz } = spectrogram(noise, 8, rateHz)!
    expect(shiftsHz[0]).toBe(-50)
    expect(shiftsHz[shiftsHz.length / 2]).toBe(0)
    expect(unambiguousHz).toBe(50)
    const mean = power.reduce((sum, value) => sum + value, 0) / timesS.length
    expect(mean).toBeGreaterThan(1.8)
    expect(mean).toBeLessThan(2.2)
  })

  it("is null for a series shorter than a window", () => {
    expect(spectrogram(new Float32Array(2 * 40), 1, rateHz)).toBeNull()
  })

  it("gives the speed at which shifts alias", () => {
    expect(unambiguousSpeedMps(100, 5.5e9)).toBeCloseTo(1.36, 2)
    expect(unambiguousSpeedMps(100, 2.44e9)).toBeCloseTo(3.07, 2)
  })

  it("uses half a second, within 32 to 128 samples", () => {
    expect([10, 64, 100, 200, 300, 1000].map(dopplerWindow)).toEqual([32, 32, 64, 128, 128, 128])
  })
})
