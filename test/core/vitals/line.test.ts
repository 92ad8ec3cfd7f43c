import { describe, expect, it } from "vitest"
import type { UniformWindow } from "../../../core/signal/resample.ts"
import { findLine } from "../../../core/vitals/line.ts"
import { detrend, powerWithin, type Spectrum, spectrumOf } from "../../../core/vitals/periodicity.ts"
import { normal, uniform } from "../signal/channel.ts"

const steps = 300
const rateHz = 10
const window: UniformWindow = {
  rateHz,
  passHz: 4,
  steps,
  mean: () => 0,
  series: () => new Float64Array(steps),
  scatter: null,
}

type Random = () => number
type Noise = (random: Random) => Float64Array

const white: Noise = (random) => Float64Array.from({ length: steps }, () => normal(random))

/** A random series in which a step keeps `kept` of the one before. */
const red = (kept: number): Noise => (random) => {
  let value = 0
  for (let i = 0; i < 200; i++) value = kept * value + normal(random)
  return Float64Array.from({ length: steps }, () => value = kept * value + normal(random))
}

const step: Noise = (random) => {
  const at = steps * random()
  return Float64Array.from({ length: steps }, (_, i) => i < at ? 0 : 3)
}

/** Two blocks of values with noise of their own, and `common` in each with a random weight. */
const spectrum = (random: Random, common: ReadonlyArray<Float64Array>, weight: number): Spectrum => {
  const blocks = [7, 12].map((length) =>
    Array.from({ length }, () => {
      const series = white(random)
      for (const part of common) {
        const share = weight * normal(random)
        for (let i = 0; i < steps; i++) series[i]! += share * part[i]!
      }
      return detrend(series)
    })
  )
  return spectrumOf(window, blocks, { fromHz: 1, toHz: 4 })!
}

const search = { fromHz: 8 / 60, toHz: 40 / 60 }
const lineOf = (of: Spectrum) => findLine(of, search, { fromHz: 0, toHz: 1 })

const wave = (frequencyHz: number, amplitude: number): Float64Array =>
  Float64Array.from({ length: steps }, (_, i) => amplitude * Math.sin(2 * Math.PI * frequencyHz * i / rateHz + 1))

describe("a spectrum", () => {
  it("is 1 for noise, however correlated the values are", () => {
    const random = uniform(1)
    const gain = white(random).map((value) => 30 * value)
    const { power, stepHz } = spectrum(random, [gain], 1)
    const within = power.slice(Math.round(0.1 / stepHz), Math.round(1 / stepHz))
    const mean = within.reduce((sum, value) => sum + value, 0) / within.length
    expect(mean).toBeGreaterThan(0.8)
    expect(mean).toBeLessThan(1.3)
  })

  it("shows a wave below noise that all values share in another direction", () => {
    const random = uniform(2)
    const gain = white(random).map((value) => 10 * value)
    const line = lineOf(spectrum(random, [gain, wave(0.25, 1)], 1))!
    expect(Math.abs(line.frequencyHz - 0.25)).toBeLessThan(0.003)
    expect(line.strength).toBeGreaterThan(30)
  })

  it("keeps a wave's power", () => {
    const blocks = [[detrend(wave(0.3, 2).map((value, i) => value + 1e-3 * (i % 2)))]]
    const of = spectrumOf(window, blocks, { fromHz: 1, toHz: 4 })!
    expect(powerWithin(of, { fromHz: 0.3 - of.lobeHz, toHz: 0.3 + of.lobeHz })).toBeCloseTo(2, 1)
  })

  it("is null for constant values", () => {
    expect(spectrumOf(window, [[new Float64Array(steps)]], { fromHz: 1, toHz: 4 })).toBeNull()
    const of = spectrumOf(window, [[new Float64Array(steps), white(uniform(3))]], { fromHz: 1, toHz: 4 })!
    expect(of.power.every(Number.isFinite)).toBe(true)
  })
})

describe("a line", () => {
  it.each([0.14, 0.2, 0.31, 0.5, 0.65])("of %f Hz is found at its frequency", (frequencyHz) => {
    const line = lineOf(spectrum(uniform(4), [wave(frequencyHz, 0.5)], 1))!
    expect(Math.abs(line.frequencyHz - frequencyHz)).toBeLessThan(0.003)
    expect(line.strength).toBeGreaterThan(10)
  })

  // Strength 10 is e^-10 a cell for one random series over a known background. The background is an estimate, which is worst where
  // the noise bends within the band.
  it.each<readonly [string, number, Noise, number]>([
    ["is white", 0, white, 0],
    ["drifts", 0.3, red(1), 0.01],
    ["drifts and drowns all else", 4, red(1), 0.02],
    ["drifts slowly", 4, red(0.98), 0.05],
    ["wanders faster than a breath", 4, red(0.7), 0.02],
    ["wanders as fast as a breath", 4, red(0.9), 0.06],
    ["steps", 4, step, 0],
  ])("is not made by noise that %s", (_, weight, noise, shareMax) => {
    const random = uniform(5)
    const trials = 200
    let strong = 0
    for (let trial = 0; trial < trials; trial++) {
      if ((lineOf(spectrum(random, [noise(random)], weight))?.strength ?? 0) >= 10) strong++
    }
    expect(strong / trials).toBeLessThanOrEqual(shareMax)
  })
})
