/** The time of the retention, on clocks that are right, ahead, or set back. */
import { expect, it } from "vitest"
import { AgeClock } from "../../../../actors/store/frames/age-clock.ts"
import { dayMs } from "../../../../core/analytics/calendar.ts"

const startMs = Date.UTC(2026, 0, 5)
const start = { wallMs: startMs, monotonicMs: 1_000 }
/** A reading after this many days, on a clock that is ahead by others. */
const after = (days: number, aheadDays = 0) => ({
  wallMs: startMs + (days + aheadDays) * dayMs,
  monotonicMs: 1_000 + days * dayMs,
})

it("follows the wall clock, also where it is set back or an hour ahead", () => {
  const clock = new AgeClock(start, startMs - dayMs / 2)
  for (const reading of [start, after(0.5), after(1, -1 / 24), after(2, 1 / 24), after(4)]) {
    expect(clock.read(reading)).toEqual({ atMs: reading.wallMs, aheadMs: 0 })
  }
})

it("goes on with the time that has passed while the clock is a year ahead, and follows it when it is set", () => {
  const clock = new AgeClock(start, startMs)
  clock.read(start)
  expect(clock.read(after(0.25, 365))).toEqual({ atMs: after(0.25).wallMs, aheadMs: 365 * dayMs })
  expect(clock.read(after(0.5))).toEqual({ atMs: after(0.5).wallMs, aheadMs: 0 })
  // The next leap is doubted for a whole day again.
  expect(clock.read(after(1.3, 40)).aheadMs).toBe(40 * dayMs)
  expect(clock.read(after(2.2, 40)).aheadMs).toBe(40 * dayMs)
})

it("starts at the newest stored data, and believes a leap that lasts for a day, as after a long pause of the service", () => {
  const clock = new AgeClock(start, startMs - 40 * dayMs)
  expect(clock.read(start)).toEqual({ atMs: startMs - 40 * dayMs, aheadMs: 40 * dayMs })
  expect(clock.read(after(0.9)).aheadMs).toBe(40 * dayMs)
  expect(clock.read(after(1))).toEqual({ atMs: after(1).wallMs, aheadMs: 0 })
  expect(clock.read(after(1.1)).aheadMs).toBe(0)
})

it("has nothing to protect without stored data", () => {
  expect(new AgeClock(start, null).read(start)).toEqual({ atMs: startMs, aheadMs: 0 })
})

it("does not take the time before a clock is set for one that has passed", () => {
  const clock = new AgeClock(after(0, -20_000), startMs)
  expect(clock.read(after(0, -20_000))).toEqual({ atMs: after(0, -20_000).wallMs, aheadMs: 0 })
  expect(clock.read(after(0.9, -20_000)).aheadMs).toBe(0)
  expect(clock.read(after(0.95, 0))).toEqual({ atMs: after(0.95).wallMs, aheadMs: 0 })
  // A leap ahead from there is doubted for its own day.
  expect(clock.read(after(1, -20_000)).aheadMs).toBe(0)
  expect(clock.read(after(1.9, 40)).aheadMs).toBe(40 * dayMs)
  expect(clock.read(after(2.5, 40)).aheadMs).toBe(40 * dayMs)
  expect(clock.read(after(2.9, 40)).aheadMs).toBe(0)
})

it("follows a clock that was set back for good", () => {
  const clock = new AgeClock(start, startMs + 400 * dayMs)
  for (const days of [0, 1.1]) clock.read(after(days))
  expect(clock.read(after(1.2, 40)).aheadMs).toBe(40 * dayMs)
})
