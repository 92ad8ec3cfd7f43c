import { describe, expect, it } from "vitest"
import type { TrueActivity } from "../../../sim/evaluation/record.ts"
import { estimated, person, sequence, valuesOf } from "./records.ts"

describe("occupancy", () => {
  const [a, b] = [person(1, 0, 0), person(2, 4, 0)]
  const track = estimated(1, 0, 0)

  it("counts persons", () => {
    const hops = [
      { truth: [a, b], said: [track, track] },
      { truth: [a, b], said: [track] },
      { truth: [], said: [track, track] },
      { truth: [], said: [] },
    ]
    expect(valuesOf(sequence(hops))).toMatchObject({ count_exact_percent: 50, count_mae: 3 / 4 })
    // Two persons in one of two empty hops: one person all day long.
    expect(valuesOf(sequence(hops))["false_person_minutes_per_day"]).toBe(1440)
    expect(valuesOf(sequence(hops.slice(0, 2)))["false_person_minutes_per_day"]).toBeNull()
  })

  it("judges presence when there is an answer", () => {
    const hops = [
      { truth: [a], said: [], present: true },
      { truth: [a], said: [], present: false },
      { truth: [], said: [], present: true },
      { truth: [], said: [], present: null },
    ]
    expect(valuesOf(sequence(hops))).toMatchObject({
      presence_f1: 0.5,
      presence_coverage_percent: 75,
      presence_false_percent: 100,
    })
    const empty = [true, false, false, false].map((present) => ({ truth: [], said: [], present }))
    expect(valuesOf(sequence(empty))).toMatchObject({ presence_f1: null, presence_false_percent: 25 })
    expect(valuesOf(sequence(hops.slice(0, 2)))["presence_false_percent"]).toBeNull()
  })

  it("judges breathing of a person who is alone and still", () => {
    const breathing = (activity: TrueActivity) => ({ ...person(1, 0, 0, activity), breathingBpm: 15 })
    const hops = [
      { truth: [breathing("sitting")], said: [], breathingBpm: 16 },
      { truth: [breathing("lying")], said: [], breathingBpm: null },
      { truth: [breathing("walking")], said: [], breathingBpm: 30 },
      { truth: [breathing("lying"), b], said: [], breathingBpm: 30 },
    ]
    expect(valuesOf(sequence(hops))).toMatchObject({
      breathing_mae_bpm: 1,
      breathing_coverage_percent: 50,
      breathing_false_percent: null,
    })
    expect(valuesOf(sequence(hops.slice(2)))).toMatchObject({
      breathing_mae_bpm: null,
      breathing_coverage_percent: null,
    })
    const empty = [12, null, null, null].map((breathingBpm) => ({ truth: [], said: [], breathingBpm }))
    expect(valuesOf(sequence(empty))["breathing_false_percent"]).toBe(25)
  })
})
