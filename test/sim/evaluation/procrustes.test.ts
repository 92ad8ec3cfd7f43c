import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { alignSimilarity, svd3 } from "../../../sim/evaluation/procrustes.ts"

type Matrix = ReadonlyArray<number>

const times = (a: ArrayLike<number>, b: ArrayLike<number>): Matrix =>
  Array.from({ length: 9 }, (_, at) => {
    const [row, column] = [3 * Math.floor(at / 3), at % 3]
    return a[row]! * b[column]! + a[row + 1]! * b[3 + column]! + a[row + 2]! * b[6 + column]!
  })
const transposed = (a: ArrayLike<number>): Matrix =>
  Array.from({ length: 9 }, (_, at) => a[3 * (at % 3) + Math.floor(at / 3)]!)
const diagonal = ([a, b, c]: ArrayLike<number> & Iterable<number>): Matrix => [a!, 0, 0, 0, b!, 0, 0, 0, c!]
const farthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)))

const finite = fc.double({ min: -10, max: 10, noNaN: true })
const vector = fc.tuple(finite, finite, finite)

const expectDecomposed = (matrix: Matrix): void => {
  const { s, u, v } = svd3(matrix)
  const size = Math.max(1, ...matrix.map(Math.abs))
  expect(farthest(times(times(u, diagonal(s)), transposed(v)), matrix)).toBeLessThan(1e-9 * size)
  for (const side of [u, v]) expect(farthest(times(side, transposed(side)), diagonal([1, 1, 1]))).toBeLessThan(1e-9)
  expect(s[0]! >= s[1]! && s[1]! >= s[2]! && s[2]! >= 0).toBe(true)
}

describe("the singular value decomposition", () => {
  it("decomposes any matrix", () => {
    fc.assert(fc.property(fc.tuple(vector, vector, vector), ([a, b, c]) => expectDecomposed([...a, ...b, ...c])))
  })

  it("decomposes matrices of rank 0, 1 and 2", () => {
    expectDecomposed([0, 0, 0, 0, 0, 0, 0, 0, 0])
    fc.assert(
      fc.property(
        vector,
        vector,
        ([a, b, c], row) => expectDecomposed([a, b, c].flatMap((factor) => row.map((value) => factor * value))),
      ),
    )
    expectDecomposed([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it("gives the singular values of a matrix with orthogonal columns", () => {
    // Columns (0, 2, 0), (3, 0, 0), (0, 0, -1).
    expect([...svd3([0, 3, 0, 2, 0, 0, 0, 0, -1]).s]).toEqual([3, 2, 1])
  })
})

/** A quarter turn about z, then twice as large, then moved. */
const moved = (points: ReadonlyArray<number>): Array<number> =>
  points.flatMap((_, at) => at % 3 === 0 ? [5 - 2 * points[at + 1]!, 6 + 2 * points[at]!, 7 + 2 * points[at + 2]!] : [])

describe("the alignment", () => {
  const points = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 1, 1]

  it("reverses a rotation, a scale and a translation", () => {
    expect(farthest(alignSimilarity(moved(points), points), points)).toBeLessThan(1e-12)
    expect(farthest(alignSimilarity(points, moved(points)), moved(points))).toBeLessThan(1e-12)
  })

  it("does not mirror", () => {
    const mirrored = points.map((value, at) => at % 3 === 0 ? -value : value)
    expect(farthest(alignSimilarity(mirrored, points), points)).toBeGreaterThan(0.3)
  })

  it("is optimal: no small rotation or scale improves it", () => {
    const target = points.map((value, at) => value + Math.sin(7 * at))
    const aligned = alignSimilarity(points, target)
    const distance = (from: ArrayLike<number>): number =>
      target.reduce((sum, value, i) => sum + (value - from[i]!) ** 2, 0)
    const best = distance(aligned)
    const middle = [0, 1, 2].map((axis) =>
      target.reduce((sum, value, at) => at % 3 === axis ? sum + 3 * value / target.length : sum, 0)
    )
    for (const [a, b] of [[0, 1], [0, 2], [1, 2]] as const) {
      for (const angle of [-0.01, 0.01]) {
        const turned = Float64Array.from(aligned)
        for (let i = 0; i < turned.length; i += 3) {
          const [p, q] = [aligned[i + a]! - middle[a]!, aligned[i + b]! - middle[b]!]
          turned[i + a] = middle[a]! + p * Math.cos(angle) - q * Math.sin(angle)
          turned[i + b] = middle[b]! + p * Math.sin(angle) + q * Math.cos(angle)
        }
        expect(distance(turned)).toBeGreaterThan(best)
      }
    }
    for (const scale of [0.99, 1.01]) {
      const scaled = aligned.map((value, at) => middle[at % 3]! + scale * (value - middle[at % 3]!))
      expect(distance(scaled)).toBeGreaterThan(best)
    }
  })

  it("aligns points on a line, and a single point, as well as possible", () => {
    expect(farthest(alignSimilarity([-1, 0, 0, 1, 0, 0], [0, -2, 0, 0, 2, 0]), [0, -2, 0, 0, 2, 0])).toBeLessThan(1e-12)
    expect([...alignSimilarity([3, 3, 3, 3, 3, 3], [0, -2, 0, 0, 4, 0])]).toEqual([0, 1, 0, 0, 1, 0])
  })
})
