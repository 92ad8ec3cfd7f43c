import { describe, expect, it } from "vitest"
import { averageOccupancy, type EnvironmentSums, originsOf, together } from "../../../core/analytics/figures.ts"
import { occupancyReport, peakOf } from "../../../core/analytics/occupancy.ts"
import { sumsOf } from "./sums.ts"

const from = Date.UTC(2026, 0, 5)
const hour = 3_600_000

describe("sums", () => {
  it("of several environments add up, and shares are of all frames", () => {
    const both = together([
      sumsOf({ frames: 100, framesLive: 100, personFrames: 50 }),
      sumsOf({ frames: 300, framesReplay: 100, framesSimulated: 200, personFrames: 10 }),
    ])
    expect(both).toMatchObject({ frames: 400, personFrames: 60 })
    expect(originsOf(both)).toEqual({ frames: 400, live: 0.25, replay: 0.25, simulated: 0.5 })
    expect(originsOf(together([]))).toEqual({ frames: 0, live: null, replay: null, simulated: null })
  })

  it("average over each environment's own frames", () => {
    expect(averageOccupancy([
      sumsOf({ frames: 100, personFrames: 150 }),
      sumsOf({ frames: 10, personFrames: 5 }),
      sumsOf(),
    ])).toBe(2)
    expect(averageOccupancy([sumsOf()])).toBe(null)
  })
})

describe("the peak", () => {
  const peak = { persons: 3, atMs: 42 }

  it("is exact if only one environment has frames", () => {
    expect(peakOf([sumsOf({ frames: 10 }), sumsOf({ environmentId: "idle" })], peak)).toEqual({ ...peak, exact: true })
    expect(peakOf([sumsOf({ frames: 10 }), sumsOf({ frames: 1 })], peak)).toEqual({ ...peak, exact: false })
    expect(peakOf([], null)).toBe(null)
  })
})

describe("the occupancy report", () => {
  const range = { fromMs: from, toMs: from + 3 * hour }

  it("has every bucket, with nulls and a reason for those without frames", () => {
    const report = occupancyReport({
      range,
      widthMs: hour,
      environments: [
        sumsOf({
          frames: 36_000,
          personFrames: 18_000,
          personMax: 2,
          frames0: 27_000,
          frames2: 9000,
          framesLive: 36_000,
        }),
      ],
      peak: { persons: 2, atMs: from + 90_000, exact: true },
      buckets: [
        {
          startMs: from + hour,
          frames: 36_000,
          personFrames: 18_000,
          confidenceSum: 9000,
          occupancy: 0.5,
          personMax: 2,
        },
      ],
    })
    expect(report).toMatchObject({
      averageOccupancy: 0.5,
      peakOccupancy: 2,
      peakTimeMs: from + 90_000,
      totalPersonHours: 0.5,
      distribution: [75, 0, 25, 0, 0],
      origins: { frames: 36_000, live: 1 },
    })
    expect(report.timeSeries).toEqual([
      { startMs: from, frames: 0, occupancy: null, confidence: null },
      { startMs: from + hour, frames: 36_000, occupancy: 0.5, confidence: 0.5 },
      { startMs: from + 2 * hour, frames: 0, occupancy: null, confidence: null },
    ])
    expect(Object.keys(report.reasons)).toEqual(["timeSeries.occupancy", "timeSeries.confidence"])
  })

  it("is null with a reason for a room that does not count persons, and leaves it out beside one that does", () => {
    const dark = sumsOf({ environmentId: "dark", frames: 100, frames0: 0 })
    const bucket = { startMs: from, frames: 100, personFrames: 0, confidenceSum: 0, occupancy: null, personMax: 0 }
    const alone = occupancyReport({ range, widthMs: hour, environments: [dark], peak: null, buckets: [bucket] })
    expect(alone).toMatchObject({
      averageOccupancy: null,
      peakOccupancy: null,
      totalPersonHours: null,
      distribution: [null, null, null, null, null],
      origins: { frames: 100 },
    })
    expect(alone.timeSeries[0]).toEqual({ startMs: from, frames: 100, occupancy: null, confidence: null })
    for (const path of ["provenance.frames", "distribution", "summary.averageOccupancy", "summary.peakOccupancy"]) {
      expect(alone.reasons[path], path).toContain("not counted")
    }
    const seen = sumsOf({ frames: 300, personFrames: 600, frames0: 0, frames2: 300 })
    const peak = peakOf([dark, seen], { persons: 2, atMs: from })
    const both = occupancyReport({ range, widthMs: hour, environments: [dark, seen], peak, buckets: [] })
    expect(both).toMatchObject({ averageOccupancy: 2, peakOccupancy: 2, distribution: [0, 0, 100, 0, 0] })
    expect(peak?.exact).toBe(true)
    expect(both.reasons["provenance.frames"]).toContain("300 of 400 frames and in 1 of 2 environments")
  })

  it("says how much of the time its person-hours count if hops were left out, and nothing for a partial first and last minute", () => {
    const report = (...rooms: ReadonlyArray<Partial<EnvironmentSums>>) =>
      occupancyReport({
        range,
        widthMs: hour,
        environments: rooms.map((room) => sumsOf({ personFrames: room.frames ?? 0, ...room })),
        peak: null,
        buckets: [],
      })
    const path = "summary.totalPersonHours"
    // An hour with one person, at every fourth hop.
    const shed = report({ minutes: 60, frames: 9000 })
    expect(shed).toMatchObject({ averageOccupancy: 1, totalPersonHours: 0.25 })
    expect(shed.reasons[path]).toMatch(/25 % of the minutes with frames/)
    expect(report({ minutes: 60, frames: 9000 }, { minutes: 60, frames: 36_000 }).reasons[path]).toMatch(/62 % of/)
    expect(report({ minutes: 61, frames: 35_999 }, { minutes: 3, frames: 700 }, {}).reasons[path]).toBeUndefined()
    expect(report({ minutes: 2, frames: 10 }).reasons[path]).toBeUndefined()
  })

  it("is all null without data, each with its reason", () => {
    const report = occupancyReport({ range, widthMs: hour, environments: [], peak: null, buckets: [] })
    expect(report).toMatchObject({
      averageOccupancy: null,
      peakOccupancy: null,
      peakTimeMs: null,
      totalPersonHours: null,
      distribution: [null, null, null, null, null],
    })
    expect(Object.keys(report.reasons).sort()).toEqual([
      "distribution",
      "summary.averageOccupancy",
      "summary.peakOccupancy",
      "summary.peakTime",
      "summary.totalPersonHours",
      "timeSeries.confidence",
      "timeSeries.occupancy",
    ])
  })
})
