import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { livingTracks, uniquePersons } from "../../../core/analytics/persons.ts"
import { clockOf, retailReport, type ZoneVisits } from "../../../core/analytics/retail.ts"
import type { ZoneRole } from "../../../core/activity/zones.ts"
import { crowdFormations, securityReport } from "../../../core/analytics/security.ts"
import { summaryReport } from "../../../core/analytics/summary.ts"
import { spansOf, sumsOf } from "./sums.ts"

const from = Date.UTC(2026, 0, 5)
const hour = 3_600_000
const stages = { entrance: 9, product: null, checkout: 4, purchase: 2 }
const zone = (zoneId: string, visitors: number, over: Partial<ZoneVisits> = {}): ZoneVisits => ({
  environmentId: "shop",
  zoneId,
  name: `The ${zoneId}`,
  visitors,
  entries: visitors,
  buyers: 0,
  left: 0,
  dwellS: 0,
  ...over,
})

describe("different persons", () => {
  it("are known if the bounds are equal", () => {
    expect(uniquePersons({ min: 2, max: 2 })).toBe(2)
    expect(uniquePersons({ min: 2, max: 3 })).toBe(null)
    expect(uniquePersons({ min: 1, max: 0 })).toBe(null)
  })

  it("count in each bucket of their track", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5 * hour - 1), fc.nat(5 * hour)), { maxLength: 30 }),
        (lives) => {
          const range = { fromMs: from, toMs: from + 5 * hour }
          const tracks = lives.map(([begin, length]) => ({ begin: from + begin, end: from + begin + length }))
          const buckets = Array.from({ length: 5 }, (_, i) => from + i * hour).map((startMs) => ({
            startMs,
            begun: tracks.filter(({ begin }) => begin >= startMs && begin < startMs + hour).length,
            ended: tracks.filter(({ end }) => end >= startMs && end < startMs + hour).length,
          }))
          const expected = buckets.map(({ startMs }) =>
            tracks.filter(({ begin, end }) => begin < startMs + hour && end >= startMs).length
          )
          expect(livingTracks(range, hour, buckets)).toEqual(expected)
        },
      ),
    ))
})

describe("the retail report", () => {
  const given = {
    environments: [sumsOf({ frames: 6000, framesLive: 6000, personMax: 3 })],
    movement: { tracks: 10, begun: 9, dwellS: 5400, distanceM: 0, movingS: 0 },
    arrivals: new Map([[from + 11 * hour, 4], [from + 9 * hour, 4], [from + 12 * hour, 1]]),
    zones: [zone("door", 8, { buyers: 2, left: 4, dwellS: 240 }), zone("shelf", 3), zone("till", 4)],
    stages,
    roles: new Set<ZoneRole>(["entrance", "checkout", "purchase"]),
  }

  it("counts visits and explains them", () => {
    const report = retailReport(given)
    expect(report).toMatchObject({
      totalVisitors: 9,
      uniqueVisitors: null,
      uniqueBounds: { min: 3, max: 10 },
      peakHourMs: from + 9 * hour,
      peakCount: 4,
      averageDwellMinutes: 10,
      funnel: stages,
    })
    expect(report.reasons["traffic.uniqueVisitors"]).toContain("between 3")
    expect(report.reasons["conversionFunnel.product"]).toContain("product")
    expect(report.zones[0]).toMatchObject({ averageDwellMinutes: 1, conversionRate: 0.25 })
    expect(report.zones[1]).toMatchObject({ averageDwellMinutes: null, conversionRate: 0 })
    expect(report.areas.map(({ intensity, zoneId }) => [zoneId, intensity])).toEqual([["door", 1], ["till", 0.5]])
    expect(clockOf(report.peakHourMs!)).toBe("09:00")
  })

  it("has no purchases without a zone of role purchase", () => {
    const report = retailReport({
      ...given,
      stages: { ...stages, purchase: null },
      roles: new Set<ZoneRole>(["entrance", "checkout"]),
    })
    expect(report.zones.map(({ conversionRate }) => conversionRate)).toEqual([null, null, null])
    expect(report.reasons["zones.conversionRate"]).toContain("does not measure purchases")
    expect(report.reasons["conversionFunnel.purchase"]).toContain("purchase")
  })

  it("counts entries, not visitors, of anonymous events", () => {
    const report = retailReport({
      ...given,
      zones: [zone("door", 1, { visitors: null, buyers: null, entries: 9 }), zone("shelf", 3), zone("till", 5)],
      stages: { ...stages, entrance: null },
    })
    expect(report.zones.map(({ conversionRate }) => conversionRate)).toEqual([null, 0, 0])
    expect(report.funnel.entrance).toBeNull()
    for (const path of ["conversionFunnel.entrance", "zones.visitorCount", "zones.conversionRate"]) {
      expect(report.reasons[path], path).toContain("anonymised")
    }
    expect(report.areas.map(({ intensity, zoneId }) => [zoneId, intensity])).toEqual([["door", 1], ["till", 5 / 9]])
    expect(report.reasons["heatMap.highTrafficAreas"]).toContain("entries")
  })

  it("is null with reasons without data, and zero for an empty shop", () => {
    const nobody = { tracks: 0, begun: 0, dwellS: 0, distanceM: 0, movingS: 0 }
    const nothing = retailReport({ ...given, environments: [], movement: nobody, arrivals: new Map(), zones: [] })
    expect(nothing).toMatchObject({ totalVisitors: null, uniqueVisitors: null, uniqueBounds: null, peakCount: null })
    for (const path of ["totalVisitors", "uniqueVisitors", "peakHour", "peakCount", "averageDwellTimeMinutes"]) {
      expect(nothing.reasons[`traffic.${path}`], path).toBeTypeOf("string")
    }
    const empty = retailReport({
      ...given,
      environments: [sumsOf({ frames: 10 })],
      movement: nobody,
      arrivals: new Map(),
    })
    const dark = retailReport({
      ...given,
      environments: [sumsOf({ environmentId: "shop", frames: 10, frames0: 0 })],
      movement: nobody,
      arrivals: new Map(),
      zones: ["door", "shelf"].map((id) => zone(id, 0)),
    })
    expect(dark).toMatchObject({ totalVisitors: null, uniqueVisitors: null, peakCount: null })
    expect(dark.funnel).toEqual({ entrance: null, product: null, checkout: null, purchase: null })
    expect(dark.zones.map(({ visitors }) => visitors)).toEqual([null, null])
    expect(dark.reasons["traffic.totalVisitors"]).toContain("not counted")
    expect(empty).toMatchObject({ totalVisitors: 0, uniqueVisitors: 0, peakCount: 0, peakHourMs: null })
  })
})

describe("the security report", () => {
  it("counts a crowd when it forms", () => {
    const width = 300_000
    const crowd = { persons: 4 }
    const few = { persons: 2 }
    expect(crowdFormations(spansOf(from, [few, crowd, crowd, few, crowd]), 4, width)).toBe(2)
    expect(crowdFormations(spansOf(from, [crowd, null, crowd]), 4, width)).toBe(2)
    expect(crowdFormations(spansOf(from, [crowd, crowd]), 5, width)).toBe(0)
  })

  it("has intrusions, entries and crowds, and null for unknown values", () => {
    const intrusion = { timestampMs: from, raisedMs: from, acknowledgedMs: null }
    const report = securityReport({
      environments: [sumsOf({ frames: 100, personFrames: 150, personMax: 4 })],
      peak: { persons: 4, atMs: from, exact: true },
      spans: [spansOf(from, [{ persons: 4 }])],
      widthMs: 300_000,
      crowdSize: 4,
      entries: { all: 7, allowed: 5 },
      intrusions: { count: 1, newest: [intrusion] },
    })
    expect(report).toMatchObject({
      intrusions: { count: 1, newest: [{ responseTimeS: null, reason: "The alert was not acknowledged." }] },
      perimeter: { detections: 7, authorizedEntries: 5, unauthorizedAttempts: 1, falsePositives: null },
      crowd: { maxOccupancy: 4, averageOccupancy: 1.5, formations: 1 },
    })
    expect(Object.keys(report.reasons)).toEqual(["perimeterMonitoring.falsePositives"])
  })

  it("knows of no entry to rooms whose persons are not counted", () => {
    const report = securityReport({
      environments: [sumsOf({ frames: 100, frames0: 0 })],
      peak: null,
      spans: [],
      widthMs: 300_000,
      crowdSize: 4,
      entries: { all: 0, allowed: 0 },
      intrusions: { count: 0, newest: [] },
    })
    expect(report).toMatchObject({
      perimeter: { detections: null, authorizedEntries: null },
      crowd: { maxOccupancy: null, averageOccupancy: null, formations: null },
    })
    expect(report.reasons["perimeterMonitoring.totalDetections"]).toContain("not counted")
  })

  it("without zones and frames gives reasons", () => {
    const report = securityReport({
      environments: [],
      peak: null,
      spans: [],
      widthMs: 300_000,
      crowdSize: 4,
      entries: { all: null, allowed: null },
      intrusions: { count: 0, newest: [] },
    })
    expect(Object.keys(report.reasons).sort()).toEqual([
      "crowdAnalysis.averageOccupancy",
      "crowdAnalysis.crowdFormationEvents",
      "crowdAnalysis.maxOccupancy",
      "perimeterMonitoring.authorizedEntries",
      "perimeterMonitoring.falsePositives",
      "perimeterMonitoring.totalDetections",
    ])
  })
})

describe("the summary", () => {
  const given = {
    range: { fromMs: from, toMs: from + 2 * hour },
    nowMs: from + 24 * hour,
    widthMs: hour,
    environmentCount: 1,
    environments: [
      sumsOf({
        minutes: 60,
        frames: 36_000,
        personFrames: 36_000,
        personMax: 1,
        confidenceSum: 27_000,
        walking: 9000,
        sitting: 27_000,
        processingMsSum: 720_000,
      }),
    ],
    peak: { persons: 1, atMs: from + 1000, exact: true },
    buckets: [
      { startMs: from, frames: 36_000, personFrames: 36_000, confidenceSum: 27_000, occupancy: 1, personMax: 1 },
    ],
    movement: { tracks: 1, begun: 1, dwellS: 3600, distanceM: 10, movingS: 10 },
    trackBuckets: [{ startMs: from, begun: 1, ended: 1 }],
    events: { movements: 4, falls: 1, alerts: 1 },
    errors: 3,
  }

  it("summarises a range", () => {
    expect(summaryReport(given)).toMatchObject({
      detections: 36_000,
      uniquePersons: 1,
      averageConfidence: 0.75,
      peakOccupancy: 1,
      peakOccupancyTimeMs: from + 1000,
      events: { movements: 4, falls: 1, alerts: 1 },
      averageActivityLevel: 0.25,
      uptimePercentage: 50,
      averageProcessingMs: 20,
      frames: 36_000,
      errors: 3,
      breakdown: [
        { startMs: from, frames: 36_000, detections: 36_000, uniquePersons: 1, tracks: 1, averageConfidence: 0.75 },
        { startMs: from + hour, frames: 0, detections: null, uniquePersons: null, tracks: 0, averageConfidence: null },
      ],
    })
  })

  it("has no number of persons, with the reason, of rooms that do not count them", () => {
    const dark = sumsOf({ minutes: 60, frames: 36_000, frames0: 0 })
    const bucket = { startMs: from, frames: 36_000, personFrames: 0, confidenceSum: 0, occupancy: null, personMax: 0 }
    const movement = { tracks: 0, begun: 0, dwellS: 0, distanceM: 0, movingS: 0 }
    const report = summaryReport({
      ...given,
      environments: [dark],
      peak: null,
      buckets: [bucket],
      movement,
      trackBuckets: [],
    })
    expect(report).toMatchObject({ detections: null, uniquePersons: null, peakOccupancy: null, frames: 36_000 })
    expect(report.breakdown[0]).toMatchObject({ detections: null, uniquePersons: null, frames: 36_000 })
    for (const name of ["totalDetections", "uniquePersons", "averageConfidence", "peakOccupancy"]) {
      expect(report.reasons[`detectionStats.${name}`], name).toContain("not counted")
    }
    expect(report.reasons["hourlyBreakdown.detections"]).toBeTypeOf("string")
  })

  it("counts uptime over the elapsed minutes of all environments", () => {
    expect(summaryReport({ ...given, nowMs: from + hour }).uptimePercentage).toBe(100)
    expect(summaryReport({ ...given, environmentCount: 4 }).uptimePercentage).toBe(12.5)
    const future = summaryReport({ ...given, nowMs: from - hour })
    expect(future.uptimePercentage).toBe(null)
    expect(future.reasons["systemStats.uptimePercentage"]).toContain("passed")
  })

  it("has a peak for several environments, but no number of persons, who may have walked between them", () => {
    const rooms = ["a", "b"].map((environmentId) => sumsOf({ environmentId, frames: 10, personMax: 1 }))
    const report = summaryReport({ ...given, environments: rooms, peak: { persons: 2, atMs: from, exact: false } })
    expect(report).toMatchObject({ peakOccupancy: 2, peakOccupancyTimeMs: from })
    expect(report.reasons["detectionStats.peakOccupancy"]).toContain("upper bound")
    expect(report.breakdown[0]!.uniquePersons).toBe(null)
  })

  it("gives the reason of unknown errors", () => {
    const report = summaryReport({ ...given, errors: "only since noon" })
    expect([report.errors, report.reasons["systemStats.errorCount"]]).toEqual([null, "only since noon"])
  })
})
