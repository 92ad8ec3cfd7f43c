import { describe, expect, it } from "vitest"
import {
  addPoseSums,
  addTruePose,
  emptyPoseSums,
  meanPosesOf,
  withClassMean,
  withMeanPose,
} from "../../../sim/evaluation/mean-pose.ts"
import meanPoses from "../../../sim/evaluation/mean-poses.json" with { type: "json" }
import { activities, pelvisOf } from "../../../sim/evaluation/record.ts"
import { rangeNameOf } from "../../../sim/evaluation/seed-ranges.ts"
import { estimated, person, sequence, standingAt, valuesOf } from "./records.ts"

describe("the mean pose", () => {
  const sums = emptyPoseSums()
  addTruePose(sums, person(1, 2, 3, "walking"))
  const lying = {
    ...person(1, 1, 1, "lying"),
    keypoints: standingAt(1, 1).map((value, at) => at % 3 === 2 ? 0.2 : value),
  }
  addTruePose(sums, lying)
  addTruePose(sums, lying)
  const poses = meanPosesOf(sums, { first: 1, last: 2 })

  it("is the mean of poses about the floor below the pelvis", () => {
    const standing = standingAt(0, 0)
    const [noseX, , noseZ] = poses.all
    expect(noseX).toBeCloseTo(standing[0]!, 3)
    expect(noseZ).toBeCloseTo((standing[2]! + 0.2 + 0.2) / 3, 3)
    expect(poses.byActivity.walking![2]).toBeCloseTo(standing[2]!, 3)
    expect(poses.byActivity.sitting).toBeNull()
    expect(poses.persons).toBe(3)
  })

  it("is the sum of its parts, and fails without persons", () => {
    const total = emptyPoseSums()
    addPoseSums(total, sums)
    addPoseSums(total, sums)
    expect(meanPosesOf(total, { first: 1, last: 2 })).toEqual({ ...poses, persons: 6 })
    expect(() => meanPosesOf(emptyPoseSums(), { first: 1, last: 1 })).toThrow(RangeError)
  })

  it("stands at the estimator's positions; the class mean is that of the true activity", () => {
    const record = sequence([{
      truth: [{ ...lying, id: 1 }],
      said: [estimated(1, 1.2, 1), estimated(2, 4, 4)],
    }])
    const mean = withMeanPose(record, poses).hops[0]!.estimate.persons
    const oracle = withClassMean(record, poses).hops[0]!.estimate.persons
    expect(mean.map(({ id, keypoints }) => [id, ...pelvisOf(keypoints).slice(0, 2)])).toEqual(
      [[1, expect.closeTo(1.2, 9), expect.closeTo(1, 9)], [2, expect.closeTo(4, 9), expect.closeTo(4, 9)]],
    )
    expect(oracle[0]!.keypoints[2]).toBeCloseTo(0.2, 9)
    expect(oracle[1]!.keypoints[2]).toBe(poses.all[2])
    // Right except for its position.
    expect(valuesOf(withClassMean(record, poses))).toMatchObject({
      mpjpe_pelvis_aligned_mm: expect.closeTo(0, 0),
      mpjpe_absolute_mm: expect.closeTo(200, 0),
      expected_calibration_error: null,
    })
  })

  it("in the repository comes from training seeds and has every activity", () => {
    expect(rangeNameOf(meanPoses.seeds)).toBe("train")
    expect(meanPoses.persons).toBeGreaterThan(10_000)
    for (const activity of activities) expect(meanPoses.byActivity[activity]).toHaveLength(51)
  })
})
