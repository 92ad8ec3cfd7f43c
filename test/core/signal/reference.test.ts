import { describe, expect, it } from "vitest"
import { createAlignmentPlan } from "../../../core/signal/alignment.ts"
import { beginReference, calibrate, followQuietHop, isUsable } from "../../../core/signal/reference.ts"
import { echoes, layoutOf, tones56, uniform } from "./channel.ts"

const layout = layoutOf({ receiveAntennas: 1 })
const plan = createAlignmentPlan(1, tones56)
const begin = () => beginReference("tx", layout, plan, echoes(uniform(1), 1, tones56, 40))!
const power = (values: Float32Array): number => values.reduce((sum, value) => sum + value * value, 0)

describe("reference", () => {
  it("starts as one frame, with an rms of 1, and is used after ten quiet hops", () => {
    const reference = begin()
    expect(power(reference.response)).toBeCloseTo(56, 3)
    const nothing = new Float32Array(112)
    for (let hop = 0; hop < 9; hop++) followQuietHop(reference, nothing, 10, false)
    expect(isUsable(reference)).toBe(false)
    followQuietHop(reference, nothing, 10, false)
    expect(isUsable(reference)).toBe(true)
    expect(reference.calibration).toBeNull()
    expect(beginReference("tx", layout, plan, new Float32Array(112))).toBeNull()
  })

  it("follows a lasting change without motion, and pauses during motion", () => {
    const reference = begin()
    const before = reference.response.slice()
    const target = before.map((value, v) => v % 2 === 0 ? value : -value)
    const sum = () => reference.response.map((value, v) => 10 * (target[v]! - value))
    followQuietHop(reference, sum(), 10, true)
    expect(reference.response).toEqual(before)
    for (let hop = 0; hop < 20_000; hop++) followQuietHop(reference, sum(), 10, false)
    const left = power(reference.response.map((value, v) => value - target[v]!))
    expect(left / power(target)).toBeLessThan(1e-4)
    expect(power(reference.response)).toBeCloseTo(56, 2)
  })

  it("is unchanged once it is calibrated", () => {
    const reference = begin()
    const calibration = { version: 1, takenAtUs: 5, empty: null, occupied: null }
    const shift = new Float32Array(112).fill(0.25)
    const wanted = reference.response.map((value) => value + 0.25)
    calibrate(reference, calibration, shift.map((value) => 100 * value), 100, 10)
    const scale = Math.sqrt(56 / power(wanted))
    reference.response.forEach((value, v) => expect(value).toBeCloseTo(scale * wanted[v]!, 5))
    expect([reference.calibration, isUsable(reference)]).toEqual([calibration, true])
    const kept = reference.response.slice()
    followQuietHop(reference, shift, 1, false)
    expect(reference.response).toEqual(kept)
  })
})
