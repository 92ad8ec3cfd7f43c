import { describe, expect, it } from "vitest"
import type { Vitals } from "../../../core/observation/vitals.ts"
import { summariseBreathing, summariseHeartRate } from "../../../core/vitals/summary.ts"

const reading = (rate: number | null, reason = "no period is above the noise floor"): Vitals => ({
  breathingRateBpm: rate,
  breathingConfidence: rate === null ? 0 : 0.8,
  breathingReason: rate === null ? reason : null,
  heartRateBpm: null,
  heartReason: "no heartbeat is above the noise floor",
})

const early = Array.from({ length: 30 }, () => reading(null, "not enough data yet: 30 s are needed"))
const times = (count: number, vitals: Vitals): Array<Vitals> => Array.from({ length: count }, () => vitals)

describe("the summary of a recording", () => {
  it("is the median of its rates when most agree", () => {
    expect(summariseBreathing([...early, ...times(9, reading(6)), reading(6.1), reading(12)])).toEqual({
      rateBpm: 6,
      reason: null,
    })
  })

  it("does not count the seconds before a rate could be measured", () => {
    expect(summariseBreathing([...early, reading(6), reading(6), reading(6)]).rateBpm).toBe(6)
  })

  it("has no rate when few seconds have one, and gives the most common reason", () => {
    expect(summariseBreathing([...early, ...times(2, reading(6))])).toEqual({
      rateBpm: null,
      reason: "2 s with a rate are too few to rely on",
    })
    expect(summariseBreathing([...early, ...times(40, reading(null)), ...times(6, reading(9))])).toEqual({
      rateBpm: null,
      reason: "no period is above the noise floor",
    })
  })

  it("gives the reason of the windows that were read, even if longer ones were not filled", () => {
    const short = "not enough data yet for rates below 8/min, which take 45 s; no faster one is above the noise floor"
    expect(summariseBreathing([...early, ...times(10, reading(null, short))]).reason).toBe(short)
  })

  it("has no rate when the rates do not agree", () => {
    const summary = summariseBreathing([...early, ...times(10, reading(10)), ...times(10, reading(15))])
    expect(summary).toEqual({ rateBpm: null, reason: "the rate changes: from 10 to 15/min" })
  })

  it("reports that a recording is too short", () => {
    expect(summariseBreathing([]).reason).toMatch(/^not enough data/)
    expect(summariseBreathing(early).reason).toMatch(/^not enough data yet/)
  })

  it("summarises heart rates in the same way", () => {
    expect(summariseHeartRate([...early, ...times(20, reading(12))])).toEqual({
      rateBpm: null,
      reason: "no heartbeat is above the noise floor",
    })
  })
})
