import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { associate, costOf } from "../../../core/tracking/association.ts"
import {
  beginMotion,
  mahalanobis,
  type Measurement,
  type MotionState,
  predictMotion,
} from "../../../core/tracking/kalman.ts"

const at = (x: number, y: number, velocity: Measurement["velocity"] = null): Measurement => ({
  x,
  y,
  sigmaM: 0.3,
  velocity,
})
const walking = (x: number, y: number, vx: number): Measurement => at(x, y, { x: vx, y: 0, sigmaMps: 0.15 })

const gate = 9.21
/** Cost of a track without a detection: that of the most expensive detection within the gate. */
const aloneCost = gate + 4

/** Minimum total cost over all assignments, by enumeration. */
const bestCost = (tracks: ReadonlyArray<MotionState>, detections: ReadonlyArray<Measurement>): number => {
  const [first, ...others] = tracks
  if (first === undefined) return 0
  const withOne = detections.flatMap((detection, i) =>
    mahalanobis(first, detection) > gate
      ? []
      : [costOf(first, detection) + bestCost(others, detections.filter((_, j) => j !== i))]
  )
  return Math.min(aloneCost + bestCost(others, detections), ...withOne)
}

const place = fc.double({ min: 0, max: 3, noNaN: true })
const speed = fc.double({ min: -1.5, max: 1.5, noNaN: true })
const measurements = fc.array(
  fc.tuple(place, place, fc.option(fc.tuple(speed, speed))).map(([x, y, velocity]) =>
    at(x, y, velocity === null ? null : { x: velocity[0], y: velocity[1], sigmaMps: 0.2 })
  ),
  { maxLength: 5 },
)

describe("association", () => {
  it("is the cheapest assignment within the gate", () => {
    fc.assert(
      fc.property(measurements, measurements, (first, detections) => {
        const tracks = first.map(beginMotion)
        const { detectionOfTrack, newDetections } = associate(tracks, detections)
        const used = detectionOfTrack.filter((index) => index !== null)
        expect(new Set([...used, ...newDetections]).size).toBe(detections.length)
        expect(used.length + newDetections.length).toBe(detections.length)
        const cost = detectionOfTrack.reduce((sum: number, index, i) => {
          if (index === null) return sum + aloneCost
          expect(mahalanobis(tracks[i]!, detections[index]!)).toBeLessThanOrEqual(gate)
          return sum + costOf(tracks[i]!, detections[index]!)
        }, 0)
        expect(cost).toBeCloseTo(bestCost(tracks, detections), 6)
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it("gives two persons in a row each its own detection, not both the nearest", () => {
    const tracks = [beginMotion(at(1, 1)), beginMotion(at(1.4, 1))]
    expect(associate(tracks, [at(1.35, 1), at(1.9, 1)]).detectionOfTrack).toEqual([0, 1])
  })

  it("separates crossing persons by their velocities, where their places would swap them", () => {
    const tracks = [walking(1, 1, 1), walking(1.3, 1, -1)].map((first) => predictMotion(beginMotion(first), 0.1))
    const places = [at(1.05, 1), at(1.25, 1)]
    const velocities = [walking(1.05, 1, -1), walking(1.25, 1, 1)]
    expect(associate(tracks, places).detectionOfTrack).toEqual([0, 1])
    expect(associate(tracks, velocities).detectionOfTrack).toEqual([1, 0])
  })

  it("gives a track a detection of any velocity without an alternative, because it may be a limb", () => {
    const track = beginMotion(walking(1, 1, 1))
    expect(associate([track], [walking(1.1, 1, -2)]).detectionOfTrack).toEqual([0])
    expect(costOf(track, walking(1, 1, -2))).toBe(4)
  })

  it("excludes detections beyond the gate", () => {
    const result = associate([beginMotion(at(0, 0))], [at(5, 5)])
    expect(result).toEqual({ detectionOfTrack: [null], newDetections: [0] })
    const track = beginMotion(at(0, 0))
    const edgeM = Math.sqrt(gate / mahalanobis(track, at(1, 0)))
    expect(associate([track], [at(0.999 * edgeM, 0)]).detectionOfTrack).toEqual([0])
    expect(associate([track], [at(1.001 * edgeM, 0)]).detectionOfTrack).toEqual([null])
  })

  it("ends with tracks whose places are not numbers, and leaves them without a detection", () => {
    const broken = { ...beginMotion(at(1, 1)), x: NaN, velocityX: NaN }
    const { detectionOfTrack } = associate([broken, beginMotion(at(0, 0)), broken], [
      walking(0, 0, 1),
      walking(1, 1, 1),
    ])
    expect(detectionOfTrack).toEqual([null, 0, null])
  })

  it("accepts no tracks and no detections", () => {
    expect(associate([], [])).toEqual({ detectionOfTrack: [], newDetections: [] })
    expect(associate([], [at(1, 1)])).toEqual({ detectionOfTrack: [], newDetections: [0] })
    expect(associate([beginMotion(at(1, 1))], [])).toEqual({ detectionOfTrack: [null], newDetections: [] })
  })
})
