import { describe, expect, it } from "vitest"
import { UniformSeries, type UniformWindow, type WindowRefusal } from "../../../core/signal/resample.ts"
import { normal, uniform } from "./channel.ts"

interface Course {
  readonly rateHz: number
  readonly seconds?: number
  readonly value: (seconds: number) => number
  /** Whether the packet at this time arrives. */
  readonly arrives?: (seconds: number) => boolean
  readonly noise?: number
}

/** Packets at irregular times, from an arbitrary moment on. */
const fed = ({ arrives = () => true, noise = 0, rateHz, seconds = 31, value }: Course): UniformSeries => {
  const random = uniform(11)
  const series = new UniformSeries(1, 30)
  for (let t = 0; t < seconds; t += (0.6 + 0.8 * random()) / rateHz) {
    const sample = Float32Array.of(value(t) + noise * normal(random))
    if (arrives(t)) series.add(startUs + t * 1e6, sample)
  }
  return series
}

const startUs = 1_700_000_000_000_000

const read = (course: Course, lengthS = 30): UniformWindow | WindowRefusal => fed(course).read(startUs + 31e6, lengthS)

const whole = (course: Course): UniformWindow => {
  const window = read(course)
  if (typeof window === "string") throw new Error(window)
  return window
}

describe("resampling", () => {
  it.each([100, 40, 12, 7])("keeps a slow wave at %i packets/s", (rateHz) => {
    const frequencyHz = 0.4
    const window = whole({ rateHz, value: (t) => Math.sin(2 * Math.PI * frequencyHz * t) })
    expect(window.rateHz).toBe(rateHz >= 12 ? 10 : 5)
    const series = window.series(0)
    expect(series.length).toBe(30 * window.rateHz)
    // Amplitude and phase by correlation: the wave itself, within a step's smear and the packets' jitter.
    let re = 0
    let im = 0
    for (let i = 0; i < series.length; i++) {
      const t = 1 + (i + 0.5) / window.rateHz
      re += 2 * series[i]! * Math.sin(2 * Math.PI * frequencyHz * t) / series.length
      im += 2 * series[i]! * Math.cos(2 * Math.PI * frequencyHz * t) / series.length
    }
    expect(Math.hypot(re, im)).toBeGreaterThan(0.93)
    expect(Math.abs(Math.atan2(im, re))).toBeLessThan(0.1)
  })

  it.each([6.2, 7.5, 9.7, 13.3, 19.6])("does not alias %f Hz to another frequency", (frequencyHz) => {
    const series = whole({ rateHz: 200, value: (t) => Math.sin(2 * Math.PI * frequencyHz * t) }).series(0)
    const foldedHz = Math.abs(frequencyHz - 10 * Math.round(frequencyHz / 10))
    let re = 0
    let im = 0
    for (let i = 0; i < series.length; i++) {
      re += 2 * series[i]! * Math.cos(2 * Math.PI * foldedHz * i / 10) / series.length
      im += 2 * series[i]! * Math.sin(2 * Math.PI * foldedHz * i / 10) / series.length
    }
    expect(20 * Math.log10(Math.hypot(re, im))).toBeLessThan(-32)
  })

  it("interpolates a gap of 2 s linearly, and rejects a longer one", () => {
    const line = (t: number): number => 3 + 2 * t
    const window = whole({ rateHz: 50, value: line, arrives: (t) => t < 10 || t > 11.9 })
    const series = window.series(0)
    for (let i = 5; i < series.length - 5; i++) {
      expect(Math.abs(series[i]! - line(1 + (i + 0.5) / 10))).toBeLessThan(0.2)
    }
    expect(read({ rateHz: 50, value: line, arrives: (t) => t < 10 || t > 12.2 })).toBe("gap")
  })

  it("rejects sparse packets, and a series that is too short", () => {
    expect(read({ rateHz: 3, value: () => 1 })).toBe("sparse")
    expect(read({ rateHz: 50, value: () => 1, arrives: (t) => t > 2 })).toBe("not-filled")
    expect(typeof read({ rateHz: 50, value: () => 1, arrives: (t) => t > 2 }, 20)).toBe("object")
  })

  it("measures the packets' noise beside slow motion, but not with sparse packets", () => {
    const window = whole({ rateHz: 100, noise: 0.1, value: (t) => Math.sin(2 * Math.PI * 0.3 * t) })
    const { fast, noisePerHz } = window.scatter!(0)
    // White noise of variance v over the packets' rate r has a density of 2 v / r.
    expect(noisePerHz / (2 * 0.01 / 100)).toBeGreaterThan(0.8)
    expect(noisePerHz / (2 * 0.01 / 100)).toBeLessThan(1.5)
    expect(Math.abs(fast)).toBeLessThan(0.003)
    expect(whole({ rateHz: 12, noise: 0.1, value: () => 0 }).scatter).toBeNull()
  })

  it("finds the power of motion that is too fast for its steps", () => {
    const window = whole({ rateHz: 200, noise: 0.1, value: (t) => Math.sin(2 * Math.PI * 15 * t) })
    expect(window.scatter!(0).fast).toBeGreaterThan(0.2)
  })

  it("restarts when the clock is set back or jumps", () => {
    const series = fed({ rateHz: 50, value: () => 1 })
    series.add(startUs - 100e6, Float32Array.of(2))
    expect(series.read(startUs - 99e6, 30)).toBe("not-filled")
    series.add(startUs + 31e6, Float32Array.of(2))
    expect(series.read(startUs + 31e6, 30)).toBe("not-filled")
  })

  it("drops the data that has left the ring", () => {
    const series = fed({ rateHz: 50, value: () => 5, noise: 2, seconds: 31 })
    for (let t = 31; t < 62; t += 0.02) series.add(startUs + t * 1e6, Float32Array.of(1))
    const window = series.read(startUs + 62e6, 30)
    if (typeof window === "string") throw new Error(window)
    expect(window.mean(0)).toBeCloseTo(1, 6)
    expect(window.series(0).every((value) => Math.abs(value - 1) < 0.01)).toBe(true)
    // Packets scatter no more; the earlier noise estimate, of single packets less that of steps of 2.5, is subtracted.
    const { fast, noisePerHz } = window.scatter!(0)
    expect(Math.abs(fast + noisePerHz * 10 * (50 / 20 - 1))).toBeLessThan(0.15 * noisePerHz * 10)
  })
})
