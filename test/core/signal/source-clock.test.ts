/** The clock of a source: a wrong clock has an offset, late values have none, a replay has its own pace. */
import { describe, expect, it } from "vitest"
import { createSourceClock } from "../../../core/signal/source-clock.ts"

const startMs = 1_700_000_000_000
type Source = "live" | "replay" | "simulated"

/** Values every 100 ms of event time; `arrivalMs` says when the one at this time of the run arrives. */
const run = (source: Source, seconds: number, eventOf: (ms: number) => number, arrivalOf: (ms: number) => number) => {
  const clock = createSourceClock()
  for (let ms = 0; ms <= 1000 * seconds; ms += 100) {
    clock.observe(source, startMs + eventOf(ms), startMs + arrivalOf(ms))
  }
  return clock
}
const same = (ms: number) => ms

describe("the offset of a source's clock", () => {
  it("is none for ordinary delays", () => {
    expect(run("live", 60, same, (ms) => ms + 150 + (ms % 700)).offsetMs()).toBe(0)
  })

  it("is that of a live clock that was wrong from the start, behind or ahead", () => {
    expect(run("live", 60, (ms) => ms - 95_000, (ms) => ms + 50).offsetMs()).toBeCloseTo(95_050, -1)
    expect(run("live", 60, (ms) => ms + 95_000, (ms) => ms + 50).offsetMs()).toBeCloseTo(-94_950, -1)
  })

  it("hardly grows when values fall behind: 200 ppm", () => {
    const slow = run("live", 100, same, (ms) => 5 * ms)
    expect(slow.offsetMs()).toBe(0)
    const drifting = run("live", 10 * 3600, (ms) => ms * (1 - 100e-6), same)
    expect(36e6 * 100e-6 - drifting.offsetMs()).toBeLessThan(100)
  })

  it("follows a clock that is set back, and one that is set right", () => {
    const back = run("live", 60, (ms) => ms < 30_000 ? ms : ms - 60_000, same)
    expect(back.offsetMs()).toBeCloseTo(60_000, -1)
    const right = run("live", 60, (ms) => ms < 30_000 ? ms - 60_000 : ms, same)
    expect(right.offsetMs()).toBe(0)
  })

  it("is never behind for a simulator, which reads the time of day, and is ahead for one that runs faster", () => {
    expect(run("simulated", 60, (ms) => ms - 95_000, same).offsetMs()).toBe(0)
    expect(run("simulated", 60, (ms) => 4 * ms, same).offsetMs()).toBeCloseTo(-180_000, -1)
  })

  it("is the newest lag for a replay, whatever its pace", () => {
    expect(run("replay", 60, (ms) => ms / 2, same).offsetMs()).toBe(30_000)
    expect(run("replay", 60, (ms) => 4 * ms, same).offsetMs()).toBe(-180_000)
  })

  it("is forgotten with a reset", () => {
    const clock = run("replay", 1, (ms) => ms - 5_000, same)
    clock.reset()
    expect(clock.offsetMs()).toBe(0)
  })
})

describe("the lag of a source's clock", () => {
  it("is the least one, and follows a clock that was set right by less than a second", () => {
    const late = (ms: number) => ms + 50 + (ms > 60_000 ? 700 : 0)
    expect(run("live", 90, same, late).lagMs()).toBe(50)
    expect(run("live", 60, (ms) => ms + 900, same).lagMs()).toBe(-900)
    expect(run("live", 240, (ms) => ms < 60_000 ? ms + 900 : ms, same).lagMs()).toBe(0)
  })
})
