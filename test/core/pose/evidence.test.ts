/** Which joints are drawn as estimated, and which at rest. */
import { describe, expect, it } from "vitest"
import { drawJoints, evidenceParts, noHabit } from "../../../core/pose/evidence.ts"
import { keypointNames, meanSkeleton } from "../../../core/pose/skeleton.ts"
import { activityStates } from "../../../core/activity/sample.ts"
import type { Vector3 } from "../../../core/imaging/geometry.ts"

const trunkM = meanSkeleton[5]![2] - meanSkeleton[11]![2]
const pelvisM = meanSkeleton[11]![2]

/** Every activity rests as the mean skeleton. */
const rests = Float32Array.from(
  activityStates.flatMap(() => meanSkeleton.flatMap(([x, y, z]) => [x / trunkM, y / trunkM, (z - pelvisM) / trunkM])),
)
const probabilities = activityStates.map(() => 1 / activityStates.length)
const leftAnkle = keypointNames.indexOf("left_ankle")
const rightWrist = keypointNames.indexOf("right_wrist")
const leftLeg = evidenceParts.findIndex(({ joints }) => joints.includes(leftAnkle))

/** Logits in which only the left leg is doubtful. */
const evidence = (probabilityOfLeftLeg: number): ReadonlyArray<number> =>
  evidenceParts.map((_, i) => i === leftLeg ? Math.log(probabilityOfLeftLeg / (1 - probabilityOfLeftLeg)) : 9)

/** The mean skeleton, turned by `yawRad` and moved, with the left ankle swung forward. */
const walker = (yawRad: number, swingM: number): ReadonlyArray<Vector3> => {
  const [c, s] = [Math.cos(yawRad), Math.sin(yawRad)]
  return meanSkeleton.map(([x, y, z], i): Vector3 => {
    const ahead = i === leftAnkle ? x + swingM : x
    return [3 + c * ahead - s * y, 2 + s * ahead + c * y, z]
  })
}

const distance = (a: Vector3, b: Vector3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

describe("a limb", () => {
  it("that is observed is drawn as estimated", () => {
    const estimated = walker(1, 0.3)
    const { joints, observed } = drawJoints(estimated, probabilities, evidence(0.9), rests, noHabit)
    expect(joints).toEqual(estimated)
    expect(observed.every((one) => one)).toBe(true)
  })

  it("that is not observed is at rest about the trunk, whichever way it faces", () => {
    for (const yawRad of [0, 1, -2.5]) {
      const { joints, observed } = drawJoints(walker(yawRad, 0.3), probabilities, evidence(0.4), rests, noHabit)
      // The habit has a fortieth of the swing already.
      expect(distance(joints[leftAnkle]!, walker(yawRad, 0)[leftAnkle]!)).toBeCloseTo(0.3 / 40, 5)
      expect(observed[leftAnkle]).toBe(false)
      expect(observed[rightWrist]).toBe(true)
      expect(joints[rightWrist]).toEqual(walker(yawRad, 0.3)[rightWrist])
    }
  })

  it("does not jump when it becomes observed", () => {
    const at = (probability: number): Vector3 =>
      drawJoints(walker(0, 0.3), probabilities, evidence(probability), rests, noHabit).joints[leftAnkle]!
    for (let probability = 0.4; probability < 0.9; probability += 0.01) {
      expect(distance(at(probability), at(probability + 0.01))).toBeLessThan(0.3 * 0.06)
    }
  })

  it("is observed by the evidence of seconds, not of a hop", () => {
    let { habit } = drawJoints(walker(0, 0.3), probabilities, evidence(0.9), rests, noHabit)
    const hopsUntil = (probability: number, isObserved: boolean): number => {
      for (let hop = 1; hop < 100; hop++) {
        const next = drawJoints(walker(0, 0.3), probabilities, evidence(probability), rests, habit)
        habit = next.habit
        if (next.observed[leftAnkle] === isObserved) return hop
      }
      return Infinity
    }
    expect(hopsUntil(0.1, false)).toBeGreaterThan(10)
    expect(hopsUntil(0.9, true)).toBeLessThan(20)
  })

  it("at rest hardly swings, and keeps a person's own posture", () => {
    let habit = noHabit
    const drawn: Array<number> = []
    for (let hop = 0; hop < 300; hop++) {
      // A step of 1.1 s about a foot that is 0.1 m ahead.
      const estimated = walker(0, 0.1 + 0.3 * Math.sin((2 * Math.PI * hop) / 11))
      const next = drawJoints(estimated, probabilities, evidence(0.01), rests, habit)
      habit = next.habit
      if (hop >= 200) drawn.push(next.joints[leftAnkle]![0] - walker(0, 0)[leftAnkle]![0])
    }
    expect(Math.max(...drawn) - Math.min(...drawn)).toBeLessThan(0.05 * 0.6)
    expect(drawn.reduce((sum, x) => sum + x, 0) / drawn.length).toBeCloseTo(0.1, 1)
  })
})

describe("the habit", () => {
  it("is finite for any body", () => {
    const collapsed = meanSkeleton.map((): Vector3 => [1, 1, 1])
    const { habit, joints } = drawJoints(collapsed, probabilities, evidence(0.01), rests, noHabit)
    expect([...habit.posture, ...habit.evidence!, ...joints.flat()].every(Number.isFinite)).toBe(true)
  })
})
