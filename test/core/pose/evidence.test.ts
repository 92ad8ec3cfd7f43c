/** Which joints are drawn as estimated, and which at rest. */
import { describe, expect, it } from "vitest"
import { drawJoints, type Drawn, evidenceParts, type Habit, noHabit } from "../../../core/pose/evidence.ts"
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

/** A hop of somebody who stays. */
const draw = (joints: ReadonlyArray<Vector3>, evidence: ReadonlyArray<number>, habit: Habit): Drawn =>
  drawJoints({ joints, probabilities, evidence, speedMps: 0 }, rests, habit)

describe("a limb", () => {
  it("that is observed is drawn as estimated", () => {
    const estimated = walker(1, 0.3)
    const { joints, observed } = draw(estimated, evidence(0.9), noHabit)
    expect(joints).toEqual(estimated)
    expect(observed.every((one) => one)).toBe(true)
  })

  it("is drawn as estimated with less evidence than it needs to count as observed", () => {
    const estimated = walker(1, 0.3)
    const { joints, observed } = draw(estimated, evidence(0.75), noHabit)
    expect(joints).toEqual(estimated)
    expect(observed[leftAnkle]).toBe(false)
  })

  it("without evidence is at rest about the trunk, whichever way it faces", () => {
    for (const yawRad of [0, 1, -2.5]) {
      const { joints, observed } = draw(walker(yawRad, 0.3), evidence(0.4), noHabit)
      // The habit has a fortieth of the swing already.
      expect(distance(joints[leftAnkle]!, walker(yawRad, 0)[leftAnkle]!)).toBeCloseTo(0.3 / 40, 5)
      expect(observed[leftAnkle]).toBe(false)
      expect(observed[rightWrist]).toBe(true)
      expect(joints[rightWrist]).toEqual(walker(yawRad, 0.3)[rightWrist])
    }
  })

  it("does not jump when it becomes observed", () => {
    const at = (probability: number): Vector3 => draw(walker(0, 0.3), evidence(probability), noHabit).joints[leftAnkle]!
    for (let probability = 0.4; probability < 0.9; probability += 0.01) {
      expect(distance(at(probability), at(probability + 0.01))).toBeLessThan(0.3 * 0.06)
    }
  })

  it("is observed by the evidence of seconds, not of a hop", () => {
    let { habit } = draw(walker(0, 0.3), evidence(0.9), noHabit)
    const hopsUntil = (probability: number, isObserved: boolean): number => {
      for (let hop = 1; hop < 100; hop++) {
        const next = draw(walker(0, 0.3), evidence(probability), habit)
        habit = next.habit
        if (next.observed[leftAnkle] === isObserved) return hop
      }
      return Infinity
    }
    expect(hopsUntil(0.1, false)).toBeGreaterThan(3)
    expect(hopsUntil(0.9, true)).toBeLessThan(20)
  })

  it("at rest hardly swings, and keeps a person's own posture", () => {
    let habit = noHabit
    const drawn: Array<number> = []
    for (let hop = 0; hop < 300; hop++) {
      // A step of 1.1 s about a foot that is 0.1 m ahead.
      const estimated = walker(0, 0.1 + 0.3 * Math.sin((2 * Math.PI * hop) / 11))
      const next = draw(estimated, evidence(0.01), habit)
      habit = next.habit
      if (hop >= 200) drawn.push(next.joints[leftAnkle]![0] - walker(0, 0)[leftAnkle]![0])
    }
    expect(Math.max(...drawn) - Math.min(...drawn)).toBeLessThan(0.05 * 0.6)
    expect(drawn.reduce((sum, x) => sum + x, 0) / drawn.length).toBeCloseTo(0.1, 1)
  })
})

describe("the limbs of a walker", () => {
  /** Ten seconds at 1 m/s with steps of 0.55 s, in which the ankles swing by a share of what the speed requires. */
  const after = (share: number, probability: number): Drawn => {
    let drawn: Drawn | null = null
    for (let hop = 0; hop < 100; hop++) {
      const swingM = share * 0.62 * Math.sin((2 * Math.PI * hop) / 11)
      const stated = evidenceParts.map(() => Math.log(probability / (1 - probability)))
      const hopOf = { joints: walker(0.5, swingM), probabilities, evidence: stated, speedMps: 1 }
      drawn = drawJoints(hopOf, rests, drawn?.habit ?? noHabit)
    }
    return drawn!
  }

  it("are inferred if the legs swing too little for the speed, however sure the network is", () => {
    const { observed } = after(0.5, 0.95)
    expect([observed[leftAnkle], observed[rightWrist]]).toEqual([false, false])
  })

  it("are observed if they swing enough: legs with less evidence, arms with much", () => {
    expect([0.75, 0.95].map((probability) => {
      const { observed } = after(1, probability)
      return [observed[leftAnkle], observed[rightWrist]]
    })).toEqual([[true, false], [true, true]])
  })
})

describe("the habit", () => {
  it("is finite for any body", () => {
    const collapsed = meanSkeleton.map((): Vector3 => [1, 1, 1])
    const { habit, joints } = draw(collapsed, evidence(0.01), noHabit)
    expect([...habit.posture, ...habit.evidence!, ...joints.flat()].every(Number.isFinite)).toBe(true)
  })
})
