import { describe, expect, it } from "vitest"
import { sigmaCurve } from "../../../sim/evaluation/calibration.ts"
import { tallyOf } from "../../../sim/evaluation/tally.ts"
import { estimated, person, sequence, valuesOf } from "./records.ts"

describe("the calibration of certainty", () => {
  const sure = (confidence: number, sigmaM: number, x: number) =>
    estimated(1, x, 0, {
      certainty: { confidence: new Array<number>(17).fill(confidence), sigmaM: new Array<number>(17).fill(sigmaM) },
    })
  const hop = (confidence: number, sigmaM: number, x: number) => ({
    truth: [person(1, 0, 0)],
    said: [sure(confidence, sigmaM, x)],
  })

  it("is the mean gap between confidence and hits, by bins", () => {
    expect(valuesOf(sequence([hop(0.8, 0.1, 0.1)]))["expected_calibration_error"]).toBeCloseTo(0.2, 9)
    expect(valuesOf(sequence([hop(0.8, 0.1, 0.4)]))["expected_calibration_error"]).toBeCloseTo(0.8, 9)
    // Half of the keypoints with confidence 0.5 are right; all with 0.9 are wrong.
    const hops = [hop(0.5, 0.1, 0.1), hop(0.5, 0.1, 0.4), hop(0.9, 0.1, 0.4), hop(0.9, 0.1, 0.4)]
    expect(valuesOf(sequence(hops))["expected_calibration_error"]).toBeCloseTo((0 + 0.9) / 2, 9)
  })

  it("covers the size and order of sigma relative to the pelvis", () => {
    /** All joints but the hips are off by `offM`, and the whole body by 0.9 m more. */
    const bent = (sigmaM: number, offM: number) => {
      const { truth, said } = hop(0.5, sigmaM, 0)
      const keypoints = Array.from(
        said[0]!.keypoints,
        (value, i) => i % 3 !== 1 ? value : value + 0.9 + (i >= 33 && i < 39 ? 0 : offM),
      )
      return { truth, said: [{ ...said[0]!, keypoints }] }
    }
    const bins = (errors: ReadonlyArray<number>) =>
      sequence([0.04, 0.11, 0.22].flatMap((sigmaM, i) => Array.from({ length: 20 }, () => bent(sigmaM, errors[i]!))))
    const share = 15 / 17
    const rising = bins([0.1, 0.2, 0.3])
    expect(valuesOf(rising)["sigma_monotonicity"]).toBe(1)
    expect(valuesOf(bins([0.3, 0.2, 0.1]))["sigma_monotonicity"]).toBe(-1)
    expect(valuesOf(bins([0.1, 0.3, 0.2]))["sigma_monotonicity"]).toBeCloseTo(1 / 3, 12)
    const predicted = 3 * (0.04 ** 2 + 0.11 ** 2 + 0.22 ** 2)
    expect(valuesOf(rising)["sigma_ratio"]).toBeCloseTo(Math.sqrt((share * (0.01 + 0.04 + 0.09)) / predicted), 9)
    expect(sigmaCurve(tallyOf(rising)).map(({ errorM }) => errorM)).toEqual(
      [0.1, 0.2, 0.3].map((m) => expect.closeTo(m * Math.sqrt(share), 9)),
    )
  })

  it("is null without a stated certainty, or with too few keypoints", () => {
    const none = sequence([{ truth: [person(1, 0, 0)], said: [estimated(1, 0, 0)] }])
    expect(valuesOf(none)).toMatchObject({
      expected_calibration_error: null,
      sigma_ratio: null,
      sigma_monotonicity: null,
    })
    expect(valuesOf(sequence([hop(0.5, 0.1, 0.1), hop(0.5, 0.3, 0.1)]))["sigma_monotonicity"]).toBeNull()
  })
})
