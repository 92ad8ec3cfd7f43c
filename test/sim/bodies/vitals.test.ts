import { describe, expect, it } from "vitest"
import { channel, createPose } from "../../../sim/bodies/pose.ts"
import { createSway } from "../../../sim/bodies/sway.ts"
import { createVitals } from "../../../sim/bodies/vitals.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { scatterers } from "../../../sim/bodies/body.ts"
import { distance, doing, home, pointOf } from "./home.ts"

const description = { breathing: { ratePerMinute: 14, chestMm: 8 }, heart: { ratePerMinute: 72, chestMm: 0.4 } }

/** Breath and pulse 50 times a second, and the starts of both, over half an hour. */
const recordOf = (seed: number, effort: number) => {
  const vitals = createVitals(description, createRandom(seed, "vitals"))
  const breath: Array<number> = []
  const pulse: Array<number> = []
  for (let i = 0; i < 1800 * 50; i++) {
    vitals.advance(i / 50, effort)
    breath.push(vitals.breathM(i / 50))
    pulse.push(vitals.pulseM(i / 50))
  }
  return { vitals, breath, pulse }
}

const risesOf = (trace: ReadonlyArray<number>, level: number): ReadonlyArray<number> =>
  trace.flatMap((value, i) => i > 0 && trace[i - 1]! < level && value >= level ? [i / 50] : [])

const gaps = (times: ReadonlyArray<number>): ReadonlyArray<number> => times.slice(1).map((time, i) => time - times[i]!)

describe("breathing", () => {
  it("rises by as much and as often as described, with 5 % of jitter and rare pauses", () => {
    const { breath, vitals } = recordOf(3, 0)
    const risesM = Math.max(...breath) - Math.min(...breath)
    expect(risesM * 1000).toBeGreaterThan(7.5)
    expect(risesM * 1000).toBeLessThan(10)
    const periods = gaps(risesOf(breath, 0.004))
    const usual = periods.filter((period) => period < 6)
    const mean = usual.reduce((sum, period) => sum + period, 0) / usual.length
    expect(mean).toBeGreaterThan(0.97 * 60 / 14)
    expect(mean).toBeLessThan(1.03 * 60 / 14)
    const spread = Math.sqrt(usual.reduce((sum, period) => sum + (period - mean) ** 2, 0) / usual.length) / mean
    expect(spread).toBeGreaterThan(0.03)
    expect(spread).toBeLessThan(0.08)
    const pauses = periods.length - usual.length
    expect(pauses).toBeGreaterThan(0)
    expect(pauses / periods.length).toBeLessThan(0.03)
    expect(vitals.breathingBpm()).toBeCloseTo(14, 6)
  })

  it("is smooth: the chest never moves faster than it can", () => {
    const { breath } = recordOf(4, 0)
    const speeds = breath.slice(1).map((value, i) => Math.abs(value - breath[i]!) * 50)
    expect(Math.max(...speeds.slice(0, 50_000))).toBeLessThan(0.012)
  })

  it("quickens slowly with effort", () => {
    const vitals = createVitals(description, createRandom(1, "vitals"))
    vitals.advance(0, 1)
    vitals.advance(5, 1)
    expect(vitals.breathingBpm()).toBeLessThan(15)
    vitals.advance(300, 1)
    expect(vitals.breathingBpm()).toBeGreaterThan(18)
    expect(vitals.heartBpm()).toBeGreaterThan(90)
  })
})

describe("the heart", () => {
  it("beats as high and as often as described", () => {
    const { pulse, vitals } = recordOf(5, 0)
    expect(Math.max(...pulse) * 1000).toBeGreaterThan(0.38)
    expect(Math.max(...pulse) * 1000).toBeLessThan(0.42)
    const beats = risesOf(pulse, 0.0003)
    expect(beats.length / 30).toBeGreaterThan(70.5)
    expect(beats.length / 30).toBeLessThan(73.5)
    expect(vitals.heartBpm()).toBeCloseTo(72, 6)
  })
})

describe("sway", () => {
  it("is 3 to 8 mm rms while standing, slow, and individual", () => {
    const values = [1, 2, 3, 4].map((seed) => {
      const sway = createSway(createRandom(seed, "sway"))
      for (let i = 0; i < 500; i++) sway.advance(1, 0)
      let sum = 0
      let fastest = 0
      let before: ReadonlyArray<number> | null = null
      for (let i = 0; i < 12_000; i++) {
        const pose = createPose()
        sway.add(i / 20, pose)
        const at = [pose[channel.pelvisX]!, pose[channel.pelvisY]!]
        sum += at[0]! ** 2 + at[1]! ** 2
        if (before !== null) fastest = Math.max(fastest, distance(at, before) * 20)
        before = at
      }
      expect(fastest).toBeLessThan(0.12)
      return Math.sqrt(sum / 12_000) * 1000
    })
    for (const rms of values) {
      expect(rms).toBeGreaterThan(3)
      expect(rms).toBeLessThan(8)
    }
    expect(new Set(values.map((rms) => rms.toFixed(2))).size).toBe(4)
  })
})

describe("a person at rest", () => {
  it("shows breathing on the chest while sitting, and reports the same rates", () => {
    const chest = scatterers.findIndex(({ segment }) => segment === "chest")
    const person = doing([{ do: "sit", seat: "sofa", seconds: 200 }], home, 6, {
      breathing: { ratePerMinute: 18, chestMm: 10 },
    })
    const depths: Array<number> = []
    let state = person.at(0)
    for (let timeS = 100; timeS < 160; timeS += 0.05) {
      state = person.at(timeS)
      depths.push(distance(pointOf(person.posture.scatterers, chest), [...person.posture.neck]))
    }
    expect(state.activity).toBe("sitting")
    expect(state.breathingBpm).toBeGreaterThan(17.9)
    expect(state.breathingBpm).toBeLessThan(20)
    const middle = (Math.max(...depths) + Math.min(...depths)) / 2
    const breaths = depths.filter((depth, i) => i > 0 && depths[i - 1]! < middle && depth >= middle).length
    expect(breaths).toBeGreaterThan(15)
    expect(breaths).toBeLessThan(21)
  })
})
