import { describe, expect, it } from "vitest"
import { facingRad } from "../../../sim/evaluation/facing.ts"
import { withMannequin, withTrueMannequin } from "../../../sim/evaluation/mannequin.ts"
import meanPoses from "../../../sim/evaluation/mean-poses.json" with { type: "json" }
import type { EstimatedPerson, SequenceRecord, TruePerson } from "../../../sim/evaluation/record.ts"
import { estimated, person, sequence, standingAt, valuesOf } from "./records.ts"

const [leftAnkle, rightAnkle] = [15, 16]

/** A body at x that faces `rad`, with the left ankle ahead of its usual place and the right one behind it. */
const striding = (x: number, aheadM: number, rad = 0): Array<number> => {
  const pose = standingAt(0, 0)
  pose[3 * leftAnkle]! += aheadM
  pose[3 * rightAnkle]! -= aheadM
  return pose.map((value, at) =>
    at % 3 === 0
      ? x + Math.cos(rad) * value - Math.sin(rad) * pose[at + 1]!
      : at % 3 === 1
      ? Math.sin(rad) * pose[at - 1]! + Math.cos(rad) * value
      : value
  )
}

const swing = (hop: number): number => 0.25 * Math.sin((2 * Math.PI * hop) / 11)

/** Three seconds of a walk along x, drawn with other ankles. */
const walk = (truth: (hop: number) => number, drawn: (hop: number) => number): SequenceRecord =>
  sequence(Array.from({ length: 30 }, (_, hop) => ({
    truth: [{ ...person(1, 0, 0, "walking"), keypoints: striding(0.1 * hop, truth(hop)) }],
    said: [estimated(7, 0, 0, { keypoints: striding(0.1 * hop, drawn(hop)) })],
  })))

describe("the facing of a skeleton", () => {
  it("is square to hips and shoulders, and from the hips to the head of a lying body", () => {
    for (const rad of [0, 1, -2.5]) expect(facingRad(striding(2, 0.1, rad))).toBeCloseTo(rad, 2)
    const lying = standingAt(0, 0).map((_, at, all) =>
      at % 3 === 0 ? -all[at + 2]! : at % 3 === 1 ? all[at]! : 0.1 + all[at - 2]!
    )
    expect(Math.abs(facingRad(lying))).toBeCloseTo(Math.PI, 1)
  })
})

describe("the figures of limbs", () => {
  it("are perfect for the true swing, and 0 for an independent one", () => {
    expect(valuesOf(walk(swing, swing))["ankle_swing_r"]).toBeCloseTo(1, 6)
    expect(valuesOf(walk(swing, (hop) => -swing(hop)))["ankle_swing_r"]).toBeCloseTo(-1, 6)
    expect(Math.abs(valuesOf(walk(swing, (hop) => 0.2 * Math.sin(2 * hop)))["ankle_swing_r"]!)).toBeLessThan(0.3)
  })

  it("compare the drawn swing of still limbs with the true one", () => {
    const tremble = (hop: number): number => 0.01 * Math.sin((2 * Math.PI * hop) / 11)
    // The wrists keep still in truth and estimate, as the ankles do in the first record.
    expect(valuesOf(walk(tremble, tremble))["still_limb_swing_ratio"]).toBeCloseTo(1, 6)
    expect(valuesOf(walk(tremble, swing))["still_limb_swing_ratio"]).toBeGreaterThan(15)
    expect(valuesOf(walk(tremble, swing))["still_limb_swing_mm"]).toBeGreaterThan(50)
  })

  it("have no value without a walk of a second", () => {
    const values = valuesOf(sequence([{ truth: [person(1, 0, 0)], said: [estimated(1, 0, 0)] }]))
    expect(values["ankle_swing_r"]).toBe(null)
    expect(values["still_limb_swing_ratio"]).toBe(null)
  })
})

describe("a missed person", () => {
  it("counts in the second figure of MPJPE as one whose keypoints are all at its pelvis", () => {
    const one = (said: ReadonlyArray<EstimatedPerson>) => ({ truth: [person(1, 0, 0)], said })
    const found = sequence([one([estimated(1, 0, 0)])])
    const half = sequence([one([estimated(1, 0, 0)]), one([])])
    expect(valuesOf(found)["mpjpe_with_missed_mm"]).toBe(0)
    expect(valuesOf(half)["mpjpe_pelvis_aligned_mm"]).toBe(0)
    expect(valuesOf(half)["mpjpe_with_missed_mm"]).toBeGreaterThan(150)
    expect(valuesOf(half)["mpjpe_with_missed_mm"]).toBeLessThan(400)
  })
})

describe("the mannequins", () => {
  const truth: TruePerson = { ...person(1, 0, 0, "walking"), keypoints: striding(0, 0, 1.2) }
  const said = estimated(3, 0.2, 0, { keypoints: striding(0.2, 0, -0.4), activity: "standing" })
  const record = sequence([{ truth: [truth], said: [said] }])
  const drawn = (mannequin: typeof withMannequin) =>
    mannequin(record, meanPoses).hops[0]!.estimate.persons[0]!.keypoints

  it("have the facing of the estimate, or the true one, at the estimated place", () => {
    expect(facingRad(drawn(withMannequin))).toBeCloseTo(-0.4, 1)
    expect(facingRad(drawn(withTrueMannequin))).toBeCloseTo(1.2, 1)
    for (const mannequin of [withMannequin, withTrueMannequin]) {
      expect((drawn(mannequin)[33]! + drawn(mannequin)[36]!) / 2).toBeCloseTo(0.2, 1)
    }
  })

  it("differ by activity, and one that is unknown stands", () => {
    const nose = (activity: EstimatedPerson["activity"]) =>
      withMannequin(sequence([{ truth: [], said: [{ ...said, activity }] }]), meanPoses).hops[0]!.estimate.persons[0]!
        .keypoints[2]!
    expect(nose("sitting")).toBeLessThan(nose("standing") - 0.2)
    expect(nose("unknown")).toBe(nose("standing"))
  })
})
