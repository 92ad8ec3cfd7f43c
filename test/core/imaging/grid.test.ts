import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SiteGeometry, Vector3 } from "../../../core/imaging/geometry.ts"
import { around, createGrid, insideOf } from "../../../core/imaging/grid.ts"
import { distanceM } from "../../harness/echoes.ts"

const size = fc.tuple(
  fc.double({ min: 0.5, max: 80, noNaN: true }),
  fc.double({ min: 0.5, max: 80, noNaN: true }),
  fc.double({ min: 1, max: 6, noNaN: true }),
)
const roomOf = (extents: Vector3): SiteGeometry => ({ size: extents, nodes: [] })
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe("the grid of a room", () => {
  it("has points 0.25 m apart in a home, row by row from the corner", () => {
    const { columns, heightM, points, stepM } = createGrid(roomOf([6, 5, 2.7]))
    expect(stepM).toBe(0.25)
    expect(columns).toBe(22)
    expect(points).toHaveLength(22 * 18)
    expect(heightM).toBe(1)
    expect(points[1]![0] - points[0]![0]).toBeCloseTo(0.25, 12)
    expect(points[1]![1]).toBe(points[0]![1])
    expect(points[columns]![1] - points[0]![1]).toBeCloseTo(0.25, 12)
    expect(points[columns]![0]).toBe(points[0]![0])
  })

  it("lies in the middle of the room, at half its height where that is low", () => {
    fc.assert(
      fc.property(size, (extents) => {
        const { heightM, points } = createGrid(roomOf(extents))
        const first = points[0]!
        const last = points.at(-1)!
        for (const axis of [0, 1]) expect(first[axis]! + last[axis]!).toBeCloseTo(extents[axis]!, 9)
        expect(heightM).toBe(Math.min(1, extents[2] / 2))
        expect(points.every(([, , z]) => z === heightM)).toBe(true)
      }),
      { seed: 1 },
    )
  })

  it("has a point within half a cell of every place, and never more points than its bound", () => {
    fc.assert(
      fc.property(size, share, share, (extents, alongX, alongY) => {
        const { heightM, points, stepM } = createGrid(roomOf(extents))
        const place: Vector3 = [
          0.3 + alongX * Math.max(0, extents[0] - 0.6),
          0.3 + alongY * Math.max(0, extents[1] - 0.6),
          heightM,
        ]
        expect(points.length).toBeLessThanOrEqual(4096 + 2048 + 1)
        if (Math.min(extents[0], extents[1]) < 0.6) return
        expect(Math.min(...points.map((point) => distanceM(point, place)))).toBeLessThan(stepM * Math.SQRT1_2 + 1e-9)
      }),
      { seed: 2 },
    )
  })

  it("bounds the points of halls and of long corridors", () => {
    for (const extents of [[1000, 1000, 10], [5000, 1, 3], [1, 5000, 3]] as const) {
      const { points } = createGrid(roomOf(extents))
      expect(points.length).toBeLessThanOrEqual(4096 + 2048 + 1)
      expect(points.length).toBeGreaterThan(1000)
    }
  })
})

describe("the points around a place", () => {
  it("are five by five, row by row, with the place in the middle", () => {
    const points = around([2, 3, 1], 0.1)
    expect(points).toHaveLength(25)
    expect(points[12]).toEqual([2, 3, 1])
    expect(points[13]![0]).toBeCloseTo(2.1, 12)
    expect(points[17]![1]).toBeCloseTo(3.1, 12)
    expect(points[0]!.map((value) => Number(value.toFixed(9)))).toEqual([1.8, 2.8, 1])
  })
})

describe("a place within a room", () => {
  it("is the nearest one, and itself when it is inside", () => {
    const anywhere = fc.double({ min: -20, max: 20, noNaN: true })
    fc.assert(
      fc.property(size, anywhere, anywhere, share, share, (extents, x, y, alongX, alongY) => {
        const room = roomOf(extents)
        const inside = insideOf(room, [x, y, 1])
        const other: Vector3 = [alongX * extents[0], alongY * extents[1], 1]
        expect(insideOf(room, inside)).toEqual(inside)
        expect(insideOf(room, other)).toEqual(other)
        expect(distanceM([x, y, 1], inside)).toBeLessThanOrEqual(distanceM([x, y, 1], other))
      }),
      { seed: 3 },
    )
  })
})
