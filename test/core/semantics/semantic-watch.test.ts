/** Unknown Presence, Unexpected Occupancy and Unrecognized Activity Pattern over time. */
import { describe, expect, it } from "vitest"
import { createMinuteMeter } from "../../../core/semantics/activity-level.ts"
import { learn, type LearnedWeek } from "../../../core/semantics/learned-week.ts"
import { createSemanticWatch, type SemanticReading } from "../../../core/semantics/semantic-watch.ts"

const startMs = 1_700_006_400_000
const startMinute = startMs / 60_000

/** Feeds seconds of one kind, and answers the last reading; or passes seconds without a reading. */
const silenced = (watch: ReturnType<typeof createSemanticWatch>, mayTell = true) => {
  let atMs = startMs
  let last: SemanticReading
  const feed = (seconds: number, present: boolean | null, motion: number | null = 0) => {
    for (let i = 0; i < seconds; i++, atMs += 1000) {
      last = watch.step("live", { timestampMs: atMs, present, motion }, mayTell)
    }
    return last
  }
  const pass = (seconds: number): void => {
    atMs += seconds * 1000
  }
  return { feed, pass }
}

const feeder = (watch: ReturnType<typeof createSemanticWatch>, mayTell = true) => silenced(watch, mayTell).feed

/** The week before: always empty. */
const emptyWeek = (): LearnedWeek => {
  let week: LearnedWeek | null = null
  for (let minute = startMinute - 7 * 1440 - 1; minute < startMinute; minute++) week = learn(week, "live", minute, 0)
  return week!
}

describe("Unknown Presence", () => {
  it("needs three seconds to begin and ten to end, and begins with the signal", () => {
    const feed = feeder(createSemanticWatch(null))
    feed(5, false)
    expect(feed(2, true).unknownPresence.active).toBe(false)
    expect(feed(1, false).unknownPresence.active).toBe(false)
    const began = feed(4, true).unknownPresence
    expect(began).toEqual({ active: true, sinceMs: startMs + 8000 })
    expect(feed(9, false).unknownPresence.active).toBe(true)
    expect(feed(1, true).unknownPresence.active).toBe(true)
    expect(feed(11, false).unknownPresence).toEqual({ active: false, sinceMs: startMs + 22_000 })
  })

  it("keeps its state while presence is unknown", () => {
    const feed = feeder(createSemanticWatch(null))
    feed(4, true)
    expect(feed(60, null).unknownPresence.active).toBe(true)
  })

  it("ends with a silence, and needs three seconds of its own after one", () => {
    for (const present of [null, false, true]) {
      const { feed, pass } = silenced(createSemanticWatch(null))
      expect(feed(4, true).unknownPresence.active).toBe(true)
      pass(7)
      expect(feed(1, present).unknownPresence.active).toBe(false)
      expect(feed(4, true).unknownPresence.active).toBe(true)
    }
  })

  it("keeps its state over a shorter gap, which is no time of the opposite", () => {
    const { feed, pass } = silenced(createSemanticWatch(null))
    feed(5, false)
    feed(1, true)
    pass(5)
    expect(feed(1, true).unknownPresence.active).toBe(false)
    const began = feed(4, true).unknownPresence
    expect(began.active).toBe(true)
    feed(6, false)
    pass(5)
    expect(feed(1, false).unknownPresence).toEqual(began)
  })
})

describe("Unexpected Occupancy", () => {
  it("is active after a minute in a rarely occupied place", () => {
    const feed = feeder(createSemanticWatch(emptyWeek()))
    expect(feed(60, true).unexpectedOccupancy.active).toBe(false)
    expect(feed(10, true).unexpectedOccupancy).toMatchObject({ active: true, reason: null })
    expect(feed(100, false).unexpectedOccupancy.active).toBe(false)
  })

  it("needs another minute after a silence", () => {
    const { feed, pass } = silenced(createSemanticWatch(emptyWeek()))
    expect(feed(70, true).unexpectedOccupancy.active).toBe(true)
    pass(7)
    expect(feed(50, true).unexpectedOccupancy.active).toBe(false)
    expect(feed(20, true).unexpectedOccupancy.active).toBe(true)
  })

  it("is never active before the week is learned, or in an often occupied place, with the reason", () => {
    expect(feeder(createSemanticWatch(null))(200, true).unexpectedOccupancy).toMatchObject({
      active: false,
      reason: expect.stringMatching(/not learned yet/) as string,
    })
    const lived = { ...emptyWeek(), counts: Array.from({ length: 672 }, (_, i) => i % 4 < 2 ? 30 : 0) }
    expect(feeder(createSemanticWatch(lived))(200, true).unexpectedOccupancy).toMatchObject({
      active: false,
      reason: expect.stringMatching(/more than 5 %/) as string,
    })
  })
})

describe("Unrecognized Activity Pattern", () => {
  it("does not judge the minutes of before a silence of hours", () => {
    const { feed, pass } = silenced(createSemanticWatch(emptyWeek()))
    feed(20 * 60, true, 0.5)
    pass(3 * 3600)
    const { anomaly, unrecognizedActivityPattern } = feed(1, null, null)
    expect([anomaly.score, unrecognizedActivityPattern.active]).toEqual([null, false])
  })

  it("is active from a score of 0.7, only in a class that allows it", () => {
    for (const mayTell of [true, false]) {
      const feed = feeder(createSemanticWatch(emptyWeek()), mayTell)
      const quiet = feed(20 * 60, false)
      expect(quiet.anomaly.score).toBe(0)
      expect(quiet.unrecognizedActivityPattern.active).toBe(false)
      const lively = feed(20 * 60, true, 0.5)
      expect(lively.anomaly.score).toBeGreaterThanOrEqual(0.7)
      expect(lively.unrecognizedActivityPattern.active).toBe(mayTell)
    }
  })

  it("has no score without a learned week, and is then inactive", () => {
    const { anomaly, unrecognizedActivityPattern } = feeder(createSemanticWatch(null))(20 * 60, true, 0.5)
    expect(anomaly).toEqual({ score: null, reason: expect.stringMatching(/not learned yet/) as string })
    expect(unrecognizedActivityPattern.active).toBe(false)
  })

  it("does not score a live site by a simulated week", () => {
    const feed = feeder(createSemanticWatch({ ...emptyWeek(), source: "simulated" }))
    expect(feed(20 * 60, true, 0.5).anomaly.score).toBeNull()
  })
})

it("learns continuously, and restarts if time goes back", () => {
  const watch = createSemanticWatch(null)
  feeder(watch)(180, true)
  expect(watch.week()).toMatchObject({ minutes: 2, source: "live" })
  const back = watch.step("live", { timestampMs: startMs - 3_600_000, present: true, motion: 0 }, true)
  expect(back.unknownPresence.active).toBe(false)
})

it("gives a minute the level of its majority, and none with too few readings", () => {
  const meter = createMinuteMeter()
  const step = (second: number, present: boolean | null, motion = 0) =>
    meter.step({ timestampMs: startMs + 1000 * second, present, motion })
  for (let i = 0; i < 60; i++) expect(step(i, i < 40, i < 40 ? 0.4 : 0)).toBeNull()
  expect(step(60, null)).toEqual({ minute: startMinute, level: 3, next: startMinute + 1 })
  for (let i = 61; i < 120; i++) step(i, i < 80 ? false : null)
  expect(step(120, false)).toEqual({ minute: startMinute + 1, level: null, next: startMinute + 2 })
  for (let i = 121; i < 180; i++) step(i, i % 3 > 0, 0)
  expect(step(180, true)).toEqual({ minute: startMinute + 2, level: 1, next: startMinute + 3 })
})
