import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { associate } from "../../../core/tracking/association.ts"
import { beginMotion, mahalanobis, type Measurement, type MotionState } from "../../../core/tracking/kalman.ts"

const at = (x: number, y: number): Measurement => ({ x, y, sigmaM: 0.3 })

/** Least total cost over all ways to assign, by trying each: 9.21 for a track without a detection. */
const bestCost = (tracks: ReadonlyArray<MotionState>, detections: ReadonlyArray<Measurement>): number => {
  const [first, ...others] = tracks
  if (first === undefined) return 0
  const withOne = detections.flatMap((detection, i) => {
    const cost = mahalanobis(first, detection)
    return cost > 9.21 ? [] : [cost + bestCost(others, detections.filter((_, j) => j !== i))]
  })
  return Math.min(9.21 + bestCost(others, detections), ...withOne)
}

const points = fc.array(
  fc.tuple(fc.double({ min: 0, max: 3, noNaN: true }), fc.double({ min: 0, max: 3, noNaN: true })),
  {
    maxLength: 5,
  },
)

describe("association", () => {
  it("is the cheapest assignment within the gate", () => {
    fc.assert(
      fc.property(points, points, (trackPoints, detectionPoints) => {
        const tracks = trackPoints.map(([x, y]) => beginMotion(at(x, y)))
        const detections = detectionPoints.map(([x, y]) => at(x, y))
        const { detectionOfTrack, newDetections } = associate(tracks, detections)
        const used = detectionOfTrack.filter((index) => index !== null)
        expect(new Set([...used, ...newDetections]).size).toBe(detections.length)
        expect(used.length + newDetections.length).toBe(detections.length)
        const cost = detectionOfTrack.reduce(
          (sum: number, index, track) =>
            sum + (index === null ? 9.21 : mahalanobis(tracks[track]!, detections[index]!)),
          0,
        )
        expect(cost).toBeCloseTo(bestCost(tracks, detections), 6)
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it("gives two crossing persons each its own detection, not both the nearest", () => {
    const tracks = [beginMotion(at(1, 1)), beginMotion(at(1.4, 1))]
    expect(associate(tracks, [at(1.35, 1), at(1.9, 1)]).detectionOfTrack).toEqual([0, 1])
  })

  it("leaves out what is beyond the gate", () => {
    const result = associate([beginMotion(at(0, 0))], [at(5, 5)])
    expect(result).toEqual({ detectionOfTrack: [null], newDetections: [0] })
    expect(associate([], [at(1, 1)])).toEqual({ detectionOfTrack: [], newDetections: [0] })
    expect(associate([beginMotion(at(1, 1))], [])).toEqual({ detectionOfTrack: [null], newDetections: [] })
  })
})
