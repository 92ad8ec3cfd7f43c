import { describe, expect, it } from "vitest"
import { createRatioPlan } from "../../../core/signal/csi-ratio.ts"
import { VitalsWindow } from "../../../core/vitals/vitals-window.ts"
import { echoes, layoutOf, tones56, uniform } from "../signal/channel.ts"
import { breath, ratesOf, type Scene, vitalsOf } from "./chest.ts"

const near: Scene = { seed: 1, antennas: 3, centerFrequencyHz: 5.5e9, noise: 0.02, packetRateHz: 100, seconds: 75 }

describe("vital signs of a link", () => {
  it("have either a rate or a reason", () => {
    for (const vitals of vitalsOf({ seed: 1, pathM: breath(15), seconds: 50 })) {
      expect(vitals.breathingRateBpm === null).toBe(vitals.breathingReason !== null)
      expect(vitals.heartRateBpm === null).toBe(vitals.heartReason !== null)
      expect(vitals.breathingConfidence > 0).toBe(vitals.breathingRateBpm !== null)
    }
  })

  it("include a heart rate beside a breath where the link is quiet enough, and none without a heartbeat", () => {
    const heartHz = 1.17
    const breathing = breath(15, 0.004)
    const beating = vitalsOf({ ...near, pathM: (t) => breathing(t) + 0.0006 * Math.sin(2 * Math.PI * heartHz * t) })
    const rates = beating.flatMap(({ heartRateBpm }) => heartRateBpm ?? [])
    expect(rates.length).toBeGreaterThan(10)
    for (const rate of rates) expect(Math.abs(rate - 60 * heartHz)).toBeLessThan(1)
    const still = vitalsOf({ ...near, pathM: breathing })
    expect(ratesOf(still).length).toBeGreaterThan(30)
    expect(still.every(({ heartRateBpm }) => heartRateBpm === null)).toBe(true)
    expect(still.at(-1)!.heartReason).toBe("no heartbeat is above the noise floor")
  })

  it("have no heart rate without a breathing rate", () => {
    const pathM = (t: number): number => 0.0006 * Math.sin(2 * Math.PI * 1.17 * t)
    const said = vitalsOf({ ...near, pathM, seconds: 50 })
    expect(said.every(({ heartRateBpm }) => heartRateBpm === null)).toBe(true)
    expect(said.at(-1)!.heartReason).toMatch(/^the heart rate needs a breathing rate: /)
  })

  it("are not reported during motion, nor until the motion has left most of the window", () => {
    const said = vitalsOf({ seed: 2, pathM: breath(15), seconds: 80, moving: (t) => t >= 35 && t < 50 })
    expect(said[33]!.breathingRateBpm).not.toBeNull()
    for (let second = 45; second < 70; second++) expect(said[second]!.breathingReason).toMatch(/^motion is too strong/)
    expect(said[78]!.breathingRateBpm).not.toBeNull()
  })

  it("are read once a second, however often they are evaluated", () => {
    const window = new VitalsWindow(createRatioPlan(layoutOf({ receiveAntennas: 1 })))
    const first = window.evaluate(1e6, false)
    expect(window.evaluate(1.9e6, false)).toBe(first)
    expect(window.evaluate(2e6, false)).not.toBe(first)
  })

  it("are read at their own phase of a second", () => {
    const window = new VitalsWindow(createRatioPlan(layoutOf({ receiveAntennas: 1 })), 3e5)
    const first = window.evaluate(1e6, false)
    expect(window.evaluate(1.2e6, false)).toBe(first)
    const second = window.evaluate(1.3e6, false)
    expect(second).not.toBe(first)
    expect(window.evaluate(2.2e6, false)).toBe(second)
    expect(window.evaluate(2.3e6, false)).not.toBe(second)
  })

  it("are found after a long silence, and then reported every second", () => {
    const breathing = breath(15)
    const said = vitalsOf({ seed: 4, pathM: (t) => t < 100 ? 0 : breathing(t - 100), seconds: 150 })
    expect(said.slice(0, 104).every(({ breathingRateBpm }) => breathingRateBpm === null)).toBe(true)
    const first = said.findIndex(({ breathingRateBpm }) => breathingRateBpm !== null)
    expect(first).toBeLessThan(136)
    for (const { breathingRateBpm } of said.slice(first)) expect(Math.abs(breathingRateBpm! - 15)).toBeLessThan(0.5)
  })

  it("tolerate frames without power, and a clock that is set back", () => {
    const window = new VitalsWindow(createRatioPlan(layoutOf({ receiveAntennas: 1 })))
    const response = echoes(uniform(1), 1, tones56, 1)
    for (let t = 0; t < 40e6; t += 2e4) {
      window.add(1e12 + t, new Float32Array(112), 0)
      window.add(1e12 + t, response, 0)
    }
    expect(window.evaluate(1e12 + 40e6, false).breathingReason).not.toMatch(/^not enough data yet: 30/)
    window.add(5e6, response, 0)
    expect(window.evaluate(6e6, false).breathingReason).toMatch(/^not enough data yet: 30/)
  })
})
