import { describe, expect, it } from "vitest"
import { DeviceClock, SequenceCounter } from "../../../core/formats/device-clock.ts"

const times = (readings: ReadonlyArray<number>): Array<number> => {
  const clock = new DeviceClock()
  return readings.map((reading) => clock.at(reading))
}

describe("device clock", () => {
  it("unwraps its counter repeatedly", () => {
    const step = 2 ** 30
    const readings = Array.from({ length: 20 }, (_, i) => (7 + i * step) % 2 ** 32)
    expect(times(readings)).toEqual(Array.from({ length: 20 }, (_, i) => i * step))
  })

  it("gives a packet out of order its own time, also across the wrap", () => {
    expect(times([4_294_967_000, 200, 4_294_967_200, 300])).toEqual([0, 496, 200, 596])
  })

  it("continues from its last value when the device restarts", () => {
    expect(times([10_000_000, 10_500_000, 3, 1003])).toEqual([0, 500_000, 500_000, 501_000])
  })
})

describe("device clock of more than 32 bits", () => {
  it("is exact, and unwraps its own range", () => {
    const clock = new DeviceClock(2 ** 52)
    const start = 2 ** 52 - 2 ** 40 - 1
    expect([start, start + 2 ** 40, 7, 5].map((reading) => clock.at(reading)))
      .toEqual([0, 2 ** 40, 2 ** 40 + 8, 2 ** 40 + 6])
  })
})

describe("sequence counter", () => {
  it("unwraps 16 bits and keeps packets out of order in their place", () => {
    const counter = new SequenceCounter()
    expect([65_534, 65_535, 1, 0, 2].map((n) => counter.at(n))).toEqual([65_534, 65_535, 65_537, 65_536, 65_538])
  })
})
