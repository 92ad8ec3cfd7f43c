import { describe, expect, it } from "vitest"
import { bodyProportions, keypointNames, meanSkeleton, skeletonSigmasM } from "../../../core/pose/skeleton.ts"
import { createBody, createPosture, scatterers } from "../../../sim/bodies/body.ts"
import { createPhysique } from "../../../sim/bodies/physique.ts"
import { channel, createPose, type Pose, rewriteYaw, setShape, type Shape, upright } from "../../../sim/bodies/pose.ts"
import { createRandom, uniformIn } from "../../../sim/randomness/random.ts"
import { distance, doing, hall, indexOf, pointOf } from "./home.ts"

const physiqueOf = (heightM: number, seed: number) => createPhysique(heightM, 1, createRandom(seed, "physique"))

const placed = (heightM: number, shape: Shape, breathM = 0, pulseM = 0) => {
  const physique = physiqueOf(heightM, 1)
  const posture = createPosture()
  const pose: Pose = createPose()
  setShape(pose, { ...upright(physique, 0, 0, 0), ...shape })
  createBody(physique).place(pose, breathM, pulseM, posture)
  return { physique, posture, pose }
}

describe("the physique", () => {
  it("adds up to the height, near the mean proportions, and differs between people", () => {
    const all = [1, 2, 3, 4, 5, 6].map((seed) => physiqueOf(1.8, seed))
    for (const one of all) {
      expect(one.ankleM + one.shankM + one.thighM + one.trunkM + one.headM).toBeCloseTo(1.8, 9)
      expect(Math.abs(one.thighM / (1.8 * bodyProportions.thigh) - 1)).toBeLessThan(0.08)
      expect(Math.abs(one.upperArmM / (1.8 * bodyProportions.upperArm) - 1)).toBeLessThan(0.051)
    }
    expect(new Set(all.map(({ thighM }) => thighM)).size).toBe(6)
  })
})

describe("scatterers", () => {
  it("apportion a whole adult's cross section as the literature's sum allows", () => {
    const sums = new Map<string, number>()
    for (const { rcsM2, segment } of scatterers) sums.set(segment, (sums.get(segment) ?? 0) + rcsM2)
    const wanted = {
      head: 0.04,
      chest: 0.25,
      abdomen: 0.2,
      left_thigh: 0.07,
      right_shank: 0.05,
      left_upper_arm: 0.03,
      right_forearm: 0.02,
      left_hand: 0.01,
      right_foot: 0.02,
    }
    for (const [segment, rcsM2] of Object.entries(wanted)) expect(sums.get(segment), segment).toBeCloseTo(rcsM2, 12)
    expect(scatterers.length).toBe(26)
    expect(sums.size).toBe(15)
    const whole = [...sums.values()].reduce((sum, rcsM2) => sum + rcsM2, 0)
    expect(whole).toBeGreaterThan(0.37)
    expect(whole).toBeLessThan(1.05)
  })

  it("lie on the bones of their segment, those of the left on the left", () => {
    const { posture } = placed(1.75, upright(physiqueOf(1.75, 1), 0, 0, Math.PI / 2))
    for (const [i, { segment }] of scatterers.entries()) {
      const [x, , z] = pointOf(posture.scatterers, i)
      if (segment.startsWith("left")) expect(x, segment).toBeLessThan(-0.05)
      if (segment.startsWith("right")) expect(x, segment).toBeGreaterThan(0.05)
      expect(z, segment).toBeGreaterThan(0)
      expect(z, segment).toBeLessThan(1.75)
    }
    const thigh = scatterers.flatMap(({ segment }, i) =>
      segment === "left_thigh" ? [pointOf(posture.scatterers, i)] : []
    )
    const knee = pointOf(posture.keypoints, indexOf("left_knee"))
    const hip = pointOf(posture.keypoints, indexOf("left_hip"))
    for (const point of thigh) expect(distance(hip, point) + distance(point, knee)).toBeCloseTo(distance(hip, knee), 9)
  })

  it("of the chest move with the breath along the front, those of the abdomen by 60 % of it, the pulse on the chest alone", () => {
    const still = placed(1.75, { tiltForward: -Math.PI / 2 }).posture.scatterers
    const out = placed(1.75, { tiltForward: -Math.PI / 2 }, 0.01, 0.0004).posture.scatterers
    for (const [i, { segment }] of scatterers.entries()) {
      const moved = pointOf(out, i).map((value, axis) => value - still[3 * i + axis]!)
      const wanted = segment === "chest" ? 0.0104 : segment === "abdomen" ? 0.006 : 0
      expect(moved[2], segment).toBeCloseTo(wanted, 9)
      expect(Math.hypot(moved[0]!, moved[1]!), segment).toBeLessThan(1e-9)
    }
  })
})

describe("the kinematics", () => {
  it("keep bones at their lengths in any pose, also those out of reach", () => {
    const random = createRandom(7, "poses")
    const physique = physiqueOf(1.65, 3)
    const body = createBody(physique)
    const posture = createPosture()
    const pose = createPose()
    let worst = 0
    for (let draw = 0; draw < 3000; draw++) {
      for (let i = 0; i < pose.length; i++) pose[i] = uniformIn(random, -2, 2)
      body.place(pose, 0, 0, posture)
      const length = (a: number, b: number): number =>
        distance(pointOf(posture.keypoints, a), pointOf(posture.keypoints, b))
      for (let side = 0; side < 2; side++) {
        worst = Math.max(
          worst,
          Math.abs(length(5 + side, 7 + side) - physique.upperArmM),
          Math.abs(length(7 + side, 9 + side) - physique.forearmM),
          Math.abs(length(11 + side, 13 + side) - physique.thighM),
          Math.abs(length(13 + side, 15 + side) - physique.shankM),
        )
      }
      worst = Math.max(
        worst,
        Math.abs(length(5, 6) - 2 * physique.shoulderHalfM),
        Math.abs(length(11, 12) - 2 * physique.hipHalfM),
        Math.abs(distance([...posture.pelvis], [...posture.neck]) - physique.trunkM),
      )
    }
    expect(worst).toBeLessThan(1e-9)
  })

  it("bend knees forward and elbows to the front, and lean in the given direction", () => {
    const squat = placed(1.7, { pelvisZ: 0.6 }).posture.keypoints
    expect(pointOf(squat, indexOf("left_knee"))[0]).toBeGreaterThan(0.15)
    const bent = placed(1.7, { leftElbow: 1.5, leftTurn: 0 }).posture.keypoints
    expect(pointOf(bent, indexOf("left_wrist"))[0]).toBeGreaterThan(0.2)
    const back = placed(1.7, { tiltForward: -Math.PI / 2, pelvisZ: 0.5 }).posture
    expect(back.neck[0]).toBeLessThan(-0.4)
    expect(pointOf(back.keypoints, indexOf("nose"))[2]).toBeGreaterThan(0.55)
    const left = placed(1.7, { tiltLeft: 0.5 }).posture
    expect(left.neck[1]).toBeGreaterThan(0.2)
  })

  it("keep elbows, wrists and knees above the supporting surface", () => {
    const { physique, posture } = placed(1.7, { pelvisZ: 0.1, tiltForward: Math.PI / 2, leftFlex: 1.6, rightFlex: 1.4 })
    for (const name of ["left_elbow", "left_wrist", "right_elbow", "right_wrist", "left_knee", "right_knee"] as const) {
      expect(pointOf(posture.keypoints, indexOf(name))[2], name).toBeGreaterThan(0.034)
    }
    const shoulder = pointOf(posture.keypoints, indexOf("left_shoulder"))
    expect(distance(shoulder, pointOf(posture.keypoints, indexOf("left_elbow")))).toBeCloseTo(physique.upperArmM, 9)
  })

  it("map two notations of one orientation to the same points", () => {
    const { physique, pose, posture } = placed(1.7, {
      tiltForward: -1.1,
      tiltLeft: 0.4,
      twist: 0.7,
      yaw: 2,
      spineForward: 0.2,
    })
    const again = createPosture()
    rewriteYaw(pose, 1.3)
    createBody(physique).place(pose, 0, 0, again)
    expect(pose[channel.twist]).toBeCloseTo(-0.6, 12)
    for (const [i, value] of posture.keypoints.entries()) expect(again.keypoints[i]).toBeCloseTo(value, 9)
  })

  it("stand like the mean skeleton", () => {
    const { posture } = placed(1.7, {})
    for (const [i, point] of meanSkeleton.entries()) {
      expect(distance(pointOf(posture.keypoints, i), point), keypointNames[i]).toBeLessThan(0.16)
    }
  })
})

describe("the mean skeleton", () => {
  it("is as far from standing and walking adults as its sigmas say, within 2 cm", () => {
    // Adults of 1.70 m +- 0.09 m at the middles of seven equal shares, a third of them standing.
    const heights = [1.568, 1.629, 1.667, 1.7, 1.733, 1.771, 1.832]
    const floor = hall(8, 4)
    const sums = new Float64Array(keypointNames.length)
    let count = 0
    for (const [i, heightM] of heights.entries()) {
      for (const [j, walkingSpeedMps] of [0, 0, 0.6, 0.8, 1, 1.2].entries()) {
        const walks = walkingSpeedMps > 0
        const person = doing(
          walks ? [{ do: "walk", to: [1, 2] }, { do: "walk", to: [7, 2] }] : [{ do: "stand", seconds: 100 }],
          floor,
          100 * i + j,
          { heightM, girth: 1, walkingSpeedMps: walks ? walkingSpeedMps : 1 },
        )
        const points = person.posture.keypoints
        for (let timeS = 2, seen = 0; seen < 100 && timeS < 60; timeS += 0.03) {
          const { activity, headingRad, x, y } = person.at(timeS)
          const isOnWay = activity === "walking" && x > 2.5 && x < 5.5 && Math.abs(y - 2) < 0.05 &&
            Math.abs(headingRad) < 0.3
          if (walks && !isOnWay) continue
          const heading = walks ? 0 : headingRad
          for (const [k, mean] of meanSkeleton.entries()) {
            const [px, py, z] = pointOf(points, k)
            const forward = (px - x) * Math.cos(heading) + (py - y) * Math.sin(heading)
            const left = (py - y) * Math.cos(heading) - (px - x) * Math.sin(heading)
            sums[k]! += distance([forward, left, z], mean) ** 2
          }
          seen++
          count++
        }
      }
    }
    expect(count).toBeGreaterThan(3500)
    for (const [k, sum] of sums.entries()) {
      expect(Math.abs(Math.sqrt(sum / (3 * count)) - skeletonSigmasM[k]!), keypointNames[k]).toBeLessThan(0.02)
    }
  })
})
