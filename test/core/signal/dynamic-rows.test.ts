import { describe, expect, it } from "vitest"
import { DynamicRows } from "../../../core/signal/dynamic-rows.ts"
import { createLayoutPlan } from "../../../core/signal/layout-plan.ts"
import { layoutOf } from "./channel.ts"

const plan = createLayoutPlan(layoutOf({ receiveAntennas: 2 }))
const numbers = 2 * 2 * plan.decimation.tonesHz.length

/** A response that is `value` everywhere. */
const flat = (value: number): Float32Array => new Float32Array(plan.response.length).fill(value)

const rowsOf = (packets: number, packetsMax = 256): DynamicRows => {
  const rows = new DynamicRows(plan, packetsMax)
  for (let i = 0; i < packets; i++) rows.add(flat(i), i / 1000)
  return rows
}

describe("dynamic rows", () => {
  it("keep each packet's row and time up to 64", () => {
    for (const packets of [0, 1, 17, 64]) {
      const { dynamic, dynamicTimesS } = rowsOf(packets).take()
      expect(dynamic).toHaveLength(packets * numbers)
      expect(dynamicTimesS).toEqual(Float32Array.from({ length: packets }, (_, i) => i / 1000))
      expect(dynamic.every((value, i) => value === Math.floor(i / numbers))).toBe(true)
    }
  })

  it("average neighbours and their times past 64, and drop an incomplete mean", () => {
    const { dynamic, dynamicTimesS } = rowsOf(131).take()
    expect(dynamicTimesS).toHaveLength(43)
    expect(dynamic).toHaveLength(43 * numbers)
    for (const [row, timeS] of dynamicTimesS.entries()) {
      expect(timeS).toBeCloseTo((3 * row + 1) / 1000, 6)
      expect(dynamic[row * numbers]).toBeCloseTo(3 * row + 1, 4)
    }
  })

  it("return copies, and restart after they were cleared", () => {
    const rows = rowsOf(5)
    const taken = rows.take()
    rows.clear()
    expect(rows.take().dynamicTimesS).toHaveLength(0)
    rows.add(flat(9), 0.05)
    expect(taken.dynamic[0]).toBe(0)
    expect(rows.take()).toMatchObject({ dynamicTimesS: Float32Array.of(0.05) })
    expect(rows.count).toBe(1)
  })
})
