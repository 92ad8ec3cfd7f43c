import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normals, uniform } from "../../../core/kernels/samples.ts"
import {
  averageSpeedOf,
  beginTrajectory,
  extendTrajectory,
  pointsMax,
  pointsOf,
  type TrackState,
  type Trajectory,
} from "../../../core/tracking/trajectory.ts"

const state = (hop: number, x: number, y: number, over: Partial<TrackState> = {}): TrackState => ({
  timestampMs: 100 * hop,
  x,
  y,
  sigmaM: 0.1,
  standing: 0.05,
  confidence: 0.9,
  ...over,
})

const trajectoryOf = (states: ReadonlyArray<TrackState>): Trajectory =>
  states.slice(1).reduce(extendTrajectory, beginTrajectory(states[0]!))

/** `hops` hops of a path, with noise of this deviation. */
const way = (
  hops: number,
  placeAt: (hop: number) => readonly [number, number],
  noiseM: number,
  over: Partial<TrackState> = {},
): ReadonlyArray<TrackState> => {
  const noise = normals(2 * hops, uniform(7))
  return Array.from({ length: hops }, (_, hop) => {
    const [x, y] = placeAt(hop)
    return state(hop, x + noiseM * noise[2 * hop]!, y + noiseM * noise[2 * hop + 1]!, { sigmaM: noiseM, ...over })
  })
}

describe("the trajectory of a track", () => {
  it("measures the distance and duration of a walk", () => {
    const walked = trajectoryOf(way(601, (hop) => [0.1 * hop, 0], 0.05))
    expect(walked.movementDistanceM).toBeGreaterThan(58)
    expect(walked.movementDistanceM).toBeLessThan(62)
    expect(walked.timeMovingS).toBeCloseTo(60, 6)
    expect(walked.timeStationaryS).toBe(0)
    expect(averageSpeedOf(walked)).toBeCloseTo(walked.movementDistanceM / 60, 6)
  })

  it("follows a path around corners", () => {
    // Four sides of five metres at one metre a second.
    const square = way(201, (hop) => {
      const along = 0.1 * hop
      const side = Math.min(3, Math.floor(along / 5))
      const rest = along - 5 * side
      return [[rest, 0], [5, rest], [5 - rest, 5], [0, 5 - rest]][side] as [number, number]
    }, 0.02)
    const walked = trajectoryOf(square)
    expect(Math.abs(walked.movementDistanceM - 20)).toBeLessThan(1)
    const points = pointsOf(walked)
    for (const corner of [[5, 0], [5, 5], [0, 5]] as const) {
      expect(Math.min(...points.map(({ x, y }) => Math.hypot(x - corner[0], y - corner[1])))).toBeLessThan(0.25)
    }
  })

  it("does not accumulate noise while a person stands", () => {
    for (const noiseM of [0.05, 0.1, 0.3]) {
      const stood = trajectoryOf(way(6001, () => [2, 2], noiseM / 3, { standing: 0.98, sigmaM: noiseM }))
      expect(stood.movementDistanceM).toBe(0)
      expect(stood.timeStationaryS).toBeCloseTo(600, 6)
      expect(averageSpeedOf(stood)).toBe(0)
    }
  })

  it("does not count movement within the uncertainty of the place", () => {
    const step = (sigmaM: number) => trajectoryOf([state(0, 0, 0), state(1, 0.7, 0, { sigmaM })]).movementDistanceM
    expect(step(0.1)).toBeCloseTo(0.7, 9)
    expect(step(0.5)).toBe(0)
  })

  it("does not count a gap as observed time", () => {
    const states = [state(0, 0, 0), state(10, 0, 0), state(200, 0, 0), state(205, 0, 0)]
    expect(trajectoryOf(states).timeMovingS).toBeCloseTo(1.5, 9)
  })

  it("is not changed by a state that is not newer", () => {
    const before = trajectoryOf([state(0, 0, 0), state(5, 1, 0)])
    for (const hop of [5, 4, -10]) expect(extendTrajectory(before, state(hop, 9, 9))).toBe(before)
  })

  it("keeps a point after a movement, or after five seconds", () => {
    const stood = trajectoryOf(way(601, () => [1, 1], 0))
    expect(pointsOf(stood).map(({ timestampMs }) => timestampMs / 1000)).toEqual(
      Array.from({ length: 13 }, (_, i) => 5 * i),
    )
    const walked = pointsOf(trajectoryOf(way(101, (hop) => [0.1 * hop, 0], 0)))
    walked.slice(1, -1).forEach(({ x }, i) => expect(x - walked[i]!.x).toBeCloseTo(0.3, 6))
  })

  it("covers a long track at decreasing resolution, within its bound", () => {
    // Six hours of walking to and fro.
    const hops = 6 * 36_000
    const placeAt = (hop: number) => [5 + 4 * Math.sin(hop / 40), 0] as const
    let trajectory = beginTrajectory(state(0, ...placeAt(0)))
    for (let hop = 1; hop < hops; hop++) trajectory = extendTrajectory(trajectory, state(hop, ...placeAt(hop)))
    const points = pointsOf(trajectory)
    expect(points.length).toBeLessThanOrEqual(pointsMax)
    expect(points.length).toBeGreaterThanOrEqual(pointsMax / 4)
    expect(points[0]!.timestampMs).toBe(0)
    expect(points.at(-1)!.timestampMs).toBe(100 * (hops - 1))
    const gaps = points.slice(1).map(({ timestampMs }, i) => timestampMs - points[i]!.timestampMs)
    expect(Math.max(...gaps)).toBeLessThan(0.02 * 100 * hops)
    expect(trajectory.states).toBe(hops)
  })

  it("keeps its invariants with any states", () => {
    const place = fc.double({ min: -50, max: 50, noNaN: true })
    const probability = fc.double({ min: 0, max: 1, noNaN: true })
    const states = fc.array(
      fc.record({
        timestampMs: fc.integer({ min: 0, max: 1_000_000 }),
        x: place,
        y: place,
        sigmaM: fc.double({ min: 0, max: 2, noNaN: true }),
        standing: probability,
        confidence: probability,
      }),
      { minLength: 1, maxLength: 200 },
    )
    fc.assert(
      fc.property(states, fc.boolean(), (drawn, sorted) => {
        const life = sorted ? drawn.toSorted((a, b) => a.timestampMs - b.timestampMs) : drawn
        let trajectory = beginTrajectory(life[0]!)
        for (const next of life.slice(1)) {
          const before = trajectory
          trajectory = extendTrajectory(before, next)
          const points = pointsOf(trajectory)
          expect(points.length).toBeLessThanOrEqual(pointsMax)
          expect(points[0]).toEqual(pointsOf(before)[0])
          expect(points.at(-1)).toEqual(trajectory.last)
          expect(points.slice(1).every(({ timestampMs }, i) => timestampMs > points[i]!.timestampMs)).toBe(true)
          for (const figure of ["movementDistanceM", "timeMovingS", "timeStationaryS", "states"] as const) {
            expect(trajectory[figure]).toBeGreaterThanOrEqual(before[figure])
          }
        }
        expect(trajectory.confidenceSum).toBeLessThanOrEqual(trajectory.states)
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})
