import { describe, expect, it } from "vitest"
import { sequence, valuesOf } from "./records.ts"

/** Twenty seconds with alarms at some times, and falls that end at others. */
const falls = (alarmsS: ReadonlyArray<number>, impactsS: ReadonlyArray<number>) =>
  valuesOf(sequence(
    Array.from({ length: 200 }, (_, i) => ({
      truth: [],
      said: [],
      fallAlarms: alarmsS.filter((alarmS) => Math.round(10 * alarmS) === i + 1).length,
    })),
    impactsS,
  ))

describe("falls", () => {
  it("are detected from 0.5 s before to 10 s after the impact", () => {
    expect(falls([2.5], [3])).toMatchObject({ fall_recall: 1, fall_precision: 1 })
    expect(falls([13], [3])).toMatchObject({ fall_recall: 1, fall_precision: 1 })
    expect(falls([2.4], [3])).toMatchObject({ fall_recall: 0, fall_precision: 0 })
    expect(falls([13.1], [3])).toMatchObject({ fall_recall: 0, fall_precision: 0 })
  })

  it("take one alarm each; every other alarm is false", () => {
    expect(falls([4, 5], [3])).toMatchObject({ fall_recall: 1, fall_precision: 0.5 })
    expect(falls([5], [3, 4])).toMatchObject({ fall_recall: 0.5, fall_precision: 1 })
    // One false alarm in 20 s.
    expect(falls([4, 5], [3])["false_fall_alarms_per_day"]).toBeCloseTo(86_400 / 20, 6)
  })

  it("have latencies to a tenth of a second", () => {
    const values = falls([3.5, 15], [3, 8])
    expect(values["fall_latency_p50_s"]).toBeCloseTo(0.6, 6)
    expect(Math.abs(values["fall_latency_p95_s"]! - 7)).toBeLessThanOrEqual(0.1)
  })

  it("are not judged when the sequence ends within their alarm window", () => {
    expect(falls([11], [10.1])).toMatchObject({ fall_recall: null, fall_precision: null })
    expect(falls([11], [10])).toMatchObject({ fall_recall: 1, fall_precision: 1 })
    expect(falls([11, 9], [10.1])).toMatchObject({ fall_recall: null, fall_precision: 0 })
  })

  it("are null without falls", () => {
    expect(falls([], [])).toMatchObject({ fall_recall: null, fall_precision: null, fall_latency_p95_s: null })
    expect(falls([], [3])).toMatchObject({ fall_recall: 0, fall_precision: null, fall_latency_p95_s: null })
  })
})
