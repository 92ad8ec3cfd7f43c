import { describe, expect, it } from "vitest"
import { breathes } from "../../../core/vitals/link-evidence.ts"
import { breath, ratesOf, type Scene, vitalsOf } from "./chest.ts"

/** All rates that are reported lie within `within` of the true one, and there are at least `seconds` of them. */
const expectRate = (scene: Scene, rateBpm: number, seconds: number, within = 0.5): void => {
  const rates = ratesOf(vitalsOf(scene))
  expect(rates.length).toBeGreaterThanOrEqual(seconds)
  for (const rate of rates) expect(Math.abs(rate - rateBpm)).toBeLessThan(within)
}

const reasonsOf = (scene: Scene): ReadonlyArray<string> =>
  vitalsOf(scene).flatMap(({ breathingReason }) => breathingReason ?? [])

describe("breathing", () => {
  it.each([6, 7, 8, 10, 12, 15, 20, 28, 36])("measures %i/min, from the slow window or the fast one", (rateBpm) => {
    expectRate({ seed: rateBpm, pathM: breath(rateBpm) }, rateBpm, rateBpm < 8 ? 8 : 22)
  })

  it.each([4, 4.5, 5, 5.5])("measures %f/min, from the slowest window", (rateBpm) => {
    expectRate({ seed: 10 * rateBpm, pathM: breath(rateBpm), seconds: 75 }, rateBpm, 10, 0.3)
  })

  it("is about half sure of a rate of the slowest window that is barely reported, so that it is no body by itself", () => {
    const said = vitalsOf({ seed: 53, pathM: breath(5, 0.002), seconds: 75 })
    const confidences = said.flatMap(({ breathingConfidence, breathingRateBpm }) =>
      breathingRateBpm === null ? [] : [breathingConfidence]
    )
    expect(confidences.length).toBeGreaterThan(5)
    for (const breath of confidences) {
      expect(breath).toBeGreaterThanOrEqual(0.5)
      expect(breath).toBeLessThan(0.7)
      expect(breathes({ breath, mover: "body" })).toBe(false)
    }
  })

  it.each([3, 42])("reports no rate for %i/min, nor a multiple or a part of it", (rateBpm) => {
    expect(ratesOf(vitalsOf({ seed: rateBpm, pathM: breath(rateBpm, 0.015), seconds: 75 }))).toEqual([])
  })

  it("is not misled by harmonics: a stroke that rotates the echo by more than a full turn", () => {
    expectRate({ seed: 1, pathM: breath(10, 0.025), centerFrequencyHz: 5.5e9 }, 10, 10)
  })

  it("does not report twice the rate of 6/min before the slow window is filled", () => {
    // Rests and short breaths: strong harmonics.
    const pathM = (t: number): number => 0.02 * Math.max(0, Math.sin(2 * Math.PI * t / 10)) ** 2
    expectRate({ seed: 2, pathM }, 6, 8)
  })

  it.each([0, 0.6, 1.2, 1.8, 2.4, 3])("has no blind spot: the echo rotated by %f rad", (turn) => {
    const pathM = (t: number): number => breath(14, 0.003)(t) + turn / (2 * Math.PI) * 299_792_458 / 2.44e9
    expectRate({ seed: 3, pathM }, 14, 20)
  })

  it("tolerates lost packets, gaps below 2 s and antennas with gain steps", () => {
    const pathM = breath(15)
    const lossy = uniformLoss(0.3)
    expectRate({ seed: 4, pathM, arrives: lossy }, 15, 20)
    expectRate({ seed: 5, pathM, arrives: (t) => t % 20 > 1.5 }, 15, 15)
    expectRate({ seed: 6, pathM, antennas: 3, gainJitter: 0.25 }, 15, 20)
    expectRate({ seed: 7, pathM, packetRateHz: 10, antennas: 3 }, 15, 20)
  })

  it.each([1, 2, 3, 4])("reports no rate in an empty room (seed %i)", (seed) => {
    expect(ratesOf(vitalsOf({ seed, echo: 0 }))).toEqual([])
    expect(ratesOf(vitalsOf({ seed, echo: 0, antennas: 3, gainJitter: 0.2 }))).toEqual([])
  })

  it.each([1, 2, 3])("does not mistake drift for a breath (seed %i)", (seed) => {
    // A path that drifts like a random walk, some millimetres a minute.
    const walk: Array<number> = [0]
    const next = uniformLoss(0.5)
    const pathM = (t: number): number => {
      while (walk.length <= 20 * t + 1) walk.push(walk.at(-1)! + (next(0) ? 1 : -1) * 2e-4 * seed)
      return walk[Math.floor(20 * t)]!
    }
    expect(ratesOf(vitalsOf({ seed, pathM, seconds: 90 }))).toEqual([])
  })

  it("does not mistake pacing to and fro for a breath", () => {
    const pathM = (t: number): number => 4 * Math.abs((t / 7.5) % 1 - 0.5)
    const scene: Scene = { seed: 8, pathM, packetRateHz: 100 }
    expect(ratesOf(vitalsOf(scene))).toEqual([])
    const nearAndFar: Scene = { ...scene, pathM: (t) => 1.5 * Math.sin(2 * Math.PI * t / 8) }
    expect(ratesOf(vitalsOf(nearAndFar))).toEqual([])
  })

  it("reports the missing requirement as the reason", () => {
    expect(reasonsOf({ seed: 9, seconds: 10 })[0]).toMatch(/^not enough data yet: 30 s/)
    expect(reasonsOf({ seed: 9, packetRateHz: 3, seconds: 40 }).at(-1)).toMatch(/packets are too few/)
    expect(reasonsOf({ seed: 9, arrives: (t) => t < 34 || t > 37, seconds: 40 }).at(-1)).toMatch(/packets were missing/)
    expect(reasonsOf({ seed: 9, echo: 0, seconds: 35 }).at(-1)).toMatch(/rates below 8\/min, which take 45 s/)
    expect(reasonsOf({ seed: 9, echo: 0, seconds: 50 }).at(-1)).toBe("no period is above the noise floor")
  })
})

/** Drops packets at random. */
const uniformLoss = (share: number) => {
  let state = 1
  return (_: number): boolean => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) / 2 ** 23 > share
  }
}
