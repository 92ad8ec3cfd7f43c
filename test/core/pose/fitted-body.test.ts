import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { hanging, headFrame, limbFrame, type SegmentFrame, trunkFrame } from "../../../core/pose/body-frames.ts"
import { partId, surfaceParts } from "../../../core/pose/body-parts.ts"
import { bodyHeightM } from "../../../core/pose/body-size.ts"
import { type BodyKeypoint, type BodySolid, fitBody, silhouetteOf } from "../../../core/pose/fitted-body.ts"
import { keypointNames, meanSkeleton } from "../../../core/pose/skeleton.ts"
import { add, dot, scaled, subtract } from "../../../core/pose/vector.ts"
import { boxOfPerson } from "../../../core/pose/view.ts"
import { jittered, poses } from "./poses.ts"

const jointsOf = (keypoints: ReadonlyArray<BodyKeypoint>): ReadonlyArray<Vector3> =>
  keypoints.map(({ x, y, z }) => [x, y, z])

const coordinate = fc.double({ min: -3, max: 3, noNaN: true })
const anyJoints: fc.Arbitrary<ReadonlyArray<Vector3>> = fc.array(fc.tuple(coordinate, coordinate, coordinate), {
  minLength: 17,
  maxLength: 17,
})

const close = (a: Vector3, b: Vector3, digits = 6) => a.forEach((value, i) => expect(value).toBeCloseTo(b[i]!, digits))

const expectOrthonormal = ({ axis, front, left }: SegmentFrame) => {
  for (const [a, b] of [[axis, front], [front, left], [left, axis]] as const) expect(dot(a, b)).toBeCloseTo(0, 9)
  for (const direction of [axis, front, left]) expect(dot(direction, direction)).toBeCloseTo(1, 9)
}

describe("the parts of a surface", () => {
  it("have DensePose's numbers", () => {
    const ids = (name: string) => surfaceParts.filter((part) => part.name === name).map(({ id }) => id)
    expect(surfaceParts.map(({ id }) => id)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1))
    expect({
      torso: ids("torso"),
      right_hand: ids("right_hand"),
      left_hand: ids("left_hand"),
      left_foot: ids("left_foot"),
      right_foot: ids("right_foot"),
      right_upper_leg: ids("right_upper_leg"),
      left_upper_leg: ids("left_upper_leg"),
      right_lower_leg: ids("right_lower_leg"),
      left_lower_leg: ids("left_lower_leg"),
      left_upper_arm: ids("left_upper_arm"),
      right_upper_arm: ids("right_upper_arm"),
      left_lower_arm: ids("left_lower_arm"),
      right_lower_arm: ids("right_lower_arm"),
      head: ids("head"),
    }).toEqual({
      torso: [1, 2],
      right_hand: [3],
      left_hand: [4],
      left_foot: [5],
      right_foot: [6],
      right_upper_leg: [7, 9],
      left_upper_leg: [8, 10],
      right_lower_leg: [11, 13],
      left_lower_leg: [12, 14],
      left_upper_arm: [15, 17],
      right_upper_arm: [16, 18],
      left_lower_arm: [19, 21],
      right_lower_arm: [20, 22],
      head: [23, 24],
    })
  })

  it("have no other halves", () => {
    expect(partId("torso", "front")).toBe(2)
    expect(() => partId("torso", "inner")).toThrow("torso has no side inner")
  })
})

describe("the height of a body", () => {
  it("is that of the mean adult, and scales", () => {
    expect(bodyHeightM(meanSkeleton)).toBeCloseTo(1.7, 9)
    expect(bodyHeightM(meanSkeleton.map((joint) => scaled(joint, 0.6)))).toBeCloseTo(1.02, 9)
    expect(bodyHeightM(jointsOf(poses.sitting))).toBeCloseTo(1.7, 9)
  })

  it("is unaffected by two misplaced joints, and within the limits of a person", () => {
    const misplaced = meanSkeleton.map((joint, i): Vector3 => i === 9 || i === 16 ? [5, 5, 5] : joint)
    expect(bodyHeightM(misplaced)).toBeCloseTo(1.7, 9)
    expect(bodyHeightM(meanSkeleton.map(() => [1, 1, 1]))).toBe(0.5)
    expect(bodyHeightM(meanSkeleton.map((joint) => scaled(joint, 10)))).toBe(2.4)
  })
})

describe("the frames of a body", () => {
  it("are three perpendicular directions, for any joints", () => {
    const together = Array.from({ length: 17 }, (): Vector3 => [1, 2, 3])
    fc.assert(
      fc.property(fc.oneof(anyJoints, fc.constant(together)), (joints) => {
        const trunk = trunkFrame(joints)
        const upper = limbFrame(joints[5]!, joints[7]!, hanging(trunk))
        for (const frame of [trunk, headFrame(joints, trunk), upper, limbFrame(joints[7]!, joints[9]!, upper)]) {
          expectOrthonormal(frame)
        }
      }),
      { seed: 5 },
    )
  })

  it("face the person's direction", () => {
    for (const [pose, front] of [["standing", [0, -1, 0]], ["standingSideways", [1, 0, 0]]] as const) {
      const joints = jointsOf(poses[pose])
      const trunk = trunkFrame(joints)
      close(trunk.front, front)
      close(trunk.axis, [0, 0, 1])
      close(headFrame(joints, trunk).front, front, 1)
    }
    close(trunkFrame(jointsOf(poses.standing)).left, [1, 0, 0])
  })

  it("turn the front of a thigh up and that of a shank ahead when a person sits", () => {
    const joints = jointsOf(poses.sittingSideways)
    const thigh = limbFrame(joints[11]!, joints[13]!, hanging(trunkFrame(joints)))
    close(thigh.front, [0, 0, 1])
    close(limbFrame(joints[13]!, joints[15]!, thigh).front, [1, 0, 0])
  })

  it("keep the front of an arm held straight up", () => {
    const joints = jointsOf(poses.armsUp)
    close(limbFrame(joints[5]!, joints[7]!, hanging(trunkFrame(joints))).front, [0, -1, 0])
  })
})

/** Depth of a point in a solid, metres of the solid's own frame: the hull is the union of all balls between its two. */
const depthIn = ({ directions, length, origin, radii, unitsM }: BodySolid, point: Vector3): number => {
  const own = directions.map((d, i) => dot(subtract(point, origin), d) / unitsM[i]!)
  const depths = Array.from({ length: 201 }, (_, step) => {
    const h = step / 200
    return radii[0] + h * (radii[1] - radii[0]) - Math.hypot(own[0]!, own[1]!, own[2]! - h * length)
  })
  return Math.max(...depths)
}

describe("the fitted body", () => {
  it("is null where a keypoint is missing or not finite", () => {
    expect(fitBody(poses.standing.slice(1))).toBeNull()
    expect(fitBody([])).toBeNull()
    expect(fitBody(poses.standing.map((k, i) => i === 3 ? { ...k, z: NaN } : k))).toBeNull()
  })

  it("contains every joint below the neck, for any joints", () => {
    fc.assert(
      fc.property(anyJoints, (joints) => {
        const body = fitBody(joints.map(([x, y, z]) => ({ x, y, z, confidence: 1 })))!
        for (const joint of joints.slice(5)) {
          expect(Math.max(...body.solids.map((solid) => depthIn(solid, joint)))).toBeGreaterThan(0)
        }
      }),
      { seed: 6, numRuns: 50 },
    )
  })

  it("has the girths of an adult", () => {
    const extent = (pose: keyof typeof poses) => silhouetteOf(fitBody(poses[pose])!)
    const standing = extent("standing")
    expect(standing.bottomM).toBeCloseTo(0, 2)
    expect(standing.heightM).toBeGreaterThan(1.68)
    expect(standing.heightM).toBeLessThan(1.76)
    expect(standing.widthM).toBeGreaterThan(0.45)
    expect(standing.widthM).toBeLessThan(0.6)
    // Fingertips of stretched arms are about one height apart; a foot is longer than the depth of a trunk.
    expect(extent("armsAside").widthM / 1.7).toBeGreaterThan(0.95)
    expect(extent("armsAside").widthM / 1.7).toBeLessThan(1.2)
    expect(extent("standingSideways").widthM).toBeLessThan(0.36)
  })

  it("ends at its silhouette", () => {
    for (const keypoints of [poses.standing, poses.lyingAlong, jittered(poses.striding, 3)]) {
      const body = fitBody(keypoints)!
      const { bottomM, heightM, leftM, widthM } = silhouetteOf(body)
      // Points of the surface: of balls between the two of each solid, in many directions.
      const [xs, zs]: [Array<number>, Array<number>] = [[], []]
      for (const { directions: [a, b, c], length, origin, radii, unitsM } of body.solids) {
        for (let step = 0; step <= 8; step++) {
          for (let turn = 0; turn < 700; turn++) {
            const up = 1 - 2 * (turn + 0.5) / 700
            const angle = turn * Math.PI * (3 - Math.sqrt(5))
            const radius = radii[0] + step / 8 * (radii[1] - radii[0])
            const [p, q] = [Math.cos(angle), Math.sin(angle)].map((part) => radius * part * Math.sqrt(1 - up * up))
            const beside = add(scaled(a, p! * unitsM[0]), scaled(b, q! * unitsM[1]))
            const point = add(add(origin, beside), scaled(c, (radius * up + step / 8 * length) * unitsM[2]))
            xs.push(point[0])
            zs.push(point[2])
          }
        }
      }
      const least = (values: ReadonlyArray<number>) => values.reduce((a, b) => Math.min(a, b))
      const most = (values: ReadonlyArray<number>) => values.reduce((a, b) => Math.max(a, b))
      for (
        const [stated, found] of [
          [leftM, least(xs)],
          [-(leftM + widthM), -most(xs)],
          [bottomM, least(zs)],
          [-(bottomM + heightM), -most(zs)],
        ] as const
      ) {
        expect(found).toBeGreaterThanOrEqual(stated - 1e-9)
        expect(found).toBeLessThan(stated + 0.003)
      }
    }
  })
})

describe("the box of a person", () => {
  const geometry = { size: [6, 5, 2.5], nodes: [] } as const
  const view = { widthM: 6, heightM: 2.5 }

  it("contains the hands, the feet and the crown", () => {
    const { height, width, x, y } = boxOfPerson(poses.armsAside, view, geometry)
    expect(x * 6).toBeCloseTo(3 - 0.9725, 2)
    expect((x + width) * 6).toBeCloseTo(3 + 0.9725, 2)
    expect((1 - y) * 2.5).toBeGreaterThan(1.68)
    expect((1 - y - height) * 2.5).toBeCloseTo(0, 2)
  })

  it("contains every keypoint in the view and ends at its edges", () => {
    fc.assert(
      fc.property(anyJoints, (joints) => {
        const keypoints = joints.map(([x, y, z], i) => ({
          name: keypointNames[i]!,
          x,
          y,
          z,
          sigmaM: 0.1,
          observed: true,
          confidence: 0.9,
        }))
        const box = boxOfPerson(keypoints, view, geometry)
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0)
        expect(Math.max(box.x + box.width, box.y + box.height)).toBeLessThanOrEqual(1 + 1e-12)
        for (const { x, z } of keypoints) {
          const [across, down] = [x / 6, 1 - z / 2.5]
          if (across < 0 || across > 1 || down < 0 || down > 1) continue
          expect(across >= box.x - 1e-12 && across <= box.x + box.width + 1e-12).toBe(true)
          expect(down >= box.y - 1e-12 && down <= box.y + box.height + 1e-12).toBe(true)
        }
      }),
      { seed: 7 },
    )
  })

  it("is that of the keypoints without a fitted body", () => {
    const [first, second] = poses.standing
    const box = boxOfPerson([first!, second!], view, geometry)
    expect(box.width).toBeCloseTo(Math.abs(first!.x - second!.x) / 6, 9)
  })
})
