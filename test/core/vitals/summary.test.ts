import { describe, expect, it } from "vitest"
import type { Vitals } from "../../../core/observation/vitals.ts"
import { summariseBreathing, summariseHeartRate } from "../../../core/vitals/summary.ts"

const said = (rate: number | null, reason = "no period stands out of the noise"): Vitals => ({
  breathingRateBpm: rate,
  breathingConfidence: rate === null ? 0 : 0.8,
  breathingReason: rate === null ? reason : null,
  heartRateBpm: null,
  heartReason: "no heartbeat stands out of the noise",
})

const early = Array.from({ length: 30 }, () => said(null, "not enough data yet: 30 s are needed"))
const times = (count: number, vitals: Vitals): Array<Vitals> => Array.from({ length: count }, () => vitals)

describe("the summary of a recording", () => {
  it("is the median of its rates when most agree", () => {
    expect(summariseBreathing([...early, ...times(9, said(6)), said(6.1), said(12)])).toEqual({
      rateBpm: 6,
      reason: null,
    })
  })

  it("does not count the seconds before a rate could be heard", () => {
    expect(summariseBreathing([...early, said(6), said(6), said(6)]).rateBpm).toBe(6)
  })

  it("is no rate when few seconds have one, and says why most have none", () => {
    expect(summariseBreathing([...early, ...times(2, said(6))])).toEqual({
      rateBpm: null,
      reason: "2 s with a rate are too few to rely on",
    })
    expect(summariseBreathing([...early, ...times(40, said(null)), ...times(6, said(9))])).toEqual({
      rateBpm: null,
      reason: "no period stands out of the noise",
    })
  })

  it("is no rate when the rates do not agree", () => {
    const summary = summariseBreathing([...early, ...times(10, said(10)), ...times(10, said(15))])
    expect(summary).toEqual({ rateBpm: null, reason: "the rate changes: from 10 to 15/min" })
  })

  it("says that a recording is too short", () => {
    expect(summariseBreathing([]).reason).toMatch(/^not enough data/)
    expect(summariseBreathing(early).reason).toMatch(/^not enough data yet/)
  })

  it("treats hearts alike", () => {
    expect(summariseHeartRate([...early, ...times(20, said(12))])).toEqual({
      rateBpm: null,
      reason: "no heartbeat stands out of the noise",
    })
  })
})
