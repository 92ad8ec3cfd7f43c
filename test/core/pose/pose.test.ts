import { describe, expect, it } from "vitest"
import { placeSkeleton } from "../../../core/pose/place.ts"
import { keypointNames, meanSkeleton } from "../../../core/pose/skeleton.ts"
import { boxOf, projectKeypoints, viewOf } from "../../../core/pose/view.ts"
import type { MotionState } from "../../../core/tracking/kalman.ts"

const still: MotionState = {
  x: 2,
  y: 3,
  velocityX: 0,
  velocityY: 0,
  positionVariance: 0.04,
  covariance: 0,
  velocityVariance: 0.01,
}
const walking = (velocityX: number, velocityY: number): MotionState => ({ ...still, velocityX, velocityY })
const point = (motion: MotionState, name: typeof keypointNames[number]) =>
  placeSkeleton(motion)[keypointNames.indexOf(name)]!

describe("the placed skeleton", () => {
  it("faces the walking direction", () => {
    expect(point(walking(1, 0), "nose").x).toBeCloseTo(2.1, 6)
    expect(point(walking(0, -1), "nose").y).toBeCloseTo(2.9, 6)
    expect(point(walking(1, 0), "left_shoulder").y).toBeGreaterThan(3)
    expect(point(walking(0, 1), "left_shoulder").x).toBeLessThan(2)
  })

  it("faces the viewer when the heading is unknown, with less confidence off the middle", () => {
    expect(point(still, "nose").y).toBeCloseTo(2.9, 6)
    expect(point(still, "left_shoulder").x).toBeGreaterThan(2)
    for (const [i, keypoint] of placeSkeleton(still).entries()) {
      expect(keypoint.sigmaM).toBeGreaterThan(placeSkeleton(walking(1, 0))[i]!.sigmaM)
      expect(keypoint.observed).toBe(false)
    }
  })

  it("keeps the size of the skeleton and its order", () => {
    const placed = placeSkeleton(walking(0.6, 0.8))
    expect(placed.map(({ name }) => name)).toEqual(keypointNames)
    for (const [i, [forward, aside, up]] of meanSkeleton.entries()) {
      expect(Math.hypot(placed[i]!.x - 2, placed[i]!.y - 3)).toBeCloseTo(Math.hypot(forward, aside), 9)
      expect(placed[i]!.z).toBe(up)
    }
  })

  it("has the confidence of Maxwell's distribution", () => {
    // P(chi_3 < 1) = 0.19875 for a sigma of 0.3 m; sigma^2 is the joint's and 2/3 of the place's variance.
    const hip = (variance: number) =>
      point({ ...walking(1, 0), positionVariance: variance, velocityVariance: 0 }, "left_hip")
    const variance = 1.5 * (0.09 - 0.028 ** 2)
    // Relative to the pelvis, only the joint's.
    expect(hip(variance).sigmaM).toBeCloseTo(0.028, 9)
    expect(hip(variance).confidence).toBeCloseTo(0.19875, 4)
    expect(hip(0).confidence).toBeGreaterThan(0.999)
    expect(hip(100).confidence).toBeLessThan(0.001)
    expect(hip(100).confidence).toBeGreaterThanOrEqual(0)
  })
})

describe("the view", () => {
  const geometry = { size: [6, 5, 2.5], nodes: [] } as const

  it("puts the floor at the bottom and x to the right", () => {
    const keypoints = projectKeypoints(placeSkeleton(walking(1, 0)), viewOf(geometry), geometry)
    const hip = keypoints[keypointNames.indexOf("left_hip")]!
    expect(hip.x).toBeCloseTo(2 / 6, 9)
    expect(hip.y).toBeCloseTo(1 - (0.53 * 1.7) / 2.5, 9)
    expect(keypoints[0]!.y).toBeLessThan(hip.y)
    expect(keypoints[keypointNames.indexOf("left_ankle")]!.y).toBeGreaterThan(hip.y)
  })

  it("is centred on the room when it shows more or less of it", () => {
    const centre = placeSkeleton({ ...walking(0, 1), x: 3 })
    const x = (widthM: number): number => projectKeypoints(centre, { widthM, heightM: 2.5 }, geometry)[0]!.x
    expect(x(6)).toBeCloseTo(0.5, 9)
    expect(x(12)).toBeCloseTo(0.5, 9)
  })

  it("has a box that contains every keypoint and ends at the edges", () => {
    const edge = projectKeypoints(placeSkeleton({ ...walking(0, 1), x: 0.1 }), viewOf(geometry), geometry)
    const box = boxOf(edge)
    expect(box.x).toBe(0)
    expect(edge.some(({ x, visible }) => x < 0 && visible)).toBe(false)
    for (const { x, y } of edge.filter(({ x }) => x >= 0)) {
      expect(x >= box.x && x <= box.x + box.width + 1e-12 && y >= box.y && y <= box.y + box.height + 1e-12).toBe(true)
    }
  })

  it("marks as visible only keypoints that are more likely correct than not", () => {
    const lost = projectKeypoints(placeSkeleton({ ...still, positionVariance: 1 }), viewOf(geometry), geometry)
    expect(lost.every(({ visible }) => !visible)).toBe(true)
    const sure = projectKeypoints(placeSkeleton(walking(1, 0)), viewOf(geometry), geometry)
    expect(sure[keypointNames.indexOf("left_hip")]!.visible).toBe(true)
  })
})
