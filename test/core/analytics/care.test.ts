import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { healthcareReport } from "../../../core/analytics/healthcare.ts"
import { responseOf } from "../../../core/analytics/incidents.ts"
import { mobilityScore } from "../../../core/analytics/mobility.ts"
import type { Movement } from "../../../core/analytics/movement.ts"
import { createReasons } from "../../../core/analytics/reasons.ts"
import { sleepQuality, sleepsOf } from "../../../core/analytics/sleep.ts"
import { spansOf, sumsOf } from "./sums.ts"

const midnight = Date.UTC(2026, 0, 5)
const hour = 3_600_000
const asleep = { persons: 1, lying: 0.98 }
const up = { persons: 1, lying: 0 }
const away = { persons: 0 }
const times = <A>(count: number, of: A): ReadonlyArray<A> => Array.from({ length: count }, () => of)

describe("rests", () => {
  it("are long periods of lying, at any time of day", () => {
    // From 23:00 to 06:00, up for five minutes at 02:00, and a nap of an hour.
    const spans = spansOf(midnight - hour, [
      ...times(36, asleep),
      up,
      ...times(47, asleep),
      ...times(72, up),
      ...times(12, asleep),
    ])
    expect(sleepsOf(spans)).toEqual([{
      fromMs: midnight - hour,
      toMs: midnight + 6 * hour,
      lyingFrames: expect.closeTo(83 * 3000 * 0.98, 3),
      seenFrames: 84 * 3000,
      disturbances: 1,
      company: false,
    }])
  })

  it("continue after at most half an hour undetected or out of bed", () => {
    const night = (pause: ReadonlyArray<typeof up | typeof away | null>) =>
      sleepsOf(spansOf(midnight, [...times(36, asleep), ...pause, ...times(36, asleep)])).length
    expect(night(times(6, up))).toBe(1)
    expect(night(times(6, null))).toBe(1)
    expect(night(times(7, up))).toBe(2)
    expect(night(times(7, away))).toBe(2)
  })

  it("shorter than three hours do not count", () => {
    expect(sleepsOf(spansOf(midnight, times(35, asleep)))).toEqual([])
    expect(sleepsOf(spansOf(midnight, times(36, asleep)))).toHaveLength(1)
    expect(sleepsOf(spansOf(midnight, []))).toEqual([])
  })

  it("never overlap, are ordered, and contain no more lying than was detected", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(asleep, asleep, asleep, asleep, up, away, null), { maxLength: 300 }),
        (spans) => {
          let endMs = -Infinity
          for (const { fromMs, lyingFrames, seenFrames, toMs } of sleepsOf(spansOf(midnight, spans))) {
            expect(fromMs).toBeGreaterThan(endMs)
            expect(toMs - fromMs).toBeGreaterThanOrEqual(3 * hour)
            expect(lyingFrames).toBeLessThanOrEqual(seenFrames)
            endMs = toMs
          }
        },
      ),
    ))
})

describe("sleep quality", () => {
  const day = { fromMs: midnight, toMs: midnight + 24 * hour }

  it("covers the rests that end in the range", () => {
    const reasons = createReasons()
    const night = spansOf(midnight - hour, [...times(84, asleep), ...times(6, up)])
    expect(sleepQuality(day, [night], reasons, null)).toEqual({
      sleeps: 1,
      totalSleepHours: expect.closeTo(7 * 0.98, 6),
      sleepEfficiency: expect.closeTo(0.98, 6),
      restlessnessEvents: 0,
    })
    expect(sleepQuality({ fromMs: midnight - 24 * hour, toMs: midnight }, [night], reasons, null).sleeps).toBe(0)
  })

  it("is unknown, with a reason, for two persons in one room", () => {
    const reasons = createReasons()
    const night = spansOf(midnight, times(60, { persons: 2, lying: 1 }))
    expect(sleepQuality(day, [night], reasons, null)).toMatchObject({
      sleeps: 0,
      totalSleepHours: null,
      sleepEfficiency: null,
    })
    expect(reasons.all()["sleepQuality"]).toContain("More than one person")
  })
})

describe("the mobility score", () => {
  const movement = (over: Partial<Movement> = {}): Movement => ({
    tracks: 1,
    begun: 1,
    dwellS: 600,
    distanceM: 0,
    movingS: 0,
    ...over,
  })

  it("is half for walking enough, half for walking fast enough", () => {
    const reasons = createReasons()
    const sums = sumsOf({ walking: 3000, sitting: 37_000 })
    expect(mobilityScore(sums, movement({ distanceM: 60, movingS: 100 }), reasons)).toBeCloseTo(
      (0.075 / 0.15 + 0.5) / 2,
    )
    expect(mobilityScore(sumsOf({ walking: 9000, lying: 1000 }), movement({ distanceM: 500, movingS: 100 }), reasons))
      .toBe(1)
    expect(mobilityScore(sumsOf({ sitting: 6000 }), movement(), reasons)).toBe(0)
    expect(reasons.all()).toEqual({})
  })

  it("is null with a reason if there are too few data", () => {
    const reasons = createReasons()
    expect(mobilityScore(sumsOf({ walking: 599 }), movement({ distanceM: 60, movingS: 100 }), reasons)).toBe(null)
    expect(reasons.all()["mobilityScore"]).toContain("less than a minute")
    expect(mobilityScore(sumsOf({ walking: 6000 }), movement({ distanceM: 5, movingS: 9 }), reasons)).toBe(null)
    expect(reasons.all()["mobilityScore"]).toContain("speed")
  })

  it("stays within 0 and 1, and more walking never lowers it", () =>
    fc.assert(
      fc.property(
        fc.nat(1e6),
        fc.nat(1e6),
        fc.nat(1e5),
        fc.nat(1e5),
        (walking, sitting, distanceM, movingS) => {
          const score = (more: number) =>
            mobilityScore(
              sumsOf({ walking: walking + more, sitting }),
              movement({ distanceM, movingS }),
              createReasons(),
            )
          const [before, after] = [score(0), score(1000)]
          if (before !== null) expect(before >= 0 && before <= 1).toBe(true)
          if (before !== null && after !== null) expect(after).toBeGreaterThanOrEqual(before)
        },
      ),
    ))
})

describe("the response to an alert", () => {
  it("is the time to its acknowledgement, or a reason", () => {
    expect(responseOf({ timestampMs: 0, raisedMs: 10_000, acknowledgedMs: 25_500 })).toEqual({
      responseTimeS: 15.5,
      reason: null,
    })
    expect(responseOf({ timestampMs: 0, raisedMs: null, acknowledgedMs: null }).reason).toContain("No alert")
    expect(responseOf({ timestampMs: 0, raisedMs: 1, acknowledgedMs: null }).reason).toContain("not acknowledged")
  })
})

it("the care report combines these, and notes a truncated list", () => {
  const fall = { timestampMs: midnight, raisedMs: midnight, acknowledgedMs: midnight + 5000 }
  const report = healthcareReport({
    range: { fromMs: midnight, toMs: midnight + 24 * hour },
    environments: [sumsOf({ frames: 6000, walking: 600, standing: 1200, falling: 6, unknown: 594 })],
    spans: [],
    movement: { tracks: 1, begun: 1, dwellS: 60, distanceM: 20, movingS: 20 },
    falls: { count: 3, newest: [fall] },
  })
  expect(report.falls).toEqual({ count: 3, newest: [{ ...fall, responseTimeS: 5, reason: null }] })
  expect(report.activityMinutes).toEqual({ walking: 1, standing: 2, sitting: 0, lying: 0, unknown: 1 })
  expect(report.mobilityScore).toBeCloseTo((1 + 1 / 1.2) / 2)
  expect(Object.keys(report.reasons)).toEqual(["fallEvents.events", "sleepQuality"])
})

it("the care report says how much of the time its minutes count if hops were left out", () => {
  const report = healthcareReport({
    range: { fromMs: midnight, toMs: midnight + 24 * hour },
    environments: [sumsOf({ minutes: 60, frames: 18_000, personFrames: 18_000, sitting: 18_000 })],
    spans: [],
    movement: { tracks: 1, begun: 1, dwellS: 60, distanceM: 20, movingS: 20 },
    falls: { count: 0, newest: [] },
  })
  expect(report.activityMinutes).toMatchObject({ sitting: 30 })
  expect(report.reasons["activitySummary"]).toMatch(/50 % of the minutes with frames/)
})
