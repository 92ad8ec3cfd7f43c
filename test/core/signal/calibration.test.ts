import { describe, expect, it } from "vitest"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { occupancyOf, ResidualWatch, SideGatherer, whyStale } from "../../../core/signal/calibration.ts"
import { GainWatch } from "../../../core/signal/gain-watch.ts"
import { batchOf, echoes, layoutOf, normal, received, tones56, uniform } from "./channel.ts"

const values = 40

/** A hop's sum of `frames` responses: a constant and noise. */
const hopSum = (random: () => number, constant: number, deviation: number, frames = 10): Float32Array =>
  Float32Array.from({ length: values }, () => frames * constant + Math.sqrt(frames) * deviation * normal(random))

describe("a side of a calibration", () => {
  it("is the variation of the empty room's mean, whatever that mean is", () => {
    const random = uniform(1)
    const side = new SideGatherer(values)
    for (let hop = 0; hop < 1000; hop++) side.add(hopSum(random, 0.7, 0.1), 10)
    // Means of 500 packets: the noise's power over 500, in complex values.
    expect(side.side("mean")!.residual / (2 * 0.01 / 500)).toBeCloseTo(1, 0)
    expect(side.side("mean")!.blocks).toBe(20)
    expect(side.side("reference")!.residual).toBeCloseTo(2 * 0.49, 2)
  })

  it("is null below ten seconds", () => {
    const side = new SideGatherer(values)
    for (let hop = 0; hop < 99; hop++) side.add(new Float32Array(values), 10)
    expect(side.side("mean")).toBeNull()
  })
})

describe("static residual", () => {
  it("detects a change within 5 s, marks the calibration stale after a minute of it, and recovers when it ends", () => {
    const random = uniform(2)
    const watch = new ResidualWatch(values)
    for (let hop = 0; hop < 49; hop++) watch.add(hopSum(random, 0, 0.1), 10, 0.001)
    expect(watch.residual).toBeNull()
    watch.add(hopSum(random, 0, 0.1), 10, 0.001)
    expect(watch.residual).toBeLessThan(0.001)
    for (let hop = 0; hop < 250; hop++) watch.add(hopSum(random, 0.5, 0.1), 10, 0.001)
    expect(watch.residual).toBeGreaterThan(0.45)
    expect(whyStale(watch)).toBeNull()
    for (let hop = 0; hop < 2000; hop++) watch.add(hopSum(random, 0.5, 0.1), 10, 0.2)
    expect(whyStale(watch)).toBeNull()
    for (let hop = 0; hop < 600; hop++) watch.add(hopSum(random, 0.5, 0.1), 10, 0.001)
    expect(whyStale(watch)).toContain("calibrate the empty room again")
    for (let hop = 0; hop < 250; hop++) watch.add(hopSum(random, 0, 0.1), 10, 0.001)
    expect(whyStale(watch)).toBeNull()
  })
})

describe("occupancy", () => {
  const side = (residual: number) => ({ residual, blocks: 12 })
  const calibration = { version: 1, takenAtUs: 0, empty: side(1e-4), occupied: side(1e-2) }

  it("is the position between the two sides on a logarithmic scale", () => {
    expect(occupancyOf(calibration, 1e-4)).toBeCloseTo(0)
    expect(occupancyOf(calibration, 1e-3)).toBeCloseTo(0.5)
    expect(occupancyOf(calibration, 1e-2)).toBeCloseTo(1)
    expect(occupancyOf(calibration, 0)).toBe(-1)
    expect(occupancyOf(calibration, 1e9)).toBe(2)
  })

  it("is null where one side is missing, or the sides are similar", () => {
    expect(occupancyOf({ ...calibration, occupied: null }, 1e-3)).toBeNull()
    expect(occupancyOf({ ...calibration, empty: null }, 1e-3)).toBeNull()
    expect(occupancyOf({ ...calibration, occupied: side(3.9e-4) }, 1e-3)).toBeNull()
  })
})

describe("gain watch", () => {
  const hops = (gains: ReadonlyArray<ReadonlyArray<number>>): number => {
    const watch = new GainWatch()
    return gains.filter((hop, i) => {
      hop.forEach((gain) => watch.add(gain))
      return watch.finishHop(i)
    }).length
  }

  it("counts steps between steady hops, but not fading", () => {
    const steady = (gain: number) => [gain, gain * 1.01, gain * 0.99, gain]
    expect(hops([steady(1), steady(1.02), steady(1.5), steady(1.5), steady(1)])).toBe(2)
    expect(hops([steady(1), [1, 1.2, 1.4, 1.6], [1.6, 1.8, 2, 2.2], steady(2.2)])).toBe(0)
    expect(hops([steady(1), [1.5, 1.5], steady(1)])).toBe(0)
  })
})

describe("a reducer's two-sided calibration", () => {
  const layout = layoutOf({ receiveAntennas: 1 })
  const room = echoes(uniform(11), 1, tones56, 1)
  const person = echoes(uniform(12), 1, tones56, 0.15)
  const other = echoes(uniform(13), 1, tones56, 1)
  const turnedBy = (response: Float32Array, rad: number): Float32Array =>
    response.map((value, v) =>
      value * Math.cos(rad) + (v % 2 === 0 ? -response[v + 1]! : response[v - 1]!) * Math.sin(rad)
    )

  /** Packets of `seconds` in a room whose response is `response`, with a person who moves or without. */
  const stream = (
    reducer: Reducer,
    fromS: number,
    seconds: number,
    response: Float32Array,
    moves = false,
    rateHz = 50,
  ) => {
    const random = uniform(fromS + 1)
    const packets = Array.from({ length: seconds * rateHz }, (_, i) => {
      const packet = { gain: 20, phase: 6 * random(), delaySeconds: 1e-7 * random() }
      const path = moves ? 2 * Math.sin(4 * (i / rateHz)) : 0
      const moved = moves ? response.map((value, v) => value + turnedBy(person, path)[v]!) : response
      const csi = received(moved, tones56, packet).map((value) => value + 0.5 * normal(random))
      return { timestampUs: (fromS + i / rateHz) * 1e6, csi }
    })
    return reducer.push(batchOf(layout, packets))
  }
  const withPerson = room.map((value, v) => value + person[v]!)

  it("distinguishes a still person from the empty room, is counted, and reports when it is stale", () => {
    const reducer = new Reducer("router")
    expect(reducer.calibrationStatus()).toMatchObject({ version: 0, takenAtUs: null, stale: null })
    reducer.startCalibration("empty", 20e6)
    stream(reducer, 1, 20, room)
    expect(stream(reducer, 21, 6, room).at(-1)!.links[0]!.occupancy).toBeNull()
    expect(reducer.calibrationStatus()).toMatchObject({
      version: 1,
      takenAtUs: 21e6,
      calibratedLinks: 1,
      twoSidedLinks: 0,
    })
    reducer.startCalibration("occupied", 20e6)
    stream(reducer, 27, 21, withPerson)
    expect(reducer.calibrationStatus()).toMatchObject({ version: 1, twoSidedLinks: 1, stale: null })
    expect(stream(reducer, 48, 20, room).at(-1)!.links[0]!.occupancy).toBeLessThan(0.3)
    expect(stream(reducer, 68, 20, withPerson).at(-1)!.links[0]!.occupancy).toBeGreaterThan(0.7)
    const moved = stream(reducer, 88, 90, other)
    expect(moved.at(-1)).toMatchObject({ calibrated: false, links: [{ occupancy: null }] })
    expect(reducer.calibrationStatus().stale).toContain("without motion")
    reducer.startCalibration("empty", 20e6)
    stream(reducer, 178, 21, other)
    expect(reducer.calibrationStatus()).toMatchObject({ version: 2, twoSidedLinks: 0, stale: null })
  })

  it("has no occupied side without an empty one that was long enough", () => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 10e6)
    stream(reducer, 1, 5, room)
    // 0.2 s are missing, so that the second block is not filled.
    stream(reducer, 6.2, 6, room)
    expect(reducer.calibrationStatus()).toMatchObject({ calibratedLinks: 1, twoSidedLinks: 0 })
    reducer.startCalibration("occupied", 20e6)
    stream(reducer, 13, 21, withPerson)
    expect(reducer.calibration).toMatchObject({ done: true, linksCalibrated: 0 })
    expect(reducer.calibrationStatus()).toMatchObject({ calibratedLinks: 1, twoSidedLinks: 0 })
  })

  it("reports that a calibration was taken on another channel", () => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 10e6)
    stream(reducer, 1, 11, room)
    const again = new Reducer("router")
    again.restore(reducer.references())
    again.push(batchOf({ ...layout, centerFrequencyHz: 2.4e9 }, [{ timestampUs: 1e6, csi: room }]))
    expect(again.calibrationStatus()).toMatchObject({
      version: 1,
      calibratedLinks: 0,
      stale: expect.stringContaining("channel"),
    })
  })

  it("keeps its motion window when only the phases step, as those of a receiver whose chains lock anew", () => {
    const reducer = new Reducer("router")
    const turned = turnedBy(room, Math.PI / 2)
    const half = room.map((value, v) => v < room.length / 2 ? value : turned[v]!)
    stream(reducer, 1, 20, room)
    const after = stream(reducer, 21, 20, half)
    expect(reducer.counters.channelChanges).toBeGreaterThan(0)
    expect(after.every(({ links }) => links[0]!.windowWhole)).toBe(true)
    const besideMotion = new Reducer("router")
    stream(besideMotion, 1, 20, room, true)
    const moving = stream(besideMotion, 21, 20, half, true)
    expect(besideMotion.counters.channelChanges).toBeGreaterThan(0)
    expect(moving.every(({ links }) => links[0]!.windowWhole && links[0]!.motionStatistic! > 0.3)).toBe(true)
  })

  it("restarts the long motion window of few packets when the powers step, so that the step is not motion for 30 s", () => {
    const reducer = new Reducer("router")
    stream(reducer, 1, 60, room, false, 8)
    const statistics = stream(reducer, 61, 40, other, false, 8).map(({ links }) => links[0]!.motionStatistic)
    expect(Math.max(...statistics.slice(0, 60).map(Number))).toBeGreaterThan(0.5)
    expect(statistics.slice(30, 90).includes(null)).toBe(true)
    expect(statistics.slice(160).every((statistic) => statistic! < 0.2)).toBe(true)
  })

  it("replaces an uncalibrated response within seconds when it changes permanently", () => {
    const reducer = new Reducer("router")
    stream(reducer, 1, 20, room)
    const before = reducer.references()[0]!.response
    stream(reducer, 21, 20, other)
    expect(reducer.counters.channelChanges).toBe(1)
    const alike = (a: Float32Array, b: Float32Array): number => {
      let re = 0, im = 0
      for (let v = 0; v < a.length; v += 2) {
        re += a[v]! * b[v]! + a[v + 1]! * b[v + 1]!
        im += a[v + 1]! * b[v]! - a[v]! * b[v + 1]!
      }
      return Math.hypot(re, im) / Math.sqrt(a.reduce((s, x) => s + x * x, 0) * b.reduce((s, x) => s + x * x, 0))
    }
    const now = reducer.references()[0]!.response
    expect(alike(now, before)).toBeLessThan(0.95)
    reducer.push(batchOf(layout, []))
    expect(reducer.references()[0]!.calibration).toBeNull()
  })
})
