import { describe, expect, it } from "vitest"
import { figuresOf, tallyOf } from "../../../sim/evaluation/tally.ts"
import { estimated, person, sequence, standingAt, valuesOf } from "./records.ts"

const leftWrist = 9

describe("pose accuracy", () => {
  it("separates a wrong position from a wrong pose", () => {
    const values = valuesOf(sequence([{ truth: [person(1, 1, 1)], said: [estimated(1, 1.3, 1.4)] }]))
    expect(values["mpjpe_absolute_mm"]).toBeCloseTo(500, 6)
    expect(values["mpjpe_pelvis_aligned_mm"]).toBeCloseTo(0, 6)
    expect(values["pa_mpjpe_mm"]).toBeCloseTo(0, 6)
    expect(values["pelvis_error_median_m"]).toBeCloseTo(0.5, 2)
    expect(values["location_error_median_m"]).toBeCloseTo(0.5, 2)
    expect(values["pck20_percent"]).toBe(100)
  })

  it("counts the height of the pelvis as an error of the pelvis, not of the location", () => {
    const low = standingAt(1, 1).map((value, at) => at % 3 === 2 ? value - 0.6 : value)
    const values = valuesOf(sequence([{ truth: [person(1, 1, 1)], said: [estimated(1, 1, 1, { keypoints: low })] }]))
    expect(values["pelvis_error_median_m"]).toBeCloseTo(0.6, 2)
    expect(values["location_error_median_m"]).toBeLessThan(0.01)
  })

  it("removes the size by Procrustes only", () => {
    // 1.1 times as large about the pelvis' floor point: nothing but scale.
    const larger = standingAt(0, 0).map((value) => 1.1 * value)
    const values = valuesOf(sequence([{ truth: [person(1, 0, 0)], said: [estimated(1, 0, 0, { keypoints: larger })] }]))
    expect(values["pa_mpjpe_mm"]).toBeCloseTo(0, 6)
    expect(values["mpjpe_pelvis_aligned_mm"]).toBeGreaterThan(20)
  })

  it("measures keypoints in torsos: from the right shoulder to the left hip", () => {
    // The mean adult's torso is hypot((0.259 + 0.191) / 2, 0.288) x 1.7 m = 0.621 m: 20 % are 0.124 m, 50 % are 0.311 m.
    const raised = (m: number) => standingAt(0, 0).map((value, at) => at === 3 * leftWrist + 2 ? value + m : value)
    const hits = (m: number) => {
      const values = valuesOf(
        sequence([{ truth: [person(1, 0, 0)], said: [estimated(1, 0, 0, { keypoints: raised(m) })] }]),
      )
      return [values["pck20_percent"], values["pck50_percent"], values["mpjpe_pelvis_aligned_mm"]]
    }
    expect(hits(0.123)).toEqual([100, 100, expect.closeTo(123 / 17, 6)])
    expect(hits(0.126)).toEqual([expect.closeTo(100 * 16 / 17, 6), 100, expect.closeTo(126 / 17, 6)])
    expect(hits(0.312)).toEqual([
      expect.closeTo(100 * 16 / 17, 6),
      expect.closeTo(100 * 16 / 17, 6),
      expect.closeTo(312 / 17, 6),
    ])
  })

  it("separates activities and weights persons equally", () => {
    const raised = standingAt(0, 0).map((value, at) => at === 3 * leftWrist + 2 ? value + 0.17 : value)
    const values = valuesOf(sequence([
      { truth: [person(1, 0, 0, "walking")], said: [estimated(1, 0, 0, { keypoints: raised })] },
      { truth: [person(1, 0, 0, "lying")], said: [estimated(1, 0, 0)] },
      { truth: [person(1, 0, 0, "lying")], said: [estimated(1, 0, 0)] },
    ]))
    expect(values["mpjpe_pelvis_aligned_walking_mm"]).toBeCloseTo(10, 6)
    expect(values["mpjpe_pelvis_aligned_lying_mm"]).toBe(0)
    expect(values["mpjpe_pelvis_aligned_mm"]).toBeCloseTo(10 / 3, 6)
  })

  it("skips missed persons, reports the matched share, and has reasons for missing figures", () => {
    const record = sequence([
      { truth: [person(1, 1, 1), person(2, 4, 4)], said: [estimated(1, 1, 1)] },
      { truth: [person(1, 1, 1), person(2, 4, 4)], said: [estimated(1, 2.2, 1)] },
    ])
    expect(valuesOf(record)).toMatchObject({ matched_percent: 25, mpjpe_absolute_mm: 0 })
    const none = figuresOf(tallyOf(sequence([{ truth: [person(1, 1, 1)], said: [] }])), "estimator")
    expect(none["mpjpe_absolute_mm"]).toEqual({ value: null, reason: expect.stringContaining("matched") })
    expect(none["mpjpe_pelvis_aligned_sitting_mm"]).toEqual({ value: null, reason: expect.stringContaining("sitting") })
    expect(none["matched_percent"]).toEqual({ value: 0 })
    const nobody = figuresOf(tallyOf(sequence([{ truth: [], said: [] }])), "estimator")
    expect(nobody["matched_percent"]).toEqual({ value: null, reason: expect.stringContaining("No person") })
  })
})
