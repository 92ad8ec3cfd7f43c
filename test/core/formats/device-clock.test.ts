import { describe, expect, it } from "vitest"
import { DeviceClock, SequenceCounter } from "../../../core/formats/device-clock.ts"

const times = (readings: ReadonlyArray<number>): Array<number> => {
  const clock = new DeviceClock()
  return readings.map((reading) => clock.at(reading))
}

describe("device clock", () => {
  it("unwraps its counter repeatedly", () => {
    const step = 2 ** 30
    const readings = Array.from({ length: 20 }, (_, i) => (70_000_000 + i * step) % 2 ** 32)
    expect(times(readings)).toEqual(Array.from({ length: 20 }, (_, i) => i * step))
  })

  it("gives a packet out of order its own time, also across the wrap", () => {
    expect(times([4_294_967_000, 200, 4_294_967_200, 300])).toEqual([0, 496, 200, 596])
  })

  it("continues from its last value when the device restarts", () => {
    expect(times([10_000_000, 10_500_000, 3, 1003])).toEqual([0, 500_000, 500_000, 501_000])
  })

  it.each([
    ["without a digit", 1_234_567_890, 123_456_789],
    ["without a digit, half the counter's range before", 3_500_000_000, 350_000_000],
    ["with a wrong digit", 1_234_567_890, 1_934_567_890],
  ])("is not moved by one reading %s", (_, start, damaged) => {
    const [before, wrong, ...after] = times([start, damaged, start + 20_000, start + 30_000])
    expect([before, ...after]).toEqual([0, 20_000, 30_000])
    // The leap guard corrects a time ahead.
    expect(wrong! === 0 || wrong! > 30_000).toBe(true)
  })

  it("follows silences, also one after the other", () => {
    const readings = [0, 15e6, 31e6, 31.01e6, 100e6, 2000e6, 2000.01e6]
    expect(times(readings)).toEqual(readings)
  })

  it("takes a step back that the next reading continues for a restart, whenever it is", () => {
    expect(times([3_600_000_000, 3_600_010_000, 3_000_000, 3_010_000, 18_010_000])).toEqual([
      0,
      10_000,
      10_000,
      20_000,
      15_020_000,
    ])
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

describe("clock that does not wrap", () => {
  it("continues where it was set back, and keeps what is out of order before the first packet", () => {
    const clock = new DeviceClock(Infinity)
    const dayUs = 86_400e6
    expect([0, -500_000, 10_000, -dayUs, 10_000 - dayUs, 20_000 - dayUs].map((us) => clock.at(us)))
      .toEqual([0, -500_000, 10_000, 10_000, 20_000, 30_000])
  })
})

describe("sequence counter", () => {
  it("unwraps 16 bits and keeps packets out of order in their place", () => {
    const counter = new SequenceCounter()
    expect([65_534, 65_535, 1, 0, 2].map((n) => counter.at(n))).toEqual([65_534, 65_535, 65_537, 65_536, 65_538])
  })

  it("begins anew where the device restarts", () => {
    const counter = new SequenceCounter()
    expect([7999, 8000, 0, 2, 1, 3].map((n) => counter.at(n))).toEqual([7999, 8000, 0, 2, 1, 3])
  })
})
