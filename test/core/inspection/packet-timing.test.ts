import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { PacketTimes, type PacketTiming } from "../../../core/inspection/packet-timing.ts"

const timingOf = (timesUs: ReadonlyArray<number>): PacketTiming => {
  const times = new PacketTimes()
  for (const timeUs of timesUs) times.add(timeUs)
  return times.read()
}

/** Times at regular intervals. */
const regular = (count: number, intervalUs: number, fromUs = 0): Array<number> =>
  Array.from({ length: count }, (_, i) => fromUs + i * intervalUs)

describe("packet timing", () => {
  it("measures a regular stream: duration and rate exactly, the median within 2 %", () => {
    const timing = timingOf(regular(1001, 10_000))
    expect(timing.durationS).toBe(10)
    expect(timing.rateHz).toBe(100)
    expect(timing.steadyRateHz! / 100).toBeCloseTo(1, 1)
    expect(Math.abs(timing.intervalMedianS! / 0.01 - 1)).toBeLessThan(0.02)
    expect(timing.jitterS).toBe(0)
    expect(timing.gaps).toEqual({ count: 0, longestS: 0.01, share: 0 })
  })

  it("keeps gaps out of the median and the steady rate, and not out of the rate", () => {
    const timing = timingOf([...regular(500, 10_000), ...regular(501, 10_000, 15_000_000)])
    expect(timing.gaps).toMatchObject({ count: 1 })
    expect(timing.gaps!.longestS).toBeCloseTo(10.01)
    expect(timing.gaps!.share).toBeCloseTo(0.5, 1)
    expect(timing.rateHz).toBeCloseTo(50, 0)
    expect(Math.abs(timing.steadyRateHz! / 100 - 1)).toBeLessThan(0.02)
  })

  it("says half the spread of the middle intervals", () => {
    const times = [0]
    for (let i = 0; i < 1000; i++) times.push(times.at(-1)! + (i % 2 === 0 ? 8000 : 12_000))
    expect(Math.abs(timingOf(times).jitterS! / 0.002 - 1)).toBeLessThan(0.1)
  })

  it.each<[string, ReadonlyArray<number>]>([
    ["nothing", []],
    ["one packet", [5]],
    ["packets of one time", [5, 5, 5]],
  ])("says nothing of %s", (_, times) => {
    expect(timingOf(times)).toEqual({
      durationS: null,
      rateHz: null,
      intervalMedianS: null,
      jitterS: null,
      gaps: null,
      steadyRateHz: null,
    })
  })

  it("takes any times without a wrong sign", () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: -1e9, max: 1e15 }), { maxLength: 60 }), (times) => {
      const { durationS, gaps, intervalMedianS, jitterS, rateHz } = timingOf(times)
      for (const figure of [durationS, rateHz, intervalMedianS]) {
        expect(figure === null || (figure > 0 && Number.isFinite(figure))).toBe(true)
      }
      expect(jitterS === null || jitterS >= 0).toBe(true)
      expect(gaps === null || gaps.longestS <= durationS! + 1e-9).toBe(true)
    }))
  })
})
