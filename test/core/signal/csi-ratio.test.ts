import { describe, expect, it } from "vitest"
import { createRatioPlan, liveBlocks, type RatioPlan, ratiosOf } from "../../../core/signal/csi-ratio.ts"
import { echoes, layoutOf, received, tones56, uniform, withNoise } from "./channel.ts"

const valuesOf = (plan: RatioPlan, csi: Float32Array): Float32Array => {
  const out = new Float32Array(plan.values)
  expect(ratiosOf(plan, csi, 0, out)).toBe(true)
  return out
}

const largest = (a: Float32Array, b: Float32Array): number => Math.max(...a.map((value, i) => Math.abs(value - b[i]!)))

describe("CSI ratios", () => {
  it.each([1, 2, 3])("are independent of the packet's phase, delay and gain (%i antennas)", (receiveAntennas) => {
    const layout = layoutOf({ receiveAntennas })
    const plan = createRatioPlan(layout)
    const response = echoes(uniform(1), receiveAntennas, tones56, 1)
    const first = valuesOf(plan, response)
    const random = uniform(2)
    for (let i = 0; i < 20; i++) {
      const packet = { gain: 0.1 + 10 * random(), phase: 7 * random(), delaySeconds: (random() - 0.5) * 4e-7 }
      expect(largest(valuesOf(plan, received(response, tones56, packet)), first)).toBeLessThan(2e-5)
    }
  })

  it("are independent of the gain of an antenna, except for its share of the power", () => {
    const plan = createRatioPlan(layoutOf())
    const response = echoes(uniform(3), 3, tones56, 1)
    const louder = response.map((value, v) => v < 112 ? 3 * value : value)
    const products = 3 * 2 * plan.groups + 3 * plan.groups
    expect(largest(valuesOf(plan, louder).subarray(0, products), valuesOf(plan, response).subarray(0, products)))
      .toBeLessThan(1e-5)
  })

  it("have the phase of H_a / H_b, not of its conjugate", () => {
    const layout = layoutOf({ receiveAntennas: 2, subcarrierIndices: Int16Array.of(-3, -2, -1, 1, 2, 3, 4) })
    const plan = createRatioPlan(layout)
    const [pair] = plan.pairs
    const response = Float32Array.from({ length: 28 }, (_, v) => v % 2 === 0 ? 1 : 0)
    const row = 14 * pair![0]
    for (let k = 0; k < 7; k++) {
      response[row + 2 * k] = 2 * Math.cos(0.3)
      response[row + 2 * k + 1] = 2 * Math.sin(0.3)
    }
    const values = valuesOf(plan, response)
    for (let g = 0; g < 7; g++) {
      expect(Math.atan2(values[2 * g + 1]!, values[2 * g]!)).toBeCloseTo(0.3, 5)
      expect(Math.hypot(values[2 * g]!, values[2 * g + 1]!)).toBeCloseTo(1, 5)
    }
  })

  it("reject a frame without finite power", () => {
    const plan = createRatioPlan(layoutOf())
    const out = new Float32Array(plan.values)
    expect(ratiosOf(plan, new Float32Array(6 * 56), 0, out)).toBe(false)
    expect(ratiosOf(plan, new Float32Array(6 * 56).fill(NaN), 0, out)).toBe(false)
    expect(ratiosOf(plan, new Float32Array(6 * 56).fill(3e38), 0, out)).toBe(false)
  })

  it("stay finite when an antenna is silent or a row is short", () => {
    const plan = createRatioPlan(layoutOf())
    expect(valuesOf(plan, echoes(uniform(4), 3, tones56, 1).fill(0, 0, 112)).every(Number.isFinite)).toBe(true)
    const two = createRatioPlan(layoutOf({ receiveAntennas: 1, subcarrierIndices: Int16Array.of(-1, 1) }))
    expect(valuesOf(two, Float32Array.of(1, 0, 0, 1)).every(Number.isFinite)).toBe(true)
  })
})

describe("live blocks", () => {
  const blocksOf = (plan: RatioPlan, csi: Float32Array) => {
    const values = valuesOf(plan, csi)
    return liveBlocks(plan, (value) => values[value]!)
  }
  const random = uniform(5)
  const whole = echoes(random, 3, tones56, 1).map((value, v) => v >= 224 ? 2 * value : value)

  it("are the products of every antenna with the strongest", () => {
    const plan = createRatioPlan(layoutOf())
    const named = blocksOf(plan, whole).map(({ at }) => plan.pairs[at / (2 * plan.groups)])
    expect(new Set(named)).toEqual(new Set([[2, 0], [2, 1]]))
  })

  it("exclude a disconnected antenna", () => {
    const plan = createRatioPlan(layoutOf())
    const noise = withNoise(new Float32Array(whole.length), random, 0.02)
    const csi = whole.map((value, v) => v < 112 ? noise[v]! : value)
    const named = blocksOf(plan, csi).map(({ at }) => plan.pairs[at / (2 * plan.groups)])
    expect(named).toEqual([[2, 1]])
  })

  it("fall back to the power of the only live antenna", () => {
    const plan = createRatioPlan(layoutOf())
    const [block, ...others] = blocksOf(plan, whole.map((value, v) => v < 224 ? 0 : value))
    expect(others).toEqual([])
    expect(block).toEqual({ at: plan.pairs.length * 2 * plan.groups + 2 * plan.groups, length: plan.groups })
  })

  it("use transmit streams where there is one antenna", () => {
    const plan = createRatioPlan(layoutOf({ receiveAntennas: 1, transmitAntennas: 3 }))
    expect(plan.pairs).toEqual([[1, 0], [2, 0], [2, 1]])
    expect(blocksOf(plan, whole).length).toBe(2)
  })
})
