/** A site's week: when it is learned, what is usual in it and what is not. */
import { describe, expect, it } from "vitest"
import type { ActivityLevel } from "../../../core/semantics/activity-level.ts"
import {
  anomalyOf,
  anomalyThreshold,
  learn,
  type LearnedWeek,
  notLearned,
  occupiedShare,
} from "../../../core/semantics/learned-week.ts"

const minutesOfDay = 1440
const startMinute = 28_333_440
/** A small generator (mulberry32), so that a run is repeatable. */
const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** A home: asleep until 7, about until 8, away until 17, then about, still and moving by turns, until 23. */
const homeLevel = (minute: number, random: () => number): ActivityLevel => {
  const hour = Math.floor((minute % minutesOfDay) / 60)
  if (hour < 7 || hour === 23) return random() < 0.97 ? 1 : 2
  if (hour >= 8 && hour < 17) return 0
  const at = random()
  return at < 0.3 ? 1 : at < 0.8 ? 2 : 3
}

const learnDays = (days: number, seed = 1): LearnedWeek => {
  const random = randomFrom(seed)
  let week: LearnedWeek | null = null
  for (let minute = startMinute; minute <= startMinute + days * minutesOfDay; minute++) {
    week = learn(week, "live", minute, homeLevel(minute, random))
  }
  return week!
}

const week = learnDays(7)
const quarter = (fromMinute: number, levelOf: (minute: number) => ActivityLevel) =>
  Array.from({ length: 15 }, (_, i) => ({ minute: fromMinute + i, level: levelOf(fromMinute + i) }))

it("needs seven days with data for half of the time", () => {
  expect(notLearned(null)).toMatch(/not learned yet/)
  expect(notLearned(learnDays(6))).toMatch(/6 days have passed, with data for 85 %/)
  expect(notLearned(week)).toBeNull()
  expect(anomalyOf(learnDays(3), quarter(startMinute, () => 0))).toEqual({
    score: null,
    reason: expect.stringMatching(/not learned yet/) as string,
  })
  const sparse = { ...week, minutes: 5000 }
  expect(notLearned(sparse)).toMatch(/49 % of a week/)
})

describe("the score of a quarter of an hour", () => {
  const day = startMinute + 7 * minutesOfDay

  it("rarely exceeds the threshold in a week like the learned one", () => {
    const random = randomFrom(99)
    let above = 0
    let windows = 0
    for (let from = day; from < day + 7 * minutesOfDay; from += 15) {
      windows++
      const { score } = anomalyOf(week, quarter(from, (minute) => homeLevel(minute, random)))
      if (score! >= anomalyThreshold) above++
    }
    expect(windows).toBe(672)
    expect(above).toBeLessThanOrEqual(3)
  })

  it("exceeds it if a person is present in an hour in which the home is always empty", () => {
    expect(anomalyOf(week, quarter(day + 11 * 60, () => 2)).score).toBeGreaterThan(0.8)
  })

  it("exceeds it for much motion at night, and for an empty home at night", () => {
    expect(anomalyOf(week, quarter(day + 3 * 60, () => 3)).score).toBeGreaterThan(anomalyThreshold)
    expect(anomalyOf(week, quarter(day + 3 * 60, () => 0)).score).toBeGreaterThan(anomalyThreshold)
  })

  it("is 0 for the most usual pattern, and never outside 0..1", () => {
    expect(anomalyOf(week, quarter(day + 11 * 60, () => 0)).score).toBe(0)
    for (let hour = 0; hour < 24; hour++) {
      for (const level of [0, 1, 2, 3] as const) {
        const { score } = anomalyOf(week, quarter(day + 60 * hour, () => level))
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThan(1)
      }
    }
  })

  it("is null with a reason when less than 10 of the 15 minutes are known", () => {
    const known = quarter(day, () => 1).filter((_, i) => i % 2 === 1 || i === 14)
    expect(anomalyOf(week, known)).toEqual({
      score: null,
      reason: "Too little is known: 8 of the last 15 minutes, of which 10 are needed.",
    })
  })
})

it("adapts to a changed routine within weeks", () => {
  let changed = week
  const from = startMinute + 7 * minutesOfDay + 1
  for (let minute = from; minute < from + 28 * minutesOfDay; minute++) changed = learn(changed, "live", minute, 2)
  const noon = from + 28 * minutesOfDay + 11 * 60
  expect(anomalyOf(changed, quarter(noon, () => 2)).score).toBeLessThan(anomalyThreshold)
  expect(Math.max(...changed.counts)).toBeLessThanOrEqual(241)
})

it("restarts with another source, and ignores repeated and past minutes", () => {
  const live = learn(learn(null, "simulated", 100, 1), "live", 50, 2)
  expect(live).toMatchObject({ source: "live", firstMinute: 50, minutes: 1 })
  expect(learn(live, "live", 50, 3)).toBe(live)
  expect(learn(live, "live", 49, 3)).toBe(live)
})

describe("after a jump of time", () => {
  const tenYears = 3650 * minutesOfDay

  it.each([["ahead", tenYears], ["behind", -tenYears]])(
    "of a clock that is %s for two minutes, continues",
    (_, shift) => {
      const young = learnDays(3)
      const { lastMinute } = young
      let later = learn(learn(young, "live", lastMinute + shift, 1), "live", lastMinute + shift + 1, 1)
      expect(notLearned(later)).toMatch(/ 3 days have passed/)
      later = learn(later, "live", lastMinute + 3, 2)
      expect(later).toMatchObject({ lastMinute: lastMinute + 3, minutes: young.minutes + 3 })
      expect(notLearned(later)).toMatch(/ 3 days have passed/)
      const random = randomFrom(2)
      for (let minute = lastMinute + 4; minute <= lastMinute + 4 * minutesOfDay + 10; minute++) {
        later = learn(later, "live", minute, homeLevel(minute, random))
      }
      expect(notLearned(later)).toBeNull()
    },
  )

  it("forward over days without data, does not count them as learned", () => {
    const later = learn(learnDays(5), "live", startMinute + 30 * minutesOfDay, 1)
    expect(notLearned(later)).toMatch(/ 5 days have passed/)
  })
})

it("returns the share of the week with a person present", () => {
  expect(occupiedShare(null)).toBeNull()
  expect(occupiedShare(week)).toBeCloseTo(15 / 24, 2)
})
