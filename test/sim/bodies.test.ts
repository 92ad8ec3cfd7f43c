import { describe, expect, it } from "vitest"
import { keypointNames, meanSkeleton, skeletonSigmasM } from "../../core/pose/skeleton.ts"
import { computePosture, createPosture, type GaitState } from "../../sim/bodies/gait.ts"
import { createWalker } from "../../sim/bodies/walker.ts"
import { createRandom } from "../../sim/random.ts"

const standing: GaitState = { x: 0, y: 0, headingRad: 0, speedMps: 0, phaseRad: 0, breathM: 0 }

const postureOf = (heightM: number, state: GaitState): ReadonlyArray<readonly [number, number, number]> => {
  const posture = createPosture()
  computePosture(heightM, state, posture)
  const p = posture.keypoints
  return keypointNames.map((_, i) => [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!])
}

const distance = (p: ReadonlyArray<number>, q: ReadonlyArray<number>): number =>
  Math.hypot(...p.map((value, axis) => value - q[axis]!))

const index = (name: typeof keypointNames[number]): number => keypointNames.indexOf(name)

describe("the walking body", () => {
  it("keeps its bones at every phase", () => {
    for (let phaseRad = 0; phaseRad < 6.3; phaseRad += 0.1) {
      const points = postureOf(1.8, { ...standing, x: 2, y: 3, headingRad: 0.7, speedMps: 1.2, phaseRad })
      const bone = (from: typeof keypointNames[number], to: typeof keypointNames[number]): number =>
        distance(points[index(from)]!, points[index(to)]!) / 1.8
      expect(bone("left_hip", "left_knee")).toBeCloseTo(0.245, 6)
      expect(bone("right_knee", "right_ankle")).toBeCloseTo(0.246, 6)
      expect(bone("left_shoulder", "left_elbow")).toBeCloseTo(0.186, 6)
      expect(bone("right_elbow", "right_wrist")).toBeCloseTo(0.146, 6)
      for (const [, , z] of points) expect(z).toBeGreaterThan(0.05)
    }
  })

  it("has a foot on the floor, which hardly slides while it bears the body", () => {
    const body = createWalker([20, 20, 3], { heightM: 1.7, walkingSpeedMps: 1.2, pauseS: [0, 0] }, createRandom(3, "w"))
    let slid = 0
    let walked = 0
    let before: ReadonlyArray<ReadonlyArray<number>> | null = null
    for (let timeS = 2; timeS < 4; timeS += 0.01) {
      const state = body.at(timeS)
      const points = postureOf(1.7, state)
      const ankles = [points[index("left_ankle")]!, points[index("right_ankle")]!]
      const bearing = ankles[0]![2] < ankles[1]![2] ? 0 : 1
      expect(ankles[bearing]![2]).toBeCloseTo(0.039 * 1.7, 1)
      if (before !== null) {
        slid += distance(ankles[bearing]!.slice(0, 2), before[bearing]!.slice(0, 2))
        walked += state.speedMps * 0.01
      }
      before = ankles
    }
    expect(walked).toBeGreaterThan(1)
    expect(slid / walked).toBeLessThan(0.2)
  })

  it("stays within the room, keeps its speed and pauses", () => {
    for (const seed of [1, 2, 3]) {
      const body = createWalker(
        [6, 5, 2.7],
        { heightM: 1.7, walkingSpeedMps: 1, pauseS: [1, 2] },
        createRandom(seed, "w"),
      )
      let paused = 0
      for (let timeS = 0; timeS < 120; timeS += 0.05) {
        const { x, y, speedMps } = body.at(timeS)
        expect(x >= 0.6 && x <= 5.4 && y >= 0.6 && y <= 4.4).toBe(true)
        expect(speedMps).toBeLessThan(1.001)
        if (speedMps === 0) paused++
      }
      expect(paused).toBeGreaterThan(100)
    }
  })

  it("stands like the mean skeleton", () => {
    for (const [i, point] of postureOf(1.7, standing).entries()) {
      expect(distance(point, meanSkeleton[i]!)).toBeLessThan(0.15)
    }
  })

  it("departs from the mean skeleton by what its table of sigmas says", () => {
    // Adults of 1.70 m +- 0.09 m at the middles of seven equal shares, a third of them standing, over the gait cycle.
    const heights = [1.568, 1.629, 1.667, 1.7, 1.733, 1.771, 1.832]
    const speeds = [0, 0, 0.6, 0.8, 1, 1.2]
    const phases = 24
    const sums = new Float64Array(keypointNames.length)
    for (const heightM of heights) {
      for (const speedMps of speeds) {
        for (let phase = 0; phase < phases; phase++) {
          const points = postureOf(heightM, { ...standing, speedMps, phaseRad: (2 * Math.PI * phase) / phases })
          for (const [i, point] of points.entries()) sums[i]! += distance(point, meanSkeleton[i]!) ** 2
        }
      }
    }
    const count = heights.length * speeds.length * phases
    for (const [i, sum] of sums.entries()) {
      expect(Math.abs(Math.sqrt(sum / (3 * count)) - skeletonSigmasM[i]!), keypointNames[i]).toBeLessThan(0.001)
    }
  })
})
