import { describe, expect, it } from "vitest"
import { createDecimation, decimateRow } from "../../../core/signal/decimation.ts"
import { layoutOf, tones56 } from "./channel.ts"

describe("decimation", () => {
  it.each([[56, 14], [52, 13], [51, 13], [114, 14], [30, 15], [8, 8], [245, 14]])(
    "makes %i subcarriers about 14",
    (subcarriers, groups) => {
      const subcarrierIndices = Int16Array.from({ length: subcarriers }, (_, i) => i - (subcarriers >> 1))
      const decimation = createDecimation(layoutOf({ subcarrierIndices }))
      expect(decimation.tonesHz).toHaveLength(groups)
      expect([...decimation.bounds].sort((a, b) => a - b)).toEqual([...decimation.bounds])
      expect([decimation.bounds[0], decimation.bounds.at(-1)]).toEqual([0, subcarriers])
    },
  )

  it("gives the mean frequency of each group and the mean of its values", () => {
    const decimation = createDecimation(layoutOf())
    expect(decimation.tonesHz[0]).toBe(-26.5 * 312_500)
    expect(decimation.tonesHz[13]).toBe(26.5 * 312_500)
    const row = new Float32Array(2 + 2 * tones56.length)
    tones56.forEach((k, i) => row.set([k, -2 * k], 2 + 2 * i))
    const out = new Float32Array(30)
    decimateRow(decimation, row, 2, out, 2)
    expect([...out.slice(0, 4)]).toEqual([0, 0, -26.5, 53])
    expect([...out.slice(28)]).toEqual([26.5, -53])
  })

  it("keeps an echo 15 m longer than the direct path to a tenth of a decibel", () => {
    const decimation = createDecimation(layoutOf())
    const row = new Float32Array(2 * tones56.length)
    tones56.forEach((k, i) => {
      const angle = -2 * Math.PI * k * 312_500 * 15 / 3e8
      row.set([Math.cos(angle), Math.sin(angle)], 2 * i)
    })
    const out = new Float32Array(28)
    decimateRow(decimation, row, 0, out, 0)
    for (let i = 0; i < 28; i += 2) expect(20 * Math.log10(Math.hypot(out[i]!, out[i + 1]!))).toBeGreaterThan(-0.1)
  })
})
