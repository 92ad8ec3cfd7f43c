import { describe, expect, it } from "vitest"
import { createPhysique } from "../../../sim/bodies/physique.ts"
import { wrapAngle } from "../../../sim/bodies/pose.ts"
import { cycleLengthM } from "../../../sim/people/gait.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { distance, doing, hall, home, indexOf, pointOf, watch } from "../bodies/home.ts"

const ankles = [indexOf("left_ankle"), indexOf("right_ankle")] as const

describe("walking", () => {
  it("keeps to its speed and to the cadence of Boulic's relation", () => {
    for (const walkingSpeedMps of [0.6, 1, 1.4]) {
      const person = doing([{ do: "walk", to: [1, 2] }, { do: "walk", to: [19, 2] }], hall(20, 4), 4, {
        walkingSpeedMps,
        heightM: 1.8,
      })
      const leftLow: Array<number> = []
      let wasHigh = false
      let from: readonly [number, number] | null = null
      let to: readonly [number, number] = [0, 0]
      watch(person, 80, 100, ({ headingRad, x }, timeS) => {
        if (x < 5 || x > 15 || Math.abs(headingRad) > 0.4) return
        from ??= [timeS, x]
        to = [timeS, x]
        const z = pointOf(person.posture.keypoints, ankles[0])[2]
        if (wasHigh && z < 0.09) leftLow.push(timeS)
        wasHigh = z > 0.1 || (wasHigh && z >= 0.09)
      })
      const speed = (to[1] - from![1]) / (to[0] - from![0])
      expect(Math.abs(speed / walkingSpeedMps - 1)).toBeLessThan(0.09)
      const cycleS = (leftLow[leftLow.length - 1]! - leftLow[0]!) / (leftLow.length - 1)
      const wantedS = cycleLengthM(createPhysique(1.8, 1, createRandom(1, "mean")), speed) / speed
      expect(Math.abs(cycleS / wantedS - 1)).toBeLessThan(0.05)
    }
  })

  it("has a foot on the floor at all times, which does not slide while its sole is down", () => {
    for (const seed of [1, 2, 3]) {
      const person = doing(
        [{ do: "walk", to: [1, 1] }, { do: "walk", to: [5, 4.2] }, { do: "walk", to: [9, 1] }],
        home,
        seed,
      )
      let slidMaxM = 0
      let slides = 0
      let flatSteps = 0
      let bearing = 1
      const began: Array<readonly [number, number, number] | null> = [null, null]
      let floorZ = 0
      watch(person, 40, 100, ({ activity }, timeS) => {
        const points = ankles.map((index) => pointOf(person.posture.keypoints, index))
        if (timeS === 0) floorZ = points[0]![2]
        if (activity !== "walking") return void began.fill(null)
        bearing = Math.min(bearing, points.some(([, , z]) => z < floorZ + 0.09) ? 1 : 0)
        for (const [side, point] of points.entries()) {
          if (point[2] > floorZ + 0.004) {
            if (began[side] !== null) slides++
            began[side] = null
            continue
          }
          flatSteps++
          began[side] ??= point
          slidMaxM = Math.max(slidMaxM, distance(point.slice(0, 2), began[side]!.slice(0, 2)))
        }
      })
      expect(bearing).toBe(1)
      expect(slides).toBeGreaterThan(6)
      expect(flatSteps).toBeGreaterThan(200)
      expect(slidMaxM).toBeLessThan(0.03)
    }
  })

  it("swings the arms against the legs by 20 to 35 degrees at 1.2 m/s", () => {
    const person = doing([{ do: "walk", to: [1, 2] }, { do: "walk", to: [19, 2] }], hall(20, 4), 9, {
      walkingSpeedMps: 1.2,
    })
    const angles: Array<number> = []
    let together = 0
    watch(person, 40, 50, ({ headingRad, x }) => {
      if (x < 6 || x > 14 || Math.abs(headingRad) > 0.4) return
      const at = (name: Parameters<typeof indexOf>[0]) => pointOf(person.posture.keypoints, indexOf(name))
      const arm = Math.atan2(at("left_elbow")[0] - at("left_shoulder")[0], at("left_shoulder")[2] - at("left_elbow")[2])
      angles.push(arm)
      together += (at("left_wrist")[0] - x) * (at("left_ankle")[0] - x)
    })
    const halfSwing = ((Math.max(...angles) - Math.min(...angles)) / 2) * (180 / Math.PI)
    expect(halfSwing).toBeGreaterThan(18)
    expect(halfSwing).toBeLessThan(37)
    expect(together).toBeLessThan(0)
  })

  it("arrives at the place it was sent to, and stands there", () => {
    const person = doing([{ do: "walk", to: [8, 1] }, { do: "stand", seconds: 30 }], home, 3)
    watch(person, 35, 20, () => {})
    const { activity, x, y } = person.at(36)
    expect(activity).toBe("standing")
    expect(Math.hypot(x - 8, y - 1)).toBeLessThan(0.06)
  })

  it("turns on the spot in steps at a realistic speed", () => {
    const person = doing(
      [{ do: "walk", to: [2, 3] }, { do: "walk", to: [8, 3] }, { do: "walk", to: [2, 3] }],
      hall(10, 6),
      2,
    )
    let before = person.at(0).headingRad
    let fastest = 0
    let backwards = 0
    let last: readonly [number, number] = [0, 0]
    watch(person, 40, 50, ({ activity, headingRad, speedMps, x, y }) => {
      fastest = Math.max(fastest, Math.abs(wrapAngle(headingRad - before)) * 50)
      before = headingRad
      const along = (x - last[0]) * Math.cos(headingRad) + (y - last[1]) * Math.sin(headingRad)
      if (activity === "walking" && speedMps > 0.4 && along < 0) backwards++
      last = [x, y]
    })
    expect(fastest).toBeGreaterThan(1)
    expect(fastest).toBeLessThan(5.5)
    expect(backwards).toBeLessThan(2)
  })
})
